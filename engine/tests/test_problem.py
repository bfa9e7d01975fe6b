"""Every rule of the problem format refuses with the path of the field."""

import json

import pytest
from sextant_engine import native
from sextant_engine.errors import BadEngineInput

GOOD = {
    "nodes": [{"id": "n0", "local": True, "cores": 4}, {"id": "n1", "local": False, "cores": 4}],
    "nf_types": {
        "A": {
            "stalls": 10,
            "ideal": {"local": 10.0, "remote": 8.0},
            "local": {"alpha": 0.2, "beta": 0.1, "c": 0.0},
            "remote": {"alpha": 0.1, "beta": 0.2, "c": 0.0},
        }
    },
    "chains": [{"id": "c0", "nfs": ["A", "A"]}],
}


def refused(raw: bytes | str) -> BadEngineInput:
    with pytest.raises(BadEngineInput) as caught:
        native.solve(raw, "node_first")
    return caught.value


def changed(path: str, value: object) -> str:
    """GOOD with one field set."""
    tree = json.loads(json.dumps(GOOD))
    *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
    at = tree
    for part in parents:
        at = at[part]
    at[last] = value
    return json.dumps(tree)


def test_only_the_required_fields_are_needed():
    assert json.loads(native.solve(json.dumps(GOOD), "node_first").result)["assignment"] == {"c0": ["n0", "n0"]}


@pytest.mark.parametrize(("path", "value", "field"), [
    ("nodes/0/cores", "4", "nodes.0.cores"),
    ("nodes/0/cores", -1, "nodes.0.cores"),
    ("nodes/0/cores", 1.5, "nodes.0.cores"),
    ("nodes/0/taken", 5, "nodes.0.taken"),
    ("nodes/0/background", -0.1, "nodes.0.background"),
    ("nodes/0/local", False, "nodes"),
    ("nodes/1/id", "n0", "nodes.1.id"),
    ("nodes/0/id", "", "nodes.0.id"),
    ("nodes/0/kores", 1, "nodes.0.kores"),
    ("nf_types/A/stalls", 0, "nf_types.A.stalls"),
    ("nf_types/A/stalls", -3, "nf_types.A.stalls"),
    ("nf_types/A/stalls", 1e-300, "nf_types.A.stalls"),
    ("nf_types/A/ideal/local", 0, "nf_types.A.ideal.local"),
    ("nf_types/A/ideal/local", "14", "nf_types.A.ideal.local"),
    ("nf_types/A/ideal/remote", 1e300, "nf_types.A.ideal.remote"),
    ("nf_types/A/local/alpha", -0.1, "nf_types.A.local.alpha"),
    ("nf_types/A/remote/beta", -0.1, "nf_types.A.remote.beta"),
    ("nf_types/A/local", {"alpha": 0.1, "beta": 0.1}, "nf_types.A.local.c"),
    ("chains/0/nfs", [], "chains.0.nfs"),
    ("chains/0/nfs/1", "X", "chains.0.nfs.1"),
    ("chains/0/value", 0, "chains.0.value"),
    ("chains/0/rate_mpps", -1, "chains.0.rate_mpps"),
    ("chains/0/ingress", "n9", "chains.0.ingress"),
    ("chains/0/ingress", "n1", "chains.0.ingress"),
    ("chains/0/pin", [], "chains.0.pin"),
    ("chains/0/pin", ["n0", "n9"], "chains.0.pin.1"),
    ("chains/0/nf_pins", ["n0"], "chains.0.nf_pins"),
    ("chains/0/nf_pins", [None, "n9"], "chains.0.nf_pins.1"),
    ("chains", [{"id": "c0", "nfs": ["A"], "pin": ["n0"], "nf_pins": ["n1"]}], "chains.0.nf_pins.0"),
    ("chains", [{"id": "c0", "nfs": ["A"]}, {"id": "c0", "nfs": ["A"]}], "chains.1.id"),
    ("objective", "fastest", "objective"),
    ("initial", {"c0": ["n0", "n9"]}, "initial.c0.1"),
    ("initial", {"c0": ["n0"]}, "initial.c0"),
    ("move_price_mpps", -1, "move_price_mpps"),
    ("margin_mpps", None, "margin_mpps"),
    ("max_moves", -1, "max_moves"),
    ("extra", 1, "extra"),
])  # fmt: skip
def test_a_broken_rule_names_its_field(path, value, field):
    assert refused(changed(path, value)).field == field


@pytest.mark.parametrize(("raw", "field"), [
    ('{"nf_types": {}, "nodes": [], "nodes": []}', "nodes"),
    ('{"nf_types": {}, "nodes": [{"id": "a", "local": true, "cores": 1, "cores": 2}]}', "nodes.0.cores"),
    (changed("nf_types/A/stalls", float("nan")), "nf_types.A.stalls"),
    (changed("nf_types/A/stalls", float("inf")), "nf_types.A.stalls"),
    (json.dumps(GOOD).replace("10.0", "1e999"), "nf_types.A.ideal.local"),
    ("{", "(whole input)"),
    ("[" * 100_000, "(whole input)"),
    ("[]", "(whole input)"),
    (b"\xff\xfe", "(whole input)"),
    ('{"nodes": []}', "nf_types"),
    ('{"nf_types": {}, "max_moves": ' + "9" * 5000 + "}", "(whole input)"),
])  # fmt: skip
def test_what_json_leaves_doubtful_is_refused(raw, field):
    assert refused(raw).field == field
