"""The JSON format that docs/engine.md shows and `--schema` states is the one that the command reads and writes."""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from engine_problems import A
from jsonschema import Draft202012Validator
from sextant_engine import native
from sextant_engine.errors import BadEngineInput

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"


def command(*arguments: str, stdin: object = None) -> Any:
    raw = json.dumps(stdin).encode()
    done = subprocess.run(
        [sys.executable, "-m", "sextant_engine", *arguments], input=raw, capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


@cache
def schema() -> dict[str, Any]:
    found: dict[str, Any] = command("--schema")
    return found


def wrong(value: object, name: str = "PlacementProblem") -> list[str]:
    """What the schema of this name says against a value."""
    validator = Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema()["$defs"]})
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]


def example(name: str) -> Any:
    found = re.findall(rf"<!-- example {name} -->\n```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(found) == 1
    return json.loads(found[0])


def rounded(value: Any) -> Any:
    """Figures to nine places."""
    if isinstance(value, dict):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return round(value, 9) + 0.0 if isinstance(value, float) else value


def test_the_pages_problem_has_the_pages_result():
    found = rounded(command("solve", "--algorithm", "exact", stdin=example("problem")))
    shown = example("result")
    of_the_machine = {"evaluations", "seconds"}
    assert found.keys() == shown.keys()
    assert {key: found[key] for key in found if key not in of_the_machine} == {
        key: shown[key] for key in shown if key not in of_the_machine
    }
    assert wrong(found, "SolveResult") == []


def test_the_pages_placement_is_explained_as_on_the_page():
    question = {"problem": example("problem"), "assignment": example("result")["assignment"]}
    found = rounded(command("explain", stdin=question))
    shown = example("explanation")
    assert (found["nfs"][:1], found["chains"][:1], found["mpps"]) == (shown["nfs"], shown["chains"], shown["mpps"])
    assert (wrong(question, "Evaluation"), wrong(found, "Explanation")) == ([], [])
    assert wrong(command("evaluate", stdin=question), "EvaluatedPlacement") == []


def test_every_field_of_a_problem_and_of_an_explanation_is_on_the_page():
    page = PAGE.read_text()
    problem, explanation = ("PlacementProblem", "Chain", "Node"), ("Explanation", "ExplainedNf", "ExplainedChain")
    for name in (*problem, "NfParameters", "SolveResult", *explanation):
        for field in schema()["$defs"][name]["properties"]:
            assert f'"{field}"' in page or f"`{field}`" in page, f"{name}.{field}"


def test_the_document_is_the_schema_of_a_problem():
    Draft202012Validator.check_schema(schema())
    assert list(Draft202012Validator(schema()).iter_errors(example("problem"))) == []
    assert [error.json_path for error in Draft202012Validator(schema()).iter_errors({})] == ["$"]


def problem(**fields: Any) -> dict[str, Any]:
    nodes = [{"id": "n0", "local": True, "cores": 4}]
    return {"nodes": nodes, "nf_types": {"A": A.model_dump()}, "chains": [{"id": "c", "nfs": ["A"]}], **fields}


def with_chain(**fields: Any) -> dict[str, Any]:
    return problem(chains=[{"id": "c", "nfs": ["A"], **fields}])


def with_node(**fields: Any) -> dict[str, Any]:
    return problem(nodes=[{"id": "n0", "local": True, "cores": 4, **fields}])


EDGES = [
    (with_node, "cores", [0, 1_000_000], [-1, 1_000_001, 1.5, "4", None]),
    (with_node, "background", [0, 1e9], [-0.1, 1e10]),
    (with_node, "id", ["x" * 200], ["", "x" * 201, 1]),
    (with_chain, "value", [1e-9, 1e9], [0, -1, 1e10, None]),
    (with_chain, "rate_mpps", [0, 1e9, None], [-1, 1e10]),
    (with_chain, "nfs", [["A"], ["A"] * 256], [[], ["A"] * 257]),
    (with_chain, "pin", [["n0"], None], [[]]),
    (problem, "move_price_mpps", [0, 1e9], [-1, 1e10]),
    (problem, "max_moves", [0, 2**32 - 1, None], [-1, 2**32]),
    (problem, "objective", ["served"], ["fastest", None]),
    (problem, "extra", [], [1]),
]


@pytest.mark.parametrize(("made", "field", "taken", "refused"), EDGES)
def test_the_schemas_ranges_are_those_of_the_core(made, field, taken, refused):
    """The last value within a range is read by the core, the first one beyond is refused, by schema and core alike."""
    for value in taken:
        assert wrong(made(**{field: value})) == []
        native.solve(json.dumps(made(**{field: value})), "node_first")
    for value in refused:
        assert wrong(made(**{field: value})) != []
        with pytest.raises(BadEngineInput):
            native.solve(json.dumps(made(**{field: value})), "node_first")
