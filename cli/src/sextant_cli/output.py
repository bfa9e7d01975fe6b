"""How answers are shown: tables for people, the API's JSON for programs."""

import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text
from sextant_domain.problem import Problem

PIPE_WIDTH = 240
"""Columns where the output is no terminal: enough that nothing is cut."""


class Format(StrEnum):
    """What `-o` accepts."""

    TABLE = "table"
    JSON = "json"


class Printer:
    """Writes results to stdout and everything else to stderr."""

    def __init__(self, output: Format) -> None:
        self.format = output
        self._out = _console(sys.stdout.isatty(), stderr=False)
        self._err = _console(sys.stderr.isatty(), stderr=True)

    @property
    def is_json(self) -> bool:
        """Whether a program reads the output."""
        return self.format is Format.JSON

    def json(self, body: Any) -> None:
        """The API's JSON, unchanged but for white space."""
        sys.stdout.write(json.dumps(body, indent=2, ensure_ascii=False) + "\n")

    def line(self, text: str, style: str = "") -> None:
        """One line of a result."""
        self._out.print(Text(clean(text), style=style), soft_wrap=True)

    def progress(self, text: str) -> None:
        """What is going on; never part of the result."""
        self._err.print(Text(clean(text), style="dim"), soft_wrap=True)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], empty: str) -> None:
        """A table; a column whose title ends in `>` is aligned to the right. No rows: `empty`."""
        table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
        for column in columns:
            table.add_column(Text(column.rstrip(">")), justify="right" if column.endswith(">") else "left")
        for row in rows:
            table.add_row(*(Text(clean(cell), style=_style_of(cell)) for cell in row))
        if table.row_count == 0:
            self.line(empty, style="dim")
        else:
            self._out.print(table)

    def problem(self, problem: Problem) -> None:
        """Title, cause, fields, next steps; the problem itself for programs."""
        if self.is_json:
            sys.stderr.write(problem.model_dump_json(indent=2, exclude_none=True) + "\n")
            return
        self._err.print(Text(clean(problem.title), style="bold red"), soft_wrap=True)
        self._err.print(Text(f"  {clean(problem.detail)}"), soft_wrap=True)
        for field in problem.errors:
            self._err.print(Text(f"  {clean(field.field)}: {clean(field.message)}"), soft_wrap=True)
        for host, difference in (problem.difference or {}).items():
            self._err.print(Text(f"  {clean(host)}: {clean(json.dumps(difference))}"), soft_wrap=True)
        for action in problem.next_actions:
            command = f": {action.command}" if action.command else ""
            self._err.print(Text(f"  next: {clean(action.label)}{clean(command)}", style="cyan"), soft_wrap=True)
        if problem.request_id:
            self._err.print(Text(f"  request {clean(problem.request_id)}", style="dim"), soft_wrap=True)


def clean(text: str) -> str:
    """Text from outside without control characters, which could drive a terminal."""
    return "".join(" " if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} else char for char in text)


_STYLES = {
    "red": {"unreachable", "crashed", "violated", "missed", "failed", "FAILED", "FAILED_TEMP", "wrong"},
    "yellow": {"stale", "superseded", "PAUSED", "ROLLING_BACK", "no_data", "unknown"},
    "green": {"up", "running", "met", "applied", "COMPLETED", "ok"},
}


def _style_of(cell: str) -> str:
    return next((style for style, words in _STYLES.items() if cell in words), "")


def _console(is_terminal: bool, *, stderr: bool) -> Console:
    width = None if is_terminal else PIPE_WIDTH
    return Console(stderr=stderr, width=width, highlight=False, no_color=None if is_terminal else True)
