"""`python -m sextant_lab`: check a study, run it, show what it found, repeat it. Progress is JSON, a line a step."""

import argparse
import signal
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from sextant_domain.studies.result import STUDY_RESULT, StudyResult, compared
from sextant_domain.studies.scenario import BadScenario, Scenario
from sextant_domain.studies.study import StudyProgress, StudyRefusal
from sextant_domain.studies.summary import StudyFound, summarised, summary_lines
from sextant_engine.errors import BadEngineInput
from sextant_twin.errors import BadTwinInput

from sextant_lab.errors import StudyCancelled
from sextant_lab.observer import StudyObserver
from sextant_lab.reading import read
from sextant_lab.study import check, run

REFUSED, CANCELLED, DIFFERENT = 2, 3, 1
LARGEST_RESULT = 256 * 2**20


def main() -> int:
    """0: done; 1: repeated, and figures differ; 2: refused, with the field; 3: cancelled."""
    options = _options()
    try:
        match options.command:
            case "check":
                return _check(read(options.scenario))
            case "run":
                return _run(read(options.scenario), options.out, options.found, options.before, options.keep)
            case "show":
                print("\n".join(summary_lines(summarised(_result(options.result)))))
                return 0
            case _:
                return _repeat(_result(options.result))
    except (BadScenario, BadEngineInput, BadTwinInput) as error:
        print(f"refused: {error}", file=sys.stderr)
        if options.command == "run":
            print(_refusal_of(error).model_dump_json(), flush=True)
        return REFUSED
    except StudyCancelled as error:
        print(f"cancelled: {error}", file=sys.stderr)
        return CANCELLED


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sextant_lab", description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="read a study and say how large it is")
    check.add_argument("scenario", type=Path)
    runs = commands.add_parser("run", help="run a study; SIGTERM or Ctrl-C cancels it")
    runs.add_argument("scenario", type=Path)
    runs.add_argument("--out", type=Path, required=True, help="the JSON file that its result is written to")
    runs.add_argument("--found", type=Path, help="a JSON file for what the result says altogether")
    runs.add_argument("--before", type=Path, help="a result that this run repeats; --found says whether it is equal")
    runs.add_argument("--keep", type=Path, help="a folder in which a training keeps what it can go on from")
    for name, what in (("show", "what a result says, drawn as text"), ("repeat", "run a result's study once more")):
        commands.add_parser(name, help=what).add_argument("result", type=Path)
    return parser.parse_args()


def _check(scenario: Scenario) -> int:
    print(f"{scenario.name}: {check(scenario)}")
    return 0


def _run(scenario: Scenario, out: Path, found: Path | None, before: Path | None, keep: Path | None) -> int:
    for name, path in (("--out", out), ("--found", found)):
        if path is not None and not path.parent.is_dir():
            raise BadScenario(name, f"there is no folder {path.parent}: make it first")
    earlier = None if before is None else _result(before)
    if keep is not None:
        keep.mkdir(mode=0o700, parents=True, exist_ok=True)
    result = _watched(scenario, keep)
    _write(out, result)
    if found is not None:
        repeated = None if earlier is None else compared(result, earlier)
        _write(found, StudyFound(summary=summarised(result), repeated=repeated))
    return 0


def _write(path: Path, value: StudyResult | StudyFound) -> None:
    """Whole or not at all."""
    written = path.with_name(f"{path.name}.part")
    written.write_text(value.model_dump_json(indent=1) + "\n", encoding="utf-8")
    written.replace(path)


def _repeat(before: StudyResult) -> int:
    found = compared(_watched(before.scenario), before)
    if found.equal:
        print("equal in every figure")
        return 0
    differs = f"so do {', '.join(found.differs)}" if found.differs else "nothing else does"
    print(f"figures differ, and {differs}")
    return DIFFERENT


def _refusal_of(error: BadScenario | BadEngineInput | BadTwinInput) -> StudyRefusal:
    remedy = error.remedy if isinstance(error, BadScenario) else None
    return StudyRefusal(refused=error.field, message=error.message, remedy=remedy)


def _watched(scenario: Scenario, keep: Path | None = None) -> StudyResult:
    asked = False

    def ask(*_: Any) -> None:
        nonlocal asked
        asked = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask)
    return run(scenario, StudyObserver(_print_progress, lambda: asked, keep))


def _print_progress(progress: StudyProgress) -> None:
    print(progress.model_dump_json(), flush=True)


def _result(path: Path) -> StudyResult:
    try:
        if path.stat().st_size > LARGEST_RESULT:
            raise BadScenario(path.name, f"is larger than {LARGEST_RESULT} bytes, and so no result of a study")
        return STUDY_RESULT.validate_json(path.read_bytes())
    except OSError as error:
        raise BadScenario(path.name, f"cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(map(str, first["loc"])) or path.name
        raise BadScenario(field, f"{first['msg']}: is {path.name} a result of `run`?") from error


if __name__ == "__main__":
    sys.exit(main())
