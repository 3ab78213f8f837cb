"""A WeCom that fits on one machine: members who write, press and read over the real protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import aiohttp
from aiohttp import web

from adapters.simulators import wecom_cards
from adapters.simulators.feed import Feed
from adapters.simulators.wecom_api import WecomApi
from adapters.simulators.wecom_faults import Failure, Faults
from adapters.simulators.wecom_members import Delivered, Member, Members
from adapters.simulators.wecom_wire import Fields, Push, Wire, to_xml
from config.clock import Clock

_TRIES = 3
_RETRY_AFTER = timedelta(seconds=5)


@dataclass
class _Waiting:
    """A push that was not acknowledged: what to repeat, when, and how often it was tried."""

    xml: str
    due_at: datetime
    tries: int = 1


class WecomSimulator:
    """One corp with one self-built app. It outlives the bot: `connect` again after a restart."""

    platform = "wecom"

    def __init__(
        self,
        feed: Feed,
        clock: Clock,
        *,
        corp_id: str,
        agent_id: int,
        secret: str,
        token: str,
        aes_key: str,
        app: str = "wecom",
        limit_scale: float = 1.0,
    ) -> None:
        self.faults = Faults(limit_scale=limit_scale)
        self.deadline = 5.0  # seconds that the bot has to acknowledge
        self.lost: list[str] = []  # plain XML of pushes that no try delivered
        self.base_url = ""
        self._wire = Wire(corp_id, agent_id, token, aes_key)
        self._members = Members(feed, clock, app)
        self._api = WecomApi(clock, self._wire, secret, self._members, self.faults)
        self._clock = clock
        self._webhook: str | None = None
        self._waiting: list[_Waiting] = []
        self._last: str | None = None
        self._duplicates = 0
        self._last_id = 0
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None

    # --- running

    async def start(self, port: int = 0) -> None:
        """Listen on loopback; `base_url` is then what bot.yaml needs."""
        self._session = aiohttp.ClientSession()
        self._runner = web.AppRunner(self._api.web_app(), access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.base_url = "http://{}:{}".format(*self._runner.addresses[0][:2])

    async def close(self) -> None:
        self.faults.released.set()
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()

    def connect(self, webhook_url: str) -> None:
        """Where the bot listens from now on."""
        self._webhook = webhook_url

    async def check_url(self) -> bool:
        """What happens when an admin saves the callback URL: the bot must answer the plain echo."""
        echo = str(self._next_id())
        status, body = await self._request("GET", self._wire.check(echo, self._now()))
        return status == 200 and body == echo.encode()

    # --- people

    def add_person(self, name: str, userid: str, *, mobile: str = "", email: str = "") -> None:
        self._members.add(Member(name, userid, mobile, email))

    async def say(self, person: str, text: str = "", *, kind: str = "text", sent_at: datetime | None = None) -> str:
        """Push what `person` sends; the message id. A push that fails is repeated by `run_due`."""
        message_id = str(self._next_id())
        await self._push_from(person, {"MsgType": kind, **_content(kind, text), "MsgId": int(message_id)}, sent_at)
        return message_id

    async def enter(self, person: str) -> None:
        """`person` opens the app."""
        await self._push_from(person, {"MsgType": "event", "Event": "enter_agent", "EventKey": ""})

    async def emit(self, person: str, event: str, fields: Fields | None = None) -> None:
        """Any other event."""
        await self._push_from(person, {"MsgType": "event", "Event": event, **(fields or {})})

    async def press(self, person: str, message_id: str, label: str, as_delivered: bool = True) -> None:
        """Press the button or choose and submit the option `label` of a card that `person` has.

        `as_delivered` presses it on a client that has not refreshed, though the card may have changed since.
        """
        delivered = self._members.received(person, message_id)
        card = delivered.payload["template_card"] if as_delivered else delivered.shown
        choice = next((choice for choice in wecom_cards.choices(card) if choice.label == label), None)
        if choice is None:
            raise LookupError(f"no choice {label!r} on the card of {person}")
        await self._push_from(person, self._card_event(delivered, choice))

    async def redeliver_last(self) -> None:
        """The platform pushes the last event again, its plain text byte for byte."""
        if self._last is None:
            raise LookupError("nothing was pushed yet")
        await self._attempt(_Waiting(self._last, self._clock.now()))

    # --- repeated pushes

    def next_due(self) -> datetime | None:
        """When the next repeated push is due; None when nothing waits."""
        return min((waiting.due_at for waiting in self._waiting), default=None)

    async def run_due(self) -> int:
        """Repeat the pushes that are due; how many there were."""
        now = self._clock.now()
        due = [waiting for waiting in self._waiting if waiting.due_at <= now]
        self._waiting = [waiting for waiting in self._waiting if waiting.due_at > now]
        for waiting in due:
            waiting.tries += 1
            await self._attempt(waiting)
        return len(due)

    # --- faults

    @property
    def outage_until(self) -> datetime | None:
        return self.faults.outage_until

    @outage_until.setter
    def outage_until(self, moment: datetime | None) -> None:
        self.faults.outage_until = moment

    @property
    def limit_scale(self) -> float:
        return self.faults.limit_scale

    @limit_scale.setter
    def limit_scale(self, scale: float) -> None:
        self.faults.limit_scale = scale

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each path below `/cgi-bin/` was called."""
        return self.faults.calls

    @property
    def advice(self) -> list[str]:
        """Advised lengths that cards exceeded."""
        return self._api.advice

    def fail_next(self, path: str, code: int, http_status: int = 200, times: int = 1) -> None:
        """The next calls of `path` (`message/send`) answer `code`, or a bare HTTP status from 500 up."""
        self.faults.scripted[path].extend(Failure(code, status=http_status) for _ in range(times))

    def duplicate_next(self, times: int = 1) -> None:
        """Push the next `times` events twice although the first push is acknowledged."""
        self._duplicates += times

    def revoke_tokens(self) -> None:
        self._api.revoke_tokens()

    # --- pushing

    async def _push_from(self, person: str, fields: Fields, sent_at: datetime | None = None) -> None:
        moment = sent_at or self._clock.now()
        sender: Fields = {
            "ToUserName": self._wire.corp_id,
            "FromUserName": self._members.named(person).userid,
            "CreateTime": int(moment.timestamp()),
        }
        self._last = to_xml({**sender, **fields, "AgentID": self._wire.agent_id})
        await self._attempt(_Waiting(self._last, self._clock.now()))
        if self._duplicates:
            self._duplicates -= 1
            await self._attempt(_Waiting(self._last, self._clock.now()))

    async def _attempt(self, waiting: _Waiting) -> None:
        status, _ = await self._request("POST", self._wire.push(waiting.xml, self._now()))
        if status == 200:
            return
        if waiting.tries < _TRIES:
            waiting.due_at = self._clock.now() + _RETRY_AFTER
            self._waiting.append(waiting)
        else:
            self.lost.append(waiting.xml)

    async def _request(self, method: str, push: Push) -> tuple[int, bytes]:
        """Status and body of one request to the bot; status 0 when it did not answer in time or at all."""
        if self._session is None or self._webhook is None:
            return 0, b""
        timeout = aiohttp.ClientTimeout(total=self.deadline)
        try:
            async with self._session.request(
                method, self._webhook, params=push.query, data=push.body or None, timeout=timeout
            ) as response:
                return response.status, await response.read()
        except (aiohttp.ClientError, TimeoutError):
            return 0, b""

    def _card_event(self, delivered: Delivered, choice: wecom_cards.Choice) -> Fields:
        card = delivered.payload["template_card"]
        fields: dict[str, str | int | Fields] = {
            "MsgType": "event",
            "Event": "template_card_event",
            "EventKey": choice.key if choice.question is None else card["submit_button"]["key"],
            "TaskId": card.get("task_id", ""),
            "CardType": card["card_type"],
            "ResponseCode": self._api.issue_code(delivered.message_id),
        }
        if choice.question is not None:
            chosen: Fields = {"QuestionKey": choice.question, "OptionIds": {"OptionId": choice.key}}
            fields["SelectedItems"] = {"SelectedItem": chosen}
        return fields

    def _now(self) -> int:
        return int(self._clock.now().timestamp())

    def _next_id(self) -> int:
        """Ids grow and differ from those of an earlier run on the same data."""
        self._last_id = max(self._last_id + 1, int(self._clock.now().timestamp() * 1_000_000))
        return self._last_id


def _content(kind: str, text: str) -> Fields:
    """The fields of one kind of message (C2), `text` where a person would have typed it."""
    match kind:
        case "text":
            return {"Content": text}
        case "location":
            return {"Location_X": "39.9", "Location_Y": "116.4", "Scale": 15, "Label": text}
        case "link":
            return {"Title": text, "Description": text, "Url": "https://example.com/", "PicUrl": ""}
        case "file":
            return {"MediaId": "media-file", "FileName": text}
        case _:
            return {"MediaId": f"media-{kind}", "Format": "amr", "PicUrl": "", "ThumbMediaId": "thumb"}
