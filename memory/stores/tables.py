"""The tables of what is remembered, on the one metadata that migrations and the bot's own tables share.

Times are integers: microseconds since 1970 in UTC. `body` and `wrapped` are AES-256-GCM bytes; a `*_hash`
is keyed for the tenant, so that equal things are found without being readable.
"""

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

metadata = MetaData()

Sequence = BigInteger().with_variant(Integer, "sqlite")  # SQLite autoincrements only what it calls INTEGER

memories = Table(
    "memories",
    metadata,
    Column("tenant", String(64), primary_key=True),
    Column("person", String(36), primary_key=True),
    Column("id", String(36), primary_key=True),
    Column("kind", String(16), nullable=False),  # preference | fact | snapshot
    Column("key", String(64), nullable=False),
    # What may exist once: key, scene and sign of a preference; key and value of a note or fact.
    Column("identity_hash", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),  # value, scene, topic
    Column("mode", String(8), nullable=False),
    Column("source", String(8), nullable=False),
    Column("tag", String(32)),
    Column("score", Integer, nullable=False),
    Column("retention", String(16), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("confirmed_at", BigInteger, nullable=False),
    Column("used_at", BigInteger, nullable=False),
    Column("uses", Integer, nullable=False),
    Column("expires_at", BigInteger),
    Column("consent_date", String(10)),
    Column("consent_method", String(32)),
    Column("version", Integer, nullable=False),
    UniqueConstraint("tenant", "person", "identity_hash", name="uq_memories_identity"),
    Index("ix_memories_expiry", "expires_at"),
    sqlite_with_rowid=False,  # clustered: all that one person's recall reads lies together on the disk
)

archive = Table(
    "archive",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("id", String(36), nullable=False, unique=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("key", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),  # the whole record and the person's reason
    Column("reason", String(16), nullable=False),  # replaced | forgotten | doubtful
    Column("archived_at", BigInteger, nullable=False),
    Index("ix_archive_person", "tenant", "person", "key", "seq"),
    Index("ix_archive_age", "archived_at"),
)

aliases = Table(
    "aliases",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("task", String(32), nullable=False),
    Column("variant_hash", String(64), nullable=False),
    Column("body", LargeBinary, nullable=False),  # the variant and its values
    Column("created_at", BigInteger, nullable=False),
    UniqueConstraint("tenant", "person", "task", "variant_hash", name="uq_aliases_variant"),
)

refusals = Table(
    "refusals",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("preference_hash", String(64), nullable=False),
    Column("refused_at", BigInteger, nullable=False),
    UniqueConstraint("tenant", "person", "preference_hash", name="uq_refusals_preference"),
    Index("ix_refusals_age", "refused_at"),
)

audit = Table(
    "audit",
    metadata,
    Column("seq", Sequence, primary_key=True, autoincrement=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("action", String(16), nullable=False),
    Column("key", String(64)),
    Index("ix_audit_person", "tenant", "person", "seq"),
)

receipts = Table(
    "receipts",
    metadata,
    Column("id", String(36), primary_key=True),
    Column("tenant", String(64), nullable=False),
    Column("person", String(36), nullable=False),
    Column("erased", Integer, nullable=False),  # how many memories; nothing of what they were
    Column("erased_at", BigInteger, nullable=False),
    Index("ix_receipts_person", "tenant", "person"),
)

tenant_keys = Table(
    "tenant_keys",
    metadata,
    Column("tenant", String(64), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # the newest encrypts, all decrypt
    Column("wrapped", LargeBinary, nullable=False),  # the data key, encrypted with the master key
)
