"""`make bench-coco`: CoCo's exact placement beside CP-SAT and HiGHS and beside trying everything, and the paper's
placement study with drawn flows.

Placements are computed, and both ways to scale are simulated; linearity, quotas, fair shares and recovery are measured
with real packets on this machine, all but the first as root. Settings of the placement study were committed before its
first run. With --write the tables replace those in docs/coco.md.
"""

import argparse
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import fair
import linearity
import overload
import page
import placement
import quotas
import scaling
import timing
from drawing import PATH

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "coco.md"
TABLES = ("times", "brute", "placement", "fails", "linearity", "quotas", "fair", "overload", "scaling")


def main() -> None:
    """Each table, line by line as it is made."""
    parser = argparse.ArgumentParser(prog="make bench-coco BENCH=", description="CoCo's placement beside peers.")
    parser.add_argument("--problems", type=int, default=20, help="a row of the table of times (%(default)d)")
    parser.add_argument("--no-peers", action="store_true", help="leave CP-SAT and HiGHS out")
    parser.add_argument("--elements", type=int, nargs="+", help="some rows of the table of times; the others stay")
    parser.add_argument("--only", nargs="+", choices=TABLES, help="some tables")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/coco.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as by Ctrl-C: the runner that is measured ends with us
    study = placement.Study()
    wanted: dict[str, Iterator[str]] = {
        "times": timing.table(options.problems, peers=not options.no_peers, sizes=options.elements),
        "brute": _brute(),
        "placement": study.table(),
        "fails": study.fails(),
        "linearity": linearity.table(),
        "fair": fair.table(),
        "quotas": quotas.table(),
        "overload": overload.table(),
        "scaling": scaling.table(),
    }
    if options.write:
        page.write(PAGE, "origin", list(_origin()))
    for name, lines in wanted.items():
        if options.only is None or name in options.only:
            made = list(page.shown(name, lines))
            if options.write and name == "times" and options.elements is not None:
                made = timing.merged(page.read(PAGE, name), made)
            if options.write:
                page.write(PAGE, name, made)


def _origin() -> Iterator[str]:
    yield from page.head("what", "sha256")
    yield page.line("bench/coco/settings.toml", hashlib.sha256(PATH.read_bytes()).hexdigest()[:16])


def _brute() -> Iterator[str]:
    """The engine's own test, with more seeds."""
    seeds = 10_000
    yield from page.head("seeded problems", "the exact placement is as good as trying everything")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "engine/tests/test_coco_placement.py", "-k", "trying_everything"],
        cwd=ROOT,
        env={**os.environ, "SEXTANT_COCO_SEEDS": str(seeds)},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = done.returncode == 0 and f"{seeds // 100} passed" in done.stdout
    yield page.line(f"{seeds:,}", "met" if passed else f"**missed**: {done.stdout[-300:]}")


if __name__ == "__main__":
    main()
