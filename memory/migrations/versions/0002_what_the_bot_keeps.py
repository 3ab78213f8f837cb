"""What the bot keeps: people, accounts, queues, questions, runs and to-dos."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

SEQUENCE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_people_tenant"), "people", ["tenant"], unique=False)
    op.create_table(
        "accounts",
        sa.Column("id", SEQUENCE, autoincrement=True, nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("platform", sa.String(length=16), nullable=False),
        sa.Column("app", sa.String(length=64), nullable=False),
        sa.Column("user_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.LargeBinary(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("tenant", "platform", "user_hash", name="uq_accounts_user"),
    )
    op.create_index("ix_accounts_person", "accounts", ["tenant", "person"], unique=False)
    op.create_table(
        "inbox",
        sa.Column("id", SEQUENCE, autoincrement=True, nullable=False),
        sa.Column("app", sa.String(length=64), nullable=False),
        sa.Column("message_hash", sa.String(length=64), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("claimed_until", sa.BigInteger(), nullable=True),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("app", "message_hash", name="uq_inbox_message"),
    )
    op.create_index("ix_inbox_done", "inbox", ["done_at"], unique=False)
    op.create_index(
        "ix_inbox_pending",
        "inbox",
        ["person", "id"],
        unique=False,
        sqlite_where=sa.text("state IN ('new','claimed')"),
        postgresql_where=sa.text("state IN ('new','claimed')"),
    )
    op.create_table(
        "outbox",
        sa.Column("seq", SEQUENCE, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("app", sa.String(length=64), nullable=False),
        sa.Column("address_hash", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("progress", sa.LargeBinary(), nullable=True),
        sa.Column("question", sa.String(length=36), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("first_tried_at", sa.BigInteger(), nullable=True),
        sa.Column("unknown_since", sa.BigInteger(), nullable=True),
        sa.Column("claimed_by", sa.String(length=64), nullable=True),
        sa.Column("claimed_until", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.Column("error", sa.String(length=200), nullable=True),
        sa.PrimaryKeyConstraint("seq"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("ix_outbox_done", "outbox", ["done_at"], unique=False)
    op.create_index(
        "ix_outbox_pending",
        "outbox",
        ["address_hash", "seq"],
        unique=False,
        sqlite_where=sa.text("state IN ('new','claimed')"),
        postgresql_where=sa.text("state IN ('new','claimed')"),
    )
    op.create_index("ix_outbox_question", "outbox", ["question"], unique=False)
    op.create_table(
        "questions",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("address_hash", sa.String(length=64), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("answered_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_questions_open", "questions", ["tenant", "person", "state"], unique=False)
    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("task", sa.String(length=32), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("from_reminder", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_runs_person", "runs", ["tenant", "person", "started_at"], unique=False)
    op.create_table(
        "todos",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("tenant", sa.String(length=64), nullable=False),
        sa.Column("person", sa.String(length=36), nullable=False),
        sa.Column("title", sa.LargeBinary(), nullable=False),
        sa.Column("due_on", sa.String(length=10), nullable=True),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("urgent", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("rule", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("done_at", sa.BigInteger(), nullable=True),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_todos_person", "todos", ["tenant", "person", "done_at"], unique=False)
