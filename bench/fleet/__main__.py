"""What a fleet of a thousand hosts costs: plans, lists, the snapshot, telemetry, joining, signing in, pages in a
browser. Nothing is asserted.

make bench-fleet                       in a PostgreSQL and a Valkey of its own, with the settings of `make up`
make bench-fleet BENCH="--help"        how large, and only some of it
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import interacting
import joining
import paced_laws
import planning
import reading
import reporting
from cpu import Meter
from figures import Figure, show
from seed import fill
from sextant_backend import migrate, wiring
from sextant_backend.kit.sealing import make_key_file
from sextant_backend.settings import get_settings
from sextant_run.servers import temporary_postgres, temporary_valkey

PARTS = ("plans", "telemetry", "reading", "signing-in", "joining", "law", "interacting")


def main() -> None:
    """Shows each figure as soon as it is known, and all of them at the end."""
    parser = argparse.ArgumentParser(prog="make bench-fleet BENCH=", description="What a large fleet costs.")
    parser.add_argument("--hosts", type=int, default=1000, help="(%(default)d)")
    parser.add_argument("--chains", type=int, default=4000, help="that run there (%(default)d)")
    parser.add_argument("--only", choices=PARTS, action="append", help="this part; may be repeated")
    asked = parser.parse_args()
    parts = asked.only or list(PARTS)
    with temporary_postgres() as database, temporary_valkey() as valkey, TemporaryDirectory() as folder:
        os.environ |= {"DATABASE_URL": database, "REDIS_URL": valkey, "SEXTANT_PKI_DIR": f"{folder}/pki/backend"}
        os.environ |= {"SEXTANT_SECRETS_KEY_FILE": f"{folder}/secrets.key", "SEXTANT_FLEET_URL": "https://127.0.0.1:1"}
        os.environ |= {"SEXTANT_CA_KEY_FILE": f"{folder}/pki/ca.key"}
        get_settings.cache_clear()
        make_key_file(Path(folder) / "secrets.key")
        migrate.upgrade()
        wiring.connect()
        figures = []
        for figure in _measured(asked.hosts, asked.chains, parts, Path(folder)):
            load = os.getloadavg()[0]
            print(f"{figure.name}: {figure.value:.2f} {figure.unit} ({figure.how}; load {load:.1f})", file=sys.stderr)
            figures.append(figure)
    show(figures)


def _measured(hosts: int, chains: int, parts: list[str], folder: Path) -> Iterator[Figure]:
    meter = Meter()
    orders = fill(hosts, chains)
    if "telemetry" in parts or "reading" in parts:
        yield from reporting.every_second(meter, orders, seconds=10 if "telemetry" in parts else 1)
    if "law" in parts:
        yield from paced_laws.every_second(meter, orders, seconds=10)
    if "plans" in parts:
        yield from planning.one_by_one(meter, hosts, plans=8)
        yield from planning.together(meter, hosts, chains=1000)
    if "reading" in parts or "signing-in" in parts:
        yield from reading.measured(folder, orders, parts)
    if "interacting" in parts:
        yield from interacting.measured(folder, orders)
    if "joining" in parts:
        yield from joining.measured(meter, hosts, folder)


if __name__ == "__main__":
    main()
