"""The engine's command line: JSON on standard input, JSON on standard output.

Bad input: exit status 2 and one JSON line on standard error, {"field": ..., "message": ...}.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from math import isfinite
from typing import TYPE_CHECKING, Any, NoReturn

from sextant_domain.plans.algorithm_kinds import CHOOSES_NODES

from sextant_engine import algorithms, native
from sextant_engine.errors import BadEngineInput
from sextant_engine.schema import schema

if TYPE_CHECKING:
    from sextant_engine.laws.commands import LawCommand

MAX_BYTES = 64 * 2**20
"""The core refuses more; one byte above it is enough to be refused."""
_LAWS = {
    "assign": "the core of each of many small NFs that share cores (sfc2cpu)",
    "coco": "which elements share a core, and what is pushed aside",
    "numasfp": "the node and the resources of whole chains, as rates change",
}
"""Commands that are a law's, and what they are for. Each takes as long to load as all else: it is when it is named."""
_FOLDERS = {"assign": "sfc2cpu"}
"""Of laws whose command has another name."""


class _Parser(argparse.ArgumentParser):
    """Reports bad arguments like bad input."""

    def error(self, message: str) -> NoReturn:
        raise BadEngineInput("arguments", f"{message}; see --help")


class _Schema(argparse.Action):
    """Writes the schema that `const` makes and ends, wherever it stands, as `--help` does."""

    def __init__(self, **options: Any) -> None:
        super().__init__(nargs=0, default=argparse.SUPPRESS, **options)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(json.dumps(self.const(), indent=2))
        parser.exit()


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        options = _parser(given).parse_args(given)
        answer = _answer(options)
    except BadEngineInput as error:
        print(json.dumps({"field": error.field, "message": error.message}), file=sys.stderr)
        return 2
    print(answer)
    return 0


def _answer(options: argparse.Namespace) -> str:
    if options.command in _LAWS:
        return _law(options.command).answered(options, sys.stdin.buffer.read(MAX_BYTES + 1))
    if options.command == "algorithms":
        return algorithms.FORMS[options.form]().rstrip("\n")
    return _generate(options) if options.command == "generate" else _read_and_answer(options)


def _law(name: str) -> "LawCommand":
    found: LawCommand = import_module(f"sextant_engine.laws.{_FOLDERS.get(name, name)}.command").COMMAND
    return found


def _parser(given: Sequence[str]) -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m sextant_engine",
        description="Place service function chains on NUMA nodes. docs/engine.md shows the JSON that goes in and out.",
    )
    parser.add_argument(
        "--schema", action=_Schema, const=schema, help="write the JSON Schema of problems and results, and exit"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    solving = commands.add_parser("solve", help="read a problem, write a placement")
    solving.add_argument("--algorithm", required=True, choices=_names(), metavar="NAME", help=", ".join(_names()))
    solving.add_argument("--params", help='the algorithm\'s parameters as JSON, for instance {"memo": false}')
    solving.add_argument("--seconds", type=float, help="stop after this wall time; default: run to the end")
    solving.add_argument("--evaluations", type=int, help="stop after so many placements; default: run to the end")
    solving.add_argument("--seed", type=int, default=0, help="of algorithms that draw lots; default 0")
    commands.add_parser("evaluate", help='read {"problem": ..., "assignment": ...}, write what it is worth')
    commands.add_parser("explain", help='read {"problem": ..., "assignment": ...}, write who hurts whom')
    listing = commands.add_parser("algorithms", help="write what is declared of every algorithm")
    listing.add_argument(
        "--as", dest="form", choices=tuple(algorithms.FORMS), default="json", help="the form; default json"
    )
    for name, text in _LAWS.items():
        law = commands.add_parser(name, help=text)
        if name in given:
            _law(name).add(law, _Schema)
    generate = commands.add_parser("generate", help="write a seeded problem")
    for name, default, what in (
        ("chains", 6, "number of chains"),
        ("nodes", 2, "NUMA nodes, the first one local"),
        ("cores", 10, "cores a node"),
        ("length", 3, "NFs a chain"),
        ("seed", 0, "equal seeds give equal problems"),
    ):
        generate.add_argument(f"--{name}", type=int, default=default, help=f"{what}; default {default}")
    generate.add_argument(
        "--mode",
        choices=("A", "B", "C"),
        default="A",
        help="four types, a profile for every NF, or types of similar speed",
    )
    return parser


def _names() -> list[str]:
    """As texts: a refusal lists them as they are written."""
    return sorted(algorithm.value for algorithm in CHOOSES_NODES)


def _read_and_answer(options: argparse.Namespace) -> str:
    if (
        options.command == "solve"
        and options.seconds is not None
        and not (isfinite(options.seconds) and options.seconds >= 0)
    ):
        raise BadEngineInput("--seconds", f"{options.seconds} is not a finite number of 0 or more")
    for name in ("seed", "evaluations"):
        number = getattr(options, name, None)
        if number is not None and not 0 <= number < 2**63:
            raise BadEngineInput(f"--{name}", f"{number} is not within 0 and 2^63")
    raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    if options.command == "evaluate":
        return native.evaluate(raw)
    if options.command == "explain":
        return native.explain(raw)
    return native.solve(
        raw,
        options.algorithm,
        params=options.params,
        seed=options.seed,
        seconds=options.seconds,
        evaluations=options.evaluations,
    ).result


def _generate(options: argparse.Namespace) -> str:
    wanted = {name: getattr(options, name) for name in ("chains", "nodes", "cores", "length", "seed")}
    for name, number in wanted.items():
        if not 0 <= number < 2**32:
            raise BadEngineInput(f"--{name}", f"{number} is not within 0 and 2^32")
    return native.generate(mode=options.mode, **wanted)


if __name__ == "__main__":
    sys.exit(main())
