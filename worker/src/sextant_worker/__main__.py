"""`python -m sextant_worker QUEUE ...|watch`: the Celery process that these queues want, or the watch.

How many tasks a process takes at once belongs to its queues, not to whoever starts it: by hand, `make up`, a unit or a
container. Celery's own command is not used: it would import each of its subcommands, a shell for brokers among them,
which is a seventh of the start.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from sextant_worker.pools import SOLO, THREADS, WATCH

FORMER = "beat"


def options(queues: Sequence[str]) -> dict[str, Any]:
    """Of the worker of some queues, as Celery's Worker takes them. None forks: a child that is forked while a thread
    holds a lock of OpenSSL's never gets it, and hangs with its claim (docs/decisions/0015). Workers need not know of
    each other, so there is no gossip: PostgreSQL knows who holds what."""
    threads = sum(THREADS[queue] for queue in queues if queue in THREADS)
    pool = {"pool_cls": "threads", "concurrency": threads} if threads else {"pool_cls": "solo"}
    quiet = {"without_gossip": True, "without_mingle": True, "without_heartbeat": True}
    return {"queues": list(queues), **quiet, **pool}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """`what`; SystemExit where it is none."""
    parser = argparse.ArgumentParser(prog="python -m sextant_worker", description=(__doc__ or "").split("\n")[0])
    if FORMER in (sys.argv[1:] if arguments is None else arguments):
        parser.error(f"there is no {FORMER} any more: the watch rings for what recurs; remove this process")
    alone = (*SOLO, WATCH)
    parser.add_argument(
        "what",
        nargs="+",
        choices=(*THREADS, *alone),
        metavar="QUEUE",
        help=f"one or several of {', '.join(THREADS)} in one process; or {', '.join(alone)}, each by itself",
    )
    asked = parser.parse_args(arguments)
    asked.what = list(dict.fromkeys(asked.what))
    if len(asked.what) > 1 and (lone := [name for name in asked.what if name in alone]):
        parser.error(f"{lone[0]} takes a process of its own: start it by itself")
    return asked


def work(queues: Sequence[str]) -> None:
    """Take tasks of some queues until a signal ends it; raises SystemExit."""
    load("sextant_worker.app", "celery.apps.worker", "celery.worker.consumer")
    from celery.utils.nodenames import default_nodename, host_format

    from sextant_worker.app import app

    name = host_format(default_nodename(f"{'-'.join(queues)}@%h"))
    worker = app.Worker(hostname=name, loglevel="WARNING", **options(queues))
    worker.start()
    raise SystemExit(worker.exitcode)


def watch() -> None:
    """Until a signal ends it."""
    load("sextant_worker.watch")
    from sextant_worker.watch import main as run

    run()


def load(*modules: str) -> None:
    """Import, without what no process uses."""
    from sextant_domain.loading import loading

    with loading():
        for module in modules:
            import_module(module)


def main(arguments: Sequence[str] | None = None) -> None:
    """Until a signal ends it."""
    asked = parse(arguments)
    if asked.what == [WATCH]:
        watch()
    else:
        work(asked.what)


if __name__ == "__main__":
    main()
