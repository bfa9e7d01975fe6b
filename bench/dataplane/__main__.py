"""`make bench-dataplane`: what the data plane costs, table by table; nothing is asserted.

Run it on a quiet machine: other work makes most figures worse, and some impossible; then its row says so. With root the
tables about CPU shares and quotas are measured, too. With --write the tables replace those in docs/dataplane.md.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Iterator

import page
from chain import chain
from colocation import colocation
from hop import hop
from lanes import lanes
from migration import migration
from moves import moves
from quota import periods, quota
from repeat import repeat
from setting import BUILD, ROOT, NotMeasured, Setting
from shapes import shapes
from shares import shares
from solo import solo

PAGE = ROOT / "docs" / "dataplane.md"
TABLES: dict[str, Callable[[Setting], Iterator[str]]] = {
    "solo": solo,
    "hop": hop,
    "chain": chain,
    "shapes": shapes,
    "moves": moves,
    "migration": migration,
    "lanes": lanes,
    "shares": shares,
    "quota": quota,
    "periods": periods,
    "repeat": repeat,
    "colocation": colocation,
}


def main() -> None:
    """Each table, line by line as it is measured."""
    parser = argparse.ArgumentParser(prog="make bench-dataplane BENCH=", description="The data plane's figures.")
    parser.add_argument("--only", choices=TABLES, help="one table")
    parser.add_argument("--quick", action="store_true", help="some seconds a table: to see that it works")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/dataplane.md")
    parser.add_argument("--changes", type=int, metavar="N", help="table lanes: so many changes (10000; --quick: 100)")
    parser.add_argument("--within", type=float, metavar="S", default=600.0, help="table lanes: end after S seconds")
    options = parser.parse_args()
    if options.changes is not None and options.changes < 20:
        parser.error("--changes: 20 at least, or there are no quantiles")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as by Ctrl-C: runner and helper end with us
    if not (BUILD / "sextant-measure").exists():
        sys.exit(f"there is no data plane in {BUILD}: make setup")
    cores = tuple(sorted(os.sched_getaffinity(0)))
    setting = Setting(quick=options.quick, cores=cores, changes=options.changes, within_s=options.within)
    for name, table in TABLES.items():
        if options.only in {None, name}:
            made = list(page.shown(name, _or_reason(table(setting))))
            if options.write:
                page.write(PAGE, name, made)


def _or_reason(lines: Iterator[str]) -> Iterator[str]:
    """Where nothing, or nothing more, of a table can be measured, it ends with the reason."""
    try:
        yield from lines
    except NotMeasured as error:
        yield ""
        yield f"Not measured: {error}."


if __name__ == "__main__":
    main()
