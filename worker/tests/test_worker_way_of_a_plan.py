"""How far somebody has to go through our files who follows one plan from its task until it is stored and announced.

What is counted: files of backend and worker, and the engine as one; the domain's types are read elsewhere. The reader
reads a function where it is first called, with what is defined inside it. Going into another file for it is a step of
the way; where that file was left before, the step is a return. docs/architecture.md has the files in this order.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
import sextant_backend
import sextant_engine
import sextant_worker
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, a_fleet, placed, plan
from sextant_backend.migrate import MIGRATIONS
from sextant_domain.plans.plan import PlanState

ENGINE = "engine"
MOST_FILES, MOST_RETURNS = 15, 8
_FOLDERS = {Path(package.__file__ or "").parent: "" for package in (sextant_backend, sextant_worker)}
_FOLDERS[Path(sextant_engine.__file__ or "").parent] = ENGINE


def _file_of(frame: FrameType) -> str | None:
    """`backend/kit/db.py`; None of what is not counted."""
    where = Path(frame.f_code.co_filename)
    for folder, name in _FOLDERS.items():
        if where.is_relative_to(folder):
            return name or f"{folder.name.removeprefix('sextant_')}/{where.relative_to(folder)}"
    return None


def _way(work: Callable[[], object]) -> list[str]:
    """The files in the order in which functions of them are first called; one that comes twice was returned to."""
    read: set[tuple[str, str]] = set()
    way: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        file = _file_of(frame) if event == "call" else None
        if file is None:
            return
        function = "" if file == ENGINE else frame.f_code.co_qualname.split(".<locals>")[0]
        if (file, function) not in read and not function.startswith("<"):
            read.add((file, function))
            way.extend([] if way[-1:] == [file] else [file])

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return way


@pytest.fixture
def way(client: TestClient, tmp_path: Path) -> Iterator[list[str]]:
    """Of the plan of a second chain, for a host that runs one."""
    from sextant_worker import tasks  # it reads the settings of this run

    with a_fleet(tmp_path, "edge-1"):
        placed(client, "web-edge")
        plan_id = client.post(f"{API}/chains", json=chain_json("second")).json()["plan_id"]
        found = _way(lambda: tasks.plan(plan_id))
        assert plan(client, plan_id).state is PlanState.PROPOSED
        yield found


def test_a_plan_is_followed_through_few_files_with_few_returns(way: list[str]) -> None:
    files = list(dict.fromkeys(way))
    shown = "\n".join(way)

    assert len(files) <= MOST_FILES, shown
    assert len(way) - len(files) <= MOST_RETURNS, shown


def test_the_docs_have_the_files_of_the_way_in_their_order(way: list[str]) -> None:
    page = (MIGRATIONS.parent / "docs" / "architecture.md").read_text()
    listed = re.findall(r"^\d+\. `([^`]+)`", page.split("## The way of a plan")[1].split("\n## ")[0], re.MULTILINE)

    assert listed == list(dict.fromkeys(way))
