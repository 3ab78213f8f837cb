"""The `catalog:` section of bot.yaml: which preferences, scenes and tasks the bot knows, as an admin writes them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

PreferenceKind = Literal["choice", "flag", "clock", "minutes", "range", "text", "people"]

Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", description="英文小写标识，存储时用，定了就不要改")]
Word = Annotated[str, Field(min_length=1, max_length=40)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ValueEntry(_Entry):
    """One value of a choice."""

    name: str = Field(description="怎么向人称呼这个值")
    words: tuple[Word, ...] = Field((), description="人们怎么说这个值（同义词）；… 代表中间可以隔几个字")
    short: str | None = Field(None, description="简称，如研发部的“研发”；可以和任务名连说：研发周报")
    file: str | None = Field(None, description="这个值自带的文件（如报告模板）；有文件的值才会作为选项给出")


class FlagEntry(_Entry):
    """One side of a yes-or-no preference."""

    name: str = Field(description="怎么向人称呼这一侧")
    verbs: tuple[Word, ...] = Field(description="说到这一项时表示这一侧的动词；前面加“不要”就是另一侧")


class PreferenceEntry(_Entry):
    """One preference key."""

    name: str = Field(description="怎么向人称呼这一项")
    kind: PreferenceKind = Field(
        description="choice 选项 | flag 是否 | clock 时刻 | minutes 分钟数 | range 时间段 | text 文字 | people 人"
    )
    words: tuple[Word, ...] = Field((), description="提到这一项的词")
    verbs: tuple[Word, ...] = Field((), description="除了“用、换成、改为”之外，还有哪些动词后面跟着它的值")
    values: dict[Identifier, ValueEntry] = Field({}, description="可选的值，仅用于 choice")
    enabled: FlagEntry | None = Field(None, description="“是”这一侧，仅用于 flag")
    disabled: FlagEntry | None = Field(None, description="“否”这一侧，仅用于 flag")
    phrase: str = Field("{name}用{value}", description="在句子里怎么说一个值，如 用{value}模板；{name} 是这一项的名字")
    default: str | bool | int | None = Field(None, description="没有记住时用的值")
    multiple: bool = Field(False, description="可以同时有几个值（也发一份到…）")
    named: bool = Field(False, description="说它的值时必须同时提到这一项或用到它的任务（红色单独说不算标记颜色）")
    versions: bool = Field(False, description="值可以带版本，如市场部V3")
    learnable: bool = Field(False, description="可以从习惯里学")
    tasks: tuple[Identifier, ...] = Field((), description="只有这些任务读它；空表示各处都用")

    @model_validator(mode="after")
    def _fits_its_kind(self) -> PreferenceEntry:
        if (self.kind == "choice") != bool(self.values):
            raise ValueError("choice 必须列出 values，其他类型不能有 values")
        if (self.kind == "flag") != (self.enabled is not None and self.disabled is not None):
            raise ValueError("flag 必须同时写 enabled 和 disabled，其他类型不能有")
        if self.kind == "choice" and self.default is not None and self.default not in self.values:
            raise ValueError(f"default {self.default!r} 不在 values 里，可选：{'、'.join(self.values)}")
        return self


class NamedEntry(_Entry):
    """Something with a name and the words for it: a kind of task, a value of a scene."""

    name: str = Field(description="怎么向人称呼它")
    words: tuple[Word, ...] = Field((), description="人们怎么说它（同义词）")


class SlotEntry(_Entry):
    """One thing that a task needs to know."""

    prompt: str | None = Field(None, description="没说也没记住时问的话；不写则用这一项的默认值")


class TaskEntry(_Entry):
    """One task that people can ask for."""

    name: str = Field(description="怎么向人称呼这个任务")
    words: tuple[Word, ...] = Field((), description="任务名的说法")
    phrases: tuple[Word, ...] = Field((), description="整句的说法；… 代表中间可以隔几个字")
    verbs: tuple[Word, ...] = Field((), description="和任务名连用、表示要做它的动词；第一个用来称呼它")
    kinds: dict[Identifier, NamedEntry] = Field({}, description="任务的种类，每种都是一个场景")
    scene: Identifier | None = Field(None, description="和另一个任务算作同一个场景")
    slots: dict[Identifier, SlotEntry] = Field({}, description="要用到的偏好，按询问的顺序")
    adjust: tuple[Identifier, ...] = Field((), description="出结果之后可以改了重来的偏好")
    confirm: bool = Field(False, description="全部按记忆填好时先确认一次")
    habitual: bool = Field(False, description="可以发现规律并到时提醒")


class CatalogConfig(_Entry):
    """What can be remembered, under which conditions, and what can be done."""

    preferences: dict[Identifier, PreferenceEntry] = Field(description="能记住的偏好")
    scenes: dict[Literal["task", "time", "urgency", "recipient", "place"], dict[Identifier, NamedEntry]] = Field(
        {}, description="偏好成立的条件"
    )
    tasks: dict[Identifier, TaskEntry] = Field({}, description="能做的任务")

    @model_validator(mode="after")
    def _names_what_exists(self) -> CatalogConfig:
        for name, task in self.tasks.items():
            for key in (*task.slots, *task.adjust):
                if key not in self.preferences:
                    raise ValueError(f"任务 {name} 用到的 {key} 不在 preferences 里")
            if task.scene is not None and task.scene not in self.tasks:
                raise ValueError(f"任务 {name} 的 scene {task.scene} 不在 tasks 里")
        for key, preference in self.preferences.items():
            for name in preference.tasks:
                if name not in self.tasks:
                    raise ValueError(f"偏好 {key} 的 tasks 里的 {name} 不在 tasks 里")
        return self
