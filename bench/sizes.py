"""`make sizes`: how large the parts are, and how much test stands beside their code. Lines of files in the repository.

make sizes                       prints the table
make sizes BENCH="--write"       and puts it into docs/architecture.md
"""

import argparse
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import page

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"
LONGEST_GOAL = 400
"""Lines of a file without a reason in its first comment."""


@dataclass(frozen=True)
class Part:
    """Code and its tests: prefixes of paths."""

    name: str
    ending: tuple[str, ...]
    code: tuple[str, ...]
    tests: tuple[str, ...]


PARTS = (
    *(
        Part(name, (".py",), (f"{name}/src/",), (f"{name}/tests/",))
        for name in ("domain", "engine", "twin", "agent", "backend", "worker", "client", "cli", "run", "lab")
    ),
    Part("engine (Rust)", (".rs",), ("engine/core/src/", "engine/binding/src/"), ("engine/core/tests/",)),
    Part("twin (Rust)", (".rs",), ("twin/core/src/", "twin/binding/src/"), ("twin/core/tests/",)),
    Part("dataplane", (".c", ".h", ".py"), ("dataplane/src/",), ("dataplane/tests/",)),
    Part("frontend", (".ts", ".tsx"), ("frontend/src/",), ("frontend/tests/", "e2e/")),
)


def main() -> None:
    """Prints the table, and writes it where that is asked."""
    parser = argparse.ArgumentParser(prog="make sizes BENCH=", description="Sizes of the parts, and their tests.")
    parser.add_argument("--write", action="store_true", help="put the table into docs/architecture.md")
    options = parser.parse_args()
    lines = list(page.shown("sizes", _table(_lengths())))
    if options.write:
        page.write(PAGE, "sizes", lines)


def _lengths() -> dict[str, int]:
    """Lines by path; what is generated is not written by anybody and is not counted."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = (path for path in listed.split("\0") if path.endswith((".py", ".rs", ".c", ".h", ".ts", ".tsx")))
    return {
        path: (ROOT / path).read_bytes().count(b"\n")
        for path in paths
        if ".gen." not in path and (ROOT / path).is_file()
    }


def _table(lengths: dict[str, int]) -> Iterator[str]:
    yield from page.head("part", "files", "lines", "median", "90th percentile", "longest", "tests", "tests to code")
    for part in PARTS:
        code = _of(lengths, part.ending, part.code)
        tests = sum(_of(lengths, part.ending, part.tests).values())
        longest = max(code, key=code.__getitem__)
        most = f"{code[longest]}" + (f" ({Path(longest).name})" if code[longest] > LONGEST_GOAL else "")
        tenth = quantiles(code.values(), n=10)[-1]
        total = sum(code.values())
        yield page.line(
            part.name,
            str(len(code)),
            f"{total:,}",
            f"{median(code.values()):.0f}",
            f"{tenth:.0f}",
            most,
            f"{tests:,}",
            f"{tests / total:.2f}",
        )


def _of(lengths: dict[str, int], ending: tuple[str, ...], under: tuple[str, ...]) -> dict[str, int]:
    return {path: count for path, count in lengths.items() if path.startswith(under) and path.endswith(ending)}


if __name__ == "__main__":
    main()
