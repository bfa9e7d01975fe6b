"""Every example is a chain as it stands."""

from pathlib import Path

import pytest
from sextant_cli.chain_file import load_chain

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "chains").rglob("*.yaml"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_accepted_and_named_like_its_file(path: Path) -> None:
    assert load_chain(str(path)).lanes[0].name == path.stem
