"""Inbound requests of Feishu at the adapter: what is refused, what is ignored, what becomes a message."""

from __future__ import annotations

import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from adapters.feishu.adapter import FeishuAdapter
from adapters.feishu.crypto import encrypt, signature
from bot.types import Account, Address, Group, Mention, Press
from config.clock import ManualClock
from config.platforms import FeishuEntry

NOW = datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
MILLIS = str(int(NOW.timestamp() * 1000))
ME = "ou_me"
VECTORS = json.loads((Path(__file__).parents[1] / "data/vectors.json").read_text("utf-8"))["feishu"]
XIAOWEN = Account("feishu", "feishu", "default", "on_a")


def make_adapter(*, encrypt_key: str | None = "ek", now: datetime = NOW, name: str = "feishu") -> FeishuAdapter:
    entry = FeishuEntry(
        name=name,
        app_id="cli_t",
        app_secret=SecretStr("secret"),
        encrypt_key=encrypt_key,
        verification_token=SecretStr("vt-test"),
    )
    adapter = FeishuAdapter(entry, clock=ManualClock(now))
    adapter.introduce(ME)
    return adapter


def event(event_type: str = "im.message.receive_v1", **inner) -> dict:
    header = {
        "event_id": "ev-1",
        "event_type": event_type,
        "create_time": MILLIS,
        "token": "vt-test",
        "app_id": "cli_t",
        "tenant_key": "t1",
    }
    return {"schema": "2.0", "header": header, "event": inner}


def message(content="早", message_type: str = "text", mentions=(), sender_type: str = "user", **more) -> dict:
    sender = {
        "sender_id": {"open_id": "ou_a", "user_id": "ua", "union_id": "on_a"},
        "sender_type": sender_type,
        "tenant_key": "t1",
    }
    content = {"text": content} if isinstance(content, str) else content
    inner = {
        "message_id": "om_1",
        "root_id": "",
        "parent_id": "",
        "create_time": MILLIS,
        "chat_id": "oc_1",
        "chat_type": "p2p",
        "message_type": message_type,
        "content": json.dumps(content),
        "mentions": list(mentions),
    }
    return event(sender=sender, message={**inner, **more})


def mention(key: str, name: str, open_id: str = "ou_x", kind: str = "user") -> dict:
    ids = {"open_id": open_id, "union_id": open_id.replace("ou_", "on_"), "user_id": ""}
    return {"key": key, "id": ids, "mentioned_type": kind, "name": name, "tenant_key": "t1"}


def headers_for(body: bytes, at: datetime = NOW) -> dict[str, str]:
    timestamp = str(int(at.timestamp()))
    return {
        "X-Lark-Request-Timestamp": timestamp,
        "X-Lark-Request-Nonce": "n1",
        "X-Lark-Signature": signature(timestamp, "n1", "ek", body),
    }


def sealed(plain: dict) -> bytes:
    return json.dumps({"encrypt": encrypt("ek", json.dumps(plain).encode())}).encode()


def receive(plain: dict, adapter: FeishuAdapter | None = None):
    body = sealed(plain)
    return (adapter or make_adapter()).receive("POST", {}, headers_for(body), body)


def read(plain: dict, adapter: FeishuAdapter | None = None):
    received = receive(plain, adapter)
    assert received.answer.status == 200
    assert received.message is not None
    return received.message


# --- who is speaking: URL checks, tokens, signatures ---

CHALLENGE = {"type": "url_verification", "challenge": "c1", "token": "vt-test"}


def test_plain_challenge_is_answered():
    adapter = make_adapter(encrypt_key=None)
    received = adapter.receive("POST", {}, {}, json.dumps(CHALLENGE).encode())
    assert json.loads(received.answer.body) == {"challenge": "c1"}
    assert received.message is None


def test_c1_encrypted_challenge_without_signature_headers_is_answered():
    received = make_adapter().receive("POST", {}, {}, sealed(CHALLENGE))
    assert (received.answer.status, json.loads(received.answer.body)) == (200, {"challenge": "c1"})


@pytest.mark.parametrize("token", ["wrong", "", None, 7, ["vt-test"]])
def test_c1_challenge_with_a_wrong_token_is_refused(token):
    received = make_adapter().receive("POST", {}, {}, sealed({**CHALLENGE, "token": token}))
    assert received.answer.status == 403
    assert received.refused


@pytest.mark.parametrize("plain", [CHALLENGE, message()], ids=["challenge", "message"])
def test_plain_text_is_refused_when_an_encrypt_key_is_set(plain):
    body = json.dumps(plain).encode()
    assert make_adapter().receive("POST", {}, headers_for(body), body).answer.status == 403


@pytest.mark.parametrize(
    "missing",
    [
        ("X-Lark-Request-Timestamp",),
        ("X-Lark-Request-Nonce",),
        ("X-Lark-Signature",),
        ("X-Lark-Request-Timestamp", "X-Lark-Request-Nonce", "X-Lark-Signature"),
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("plain", [message(), event("card.action.trigger")], ids=["message", "press"])
def test_c1_event_without_a_signature_header_is_refused(missing, plain):
    body = sealed(plain)
    headers = {name: value for name, value in headers_for(body).items() if name not in missing}
    received = make_adapter().receive("POST", {}, headers, body)
    assert received.answer.status == 401
    assert received.message is None


def test_c3_hmac_with_the_verification_token_is_refused():
    body = sealed(message())
    headers = headers_for(body)
    signed = (headers["X-Lark-Request-Timestamp"] + "n1").encode() + body
    headers["X-Lark-Signature"] = hmac.new(b"vt-test", signed, hashlib.sha256).hexdigest()
    assert make_adapter().receive("POST", {}, headers, body).answer.status == 401


@pytest.mark.parametrize(("age", "status"), [(timedelta(hours=6, minutes=30), 200), (timedelta(hours=8), 401)])
def test_c3_replay_of_an_old_signed_request_is_refused(age, status):
    body = sealed(message())
    assert make_adapter(now=NOW + age).receive("POST", {}, headers_for(body), body).answer.status == status


def test_a_changed_byte_breaks_the_signature():
    body = sealed(message())
    changed = body + b" "
    assert make_adapter().receive("POST", {}, headers_for(body), changed).answer.status == 401


def test_header_names_count_in_any_case():
    body = sealed(message())
    headers = {name.lower(): value for name, value in headers_for(body).items()}
    assert make_adapter().receive("POST", {}, headers, body).answer.status == 200


def test_the_vector_message_is_received():
    vector = VECTORS["http"][1]
    entry = FeishuEntry(
        name="feishu",
        app_id="cli_9f5343c580712544",
        app_secret=SecretStr("s"),
        encrypt_key=SecretStr(vector["encrypt_key"]),
        verification_token=SecretStr(vector["verification_token"]),
    )
    moment = datetime.fromtimestamp(int(vector["timestamp"]), UTC)
    adapter = FeishuAdapter(entry, clock=ManualClock(moment))
    adapter.introduce("ou_bot")
    headers = {
        "X-Lark-Request-Timestamp": vector["timestamp"],
        "X-Lark-Request-Nonce": vector["nonce"],
        "X-Lark-Signature": vector["signature"],
    }
    received = adapter.receive("POST", {}, headers, vector["raw_body"].encode())
    assert received.message is not None
    assert received.message.text == "你好😀"
    assert received.message.mentions_bot
    assert received.message.address.is_group


def test_c11_port_scanners_get_a_4xx():
    adapter = make_adapter()
    for method, body in (("GET", b""), ("POST", b""), ("PUT", b"x"), ("POST", b"[]"), ("POST", b"null")):
        received = adapter.receive(method, {}, {}, body)
        assert 400 <= received.answer.status < 500
        assert received.refused


# --- what is ignored ---


@pytest.mark.parametrize(
    "plain",
    [
        event("im.message.message_read_v1", reader={}),
        event("im.message.reaction.created_v1", message_id="om_1"),
        event("im.message.recalled_v1", message_id="om_1"),
        event("foo.bar_v9"),
        {"uuid": "u1", "token": "vt-test", "type": "event_callback", "event": {"type": "p2p_chat_create"}},
    ],
    ids=["read", "reaction", "recalled", "unknown", "v1"],
)
def test_b1_unhandled_event_is_acknowledged(plain):
    received = receive(plain)
    assert (received.answer.status, received.answer.body, received.message) == (200, b"{}", None)


@pytest.mark.parametrize("sender_type", ["bot", "app"])
def test_messages_of_bots_are_ignored(sender_type):
    assert receive(message(sender_type=sender_type)).message is None


def test_own_messages_are_ignored():
    plain = message()
    plain["event"]["sender"]["sender_id"] = {"open_id": ME}
    assert receive(plain).message is None


# --- messages ---


def test_a_private_text():
    assert read(message()) == read(message())
    heard = read(message())
    assert (heard.id, heard.text, heard.kind, heard.sent_at) == ("om_1", "早", "text", NOW)
    assert heard.address == Address(XIAOWEN)
    assert heard.sender == XIAOWEN


def test_a_group_is_another_address():
    heard = read(message(chat_type="group"))
    assert heard.address == Address(Group("feishu", "feishu", "default", "oc_1"))


@pytest.mark.parametrize(
    ("ids", "user_id"),
    [
        ({"open_id": "ou_a", "user_id": "ua", "union_id": "on_a"}, "on_a"),
        ({"open_id": "ou_a", "user_id": "ua"}, "ua"),
        ({"open_id": "ou_a", "user_id": "", "union_id": None}, "ou_a"),
    ],
)
def test_the_tenant_stable_id_wins(ids, user_id):
    plain = message()
    plain["event"]["sender"]["sender_id"] = ids
    assert read(plain).sender.user_id == user_id


def test_an_app_of_a_list_has_its_own_path_and_accounts():
    adapter = make_adapter(name="feishu/sales")
    assert adapter.path == "/feishu/events/sales"
    assert read(message(), adapter).sender.app == "feishu/sales"


def test_d3_mention_placeholder_of_the_bot_does_not_leak():
    heard = read(message("@_user_1 以后周报用表格", mentions=[mention("@_user_1", "小助手", ME, "bot")]))
    assert heard.text == "以后周报用表格"
    assert heard.mentions_bot


def test_d5_mention_keys_that_are_prefixes_of_each_other():
    names = [f"人{number}" for number in range(1, 12)]
    mentions = [mention(f"@_user_{number}", name) for number, name in enumerate(names, 1)]
    heard = read(message(" ".join(m["key"] for m in mentions) + " 开会 @_user_1 记录", mentions=mentions))
    assert heard.text == " ".join(f"@{name}" for name in names) + " 开会 @人1 记录"
    assert [one.name for one in heard.mentions] == names
    assert not heard.mentions_bot


@pytest.mark.parametrize("text", ["@_user_1", "@_user_1 ", " @_user_1\n"])
def test_d6_only_the_bot_is_mentioned(text):
    heard = read(message(text, mentions=[mention("@_user_1", "小助手", ME, "bot")]))
    assert (heard.text, heard.mentions_bot) == ("", True)


@pytest.mark.parametrize("text", ["", "\n"])
def test_d6_empty_private_text(text):
    heard = read(message(text))
    assert (heard.text, heard.mentions_bot) == ("", False)


@pytest.mark.parametrize(
    ("text", "mentions", "said"),
    [
        ("@_all 周五交周报", [], "@所有人 周五交周报"),
        ("@_all", [], "@所有人"),
        ("@_all 早", [{"key": "@_all", "id": {"user_id": "all"}, "name": "所有人"}], "@所有人 早"),
        ("@_user_1 早", [{"key": "@_user_1", "id": {"user_id": "all"}, "name": "所有人"}], "@所有人 早"),
        ({"zh_cn": {"content": [[{"tag": "at", "user_id": "all"}, {"tag": "text", "text": " 早"}]]}}, [], "@所有人 早"),
    ],
)
def test_d7_everybody_is_nobody_in_particular(text, mentions, said):
    message_type = "text" if isinstance(text, str) else "post"
    heard = read(message(text, message_type, mentions=mentions, chat_type="group"))
    assert heard.text == said
    assert heard.mentions == (Mention("所有人", None),)
    assert not heard.mentions_bot


def test_another_bot_is_not_this_one():
    heard = read(message("@_user_1 早", mentions=[mention("@_user_1", "别的机器人", "ou_other", "bot")]))
    assert (heard.text, heard.mentions_bot) == ("@别的机器人 早", False)


def test_d15_mention_with_a_plain_string_id():
    item = {"key": "@_user_1", "id": "ou_x", "id_type": "open_id", "name": "李雷"}
    assert read(message("@_user_1 早", mentions=[item])).mentions[0].account.user_id == "ou_x"


POST = {
    "title": "周报",
    "content": [
        [{"tag": "text", "text": "看 "}, {"tag": "a", "href": "https://a.cn", "text": "这里"}],
        [{"tag": "at", "user_id": "@_user_1", "user_name": "李雷"}, {"tag": "emotion", "emoji_type": "OK"}],
        [{"tag": "img", "image_key": "img_1"}],
        [{"tag": "media", "file_key": "file_1", "image_key": "img_2"}],
        [{"tag": "hr"}],
        [{"tag": "code_block", "language": "PY", "text": "print(1)"}],
        [{"tag": "md", "text": "**好**"}],
        [{"tag": "new_in_2027", "text": "新"}, "odd", None],
    ],
}


@pytest.mark.parametrize("content", [POST, {"zh_cn": POST}], ids=["as documented", "in a locale wrapper"])
def test_post_with_every_tag(content):
    heard = read(message(content, "post", mentions=[mention("@_user_1", "李雷")]))
    lines = ["周报", "看 [这里](https://a.cn)", "@李雷[OK]", "", "", "---", "print(1)", "**好**", "新"]
    assert heard.text.split("\n") == lines
    assert [(one.kind, one.key) for one in heard.attachments] == [("image", "img_1"), ("video", "file_1")]


@pytest.mark.parametrize(
    ("message_type", "content", "kind", "attachment"),
    [
        ("image", {"image_key": "i1"}, "image", ("image", "i1", None)),
        ("file", {"file_key": "f1", "file_name": "../../周报 .docx"}, "file", ("file", "f1", "周报 .docx")),
        ("file", {"file_key": "f1", "file_name": "C:\\x\\..\\.."}, "file", ("file", "f1", "file")),
        ("file", {"file_key": "f1", "file_name": "报\u202excod.exe\x00"}, "file", ("file", "f1", "报xcod.exe")),
        ("audio", {"file_key": "a1", "duration": 1200}, "voice", ("voice", "a1", None)),
        ("media", {"file_key": "m1", "file_name": "a.mp4"}, "video", ("video", "m1", "a.mp4")),
    ],
)
def test_d21_message_that_is_only_a_file(message_type, content, kind, attachment):
    plain = message(content, message_type)
    del plain["event"]["message"]["chat_type"]
    heard = read(plain)
    assert (heard.kind, heard.text) == (kind, "")
    assert [(one.kind, one.key, one.name) for one in heard.attachments] == [attachment]
    assert not heard.address.is_group


@pytest.mark.parametrize(
    ("message_type", "content", "kind"),
    [
        ("sticker", {"file_key": "s"}, "sticker"),
        ("merge_forward", {"content": "Merged and Forwarded Message"}, "forward"),
        ("interactive", {"title": "卡片", "elements": [[{"tag": "text", "text": "内容"}]]}, "card"),
        ("location", {"name": "北京", "longitude": "1", "latitude": "2"}, "location"),
        ("share_chat", {"chat_id": "oc_2"}, "other"),
        ("todo", {"task_id": "1"}, "other"),
        ("new_in_2027", {}, "other"),
    ],
)
def test_other_kinds_are_told_apart(message_type, content, kind):
    assert read(message(content, message_type)).kind == kind


def test_merge_forward_placeholder_is_nobodys_words():
    assert read(message({"content": "Merged and Forwarded Message"}, "merge_forward")).text == ""


@pytest.mark.parametrize(("sent", "kept"), [("\ud83d半个", "�半个"), ("a\x00b", "ab"), ("👨‍👩‍👧", "👨‍👩‍👧")])
def test_k6_text_that_would_break_a_store(sent, kept):
    assert read(message(sent)).text == kept


def test_a_message_without_id_is_keyed_by_its_event():
    plain = message()
    del plain["event"]["message"]["message_id"]
    assert read(plain).id == "ev:ev-1"


@pytest.mark.parametrize("create_time", ["", "soon", None, "1", "9" * 20, "²²²²²²²²²²²²²"])
def test_an_odd_create_time_is_now(create_time):
    assert read(message(create_time=create_time)).sent_at == NOW


def test_a_reply_names_what_it_quotes():
    assert read(message(parent_id="om_0")).quoted == "om_0"


# --- presses and entries ---


def press(value, **action) -> dict:
    return event(
        "card.action.trigger",
        operator={"tenant_key": "t1", "open_id": "ou_a", "union_id": "on_a"},
        token="c-1",
        action={"tag": "button", "value": value, **action},
        context={"open_message_id": "om_9", "open_chat_id": "oc_1"},
    )


@pytest.mark.parametrize(
    "plain",
    [
        press({"q": "q1", "o": "yes"}),
        press('{"q": "q1", "o": "yes"}'),
        press({"q": "q1"}, option="yes"),
        press({"q": "q1"}, form_value={"choice": "yes"}),
    ],
    ids=["button", "string value", "selection", "form"],
)
def test_a_press_names_question_option_and_card(plain):
    heard = read(plain)
    assert heard.kind == "press"
    assert heard.press == Press("q1", "yes", "om_9")
    assert heard.id == "press:ev:ev-1"
    assert heard.address == Address(XIAOWEN)


def test_a_press_in_a_group_is_answered_there():
    assert read(press({"q": "q1", "o": "yes", "g": True})).address.is_group


@pytest.mark.parametrize("value", [{}, {"q": "q1"}, {"action": "x"}, "x", None, 7])
def test_a_press_on_something_else_is_ignored(value):
    received = receive(press(value))
    assert (received.answer.status, received.message) == (200, None)


def test_a_toast_is_said_in_the_callback():
    adapter = make_adapter()
    assert json.loads(adapter.answer_press("已处理").body)["toast"] == {"type": "info", "content": "已处理"}
    assert adapter.answer_press(None).body == b"{}"


def test_entering_the_private_chat_is_a_message():
    plain = event(
        "im.chat.access_event.bot_p2p_chat_entered_v1",
        chat_id="oc_1",
        operator_id={"open_id": "ou_a", "union_id": "on_a"},
    )
    heard = read(plain)
    assert (heard.kind, heard.id, heard.sender) == ("entered", "ev:ev-1", XIAOWEN)


# --- anything at all ---

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
SHAPES = (
    message(),
    message("@_user_1 x", mentions=[mention("@_user_1", "小助手", ME)]),
    message(POST, "post"),
    message({"file_key": "f", "file_name": "a"}, "file"),
    press({"q": "q1", "o": "yes"}),
)


def paths(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    if isinstance(value, list):
        for place, inner in enumerate(value):
            yield from paths(inner, (*path, place))


def put(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


@given(st.data())
def test_no_mutated_event_is_a_server_error(data):
    plain = data.draw(st.sampled_from(SHAPES))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(paths(plain))))
        new = data.draw(JSON | JSON.map(json.dumps))
        plain = put(plain, path, new)
    body = sealed(plain)
    received = make_adapter().receive("POST", {}, headers_for(body), body)
    assert received.answer.status < 500
    if received.message:
        assert received.message.id
        received.message.text.encode()


@given(st.binary(), st.dictionaries(st.text(), st.text()))
def test_no_bytes_are_a_server_error(body, headers):
    for adapter in (make_adapter(), make_adapter(encrypt_key=None)):
        assert adapter.receive("POST", {}, headers, body).answer.status < 500


@given(st.integers(0), st.binary(min_size=1, max_size=4))
def test_no_damaged_request_is_a_server_error(place, junk):
    body = sealed(message())
    at = place % len(body)
    damaged = body[:at] + junk + body[at + len(junk) :]
    assert make_adapter().receive("POST", {}, headers_for(damaged), damaged).answer.status < 500


def test_deeply_nested_json_is_refused():
    body = b'{"encrypt":' + b"[" * 100_000
    assert make_adapter().receive("POST", {}, headers_for(body), body).answer.status == 400
