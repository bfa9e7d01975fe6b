"""Which program runs for an NF, with which arguments; and what OpenNetVM's NFs would not do as ordered."""

import json
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.drivers.opennetvm.programs import NotRunnable, program_of, runnable_types, way_out
from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.opennetvm.programs import QUIET

from .opennetvm_world import installation
from .orders import nf, registered


def refusal(folder: Path, wanted: DesiredNf, *, last: bool = False, **fields: Any) -> str:
    with pytest.raises(NotRunnable) as refused:
        program_of(wanted, installation(folder, **fields), last=last)
    assert refused.value.permanent
    return str(refused.value)


def rules(folder: Path, **config: Any) -> list[tuple[str, int, int]]:
    """As OpenNetVM's firewall reads them: address, prefix length, 0 to let pass or 1 to drop."""
    wanted = nf("web", "firewall", synthetic_rules=0, **config)
    written = json.loads(program_of(wanted, installation(folder), last=False).files["rules.json"])
    return [(rule["ip"], rule["depth"], rule["action"]) for rule in written.values()]


def test_a_forward_hands_on_to_the_next_service(tmp_path: Path) -> None:
    program = program_of(nf("web", "simple-forward"), installation(tmp_path), last=False)
    assert program.binary == tmp_path / "bin" / "simple_forward"
    assert program.arguments(7) == ["-d", "7", "-p", QUIET]
    assert not program.sends_out


def test_a_monitor_sends_out_at_the_end_and_hands_on_before(tmp_path: Path) -> None:
    """basic_monitor knows no next service; flow_tracker counts flows as well and has one."""
    monitor = nf("web", "basic-monitor")
    last, before = (program_of(monitor, installation(tmp_path), last=last) for last in (True, False))
    assert (last.binary.name, last.sends_out, last.arguments(None)) == ("basic_monitor", True, ["-p", QUIET])
    assert (before.binary.name, before.sends_out, before.arguments(3)) == (
        "flow_tracker",
        False,
        ["-d", "3", "-p", QUIET],
    )
    assert way_out(installation(tmp_path)) == last


def test_a_registered_type_runs_the_program_of_what_it_implements(tmp_path: Path) -> None:
    edge = registered("edge-forward", nf("web", "simple-forward"))
    assert program_of(edge, installation(tmp_path), last=False).binary.name == "simple_forward"


def test_firewall_rules_become_a_table_of_sources(tmp_path: Path) -> None:
    """A table holds no 0.0.0.0/0, so that the default action is that of its halves; what matches nothing is dropped."""
    given = [{"action": "deny", "src": "10.1.0.0/16"}, {"action": "allow", "src": "10.0.0.0/8"}]
    table = [("10.1.0.0", 16, 1), ("10.0.0.0", 8, 0)]
    assert rules(tmp_path, rules=given, default_action="deny") == table
    assert rules(tmp_path, rules=given, default_action="allow") == [*table, ("0.0.0.0", 1, 0), ("128.0.0.0", 1, 0)]


def test_the_first_of_two_equal_rules_counts(tmp_path: Path) -> None:
    given = [{"action": "deny", "src": "10.1.0.0/16"}, {"action": "allow", "src": "10.1.0.0/16"}]
    assert rules(tmp_path, rules=given, default_action="deny") == [("10.1.0.0", 16, 1)]


def test_synthetic_rules_match_no_packet(tmp_path: Path) -> None:
    wanted = nf("web", "firewall", rules=[], synthetic_rules=2, default_action="deny")
    written = json.loads(program_of(wanted, installation(tmp_path), last=False).files["rules.json"])
    assert [rule["ip"] for rule in written.values()] == ["240.0.0.0", "240.0.0.1"]


def test_a_wider_rule_before_a_narrower_one_is_refused(tmp_path: Path) -> None:
    """First match and longest prefix differ: by the order 10.1.2.3 passes, by OpenNetVM's table it is dropped."""
    given = [{"action": "allow", "src": "10.0.0.0/8"}, {"action": "deny", "src": "10.1.0.0/16"}]
    message = refusal(tmp_path, nf("web", "firewall", rules=given))
    assert (
        "rules.1: 10.0.0.0/8 before it holds all of 10.1.0.0/16" in message
        and "narrower rules must come first" in message
    )
    alike = [{"action": "deny", "src": "10.0.0.0/8"}, {"action": "deny", "src": "10.1.0.0/16"}]
    assert len(rules(tmp_path, rules=alike, default_action="deny")) == 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"rules": [{"action": "deny", "dst": "10.0.0.0/8"}]},
            "rules.0: names dst: OpenNetVM's firewall looks at source",
        ),
        ({"rules": [{"action": "deny"}]}, "rules.0: names no src"),
        ({"rules": [{"action": "deny", "src": "0.0.0.0/0"}]}, "rules.0.src: use default_action"),
        ({"rules_file": "sha256:00"}, "rules_file: give rules in the configuration"),
        ({"synthetic_rules": 1023}, "1025 rules, with synthetic ones and the default: OpenNetVM's firewall holds 1024"),
    ],
)
def test_what_the_firewall_cannot_is_refused(tmp_path: Path, config: dict[str, Any], message: str) -> None:
    assert message in refusal(tmp_path, nf("web", "firewall", **config))


def test_a_scan_looks_for_one_word_and_drops(tmp_path: Path) -> None:
    def scan(**config: Any) -> DesiredNf:
        given = {"patterns": ["evil"], "synthetic_patterns": 0, "seed": 1, "action": "drop", **config}
        return nf("web", "nids", **given)

    program = program_of(scan(), installation(tmp_path), last=False)
    assert program.arguments(2) == ["-d", "2", "-p", QUIET, "-i", "-s", "evil"]
    for config, message in (
        ({"patterns": ["a", "b"]}, "looks for one word"),
        ({"synthetic_patterns": 300}, "looks for one word"),
        ({"action": "alert"}, "knows no alert"),
        ({"patterns": ["\x00"]}, "printable characters"),
        ({"patterns": ["a" * 201]}, "at most 200"),
        ({"patterns": ["evil.*"]}, "compares text"),
    ):
        assert message in refusal(tmp_path, scan(**config))


def test_what_opennetvm_has_not_is_refused_and_a_program_of_ones_own_helps(tmp_path: Path) -> None:
    router = nf("web", "router", synthetic_routes=10)
    message = refusal(tmp_path, router)
    assert "has no NF like 'router'" in message and "name a program of your own for it in opennetvm.toml" in message
    assert "loops: must be 0" in refusal(tmp_path, nf("web", "simple-forward", loops=3))
    binary = tmp_path / "my-router"
    binary.touch()
    own = {"router": {"path": binary, "args": ["-d", "{next}", "-n", "{config.synthetic_routes}"]}}
    program = program_of(router, installation(tmp_path, program=own), last=False)
    assert program.arguments(4) == ["-d", "4", "-n", "10"]
    for args, message in ((["{config.speed}"], "asks for '{config.speed}'"), (["{config.routes}"], "no single value")):
        bad = {"router": {"path": binary, "args": args}}
        assert message in refusal(tmp_path, router, program=bad)
    out = {"router": {"path": binary, "sends_out": True}}
    assert "must be the last of its chain" in refusal(tmp_path, router, program=out)
    assert program_of(router, installation(tmp_path, program=out), last=True).sends_out


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("a\0b", "mark holds a NUL"),
        ("\ud800", "mark holds what is no text"),
        ("a" * 4097, "mark has more than 4096 characters"),
        ("-p 9", "its configuration makes '-p 9' of '{config.mark}', an option to its program"),
    ],
)
def test_no_value_of_a_configuration_is_more_than_one_argument(tmp_path: Path, value: str, message: str) -> None:
    """Refused before anything is started, naming the field."""
    binary = tmp_path / "my-router"
    binary.touch()
    own = {"router": {"path": binary, "args": ["-d", "{next}", "{config.mark}"]}}
    given = nf("web", "router")
    refused = given.model_copy(update={"config": {"mark": value}})
    assert message in refusal(tmp_path, refused, program=own)
    for good in ("web-1", -5, 2.5):
        taken = program_of(
            given.model_copy(update={"config": {"mark": good}}), installation(tmp_path, program=own), last=False
        )
        assert taken.arguments(4) == ["-d", "4", str(good)]


def test_types_are_offered_where_their_program_is_built(tmp_path: Path) -> None:
    own = {"router": {"path": tmp_path / "absent"}}
    assert runnable_types(installation(tmp_path, program=own)) == {
        "basic-monitor", "firewall", "nids", "simple-forward",
    }  # fmt: skip
    (tmp_path / "bin" / "firewall").unlink()
    lacking = installation(tmp_path)
    (tmp_path / "bin" / "firewall").unlink()
    assert "firewall" not in runnable_types(lacking)
    with pytest.raises(NotRunnable, match=r"there is no program at .*/firewall: build it"):
        program_of(nf("web", "firewall"), lacking, last=False)
