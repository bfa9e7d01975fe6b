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
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as by Ctrl-C: runner and helper end with us
    if not (BUILD / "sextant-measure").exists():
        sys.exit(f"there is no data plane in {BUILD}: make setup")
    setting = Setting(quick=options.quick, cores=tuple(sorted(os.sched_getaffinity(0))))
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
