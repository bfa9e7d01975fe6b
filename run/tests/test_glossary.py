"""docs/glossary.md is one table, sorted, with each term once and a meaning for it.

A table whose header stood after its first rows was shown as running text; a term that stands twice has two meanings.
"""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"
HEADER = ["| term | meaning |", "|---|---|"]
ROW = re.compile(r"\| ([^|]+) \| ([^|]+) \|")


def table() -> list[str]:
    """The lines of the page from the first that is of a table to the last."""
    lines = PAGE.read_text().splitlines()
    of_table = [number for number, line in enumerate(lines) if line.startswith("|")]
    return lines[of_table[0] : of_table[-1] + 1]


@pytest.fixture
def rows() -> list[tuple[str, str]]:
    matches = [ROW.fullmatch(line) for line in table()[2:]]
    return [(found[1], found[2]) for found in matches if found]


def test_it_is_one_table_with_its_header_first(rows: list[tuple[str, str]]) -> None:
    assert table()[:2] == HEADER
    assert len(rows) == len(table()) - 2, "a row that is no row of two cells"


def test_terms_are_sorted(rows: list[tuple[str, str]]) -> None:
    terms = [term for term, _ in rows]
    assert terms == sorted(terms, key=str.casefold)


def test_each_term_stands_once(rows: list[tuple[str, str]]) -> None:
    names = [name.strip().casefold() for term, _ in rows for name in term.split(",")]
    assert len(rows) > 100
    assert not {name for name in names if names.count(name) > 1}
