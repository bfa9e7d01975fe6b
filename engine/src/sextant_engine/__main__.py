"""`python -m sextant_engine solve|evaluate`: JSON on standard input, JSON on standard output.

Bad input: exit status 2 and one JSON line on standard error, {"field": ..., "message": ...}.
"""

import argparse
import json
import sys
import time
from math import isfinite
from typing import NoReturn

from sextant_engine.errors import BadInput
from sextant_engine.problem import Problem
from sextant_engine.problem_json import MAX_BYTES, Evaluation, read
from sextant_engine.result import Result
from sextant_engine.solve import ALGORITHMS, evaluate, solve
from sextant_engine.stop import Deadline, Never


class _Parser(argparse.ArgumentParser):
    """Tells bad arguments like bad input."""

    def error(self, message: str) -> NoReturn:
        raise BadInput("arguments", f"{message}; see --help")


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    try:
        options = _parser().parse_args(arguments)
        raw = sys.stdin.buffer.read(MAX_BYTES + 1)
        result = _solve(options, raw) if options.command == "solve" else _evaluate(raw)
    except BadInput as error:
        print(json.dumps({"field": error.field, "message": error.message}), file=sys.stderr)
        return 2
    print(result.model_dump_json())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m sextant_engine", description="Place service function chains on NUMA nodes.")
    commands = parser.add_subparsers(dest="command", required=True)
    solving = commands.add_parser("solve", help="read a problem, write a placement")
    solving.add_argument("--algorithm", required=True, choices=sorted(ALGORITHMS))
    solving.add_argument("--seconds", type=float, help="stop after this wall time; default: run to the end")
    solving.add_argument("--seed", type=int, default=0)
    commands.add_parser("evaluate", help='read {"problem": ..., "assignment": ...}, write what it is worth')
    return parser


def _solve(options: argparse.Namespace, raw: bytes) -> Result:
    seconds: float | None = options.seconds
    if seconds is not None and not (isfinite(seconds) and seconds > 0):
        raise BadInput("--seconds", f"{seconds} is not a finite number above 0")
    problem = read(Problem, raw)
    stop = Never() if seconds is None else Deadline(seconds, time.monotonic)
    return solve(problem, options.algorithm, seed=options.seed, stop=stop)


def _evaluate(raw: bytes) -> Result:
    given = read(Evaluation, raw)
    return evaluate(given.problem, given.assignment)


if __name__ == "__main__":
    sys.exit(main())
