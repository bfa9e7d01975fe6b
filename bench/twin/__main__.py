"""`make bench-twin`: how long the digital twin takes, and how much memory, beside its goals; nothing is asserted.

CPU time of the thread that computes, as the two examples of the core measure it, so that a noisy machine does not
matter much. With --write the table replaces the one in docs/twin.md.
"""

import argparse
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import page

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "twin.md"


class PrintedFigure(NamedTuple):
    """A line of an example's output: how it begins, what to call it, its unit, and its goal in that unit."""

    begins: str
    title: str
    unit: str
    goal: str


STEADY = (
    PrintedFigure("from nothing", "Steady state of two sockets with 24 NFs, from nothing (median)", "us", "1000"),
    PrintedFigure("after a change of 10 %", "The same after a rate has changed by 10 % (median)", "us", "1000"),
)
FLEET = (
    PrintedFigure("memory, KiB a host", "Memory of a host", "KiB", "200"),
    PrintedFigure("1000 hosts at 1 Hz", "1000 hosts at 1 Hz, nothing changes", "cores", ".3"),
    PrintedFigure("200 hosts at 10 Hz, nothing changes", "200 hosts at 10 Hz, nothing changes", "cores", "1"),
    PrintedFigure("200 hosts at 10 Hz, a day", "200 hosts at 10 Hz, a day of traffic in ten minutes", "cores", "1"),
    PrintedFigure("120 s of 4 hosts x 5 chains", "120 s of 4 hosts x 5 chains, the same traffic", "s", "2"),
)


def main() -> None:
    """The table, line by line as it is measured."""
    parser = argparse.ArgumentParser(prog="make bench-twin BENCH=", description="The twin's time and memory.")
    parser.add_argument("--write", action="store_true", help="put the table into docs/twin.md")
    options = parser.parse_args()
    made = list(page.shown("twin-speed", _table()))
    if options.write:
        page.write(PAGE, "twin-speed", made)


def _table() -> Iterator[str]:
    yield from page.head("what", "goal", "measured")
    for example, goals in (("time_steady", STEADY), ("time_fleet", FLEET)):
        found = _run(example)
        for goal in goals:
            yield page.line(goal.title, f"{goal.goal} {goal.unit}", f"{_figure(found, goal.begins)} {goal.unit}")


def _run(example: str) -> list[str]:
    command = ["cargo", "run", "--locked", "--quiet", "--release", "--example", example]
    return subprocess.run(command, cwd=ROOT / "twin", check=True, capture_output=True, text=True).stdout.splitlines()


def _figure(lines: list[str], begins: str) -> str:
    """The first figure after the words of the line that begins so."""
    for line in lines:
        if line.startswith(begins) and (figure := re.search(r"\s{2,}([\d.]+)", line)):
            return figure.group(1)
    raise SystemExit(f"bench-twin: no line begins {begins!r}: the example's output has changed; correct bench/twin")


if __name__ == "__main__":
    main()
