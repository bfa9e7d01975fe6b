"""Studies are read strictly: what cannot be is refused with its field."""

from pathlib import Path
from typing import Any

import pytest
from lab_studies import study, tree
from sextant_domain.studies.scenario import MAX_SCENARIO_BYTES, BadScenario, understood
from sextant_lab.reading import read
from sextant_lab.server import TwinServer

EXAMPLES = Path(__file__).parents[2] / "examples" / "studies"


@pytest.mark.parametrize(
    ("changes", "field", "reported"),
    [
        ({"speed": 3}, "speed", "is unknown"),
        ({"server": None}, "server", "is missing"),
        ({"server": {"machine": "xeon-e5-2650-v4", "reserved": "6"}}, "server.reserved", "must be a whole number"),
        ({"traffic": {"mpps": 1e9}}, "traffic.mpps", "must be at most"),
        ({"seeds": [-1]}, "seeds.0", "must be at least 0"),
        ({"seeds": []}, "seeds", "needs 1 or more"),
        ({"algorithms": ["guess"]}, "algorithms.0", "exact"),
        ({"algorithms": []}, "algorithms", "names one at least"),
        ({"kind": "prediction"}, "algorithms", "leave them out"),
        ({"set": [{"name": "a", "chains": [["router", "dpi"]]}]}, "set a", "'dpi' is none of the study's NFs"),
        ({"set": [{"name": "a", "chains": [["nat"] * 9, ["nat"] * 8]}]}, "set.0", "17 NFs; the most is 16"),
        ({"set": [{"name": "a", "chains": [["nat"]]}] * 2}, "set", "two have the same name"),
        (
            {"nf": [{"name": "router"}, {"name": "nat", "profiled": "alone"}]},
            "nf",
            "nat is in a set, so profile it whole",
        ),
        ({"time": {"seconds": 10, "changes": [{"at_s": 1.0, "chain": 16, "mpps": 1.0}]}}, "time.changes.0.chain", "16"),
    ],
)
def test_refused_with_its_field(changes: dict[str, Any], field: str, reported: str) -> None:
    with pytest.raises(BadScenario) as refusal:
        understood(tree(**changes))
    assert refusal.value.field == field
    assert reported in refusal.value.message


@pytest.mark.parametrize(
    ("content", "reported"),
    [
        (b"name = ", "is no TOML"),
        (b"\xff\xfe", "is no TOML"),
        (b"#" * (MAX_SCENARIO_BYTES + 1), f"the most is {MAX_SCENARIO_BYTES}"),
        (None, "cannot be read"),
    ],
)
def test_files_that_are_no_studies(tmp_path: Path, content: bytes | None, reported: str) -> None:
    path = tmp_path / "study.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadScenario, match=reported):
        read(path)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"server": {"machine": "xeon-e5-2650-v4", "reserved": 12}}, "server.reserved"),
        ({"server": {"machine": "xeon-e5-2650-v4", "free_remote": 13}}, "server.free_remote"),
        ({"server": {"machine": "xeon-e5-2650-v4", "reserved": 11, "free_remote": 2}}, "set pair"),
    ],
)
def test_servers_without_room(changes: dict[str, Any], field: str) -> None:
    """One local core and two remote ones hold three of the four NFs."""
    with pytest.raises(BadScenario) as refusal:
        TwinServer(study(**changes), None)
    assert refusal.value.field == field


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"server": {"machine": "abacus"}}, "server.machine"),
        ({"nf": [{"name": "router"}, {"name": "nat", "like": "teleporter"}]}, "nf nat"),
        ({"profiling": {"reporter": "town-crier"}}, "profiling.reporter"),
    ],
)
def test_what_the_twin_has_no_data_of(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(BadScenario, match="is none of") as refusal:
        TwinServer(study(**changes), None)
    assert refusal.value.field == field


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("p*.toml")), ids=lambda path: path.stem)
def test_the_examples_can_be_run(path: Path) -> None:
    scenario = read(path)
    assert scenario.name == path.stem
    assert TwinServer(scenario, None).free[0]
