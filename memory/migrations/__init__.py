"""The history of the database's tables, one Alembic revision per change; `jide db upgrade` applies it."""
