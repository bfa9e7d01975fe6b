"""`make bench-engine`: the engine's tables beside its goals and its peers; nothing is asserted.

CPU time of the solving thread (of both workers, for CP-SAT), so that a noisy machine does not matter much; of a fleet,
of the process that plans it, with the wall time beside it. With --write the tables replace those in docs/engine.md, and
that of Octans' Fig. 9 the one in docs/octans.md.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import drawing
import fleet
import page
import tables
from peer_running import python_of_peers

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "engine.md"
OCTANS = ROOT / "docs" / "octans.md"
"""Has the paper's Fig. 9 too."""


def main() -> None:
    """Each table, line by line as it is measured."""
    parser = argparse.ArgumentParser(prog="make bench-engine BENCH=", description="The engine against goals and peers.")
    parser.add_argument("--seeds", type=int, default=100, help="problems a row (%(default)d)")
    parser.add_argument("--large-seeds", type=int, default=3, help="problems a row of the anytime table (%(default)d)")
    parser.add_argument("--hosts", type=int, default=1000, help="of the fleet, with five chains each (%(default)d)")
    parser.add_argument("--no-peers", action="store_true", help="leave CP-SAT and HiGHS out")
    parser.add_argument("--only", choices=("exact", "figure-9", "fleet", "drawing", "anytime"), help="one table")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/engine.md")
    options = parser.parse_args()
    peers = None if options.no_peers or options.only not in {None, "exact"} else python_of_peers()
    wanted: dict[str, Iterator[str]] = {
        "exact": tables.exact(options.seeds, peers),
        "figure-9": tables.figure_9(options.seeds),
        "fleet": fleet.fleet(options.hosts, 5 * options.hosts),
        "drawing": drawing.drawing(4, options.hosts),
        "anytime": tables.anytime(options.large_seeds),
    }
    for name, lines in wanted.items():
        if options.only in {None, name}:
            made = list(page.shown(name, lines))
            if options.write:
                page.write(PAGE, name, made)
            if options.write and name == "figure-9":
                page.write(OCTANS, name, made)


if __name__ == "__main__":
    main()
