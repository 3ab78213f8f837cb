"""What is remembered: memories, archive, aliases, refusals, audit, receipts and the tenants' keys."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

SEQUENCE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "memories",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("identity_hash", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("mode", sa.String(length=8), nullable=False),
        sa.Column("source", sa.String(length=8), nullable=False),
        sa.Column("tag", sa.String(length=32), nullable=True),
        sa.Column("score", sa.Integer(), nullable=False),
        sa.Column("retention", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("confirmed_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=False),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("consent_date", sa.String(length=10), nullable=True),
        sa.Column("consent_method", sa.String(length=32), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "person", "id"),
        sa.UniqueConstraint("tenant", "person", "identity_hash", name="uq_memories_identity"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_memories_expiry", "memories", ["expires_at"], unique=False)
    op.create_table(
        "archive",
        sa.Column("seq", SEQUENCE, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=False),
        sa.Column("archived_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("ix_archive_age", "archive", ["archived_at"], unique=False)
    op.create_index("ix_archive_person", "archive", ["tenant", "person", "key", "seq"], unique=False)
    op.create_table(
        "aliases",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("task", sa.String(length=32), nullable=False),
        sa.Column("variant_hash", sa.String(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant", "person", "task", "variant_hash", name="uq_aliases_variant"),
    )
    op.create_table(
        "refusals",
        sa.Column("seq", SEQUENCE, autoincrement=True, nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("preference_hash", sa.String(length=64), nullable=False),
        sa.Column("refused_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("tenant", "person", "preference_hash", name="uq_refusals_preference"),
    )
    op.create_index("ix_refusals_age", "refusals", ["refused_at"], unique=False)
    op.create_table(
        "audit",
        sa.Column("seq", SEQUENCE, autoincrement=True, nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("action", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=True),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_index("ix_audit_person", "audit", ["tenant", "person", "seq"], unique=False)
    op.create_table(
        "receipts",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("erased", sa.Integer(), nullable=False),
        sa.Column("erased_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_receipts_person", "receipts", ["tenant", "person"], unique=False)
    op.create_table(
        "tenant_keys",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("wrapped", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "number"),
    )
