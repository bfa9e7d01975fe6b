"""Checks the folders ("rooms") of src/: which may include which, and that no two files need each other.

    python dataplane/check_rooms.py

A line for each finding, and exit status 1 if there is one. README.md shows the order; there are no exceptions.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PROCESSES = ("groups", "traffic", "measure", "shell")
ORDER = (("control",), ("chains",), PROCESSES, ("shared",), ("nf",), ("packets",), ("base",))
"""From the highest to the lowest. A room may include itself and those below it, none beside it."""

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
DEFINITION = re.compile(r"^(?!static\b)[a-z][\w *]*?\b(\w+)\([^;{]*\)\n\{", re.MULTILINE)

Includes = dict[str, list[str]]
"""The files that each file includes with quotation marks, as both are written: `groups/group_step.h`."""


def rank(path: str) -> int | None:
    """The line of ORDER that the file's room is in; None for a file outside every room."""
    room = path.partition("/")[0]
    return next((line for line, rooms in enumerate(ORDER) if room in rooms and "/" in path), None)


def read_includes(sources: dict[str, str]) -> Includes:
    return {path: INCLUDE.findall(text) for path, text in sources.items()}


def misplaced(sources: Iterable[str]) -> Iterator[str]:
    for path in sources:
        if rank(path) is None:
            yield f"{path}: it is in no room; move it into one of {', '.join(room for line in ORDER for room in line)}"


def wrong_includes(includes: Includes) -> Iterator[str]:
    for path, targets in includes.items():
        for target in targets:
            if target not in includes:
                yield f'{path}: includes "{target}", which is no file of src/; write it as "room/file.h"'
                continue
            above, below = rank(path), rank(target)
            same = path.partition("/")[0] == target.split("/")[0]
            if not same and above is not None and below is not None and above >= below:
                yield f"{path}: includes {target}, which is not below it; move what both need further down"


def circles(includes: Includes) -> list[list[str]]:
    """Sets of two and more modules (a .c file and its header are one) of which each needs every other, sorted."""
    needs: dict[str, set[str]] = {}
    for path, targets in includes.items():
        needs.setdefault(stem(path), set()).update(stem(target) for target in targets if target in includes)
    reach = {module: _reachable(module, needs) for module in needs}
    found = {frozenset(other for other in reach[module] if module in reach[other]) for module in needs}
    return sorted(sorted(circle) for circle in found if len(circle) > 1)


def stem(path: str) -> str:
    return path.rsplit(".", 1)[0]


def _reachable(module: str, needs: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        for target in needs[waiting.pop()] - seen:
            seen.add(target)
            waiting.append(target)
    return seen


def foreign_functions(sources: dict[str, str]) -> Iterator[str]:
    """Functions that another file's header declares: without these, the graph of includes is the graph of calls."""
    for path, text in sources.items():
        own = sources.get(f"{stem(path)}.h", "")
        for name in DEFINITION.findall(text) if path.endswith(".c") else ():
            if name != "main" and not re.search(rf"\b{name}\(", own):
                yield f"{path}: {name}() is not declared in {stem(path)}.h; declare it there, or make it static"


def findings(sources: dict[str, str]) -> list[str]:
    includes = read_includes(sources)
    mutual = (
        f"{' <-> '.join(circle)}: they need each other; move what they share into a file below"
        for circle in circles(includes)
    )
    return [*misplaced(sources), *wrong_includes(includes), *mutual, *foreign_functions(sources)]


def read_sources(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*.[ch]"))}


def main() -> int:
    found = findings(read_sources(Path(__file__).with_name("src")))
    print("\n".join(found) or "the rooms of src/ include downwards only, without circles")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
