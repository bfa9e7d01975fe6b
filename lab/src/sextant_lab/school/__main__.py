"""`python -m sextant_lab.school`: train a network, with a line of JSON an exam; go on where a training was ended; write
the weights that the engine reads. Games are worth what the ideal model says, or a fitted cost (`--cost`). Needs the
extra `learn` (JAX)."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from sextant_engine.errors import BadEngineInput

from sextant_lab.school.costs import Cost, read_cost
from sextant_lab.school.instances import Drawing

SHORT = {"steps": 60_000, "explores": 40_000, "every": 16}
"""The form of a few minutes: it shows that all of it works, and trains no model to be used."""


def main() -> int:
    """0: trained; 2: not, with the reason."""
    options = _options()
    try:
        cost = None if options.cost is None else Cost(read_cost(options.cost.read_bytes()), options.socket_cores)
    except (OSError, BadEngineInput) as error:
        print(f"--cost {options.cost}: {error}: give what the engine's verb fit answers", file=sys.stderr)
        return 2
    try:
        from sextant_lab.school import training
    except ImportError as error:
        print(f"{error}: install it with make setup SEXTANT_LEARN=1", file=sys.stderr)
        return 2
    given = {"steps": options.steps, "explores": options.explores} if not options.short else SHORT
    course = training.Course(options.cores, options.seed, rate=options.rate, cost=cost, **given)
    try:
        for mark in training.train(course, Drawing(), options.out):
            print(json.dumps(asdict(mark)), flush=True)
    except ValueError as error:
        print(f"{error}: name another --out, or ask for that course", file=sys.stderr)
        return 2
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sextant_lab.school", description=__doc__)
    parser.add_argument("--cores", type=int, required=True, help="that it chooses from")
    parser.add_argument("--out", type=Path, required=True, help="a folder: checkpoints, and trained.json: the weights")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--explores", type=int, default=500_000, help="steps until next to no choice is drawn")
    parser.add_argument("--rate", type=float, default=1e-3, help="of learning")
    parser.add_argument("--short", action="store_true", help=f"in the place of steps: {SHORT}")
    parser.add_argument("--cost", type=Path, help="a fitted cost, in the place of the ideal model: what fit answers")
    parser.add_argument("--socket-cores", type=_some, help="with --cost: cores of a socket; else all are of one")
    options = parser.parse_args()
    if options.socket_cores is not None and options.cost is None:
        parser.error("--socket-cores says nothing without --cost: under the ideal model nobody hurts anybody")
    return options


def _some(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not 1 at least")
    return number


if __name__ == "__main__":
    sys.exit(main())
