"""Pages of docs/decisions are named by their number, which each has for itself, and which its heading says.

Text and comments speak of a decision by its number: two of one number would make each such sentence doubtful.
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "decisions"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")


def test_numbers_count_up_from_one() -> None:
    assert [int(path.name[:4]) for path in PAGES] == list(range(1, len(PAGES) + 1))


def test_headings_say_the_number() -> None:
    for path in PAGES:
        heading = path.read_text().splitlines()[0]
        assert re.match(rf"# {int(path.name[:4])}\. ", heading), f"{path.name}: {heading}"
