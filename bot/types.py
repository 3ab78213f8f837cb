"""What travels between platforms and the dialogue: messages in, understandings, replies out, the Adapter protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

from memory.types import Preference, Value

Intent = Literal[
    "remember", "run", "adjust", "digest", "list", "recall", "explain", "forget", "restore", "edit", "correct",
    "confirm", "deny", "choose", "consent", "link", "remind", "todo", "help", "other",
]  # fmt: skip


# --- who and where -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Account:
    """One person's account on one platform. `user_id` is the tenant-stable id (Feishu union_id, else user_id, else
    open_id; WeCom userid in lower case). `app` is the name of the bot.yaml entry (`feishu`, `feishu/sales`)."""

    platform: str
    app: str
    tenant: str
    user_id: str


@dataclass(frozen=True)
class Group:
    platform: str
    app: str
    tenant: str
    chat_id: str


@dataclass(frozen=True)
class Address:
    """Where something is said: a person's private chat or a group, and the thread in it."""

    to: Account | Group
    thread: str | None = None

    @property
    def platform(self) -> str:
        return self.to.platform

    @property
    def app(self) -> str:
        return self.to.app

    @property
    def tenant(self) -> str:
        return self.to.tenant

    @property
    def is_group(self) -> bool:
        return isinstance(self.to, Group)

    def key(self) -> str:
        """A string that is equal for equal addresses; keyed-hash it before it touches a disk."""
        inner = self.to.chat_id if isinstance(self.to, Group) else self.to.user_id
        kind = "group" if self.is_group else "account"
        return "\x1f".join((self.to.platform, self.to.app, self.to.tenant, kind, inner, self.thread or ""))


# --- in ------------------------------------------------------------------------------------------------------

MessageKind = Literal[
    "text", "post", "image", "file", "voice", "video", "sticker", "forward", "card", "location", "other",
    "entered", "press",
]  # fmt: skip


@dataclass(frozen=True)
class Mention:
    name: str
    account: Account | None  # None for @所有人
    is_bot: bool = False


@dataclass(frozen=True)
class Attachment:
    kind: str
    key: str
    name: str | None = None


@dataclass(frozen=True)
class Press:
    """A button or selection of one of our cards. `receipt` is what the platform needs to update the card
    (Feishu open_message_id, WeCom response_code)."""

    question_id: str
    option: str
    receipt: str


@dataclass(frozen=True)
class Message:
    """What a platform pushed, verified and parsed. `id` is the platform's message id, else a composed key that is
    the same for every re-push. `text` has mentions replaced by names (the bot's own removed). `sent_at` is aware."""

    id: str
    address: Address
    sender: Account
    kind: MessageKind
    text: str
    sent_at: datetime
    mentions: tuple[Mention, ...] = ()
    mentions_bot: bool = False
    quoted: str | None = None
    attachments: tuple[Attachment, ...] = ()
    press: Press | None = None
    sensitive: tuple[str, ...] = ()  # kinds of values that screening took out of `text`

    @property
    def app(self) -> str:
        return self.sender.app


@dataclass(frozen=True)
class HttpAnswer:
    """What the platform gets back on the wire."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"


@dataclass(frozen=True)
class Received:
    """What an adapter made of one inbound request. Without `message`, `answer` is final (challenge, ignored event,
    refusal). With one, the caller accepts it durably and then sends `answer`; for a press it first waits up to 2.5 s
    for the turn and lets `Adapter.answer_press` say the toast."""

    answer: HttpAnswer
    message: Message | None = None
    refused: str | None = None  # a reason for the (rate-limited) log when the request was refused


# --- understanding -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class When:
    """A time expression, as `jide when` prints it: kind, at, end, rule, problem, rest. Local ISO strings."""

    kind: Literal["point", "recurring", "none"]
    at: str | None = None
    end: str | None = None
    rule: Mapping[str, Any] | None = None
    problem: Literal["ambiguous", "impossible"] | None = None
    rest: str = ""


@dataclass(frozen=True)
class Understanding:
    """What a sentence means from rules alone (design section 10, `jide understand --json`).

    `preferences` holds only what would be stored after the person's yes. `slots` holds values for the task at hand
    (`report_kind`, catalog keys, `variant`, `text`, `number`…). `about` names keys, or is `("all",)`. `told` says
    that the statement is an explicit instruction (记住, 以后…), `bare` that it is a one-off preference statement
    outside a task (通知发到企业微信), which is done and asked about once. `sweeping` says 都/一律.
    """

    text: str
    intent: Intent = "other"
    preferences: tuple[Preference, ...] = ()
    task: str | None = None
    slots: Mapping[str, Value] = field(default_factory=dict)
    about: tuple[str, ...] = ()
    when: When | None = None
    once: bool = False
    sensitive: tuple[str, ...] = ()
    domain: str | None = None
    confidence: float = 0.0
    bare: bool = False
    sweeping: bool = False


# --- out -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    text: str


@dataclass(frozen=True)
class Paragraph:
    text: str
    muted: bool = False  # a footnote: small and grey where the platform can


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]
    numbered: bool = False


@dataclass(frozen=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Chart:
    """`kind` ∈ bar | line | pie; one series; `labels` and `values` have the same length."""

    kind: str
    title: str
    labels: tuple[str, ...]
    values: tuple[float, ...]


Block = Heading | Paragraph | Bullets | Table | Chart


@dataclass(frozen=True)
class Body:
    """What a person reads, platform-neutral and unescaped: adapters escape and lay out."""

    blocks: tuple[Block, ...]
    title: str | None = None

    @classmethod
    def say(cls, text: str) -> Body:
        return cls((Paragraph(text),))


@dataclass(frozen=True)
class Option:
    """One thing that a question offers. `key` travels on the button, `label` is what people read and may type."""

    key: str
    label: str
    style: Literal["primary", "default", "danger"] = "default"


@dataclass(frozen=True)
class FileOut:
    name: str
    content: bytes
    media_type: str = "application/octet-stream"


ReplyKind = Literal["answer", "report", "file", "task", "push"]


@dataclass(frozen=True)
class Reply:
    """Something to say. `replaces` names the outbox row (a card) that is updated in place instead of a new message;
    its options are then gone and `body` says the outcome."""

    to: Address
    kind: ReplyKind
    body: Body
    options: tuple[Option, ...] = ()
    question_id: str | None = None
    attachments: tuple[FileOut, ...] = ()
    replaces: str | None = None
    receipt: str | None = None  # a fresh Press.receipt for the update


@dataclass(frozen=True)
class Part:
    """One platform message of a reply, rendered: `content` is what the adapter's `send` understands.

    `picture` or `file` must be uploaded first (once; its media id is kept on the outbox row)."""

    kind: str
    content: Mapping[str, Any]
    picture: Chart | None = None
    file: FileOut | None = None
    has_options: bool = False


@dataclass(frozen=True)
class Sent:
    """The platform's id of what was sent, and the receipt with which it can be updated later."""

    message_id: str
    receipt: str | None = None


# --- adapters ------------------------------------------------------------------------------------------------


class RetryLater(Exception):
    """Refused for now (rate limit, 5xx, timeout, platform busy). `after` when the platform said how long;
    `unknown` when the request went out and no answer came back, so it may have been carried out."""

    def __init__(self, reason: str, *, after: timedelta | None = None, unknown: bool = False) -> None:
        super().__init__(reason)
        self.after = after
        self.unknown = unknown


class Unreachable(Exception):
    """This receiver can no longer be reached on this platform: use another channel (pushes) or give up (answers)."""


class Misconfigured(Exception):
    """The admin has to mend something (scope, secret, trusted IP): the text names it and the cure."""


class Unsendable(Exception):
    """The platform refuses this content for good; the adapter has already tried its plain-text fallback."""


class Adapter(Protocol):
    """One bot.yaml entry of one platform. Everything platform-specific ends here."""

    platform: str
    app: str  # the entry's name, as in Account.app
    tenant: str
    path: str  # webhook path, `/feishu/events` or `/feishu/events/{name}`
    has_toast: bool

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    def receive(self, method: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes) -> Received:
        """Verify, decrypt and parse one request. Never raises: bad input becomes a 4xx `answer`."""

    def answer_press(self, toast: str | None) -> HttpAnswer:
        """The synchronous answer to a press, with a toast where the platform has one."""

    def render(self, reply: Reply, seed: str) -> tuple[Part, ...]:
        """The platform messages of one reply, in order, within the platform's sizes. Pure. `seed` is the outbox
        row id: it makes texts distinct per row where the platform needs that, and names cards."""

    async def upload(self, part: Part) -> str:
        """Upload the part's picture or file; the media id. Raises as `send`."""

    async def send(self, to: Address, part: Part, key: str, media: str | None) -> Sent:
        """Send one part; `key` is its idempotency key (≤ 50 characters). Raises RetryLater, Unreachable,
        Misconfigured or Unsendable."""

    async def update(self, to: Address, sent: Sent, reply: Reply, receipt: str | None) -> None:
        """Replace a delivered card by `reply` without options. Silent when the card is too old to change."""

    def limits(self, to: Address) -> tuple[tuple[str, int, timedelta], ...]:
        """The platform's rate limits that a send to `to` counts against: (bucket, count, per)."""
