"""When things fall due for a person, and which numbered list they saw last."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "schedules",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("rule", sa.String(length=500), nullable=False),
        sa.Column("zone", sa.String(length=64), nullable=False),
        sa.Column("address", sa.LargeBinary(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("given_on", sa.String(length=10), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant", "person", "kind", name="uq_schedules_kind"),
    )
    op.create_index("ix_schedules_due", "schedules", ["due_at"], unique=False)
    op.create_table(
        "shown_lists",
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("shown_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("tenant", "person"),
    )


def downgrade() -> None:
    op.drop_table("shown_lists")
    op.drop_table("schedules")
