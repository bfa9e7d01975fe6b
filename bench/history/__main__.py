"""What history costs: rolling up a large fleet at 1 Hz, and reading a year of one chain. Nothing is asserted.

make bench-history                       both, in a PostgreSQL of its own with the settings of `make up`
make bench-history BENCH="--help"        how large
"""

import argparse
import os

from fleet import Fleet
from rich.console import Console
from rolling import rolling
from sextant_backend import migrate
from sextant_backend.settings import get_settings
from sextant_run.servers import temporary_postgres
from year import year


def main() -> None:
    """Shows each table as soon as it is known."""
    parser = argparse.ArgumentParser(prog="make bench-history BENCH=", description="What history costs.")
    parser.add_argument("--hosts", type=int, default=1000)
    parser.add_argument("--chains", type=int, default=4, help="of a host (%(default)d)")
    parser.add_argument("--nfs", type=int, default=12, help="of a host (%(default)d)")
    parser.add_argument("--cores", type=int, default=10, help="of a host (%(default)d)")
    parser.add_argument("--seconds", type=int, default=180, help="of samples that are rolled up (%(default)d)")
    parser.add_argument("--year-chains", type=int, default=100, help="that have a year of history (%(default)d)")
    asked = parser.parse_args()
    screen = Console(width=160)
    with temporary_postgres() as url:
        os.environ["DATABASE_URL"], os.environ["REDIS_URL"] = url, "redis://127.0.0.1:1/0"
        get_settings.cache_clear()
        migrate.upgrade()
        if asked.seconds:
            rolling(screen, Fleet(asked.hosts, asked.chains, asked.nfs, asked.cores), asked.seconds)
        if asked.year_chains:
            year(screen, asked.year_chains)


if __name__ == "__main__":
    main()
