"""`sextant nf-types`: the catalogue, and what operators register in it."""

import hashlib
import json
from pathlib import Path

import pytest

RULES = b'{"action": "deny"}\n'
DIGEST = f"sha256:{hashlib.sha256(RULES).hexdigest()}"
REGISTER = ("nf-types", "register", "edge-firewall", "--implementation", "firewall")


def test_a_type_is_registered_listed_shown_changed_and_removed(console, sextant) -> None:
    made = sextant(*REGISTER, "--set", "synthetic_rules=5000", "--set", "default_action=deny", "--short-name", "edge")
    assert made.exit_code == 0, made.output
    assert made.stdout == "edge-firewall version 1 runs firewall; chains can use it\n"
    assert console.types.sent == {
        "name": "edge-firewall",
        "implementation": "firewall",
        "config": {"synthetic_rules": 5000, "default_action": "deny"},
        "short_name": "edge",
        "summary": None,
    }

    for words in (("nf-types",), ("nf-types", "list")):
        lines = [line.split()[:4] for line in sextant(*words).stdout.splitlines()]
        assert lines == [
            ["TYPE", "VERSION", "RUNS", "LIBRARY"],
            ["edge-firewall", "1", "firewall", "rte_acl"],
            ["firewall", "2", "firewall", "rte_acl"],
        ]

    shown = sextant("nf-types", "show", "edge-firewall").stdout.splitlines()
    assert shown[:2] == ["edge-firewall version 1 (edge): Allows or denies packets", "runs firewall, rte_acl"]
    assert [line.split()[:4] for line in shown[3:]] == [
        ["synthetic_rules", "5000", "its", "own"],
        ["default_action", '"deny"', "its", "own"],
        ["rules_file", "null"],
    ]
    assert "its own" not in sextant("nf-types", "show", "firewall").stdout

    changed = sextant("nf-types", "update", "edge-firewall", "--set", "default_action=none", "--summary", "At the edge")
    assert changed.stdout == "edge-firewall is version 2\n"
    assert "keep their version until their chain is submitted again" in changed.stderr
    assert console.types.sent == {"short_name": "edge", "summary": "At the edge", "config": {"synthetic_rules": 5000}}

    gone = sextant("nf-types", "remove", "edge-firewall")
    assert gone.stdout == "edge-firewall was deleted\n"
    assert sextant("nf-types", "show", "edge-firewall").exit_code == 2


def test_a_local_file_goes_up_and_is_named_by_its_digest(console, sextant, tmp_path: Path) -> None:
    (tmp_path / "edge.rules").write_bytes(RULES)
    made = sextant(*REGISTER, "--set", f"rules_file={tmp_path / 'edge.rules'}")
    assert made.exit_code == 0, made.output
    assert console.types.sent["config"] == {"rules_file": DIGEST}
    assert console.shelf.contents == {DIGEST: RULES}
    again = sextant(
        "nf-types", "update", "edge-firewall", "--set", f"rules_file={DIGEST}", "--set", "synthetic_rules=7"
    )
    assert console.types.sent["config"] == {"rules_file": DIGEST, "synthetic_rules": 7}, again.output


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("synthetic_rules", "is not SETTING=VALUE"),
        ("=5", "is not SETTING=VALUE"),
        ("rules_file=./ghost.rules", "rules_file: ghost.rules is not there"),
    ],
)
def test_what_cannot_be_read_sends_nothing(console, sextant, option: str, message: str) -> None:
    refused = sextant(*REGISTER, "--set", option)
    assert refused.exit_code == 2
    assert message in refused.stderr
    assert console.types.sent == {} and console.shelf.contents == {}


def test_text_that_is_no_json_is_sent_as_it_is(console, sextant) -> None:
    sextant(*REGISTER, "--set", "a=NaN", "--set", "b=[1, 2", "--set", 'c=["x"]', "--set", 'd="5"')
    assert console.types.sent["config"] == {"a": "NaN", "b": "[1, 2", "c": ["x"], "d": "5"}


def test_a_change_is_made_again_on_what_somebody_else_changed(console, sextant) -> None:
    sextant(*REGISTER)
    console.types.changed_meanwhile = 1
    changed = sextant("nf-types", "update", "edge-firewall", "--set", "synthetic_rules=7")
    assert changed.exit_code == 0, changed.output
    assert console.types.sent["summary"] == "Changed by bob"
    nothing = sextant("nf-types", "update", "edge-firewall")
    assert nothing.exit_code == 2 and "Nothing to change was given" in nothing.stderr


def test_programs_get_the_consoles_own_answer(console, sextant) -> None:
    made = json.loads(sextant(*REGISTER, "-o", "json").stdout)
    assert made == console.types.known["edge-firewall"].model_dump(mode="json")
    assert json.loads(sextant("nf-types", "show", "edge-firewall", "-o", "json").stdout) == made
