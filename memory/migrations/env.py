"""Run by Alembic: applies revisions through the connection that `memory.stores.schema` hands over."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
