"""Secrets: keys and tokens told by their format, passwords and codes by the word before a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.screening_text import BLANK, Found, matches

_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        # PEM: the header with what follows of its base64, even when the end is cut off
        (
            "private_key",
            r"-{2,5}\s?BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?\s?-{2,5}(?=[^A-Za-z0-9]{0,4}[A-Za-z0-9+/=:]{12})"
            r"[A-Za-z0-9+/=\s\\:,.\-]*+(?<![\s.,:])",
        ),
        ("token", r"(?i)webhook/send\?key=(?P<value>[0-9a-z\-]{16,64})"),
        ("token", r"(?i)/bot/(?:v2/)?hook/(?P<value>[0-9a-z\-]{16,64})"),
        ("token", r"hooks\.slack\.com/(?:services|workflows)/(?P<value>[A-Za-z0-9/_\-]{16,128})"),
        ("token", r"(?i)api/webhooks/(?P<value>[0-9]{10,24}/[A-Za-z0-9_\-]{16,128})"),
        ("token", r"(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_\-]{30,40}(?![A-Za-z0-9])"),
        ("token", r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_\-]{8,}+(?:\.[A-Za-z0-9_\-]{4,}+){1,2}"),
        ("token", r"(?i)\b(?:bearer|basic)[\s:=]{1,3}(?P<value>(?=[!-~]{0,64}[0-9])[A-Za-z0-9._~+/\-]{12,}+={0,2})"),
        ("token", r"(?i)(?<![A-Za-z0-9])(?:t|u|a|ur)-g[0-9a-z][A-Za-z0-9_\-.]{18,}+"),
        ("api_key", r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_](?=[A-Za-z_\-]{0,80}[0-9])(?![xX*]{6})[A-Za-z0-9_\-]{14,}+"),
        ("api_key", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[0-9A-Z]{12,20}(?![A-Za-z0-9])"),
        ("api_key", r"(?<![A-Za-z0-9])(?:LTAI|AKID|AKLT)(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{12,48}(?![A-Za-z0-9])"),
        ("api_key", r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|gl(?:dt|rt|cbt)-|xox[abeprs]-|xapp-)[A-Za-z0-9_\-]{12,}+"),
        ("api_key", r"(?<![A-Za-z0-9])AIza[0-9A-Za-z_\-]{30,40}"),
        ("api_key", r"(?<![A-Za-z0-9])(?:npm_|hf_|pypi-|dop_v1_|shpat_|gsk_|r8_)[A-Za-z0-9_\-]{20,}+"),
        ("api_key", r"(?<![A-Za-z0-9])SG\.[A-Za-z0-9_\-]{16,32}\.[A-Za-z0-9_\-]{16,64}"),
        # scheme://user:password@host
        ("password", r"(?i)\b[a-z][a-z0-9+.\-]{1,20}://[!-.0-9;-?A-~]{0,64}:(?P<value>[!-.0-9-?A-~]{2,128}(?:[@/][!-.0-9-?A-~]{1,128}){0,2})@(?=[\w.\-\[])"),
        ("password", r"(?i)\b(?:mysql|mysqldump|mariadb|sshpass)\b[^\n]{0,60}?\s-p\s?'?(?P<value>[!-~]{4,128})"),
        ("password", r"(?i)\bcurl\b[^\n]{0,60}?\s(?:-u|--user)\s[^\s:]{1,64}:(?P<value>[!-~]{3,128})"),
        ("password", r"(?i)\bcv[vc]2?\b[\s:=是为码]{0,4}(?P<value>[0-9]{3,4})(?![0-9A-Za-z])"),
    )
)  # fmt: skip

_LINK = (
    r"(?:[\s:=>|\"'“”‘’「」『』【】()（）《》`]|->|是|为|用|係|系|叫|改成|改为|改到|改|换成|换为|换|设成|设为|设置为|设置成|设置|设|定为|定成|"
    r"更新为|更新成|变成|等于|等於|就|都|统一|还|一直|现在|已经|已|先|默认|一律|全部|全|也|我|你|您|他|她|的|给|帮|请|记住|记|一下|下|新|旧|"
    r"了[,，]?|[,，](?=是|为|就是|[:=])|告诉|写在|放在|在|这里|发|收到|刚刚|刚才|刚|来|个|这|那|分别|呢|啊|哈|哦|吧|嘛|填|输入|输|写|成|做|使|value|生日|名字|拼音|is|was|to)"
)
_STRONG = re.compile(r"[:=>是为用係系叫]|[改换设定更变][^\s]{0,2}[成为到]|is|was|to|等[于於]|->")
_SAID = re.compile(r"[是为叫成]|:|=")

_UNITS = r"\s{0,2}(?:位|天|次|个(?!人)|年|月|日|秒|分钟?|小时|条|项|种|人(?!的|工)|章|页|号(?!的)|版|元|块|款|步|级|层|遍|轮|倍|%|以上|以内|以下|左右|至|到\d|min\b|sec\b|s\b|h\b|days?\b|chars?\b|bits?\b)"
_TOPICS = r"\s{0,2}(?:加密|哈希|散列|算法|加盐|存储|存|管理|保存|登录页|格式|字段|类型|协议|标准|认证|鉴权|报错|错误|接口|开头|结尾|模块|组件|工具|软件|功能|的(?!$))"
_REFUSED_AFTER = re.compile(f"{_UNITS}|{_TOPICS}")
_UNIT_AFTER = re.compile(_UNITS)
_PLACEHOLDER = re.compile(
    r"""[*xX•.?_\-#]++$|[<{\[]|\$[{(]|%[sd(]|your[_\-]|getpass|os\.|env[.\[]|process\.|config\.|self\.|args?\.|https?:|www\.
    |(?:null|none|nil|undefined|true|false|string|varchar|str|text|input|hidden|required|optional|empty|incorrect|correct
      |wrong|invalid|valid|expired|weak|too|not|missing|needed)(?![\w\-@])
    |(?>md5|sha-?\d{0,3}|bcrypt|scrypt|argon2\w?\w?|pbkdf2|aes-?\d{0,3}|rsa-?\d{0,4}|sm[234]|hmac|e?d?ecdsa|ed25519|3?des
      |base64|utf-?8|gbk|tls|ssl|ldap|sso|oauth2?|saml|kms|vault|keepass(?:xc)?|1password|bitwarden|lastpass|keychain|hash
      |salt|token|t?otp|json|yaml|xml|http2?|ipv[46]|wpa[23]?|v\d{1,3}(?:\.\d{1,3}){0,3})(?![A-Za-z0-9@#!$_.])""",
    re.IGNORECASE | re.VERBOSE,
)
_NUMBERED = re.compile(
    r"\d{4}[-/.]\d{1,2}(?:[-/.]\d{1,2})?$|\d{1,2}[-~/]\d{1,2}$|v?\d{1,3}(?:\.\d{1,3}){1,3}$|\d{1,2}:\d{2}|\d++(?:\.\d++)?%",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"(?:不要|别|不能|不可|禁止|勿|不得|避免)(?!忘|说|告诉|外传|外泄|发|给|泄)[^，。；！？\n]{0,6}$"
)
_FORGOTTEN = re.compile(r"(?<![别要勿])(?:不记得|忘记?了?|记不住|想不起来?)[^，。；！？\n]{0,4}$")
_CLAUSE_END = re.compile(r"\s{0,8}(?:$|[,，。；;！!？?、)）\]】」』”’\n]|\s[^A-Za-z])")

_VALUE = r"(?P<value>[0-9](?: [0-9]){3,11}(?![!-~])|[0-9]{2,6}(?:[ \-][0-9]{2,6}){1,3}(?![!-~])|[!-+\--:<-~]{3,256}+)"
_CODE = r"(?P<value>(?:[A-Z]-)?[0-9](?:[ \-]?[0-9]){3,7}(?![0-9A-Za-z])|(?=[A-Za-z]{0,8}[0-9])[A-Za-z0-9]{4,8}(?![A-Za-z0-9]))"
_LONG = r"(?P<value>[A-Za-z0-9._~+/\-|%=]{6,4096}+)"
_CODE_WORD = (
    r"(?:(?<!发票)(?:验证码|校验码|动态码|动态口令|动态密码|一次性密码|一次性口令|短信码|短信密码|登录码|登陆码|认证码|确认码)"
    r"|(?:verification|security|auth(?:entication)?|login|confirmation|one[\- ]time|2fa|mfa|sms)\s?(?:code|passcode|password|pin)|(?<![A-Za-z])t?otp(?![a-z])(?:\scode)?|验证代码|验证器|安全码|(?<![A-Za-z])(?:2fa|mfa)(?![a-z]))"
)
_PASSWORD_WORD = (
    r"(?:密码|口令|暗号|提取码|解压码|访问码|授权码|pin码|(?<![A-Za-z])pin(?=\s?[:=是为])|pass(?:word|wd|phrase|code)|(?<![A-Za-z])(?:pass|pw)(?=\s?[:=])"
    r"|(?<![A-Za-z])p(?:wd|sw|swd)(?![a-z]))"
)
_TOKEN_WORD = (
    r"(?:token(?![sia-z])|令牌|(?<![A-Za-z])(?:j?session(?:_?id)?|phpsessid|sessdata|cookie|ticket|signature|sig|authorization|(?:auth|authorization)\s?code)(?=\s?[:=])"
    r"|webhook(?=\s?(?:key|secret|密钥)))"
)
_KEY_WORD = (
    r"(?:secret(?!ar|ion|e|\s?santa)(?:[_\- ]?(?:access[_\- ]?)?(?:key|id))?|(?:api|app|access|encrypt|encryption|encoding[_\- ]?aes|aes|master|sign|signing|storage|account|licen[cs]e)[_\- ]?key"
    r"(?:[_\- ]?(?:secret|id))?|[密秘][钥匙]|(?<![A-Za-z])(?:ak|sk)(?=\s?[:=]))"
)
_MINE = r"(?:我们?|你|您|他|她|咱们?|这次|本次|这个|的|新|旧|默认|登录|支付|开机|邮箱|电脑|短信|手机|解压|数据库|服务器|后台|系统|路由器|账号|账户|管理员|测试|公司|会议|门禁|your|my|the|[a-z]{2,12}|\s){0,6}"


@dataclass(frozen=True)
class Rule:
    """A word, a link and a value; `least` characters after a strong link (是 : =), `weakly` after a bare space."""

    kind: str
    pattern: re.Pattern[str]
    least: int
    weakly: int


def _rule(kind: str, word: str, value: str, least: int, weakly: int) -> Rule:
    return Rule(kind, re.compile(rf"(?i){word}(?P<link>{_LINK}{{0,10}}+){value}"), least, weakly)


_RULES = (
    Rule("private_key", re.compile(r"(?i)(?:私钥|private[_\- ]?key)(?P<link>" + _LINK + r"{0,8}+)" + _LONG), 16, 16),
    _rule("otp", _CODE_WORD, _CODE, 4, 4),
    _rule("token", _TOKEN_WORD, _LONG, 6, 16),
    _rule("api_key", _KEY_WORD, _LONG, 8, 16),
    _rule("api_key", r"(?<![A-Za-z])key(?![a-z])", r"(?P<value>[A-Za-z0-9\-]{16,128})(?![A-Za-z0-9_])", 16, 16),
    _rule("password", _PASSWORD_WORD, _VALUE, 4, 4),
)
_BACKWARDS = (
    (
        "otp",
        re.compile(
            rf"(?i)(?<![0-9A-Za-z.])(?P<value>[0-9]{{4,8}})\s?(?:是|就是|为|is|这个|[(（【]){_MINE}{_CODE_WORD}(?!有效|过期|错)"
        ),
    ),
    (
        "password",
        re.compile(
            rf"(?i)(?<![!-~])(?P<value>[!-+\--:<-~]{{4,64}})\s?(?:是|就是|为|作为|当作|当成|当|做|作|设成|设为|设置成|设置为|改成|这个|[(（【]){_MINE}(?:密码|口令|password)"
            r"(?!规则|强度|到期|过期|更新|修改|重置|策略|安全|学|管理|保护|加密|本|的)"
        ),
    ),
)
_PAIR = re.compile(
    r"(?i)(?:账号|账户|用户名?|帐号|账|user(?:name)?)\s?(?:和|及|与|/|、|&|\+)?\s?(?:密码|password|pwd)[\s:=是为]{1,4}(?P<user>[!-+\--.0-9:<-~]{2,64}?)"
    r"\s?[\s/,，、|]\s?(?P<value>[!-+\--:<-~]{3,128})"
)
_LOGIN = re.compile(
    r"(?i)(?:账号|账户|用户名?|帐号|user(?:name)?|login)\s?[:=是为]?\s?[!-+\--.0-9<-~]{2,64}[\s,，/]{1,3}(?:密码|password|pwd)\s?[:=是为]?\s?"
    r"(?P<value>[!-+\--:<-~]{3,128})(?![一-龥])"
)
_PHRASE = re.compile(
    r"(?:口令|暗号)(?:是|为|:|：|就是|叫|改成|改为)\s?[「“\"『]?(?P<value>[一-龥]{3,12})(?=[」”\"』。，,！!；;\s]|$)"
)
_NO_PHRASE = re.compile(
    r"[什么多少哪谁不没要请必能可会吗怎见同发问由用在了需应该每随默初统定更按与和对错改忘复杂简单太过期有效]"
)
_AFTERTHOUGHT = re.compile(
    rf"{_PASSWORD_WORD}\s?[,，]\s?(?P<value>(?=[!-~]{{0,40}}[0-9])(?=[!-~]{{0,40}}[A-Za-z])[!-+\--:<-~]{{8,64}})(?=[。，,！!；;\s]|$)",
    re.IGNORECASE,
)
_MIXED = re.compile(
    rf"{_PASSWORD_WORD}(?:[:=是为叫]|就是|改成|改为|设成|设为)\s?(?P<value>[一-龥]{{1,4}}[!-+\--:<-~]{{3,40}})(?=[。，,！!；;\s]|$)",
    re.IGNORECASE,
)


def find_secrets(text: str) -> Iterator[Found]:
    """Values with a format of their own."""
    for kind, pattern in _FORMATS:
        for match in pattern.finditer(text):
            group = "value" if "value" in pattern.groupindex else 0
            if not _PLACEHOLDER.match(match[group]):
                yield Found(kind, *match.span(group))


def find_named_secrets(text: str) -> Iterator[Found]:
    """Values that only the word beside them makes a secret: 密码是…, 验证码 …, app_secret=…"""
    for match in _PAIR.finditer(text):
        if re.search(r"[0-9\W_]", match["value"]) and not _PLACEHOLDER.match(match["value"]):
            yield Found("password", match.start("user"), _end(match))
    for match in _LOGIN.finditer(text):
        if _looks_secret(match["value"]):
            yield Found("password", match.start("value"), _end(match))
    for rule in _RULES:
        for start, end in matches(rule.pattern, text, lambda match, rule=rule: _value(rule, match)):  # type: ignore[misc]
            yield Found(rule.kind, start, end)
    for kind, pattern in _BACKWARDS:
        for match in pattern.finditer(text):
            refused = _FORBIDDEN.search(text[max(0, match.start() - 12) : match.start()])
            if not refused and _looks_secret(match["value"]) and (kind == "otp" or _is_strong_value(match["value"])):
                yield Found(kind, *match.span("value"))
    for match in _PHRASE.finditer(text):
        if not _NO_PHRASE.search(match["value"]):
            yield Found("password", *match.span("value"))
    for match in _AFTERTHOUGHT.finditer(text):
        if _looks_secret(match["value"]):
            yield Found("password", *match.span("value"))
    for match in _MIXED.finditer(text):
        if (
            not _NO_PHRASE.search(match["value"])
            and re.search(r"[0-9]", match["value"])
            and not re.search(r"[0-9]{11}", match["value"])
        ):
            yield Found("password", *match.span("value"))


def _value(rule: Rule, match: re.Match[str]) -> tuple[int, int] | None:
    start, end = match.start("value"), _end(match)
    value, link, after = match.string[start:end], match["link"], match.string[end : end + 12]
    strong = bool(_STRONG.search(link.lower()))
    if len(value) < (rule.least if strong else rule.weakly) or not _looks_secret(value):
        return None
    before = match.string[max(0, match.start() - 12) : match.start()]
    if _FORBIDDEN.search(before) or (value.isdigit() and not strong and _FORGOTTEN.search(before)):
        return None
    if rule.kind == "otp":
        return None if _UNIT_AFTER.match(after) or _is_year(value, after) else (start, end)
    if rule.kind != "password":
        mixed = bool(re.search(r"[0-9]", value) and re.search(r"[A-Za-z]", value))
        return (start, end) if mixed or (len(value) >= 20 and value.isalnum()) else None
    if re.search(r"[0-9]", value):
        refused = (_REFUSED_AFTER if not re.search(r"[A-Za-z]", value) or not strong else _PLACEHOLDER_AFTER).match(
            after
        )
        return None if refused or _is_telephone(value, link) else (start, end)
    said = bool(_SAID.search(link)) or (strong and len(value) >= 6)
    symbols = bool(re.search(r"[^A-Za-z.\-'/:_]", value))
    return (start, end) if (said or symbols) and _CLAUSE_END.match(after) and not _REFUSED_AFTER.match(after) else None


_PLACEHOLDER_AFTER = re.compile(_TOPICS.replace("|的(?!$)", ""))


def _end(match: re.Match[str]) -> int:
    """The value's end without the sentence's own punctuation."""
    value = match["value"]
    return match.start("value") + len(value.rstrip(".,:?)\"'>]}`") or value)


def _looks_secret(value: str) -> bool:
    return bool(re.search(r"[0-9A-Za-z]{2}|[0-9A-Za-z].*[0-9A-Za-z]", value)) and not (
        _PLACEHOLDER.match(value) or _NUMBERED.match(value) or BLANK in value
    )


def _is_strong_value(value: str) -> bool:
    """A value that stands before its word: letters with digits, or six digits or more that are no telephone."""
    digits = sum(map(str.isdigit, value))
    return 0 < digits < len(value) or (digits == len(value) and digits in (6, 7, 8, 9))


def _is_telephone(value: str, link: str) -> bool:
    return bool(re.fullmatch(r"1[3-9][0-9]{9}", value)) and not _STRONG.search(link)


def _is_year(value: str, after: str) -> bool:
    return bool(re.fullmatch(r"(?:19|20)[0-9]{2}", value)) and after[:1] in "年-/"
