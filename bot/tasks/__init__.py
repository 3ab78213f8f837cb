"""The tasks that the bot can do: one visible table from a task's name to what runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bot.channels import Destination
from bot.drafts import Draft
from bot.tasks.outcome import Outcome
from bot.tasks.reporting import run_report
from bot.turn import Turn

Runner = Callable[[Turn, Draft, tuple[Destination, ...]], Outcome]

RUNNERS: Mapping[str, Runner] = {
    "report": run_report,
}

__all__ = ["RUNNERS", "Outcome", "Runner"]
