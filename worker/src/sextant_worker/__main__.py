"""`python -m sextant_worker QUEUE ...|beat`: becomes the Celery process that these queues want.

How many tasks a process takes at once belongs to its queues, not to whoever starts it: by hand, `make up`, a unit or a
container. Imports nothing that takes time: it is there for a moment only.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from sextant_worker.pools import SOLO, THREADS

QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat")
"""Workers need not know of each other: PostgreSQL knows who holds what."""
BEAT = "beat"


def command(what: Sequence[str], schedule: str) -> list[str]:
    """The Celery command of the worker of some queues, or of beat with its file. None forks: a child that is forked
    while a thread holds a lock of OpenSSL's never gets it, and hangs with its claim (docs/decisions/0015)."""
    celery = [sys.executable, "-m", "celery", "-A"]
    if what == [BEAT]:
        return [*celery, "sextant_worker.beat", "beat", "--schedule", schedule, "--pidfile", ""]
    node = ("--hostname", f"{'-'.join(what)}@%h", "-Q", ",".join(what))
    threads = sum(THREADS[queue] for queue in what if queue in THREADS)
    pool = ("--pool", "threads", "--concurrency", str(threads)) if threads else ("--pool", "solo")
    return [*celery, "sextant_worker.app", "worker", *QUIET, *node, *pool]


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """`what` and `schedule`; SystemExit where they are none."""
    parser = argparse.ArgumentParser(prog="python -m sextant_worker", description=(__doc__ or "").split("\n")[0])
    alone = (*SOLO, BEAT)
    parser.add_argument(
        "what",
        nargs="+",
        choices=(*THREADS, *alone),
        metavar="QUEUE",
        help=f"one or several of {', '.join(THREADS)} in one process; or {', '.join(alone)}, each by itself",
    )
    parser.add_argument("--schedule", default="beat", help="beat's file, which may be lost (default: ./beat)")
    asked = parser.parse_args(arguments)
    asked.what = list(dict.fromkeys(asked.what))
    if len(asked.what) > 1 and (lone := [name for name in asked.what if name in alone]):
        parser.error(f"{lone[0]} takes a process of its own: start it by itself")
    return asked


def main(arguments: Sequence[str] | None = None) -> None:
    """Does not return."""
    asked = parse(arguments)
    line = command(asked.what, asked.schedule)
    os.execv(line[0], line)  # noqa: S606 - ourselves


if __name__ == "__main__":
    main()
