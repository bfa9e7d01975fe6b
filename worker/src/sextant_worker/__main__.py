"""`python -m sextant_worker plan|operate|profile|study|watch|beat`: becomes the Celery process that this queue wants.

How many tasks a process takes at once belongs to its queue, not to whoever starts it: by hand, `make up`, a unit or a
container. Imports nothing of ours: it is there for a moment only.
"""

import argparse
import os
import sys
from collections.abc import Sequence

SOLO = ("--pool", "solo")
POOLS: dict[str, tuple[str, ...]] = {
    "plan": SOLO,
    "operate": ("--pool", "threads", "--concurrency", "2"),
    "profile": ("--pool", "threads", "--concurrency", "4"),
    "study": SOLO,
    "watch": SOLO,
}
"""By queue. None forks: a child that is forked while a thread holds a lock of OpenSSL's never gets it, and hangs with
its claim (docs/decisions/0015)."""
QUIET = ("--without-gossip", "--without-mingle", "--without-heartbeat")
"""Workers need not know of each other: PostgreSQL knows who holds what."""
BEAT = "beat"


def command(what: str, schedule: str) -> list[str]:
    """The Celery command of a queue's worker, or of beat with its file."""
    celery = [sys.executable, "-m", "celery", "-A", "sextant_worker.app"]
    if what == BEAT:
        return [*celery, "beat", "--schedule", schedule, "--pidfile", ""]
    return [*celery, "worker", *QUIET, "--hostname", f"{what}@%h", "-Q", what, *POOLS[what]]


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """`what` and `schedule`; SystemExit where they are none."""
    parser = argparse.ArgumentParser(prog="python -m sextant_worker", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=(*POOLS, BEAT), metavar="|".join((*POOLS, BEAT)))
    parser.add_argument("--schedule", default="beat", help="beat's file, which may be lost (default: ./beat)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Does not return."""
    asked = parse(arguments)
    line = command(asked.what, asked.schedule)
    os.execv(line[0], line)  # noqa: S606 - ourselves


if __name__ == "__main__":
    main()
