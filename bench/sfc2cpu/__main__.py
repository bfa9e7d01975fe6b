"""`make bench-sfc2cpu`: the exact assignment beside CP-SAT, the paper's instances under its ideal model, the headroom
that hidden interference leaves, the gates on the digital twin, and the time of the network and of a control step. All
of these are computed; no packet is sent. `--only real` measures with packets, as root, on two cores of this machine:
the calibrated assigner beside LPT, and shares of CPU time beside rate x cost.

With --write the tables replace those in docs/sfc2cpu.md.
"""

import argparse
import hashlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import backpressure
import by_loads
import choosing_time
import control
import gate_c
import gate_c_seeds
import gates
import headroom
import ideal
import misjudged
import page
import published
import schedulers
import school_time
import timing
from drawing import PATH, SETTINGS
from on_real_cores import BESIDE, RealStudy

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sfc2cpu.md"
TABLES = (
    "times",
    "network",
    "control",
    "choosing",
    "school",
    "served",
    "loads",
    "headroom",
    "throughput",
    "latency",
    "schedulers",
    "backpressure",
    "by_loads",
    "gates",
    "rates",
    "gate_c",
    "gate_c_seeds",
    "real",
    "real_shares",
)
NAMED = {"school"}
"""Only where they are named: it wants JAX, which not every installation has."""
REAL = {"real", "real_shares"}
"""One study, and so both tables."""


def main() -> None:
    """Each table, line by line as it is made."""
    parser = argparse.ArgumentParser(prog="make bench-sfc2cpu BENCH=", description="sfc2cpu's assigners, computed.")
    parser.add_argument("--no-peers", action="store_true", help="leave CP-SAT out")
    parser.add_argument("--only", nargs="+", choices=TABLES, help="some tables")
    parser.add_argument("--trained", nargs="+", type=Path, default=[], help="folders of School, for table gate_c")
    parser.add_argument("--cost", type=Path, help="write the fitted cost that School trains on, and end")
    parser.add_argument(
        "--cores", type=int, choices=SETTINGS["twin"]["cores"], help="with --cost: of whose placements (4)"
    )
    parser.add_argument("--instances", type=int, help="a row of the gates, in the place of the settings'")
    parser.add_argument("--quick", action="store_true", help="two mixes in table real, to see that it works")
    parser.add_argument(
        "--beside", nargs="+", choices=BESIDE, default=BESIDE[:1], help="in table real: what calibrated is beside (lpt)"
    )
    parser.add_argument("--write", action="store_true", help="put the tables into docs/sfc2cpu.md")
    options = parser.parse_args()
    if options.cores is not None and options.cost is None:
        parser.error("--cores says nothing without --cost: the gates have a row for each number of cores")
    if options.instances is not None:
        if options.instances < 2:
            parser.error("--instances: 2 at least, or there is no interval")
        SETTINGS["twin"]["instances"] = options.instances
    if options.cost is not None:
        options.cost.write_text(gate_c.school_cost(options.cores or 4))
        return
    wanted: dict[str, Iterator[str]] = {
        "times": timing.min_max(peers=not options.no_peers),
        "network": timing.network(),
        "control": control.table(),
        "choosing": choosing_time.table(),
        "served": ideal.served(),
        "loads": ideal.loads(),
        "headroom": headroom.table(),
        "throughput": published.throughput(options.trained),
        "latency": published.latency(options.trained),
        "schedulers": schedulers.table(),
        "backpressure": backpressure.table(),
        "by_loads": by_loads.table(),
        "gates": gates.table(),
        "rates": misjudged.table(),
    }
    if options.trained:
        wanted["gate_c"] = gate_c.table(options.trained, page.read(PAGE, "gate_c") if options.write else ())
        wanted["gate_c_seeds"] = gate_c_seeds.table(options.trained)
    if NAMED & set(options.only or ()):
        wanted["school"] = school_time.table()
    if REAL & set(options.only or ()):  # only where it is named: it wants the machine for itself
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # as by Ctrl-C: the installation ends with us
        study = RealStudy(quick=options.quick, beside=options.beside)
        wanted |= {"real": study.table(), "real_shares": study.shares()}
        options.only = [*options.only, *REAL]
    if options.write:
        page.write(PAGE, "origin", list(_origin()))
    page.show_all(PAGE, wanted, options.only, to_page=options.write)


def _origin() -> Iterator[str]:
    yield from page.head("what", "sha256")
    yield page.line("bench/sfc2cpu/settings.toml", hashlib.sha256(PATH.read_bytes()).hexdigest()[:16])


if __name__ == "__main__":
    main()
