"""What a word of time can say: a length, a clock, the n-th of something, a rhythm."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """A length of time. `months` and `days` count calendar units, `seconds` the clock, `workdays` the calendar's."""

    months: int = 0
    days: int = 0
    seconds: int = 0
    workdays: int = 0

    def __add__(self, other: Span) -> Span:
        return Span(
            self.months + other.months,
            self.days + other.days,
            self.seconds + other.seconds,
            self.workdays + other.workdays,
        )

    def __mul__(self, times: int) -> Span:
        return Span(self.months * times, self.days * times, self.seconds * times, self.workdays * times)


@dataclass(frozen=True)
class Clock:
    """A time of day as it was said. `exact` = read on a 24-hour clock; `spoken` = 八点 rather than 8:00."""

    hour: int
    minute: int = 0
    second: int = 0
    exact: bool = False
    spoken: bool = True


@dataclass(frozen=True)
class Nth:
    """第N个…, 最后一个… (`index` < 0 counts from the end): of a weekday, else of a unit (day, week, workday)."""

    index: int
    unit: str
    weekday: int | None = None


@dataclass(frozen=True)
class Every:
    freq: str
    interval: int = 1
    workday: bool = False
