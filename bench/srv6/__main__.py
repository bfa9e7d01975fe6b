"""`make bench-srv6`: measured packets beside plain IPv6 and the kernel's own SRv6, on real packets between two
namespaces of this machine. As root; nothing is asserted. With --write the tables replace those in docs/srv6.md.
"""

import argparse
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import autoscalers
import beside
import global_loop
import local_loop
import page
from chain import chain
from cuts import cuts
from ends import first
from lane_turns import scaling
from overhead import overhead
from pace import Pace, machine
from paper import figures, sizes
from reroutes import reroutes
from setting import NotMeasured
from ways import ways
from work import work

PAGE = Path(__file__).resolve().parents[2] / "docs" / "srv6.md"
TABLES: dict[str, Callable[[Pace], Iterator[str]]] = {
    "ways": ways,
    "overhead": overhead,
    "work": work,
    "chain": chain,
    "reroutes": reroutes,
    "scaling": scaling,
    "cuts": cuts,
    "figures": figures,
    "sizes": sizes,
    "loop": lambda pace: local_loop.step(pace.repeats),
    "pairs": lambda pace: local_loop.pairs(pace.repeats),
    "beside": lambda pace: beside.beside(pace.repeats),
    "changing": lambda pace: local_loop.changing(pace.repeats),
    "autoscalers": lambda pace: autoscalers.autoscalers(pace.repeats),
    "replicas": lambda pace: autoscalers.replicas(pace.repeats),
    "lanes": lambda pace: global_loop.table(pace.repeats),
}


def main() -> None:
    """Each table, line by line as it is measured."""
    parser = argparse.ArgumentParser(prog="make bench-srv6 BENCH=", description="Measured packets beside their peers.")
    parser.add_argument("--only", nargs="+", choices=TABLES, help="some tables")
    parser.add_argument("--repeats", type=int, default=5, help="of each rate and figure (%(default)d)")
    parser.add_argument("--seconds", type=float, default=0.5, help="at a rate (%(default)g)")
    parser.add_argument(
        "--actions", type=int, default=10_000, help="reroutes, lanes, in two minutes at most (%(default)d)"
    )
    parser.add_argument("--quick", action="store_true", help="to see that it works")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/srv6.md")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as by Ctrl-C: daemons and namespaces go with us
    pace = Pace(options.repeats, options.seconds, options.actions)
    if options.quick:
        pace = Pace(repeats=1, seconds=0.2, actions=200)
    for name, table in TABLES.items():
        if options.only is None or name in options.only:
            made = list(page.shown(name, _or_reason(name, table, pace)))
            if options.write:
                page.write(PAGE, name, made)


def _or_reason(name: str, table: Callable[[Pace], Iterator[str]], pace: Pace) -> Iterator[str]:
    """Where nothing, or nothing more, of a table can be measured, it ends with the reason."""
    yield f'`make bench-srv6 BENCH="--only {name}"`, {pace.repeats} repeats, on {machine()}.'
    yield ""
    try:
        with first():
            yield from table(pace)
    except NotMeasured as error:
        yield ""
        yield f"Not measured: {error}."


if __name__ == "__main__":
    main()
