"""`make bench-numasfp`: NUMASFP's algorithms on seeded traces, the exact step beside CP-SAT and HiGHS, its paper's
figures beside ours.

All of it is simulated: what chains carry follows from the look-up table. Settings were published before the first run.
With --write the tables replace those in docs/numasfp.md. --reacting N: from a violation to a completed migration, on a
live simulated host.
"""

import argparse
import hashlib
import os
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import comparing
import figures
import fleet
import installation
import knob
import page
import paper
import reacting
import timing
from sextant_domain.studies.numasfp_result import NumasfpResult

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "numasfp.md"
SETTINGS = Path(__file__).parent / "settings.toml"
TABLES = ("anat", "servers", "times", "brute", "fleet", "knob", "paper", "cells")


def main() -> None:
    """Each table, line by line as it is made."""
    parser = argparse.ArgumentParser(prog="make bench-numasfp BENCH=", description="NUMASFP on traces, simulated.")
    parser.add_argument("--servers", type=int, help="a family (as published)")
    parser.add_argument("--seed", type=int, help="other traces than the published ones")
    parser.add_argument("--problems", type=int, default=20, help="steps a row of the table of times (%(default)d)")
    parser.add_argument("--no-peers", action="store_true", help="leave CP-SAT and HiGHS out")
    parser.add_argument("--only", nargs="+", choices=TABLES, help="some tables")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/numasfp.md")
    parser.add_argument("--reacting", type=int, metavar="TIMES", help="only this, on a live simulated host of its own")
    options = parser.parse_args()
    if options.reacting:
        with installation.temporary(extra={"SEXTANT_DATAPLANE": "0"}) as live:
            live.make("up", "DETACH=1")
            figures.show(reacting.violation_to_migration(live, options.reacting))
        return
    compared = comparing.Compared(options.servers, options.seed)
    papers = _Papers()
    wanted: dict[str, Iterator[str]] = {
        "anat": compared.table(),
        "servers": compared.worst(),
        "times": timing.table(options.problems, peers=not options.no_peers),
        "brute": _brute(),
        "fleet": fleet.table(comparing.SETTINGS["seed"]),
        "knob": knob.table(),
        "paper": papers.table(),
        "cells": papers.cells(),
    }
    if options.write:
        page.write(PAGE, "origin", list(_origin()))
    page.show_all(PAGE, wanted, options.only, to_page=options.write)


class _Papers:
    """Studies of the paper's figures, run when the first table asks."""

    @cached_property
    def _found(self) -> list[NumasfpResult]:
        return list(paper.results())

    def table(self) -> Iterator[str]:
        yield from paper.table(self._found)

    def cells(self) -> Iterator[str]:
        yield from paper.cells(self._found)


def _origin() -> Iterator[str]:
    yield from page.head("what", "sha256")
    yield page.line("bench/numasfp/settings.toml", hashlib.sha256(SETTINGS.read_bytes()).hexdigest()[:16])


def _brute() -> Iterator[str]:
    """The core's own test, with more seeds."""
    seeds = 10_000
    yield from page.head("seeded problems", "the exact step is as good as trying everything")
    done = subprocess.run(
        ["cargo", "test", "--quiet", "-p", "sextant-core", "--test", "all", "the_exact_step"],
        cwd=ROOT / "engine",
        env={**os.environ, "SEXTANT_NUMASFP_SEEDS": str(seeds)},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = done.returncode == 0 and "1 passed" in done.stdout
    yield page.line(f"{seeds:,}", "met" if passed else f"**missed**: {done.stdout[-300:]}")


if __name__ == "__main__":
    main()
