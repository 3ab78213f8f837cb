"""The bot's own tables: people, queues, questions, runs and to-dos.

Times are integers: microseconds since 1970 in UTC. Bytes columns named `body`, `payload`, `title`, `user_id`… are
encrypted with the tenant's data key; `*_hash` is a keyed hash for look-up.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    UniqueConstraint,
    text,
)

from memory.stores.tables import metadata

Sequence = BigInteger().with_variant(Integer, "sqlite")

people = Table(
    "people",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", String(64), nullable=False, index=True),
    Column("created_at", BigInteger, nullable=False),
)

accounts = Table(
    "accounts",
    metadata,
    Column("id", Sequence, primary_key=True, autoincrement=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("platform", String(16), nullable=False),
    Column("app", String(64), nullable=False),
    Column("user_hash", String(64), nullable=False),
    Column("user_id", LargeBinary, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    UniqueConstraint("tenant", "platform", "user_hash", name="uq_accounts_user"),
    Index("ix_accounts_person", "tenant", "person"),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", Sequence, primary_key=True, autoincrement=True),
    Column("app", String(64), nullable=False),
    Column("message_hash", String(64), nullable=False),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("state", String(8), nullable=False),  # new | claimed | done | failed
    Column("body", LargeBinary),  # blanked when done
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("claimed_by", String(64)),
    Column("claimed_until", BigInteger),
    Column("received_at", BigInteger, nullable=False),
    Column("done_at", BigInteger),
    UniqueConstraint("app", "message_hash", name="uq_inbox_message"),
    Index(
        "ix_inbox_pending",
        "person",
        "id",
        sqlite_where=text("state IN ('new','claimed')"),
        postgresql_where=text("state IN ('new','claimed')"),
    ),
    Index("ix_inbox_done", "done_at"),
)

outbox = Table(
    "outbox",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("app", String(64), nullable=False),
    Column("address_hash", String(64), nullable=False),
    Column("kind", String(8), nullable=False),  # answer | report | file | task | push | update
    Column("state", String(8), nullable=False),  # new | claimed | done | dead
    Column("body", LargeBinary),  # the reply; blanked when done
    Column("progress", LargeBinary),  # platform ids and media ids of the parts sent so far
    Column("question", String(36)),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("due_at", BigInteger, nullable=False),
    Column("first_tried_at", BigInteger),
    Column("unknown_since", BigInteger),
    Column("claimed_by", String(64)),
    Column("claimed_until", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("done_at", BigInteger),
    Column("error", String(200)),
    Index(
        "ix_outbox_pending",
        "address_hash",
        "seq",
        sqlite_where=text("state IN ('new','claimed')"),
        postgresql_where=text("state IN ('new','claimed')"),
    ),
    Index("ix_outbox_question", "question"),
    Index("ix_outbox_done", "done_at"),
)

questions = Table(
    "questions",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("address_hash", String(64), nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("state", String(8), nullable=False),  # open | answered | void
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    Column("answered_at", BigInteger),
    Index("ix_questions_open", "tenant", "person", "state"),
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("task", String(32), nullable=False),
    Column("body", LargeBinary, nullable=False),  # values and their origins
    Column("outcome", String(16), nullable=False),
    Column("from_reminder", Boolean, nullable=False, server_default=text("false")),
    Column("started_at", BigInteger, nullable=False),
    Index("ix_runs_person", "tenant", "person", "started_at"),
)

todos = Table(
    "todos",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("title", LargeBinary, nullable=False),
    Column("due_on", String(10)),  # local date, YYYY-MM-DD
    Column("due_at", BigInteger),
    Column("urgent", Boolean, nullable=False, server_default=text("false")),
    Column("rule", LargeBinary),
    Column("created_at", BigInteger, nullable=False),
    Column("done_at", BigInteger),
    Column("removed_at", BigInteger),
    Index("ix_todos_person", "tenant", "person", "done_at"),
)

schedules = Table(
    "schedules",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("kind", String(16), nullable=False),  # digest
    Column("rule", String(500), nullable=False),  # JSON, as `jide when` prints rules
    Column("zone", String(64), nullable=False),
    Column("address", LargeBinary, nullable=False),  # the chat that it was asked for in
    Column("due_at", BigInteger, nullable=False),
    Column("given_on", String(10)),  # the local date on which it was last given
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("tenant", "person", "kind", name="uq_schedules_kind"),
    Index("ix_schedules_due", "due_at"),
)

shown_lists = Table(
    "shown_lists",
    metadata,
    Column("tenant", String(64), primary_key=True),
    Column("person", String(36), primary_key=True),
    Column("body", LargeBinary, nullable=False),  # which list, and the ids behind its numbers
    Column("shown_at", BigInteger, nullable=False),
)
