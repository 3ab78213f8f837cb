"""Stories of the dialogue, one per file in tests/stories, in the format of the scenarios and by the same player."""

from pathlib import Path

import pytest

from bot.rehearsal.player import play
from bot.rehearsal.scenario import read
from bot.rehearsal.swapping import swapped

FOLDER = Path(__file__).parents[1] / "stories"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
@pytest.mark.parametrize("exchanged", [False, True], ids=["as written", "platforms exchanged"])
async def test_story_comes_out_as_written(path: Path, exchanged: bool) -> None:
    scenario = read(path)
    if exchanged and any("group" in step.what for step in scenario.steps if isinstance(step.what, dict)):
        pytest.skip("groups reach the bot in Feishu only")
    outcome = await play(swapped(scenario) if exchanged else scenario)
    assert outcome.difference is None, outcome.transcript
