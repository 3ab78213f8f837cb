"""What the WeCom webhook accepts, refuses and understands, from raw signed requests."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from adapters.simulators.wecom_wire import Wire, to_xml
from adapters.wecom.adapter import WecomAdapter
from adapters.wecom.crypto import MAX_BODY
from bot.types import Message, Received
from config.clock import ManualClock
from config.platforms import WecomEntry

VECTORS: Any = json.loads((Path(__file__).parents[1] / "data/vectors.json").read_text())["wecom"]
NOW = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
SENT = 1767000000
WIRE = Wire("ww1", 1000002, "token", VECTORS["encoding_aes_key"])


def adapter_of(wire: Wire, name: str = "wecom") -> WecomAdapter:
    entry = WecomEntry(
        name=name,
        tenant="default",
        corp_id=wire.corp_id,
        agent_id=wire.agent_id,
        secret=SecretStr("secret"),
        token=SecretStr(wire.token),
        aes_key=SecretStr(wire.aes_key),
        base_url="http://127.0.0.1:9",
    )
    return WecomAdapter(entry, clock=ManualClock(NOW))


ADAPTER = adapter_of(WIRE)


def post(query: Mapping[str, str], body: bytes) -> Received:
    return ADAPTER.receive("POST", query, {}, body)


def push_xml(xml: str) -> Received:
    push = WIRE.push(xml, SENT)
    return post(push.query, push.body)


def push(**fields: Any) -> Received:
    base: dict[str, Any] = {"ToUserName": "ww1", "FromUserName": "ZhangSan", "CreateTime": SENT}
    return push_xml(to_xml({**base, **fields}))


def message_of(received: Received) -> Message:
    assert received.answer.status == 200
    assert received.answer.body == b""
    assert received.message is not None
    return received.message


# --- official samples


def test_the_official_url_check_is_answered_with_the_plain_echo() -> None:
    sample = VECTORS["url_verify"]
    official = adapter_of(Wire(VECTORS["receiveid"], 218, VECTORS["token"], VECTORS["encoding_aes_key"]))
    answer = official.receive("GET", sample, {}, b"").answer
    assert (answer.status, answer.body, answer.content_type) == (
        200,
        sample["plaintext"].encode(),
        "text/plain",
    )


def test_the_official_message_is_understood() -> None:
    sample = VECTORS["message"]
    official = adapter_of(Wire(VECTORS["receiveid"], 218, VECTORS["token"], VECTORS["encoding_aes_key"]))
    body = to_xml({"ToUserName": VECTORS["receiveid"], "Encrypt": sample["encrypt"], "AgentID": 218}).encode()
    message = message_of(official.receive("POST", sample, {}, body))
    assert (message.id, message.text, message.sender.user_id) == ("4561255354251345929", "hello", "mycreate")
    assert message.sent_at == datetime.fromtimestamp(1409659813, UTC)


@pytest.mark.parametrize("sample", VECTORS["encrypt"], ids=lambda sample: sample["origin"])
def test_the_simulator_encrypts_as_the_platform_does(sample: Any) -> None:
    wire = Wire(sample["receiveid"], 1, VECTORS["token"], VECTORS["encoding_aes_key"])
    encrypted = wire.encrypt(sample["msg"].encode(), random=sample["random16"].encode())
    assert encrypted == sample["encrypt"]
    if "msg_signature" in sample:
        assert wire.sign(sample["timestamp"], sample["nonce"], encrypted) == sample["msg_signature"]


# --- messages


def test_a_text_message() -> None:
    message = message_of(push(MsgType="text", Content="早", MsgId=9001, AgentID=1000002))
    assert (message.id, message.kind, message.text) == ("9001", "text", "早")
    assert message.sent_at == datetime.fromtimestamp(SENT, UTC)
    assert message.sender.app == "wecom"
    assert message.address.to == message.sender


def test_k1_user_ids_differ_only_in_case_for_one_person() -> None:
    one, other = (push(FromUserName=name, MsgType="text", Content="早", MsgId=1) for name in ("UA", "ua"))
    assert message_of(one).sender == message_of(other).sender


@pytest.mark.parametrize(
    ("fields", "kind", "text", "attachment"),
    [
        ({"MsgType": "image", "PicUrl": "u", "MediaId": "m1"}, "image", "", ("image", "m1", None)),
        ({"MsgType": "voice", "MediaId": "m1", "Format": "amr"}, "voice", "", ("voice", "m1", None)),
        ({"MsgType": "video", "MediaId": "m1", "ThumbMediaId": "t"}, "video", "", ("video", "m1", None)),
        ({"MsgType": "location", "Label": "北京"}, "location", "北京", None),
        ({"MsgType": "link", "Title": "标题", "Description": "摘要"}, "card", "标题\n摘要", None),
        (
            {"MsgType": "file", "MediaId": "m1", "FileName": "../../周报 .docx"},
            "file",
            "",
            ("file", "m1", "周报 .docx"),
        ),
        ({"MsgType": "mystery"}, "other", "", None),
    ],
    ids=lambda value: value["MsgType"] if isinstance(value, dict) else None,
)
def test_other_kinds_of_message(fields: Any, kind: str, text: str, attachment: Any) -> None:
    message = message_of(push(**fields, MsgId=7, AgentID=1000002))
    assert (message.kind, message.text) == (kind, text)
    found = [(item.kind, item.key, item.name) for item in message.attachments]
    assert found == ([attachment] if attachment else [])


def test_b2_media_is_not_fetched_inside_the_callback() -> None:
    """The adapter's API address refuses connections; the acknowledgement does not depend on it."""
    assert message_of(push(MsgType="voice", MediaId="m1", Format="amr", MsgId=3)).kind == "voice"


# --- events


def press(event_key: str = "q:42:yes", created: int = SENT, **fields: Any) -> Received:
    return push(
        MsgType="event", Event="template_card_event", EventKey=event_key, CreateTime=created,
        TaskId="task-1", CardType="button_interaction", ResponseCode="code-1", AgentID=1000002, **fields,
    )  # fmt: skip


def test_a_pressed_button_names_its_question_and_option() -> None:
    message = message_of(press())
    assert message.kind == "press"
    assert message.press is not None
    assert (message.press.question_id, message.press.option, message.press.receipt) == ("42", "yes", "code-1")


@pytest.mark.parametrize("more", [(), ("q:9:other",)])
def test_a_submitted_selection_names_the_chosen_option(more: tuple[str, ...]) -> None:
    chosen = ("q:42:market:v3", *more)
    items = [{"QuestionKey": option[:4], "OptionIds": {"OptionId": option}} for option in chosen]
    message = message_of(press("submit", SelectedItems={"SelectedItem": items}))
    assert message.press is not None
    assert (message.press.question_id, message.press.option) == ("42", "market:v3")


def test_a_repeated_push_has_the_same_id_and_a_second_press_another() -> None:
    first, again, later = message_of(press()), message_of(press()), message_of(press(created=SENT + 1))
    other = message_of(press("q:42:no"))
    assert first.id == again.id
    assert len({first.id, later.id, other.id}) == 3


@pytest.mark.parametrize("event", ["enter_agent", "subscribe"])
def test_entering_is_a_message_of_its_own_kind(event: str) -> None:
    message = message_of(push(MsgType="event", Event=event, EventKey="", AgentID=1000002))
    assert message.kind == "entered"


@pytest.mark.parametrize(
    "fields",
    [
        {"MsgType": "event", "Event": "LOCATION", "Latitude": "23.1"},
        {"MsgType": "event", "Event": "taskcard_click", "EventKey": "k"},
        {"MsgType": "event", "Event": "kf_msg_or_event"},
        {"MsgType": "event", "Event": "change_contact", "ChangeType": "create_user"},
        {"MsgType": "event", "Event": "template_card_menu_event", "EventKey": "k"},
        {"MsgType": "event", "Event": "template_card_event", "EventKey": "of an older bot"},
        {"MsgType": "event"},
        {"Content": "no MsgType"},
        {"MsgType": "text", "FromUserName": ""},
    ],
    ids=str,
)
def test_d19_what_nobody_handles_is_acknowledged_in_silence(fields: Any) -> None:
    received = push(**fields)
    assert (received.answer.status, received.answer.body) == (200, b"")
    assert received.message is None
    assert received.refused is None


# --- refusals


def sealed(wire: Wire) -> tuple[Mapping[str, str], bytes]:
    made = wire.push(to_xml({"FromUserName": "ua", "MsgType": "text", "Content": "早"}), SENT)
    return made.query, made.body


@pytest.mark.parametrize("corp_id", ["ww2", "ww1 ", "suite", ""])
def test_c6_a_message_for_another_corp_is_refused_by_that_name(corp_id: str) -> None:
    received = post(*sealed(Wire(corp_id, 1000002, WIRE.token, WIRE.aes_key)))
    assert received.answer.status == 403
    assert "corp_id" in (received.refused or "")


def test_every_refusal_has_a_reason_of_its_own() -> None:
    query, body = sealed(WIRE)
    other_key = sealed(Wire("ww1", 1000002, WIRE.token, VECTORS["encoding_aes_key"][::-1]))
    garbled = {name: WIRE.sign("1", "n", text) for name, text in {"b64": "%%%", "short": "YWJj"}.items()}
    refusals = [
        post({**query, "msg_signature": "0" * 40}, body),
        post({**query, "msg_signature": "签名"}, body),
        post({**query, "nonce": ""}, body),
        post({}, body),
        post(*other_key),
        post(
            {"msg_signature": garbled["b64"], "timestamp": "1", "nonce": "n"},
            b"<xml><Encrypt>%%%</Encrypt></xml>",
        ),
        post(
            {"msg_signature": garbled["short"], "timestamp": "1", "nonce": "n"},
            b"<xml><Encrypt>YWJj</Encrypt></xml>",
        ),
        post(query, b"<xml><Encrypt>"),
        post(query, b"<xml><ToUserName>ww1</ToUserName></xml>"),
        post(query, b"<xml/>"),
        post(query, b"x" * (MAX_BODY + 1)),
        ADAPTER.receive("DELETE", query, {}, b""),
        push_xml("<xml><MsgType>"),
    ]
    assert all(400 <= refusal.answer.status < 500 and refusal.message is None for refusal in refusals)
    reasons = [refusal.refused for refusal in refusals]
    assert all(reasons)
    assert len(set(reasons)) >= len(reasons) - 2  # the two signatures and the two broken XML bodies share theirs


def test_the_signature_is_checked_before_anything_is_decrypted() -> None:
    query, body = sealed(Wire("ww2", 1, WIRE.token, VECTORS["encoding_aes_key"][::-1]))
    assert "签名" in (post({**query, "msg_signature": "0" * 40}, body).refused or "")


def test_entities_are_not_expanded() -> None:
    query, _ = sealed(WIRE)
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><xml><Encrypt>&a;</Encrypt></xml>'
    assert post(query, bomb).answer.status == 400


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_c11_port_scanners_get_a_quick_refusal(method: str) -> None:
    for _ in range(1000):
        received = ADAPTER.receive(method, {}, {}, b"")
        assert received.answer.status == 400
        assert received.refused


# --- fuzz

unhurried = settings(deadline=None)
words = st.text(max_size=80)
names = st.sampled_from(["msg_signature", "timestamp", "nonce", "echostr", "x"])


@unhurried
@given(st.sampled_from(["GET", "POST", "PUT"]), st.dictionaries(names, words), st.binary(max_size=2000))
def test_arbitrary_requests_are_never_a_server_error(method: str, query: dict[str, str], body: bytes) -> None:
    assert ADAPTER.receive(method, query, {}, body).answer.status < 500


@unhurried
@given(st.data())
def test_a_mutated_request_is_never_a_server_error(data: st.DataObject) -> None:
    query, body = sealed(WIRE)
    at = data.draw(st.integers(0, len(body) - 1))
    length = data.draw(st.integers(0, 40))
    mutated = body[:at] + data.draw(st.binary(max_size=40)) + body[at + length :]
    assert post(query, mutated).answer.status < 500


@unhurried
@given(st.binary(max_size=400))
def test_a_validly_signed_ciphertext_of_anything_is_never_a_server_error(plain: bytes) -> None:
    encrypted = WIRE.encrypt(plain)
    query = {"timestamp": "1", "nonce": "n", "msg_signature": WIRE.sign("1", "n", encrypted)}
    received = post(query, to_xml({"Encrypt": encrypted}).encode())
    assert received.answer.status < 500


leaves = st.one_of(words, st.integers())
tags = st.sampled_from(["SelectedItem", "OptionIds", "OptionId", "A"])
inner = st.recursive(leaves, lambda below: st.dictionaries(tags, below), max_leaves=8)
kinds = st.one_of(st.sampled_from(["text", "event", "image"]), words)
contents = st.fixed_dictionaries(
    {"FromUserName": st.one_of(words, inner), "MsgType": kinds},
    optional={
        "Event": st.sampled_from(["template_card_event", "enter_agent", "x"]),
        "EventKey": inner,
        "CreateTime": leaves,
        "Content": inner,
        "MsgId": inner,
        "SelectedItems": inner,
        "MediaId": words,
        "FileName": words,
    },
)


@unhurried
@given(contents)
def test_signed_messages_of_any_shape_are_acknowledged(content: Any) -> None:
    received = push_xml(to_xml(content))
    assert received.answer.status == 200
