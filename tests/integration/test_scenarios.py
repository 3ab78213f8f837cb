"""The scenarios that are the specification, played through the real adapters on simulated platforms."""

from pathlib import Path

import pytest

from bot.rehearsal.player import play
from bot.rehearsal.scenario import read
from bot.rehearsal.swapping import swapped

FOLDER = Path(__file__).parents[1] / "scenarios"
BUILT = ("01", "02", "05", "08", "15")
FILES = [path for path in sorted(FOLDER.glob("*.yaml")) if path.name[:2] in BUILT]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("exchanged", [False, True], ids=["as written", "platforms exchanged"])
async def test_scenario_comes_out_as_written(path: Path, exchanged: bool) -> None:
    scenario = read(path)
    outcome = await play(swapped(scenario) if exchanged else scenario)
    assert outcome.difference is None, outcome.transcript


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_scenario_can_be_read(path: Path) -> None:
    assert read(path).steps


async def test_a_rehearsal_fails_at_the_first_difference() -> None:
    """The player itself: an expectation that nothing meets is a difference, not a pass."""
    scenario = read(FOLDER / "05_override_needs_a_yes.yaml")
    wrong = [
        step if step.number != 2 else type(step)(2, "expect", {"text": ["这句话不会出现"]}) for step in scenario.steps
    ]
    outcome = await play(type(scenario)(**{**vars(scenario), "steps": tuple(wrong)}))
    assert outcome.difference is not None
    assert outcome.difference.startswith("step 2")
