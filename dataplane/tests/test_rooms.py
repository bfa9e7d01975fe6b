"""The order of the rooms of src/: what check_rooms.py refuses, that nothing of it is in the tree, and its picture."""

import re
import subprocess
import sys

import pytest

from dataplane.check_rooms import ORDER, findings, read_sources

from .conftest import DATAPLANE

HEADER = "int ring_count(const struct ring *ring);\n"
BODY = "\nint ring_count(const struct ring *ring)\n{\n}\n"


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (
            {"base/error.c": '#include "nf/nf.h"\n', "nf/nf.h": ""},
            ["base/error.c: includes nf/nf.h, which is not below"],
        ),
        (
            {"traffic/sink.c": '#include "groups/step.h"\n', "groups/step.h": ""},
            ["traffic/sink.c: includes groups/step.h, which is not below"],
        ),
        ({"nf/nat.c": '#include "nf.h"\n', "nf/nf.h": ""}, ['nf/nat.c: includes "nf.h", which is no file of src/']),
        ({"main.c": ""}, ["main.c: it is in no room"]),
        ({"extras/more.c": ""}, ["extras/more.c: it is in no room"]),
        (
            {
                "packets/frame.h": '#include "packets/source.h"\n',
                "packets/source.h": "",
                "packets/source.c": '#include "packets/sizes.h"\n',
                "packets/sizes.h": '#include "packets/frame.h"\n',
            },
            ["packets/frame <-> packets/sizes <-> packets/source: they need each other"],
        ),
        (
            {
                "shared/ring.h": HEADER,
                "shared/count.c": '#include "shared/ring.h"\n' + BODY,
            },
            ["shared/count.c: ring_count() is not declared in shared/count.h"],
        ),
    ],
    ids=["upwards", "sideways", "by another path", "outside", "unknown room", "circle of three", "declared elsewhere"],
)
def test_what_breaks_the_order_is_named_with_its_file(sources: dict[str, str], names: list[str]) -> None:
    found = findings(sources)
    assert [text.startswith(name) for text, name in zip(found, names, strict=True)] == [True] * len(names), found


def test_a_file_may_include_its_own_room_and_those_below() -> None:
    sources = {
        "shared/ring.h": HEADER,
        "shared/ring.c": '#include "shared/ring.h"\n\n#include "base/error.h"\n' + BODY,
        "base/error.h": "",
        "control/main.c": '#include "shared/ring.h"\n\nint main(int argc, char **argv)\n{\n}\n',
    }
    assert findings(sources) == []


def test_the_tree_keeps_the_order() -> None:
    """By the command that `make lint` runs; it has read the tree: 100 files and more."""
    ended = subprocess.run(
        [sys.executable, str(DATAPLANE / "check_rooms.py")], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout.splitlines()) == (
        0,
        ["the rooms of src/ include downwards only, without circles"],
    )
    assert len(read_sources(DATAPLANE / "src")) > 100


def test_the_readme_shows_the_order() -> None:
    table = re.search(r"^\| room \|.*\n\|.*\n((?:\|.*\n)+)", (DATAPLANE / "README.md").read_text(), re.MULTILINE)
    assert table is not None
    shown = [tuple(re.findall(r"`(\w+)/`", line.split("|")[1])) for line in table[1].splitlines()]
    assert shown == list(ORDER)
