"""`make bench`: prints the performance figures beside their goals. Nothing is asserted.

make bench                       all but the cold start
make bench BENCH="--cold"        the cold start too: some minutes
make bench BENCH="--idle-seconds 120 --repeats 20"
"""

import argparse
import sys
from collections.abc import Iterator

from figures import Figure, show
from footprint import idle_cpu, memory
from installation import temporary
from latency import submit_to_first_packet
from pixels import sample_to_pixel
from processes import start_cpu
from starting import CHAIN, cold, command_cpu, warm


def main() -> None:
    """Measures, one after the other, and shows each as soon as it is known."""
    parser = argparse.ArgumentParser(prog="make bench BENCH=", description="Performance figures beside their goals.")
    parser.add_argument("--cold", action="store_true", help="also a fresh clone's first start: some minutes")
    parser.add_argument("--no-browser", action="store_true", help="leave out what needs chromium")
    parser.add_argument("--idle-seconds", type=float, default=30, help="how long idle CPU is watched (%(default)g)")
    parser.add_argument("--repeats", type=int, default=5, help="of chains submitted, and of starts (%(default)d)")
    figures = []
    for figure in _measure(parser.parse_args()):
        print(f"{figure.name}: {figure.value:.2f} {figure.unit}", file=sys.stderr, flush=True)
        figures.append(figure)
    show(figures)


def _measure(options: argparse.Namespace) -> Iterator[Figure]:
    if options.cold:
        yield cold()
    yield command_cpu("--version")
    yield command_cpu("--help")
    yield from start_cpu(options.repeats)
    with temporary() as installation:
        installation.make("up", "DETACH=1")
        yield warm(installation)
        yield idle_cpu(installation, options.idle_seconds)
        yield from memory(installation, "idle")
        yield submit_to_first_packet(installation, options.repeats)
        installation.sextant("chains", "submit", str(installation.root / CHAIN), "--apply", "--wait")
        if not options.no_browser:
            yield sample_to_pixel(installation, 60)
        yield from memory(installation, "one chain")


if __name__ == "__main__":
    main()
