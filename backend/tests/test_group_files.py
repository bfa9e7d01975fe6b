"""OpenNetVM's group files as chains: what they mean, and where in the file something is wrong."""

import json
from typing import Any

import pytest
from opennetvm_world import group
from sextant_backend.modules.opennetvm.chain_import import chains_of
from sextant_backend.modules.opennetvm.group_file import BadGroup
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic

UPSTREAM = {
    "globals": [{"TTL": 10}, {"directory": "output_files"}],
    "simple_forward": [{"parameters": "2 -d 1"}],
    "speed_tester": [{"parameters": "1 -d 2 -c 16000"}, {"parameters": "3 -d 3 -c 16000"}],
}
"""The example that comes with OpenNetVM."""


def read(text: str, files: dict[str, str] | None = None, prefix: str | None = "web") -> list[ChainSpec]:
    specs, _ = chains_of(text, files or {}, prefix, Traffic(rate_mpps=1, packet_bytes=64))
    return [spec for spec, _ in specs]


def types(spec: ChainSpec) -> list[str]:
    return [nf.type for nf in spec.nfs]


def errors(text: str, files: dict[str, str] | None = None) -> dict[str, str]:
    with pytest.raises(BadGroup) as refused:
        read(text, files)
    return {error.field: error.message for error in refused.value.errors}


def test_a_chain_follows_the_services_whatever_the_order_in_the_file() -> None:
    """3 -> 1 -> 2: forward, tracker (which counts flows and hands on), monitor (which counts and sends out)."""
    text = group(basic_monitor=["2"], flow_tracker=["1 -d 2"], simple_forward=["3 -d 1 -p 100"])
    [spec] = read(text)
    assert (spec.name, types(spec)) == ("web", ["simple-forward", "basic-monitor", "basic-monitor"])
    assert [nf.name for nf in spec.nfs] == ["simple-forward", "basic-monitor", "basic-monitor-2"]


def test_several_chains_are_numbered_by_their_first_service() -> None:
    text = group(simple_forward=["3 -d 4", "1 -d 2"], basic_monitor=["4", "2"])
    specs, notes = chains_of(text, {}, None, None)
    assert [(spec.name, services) for spec, services in specs] == [("imported-1", (1, 2)), ("imported-2", (3, 4))]
    assert [note.message for note in notes] == [
        "imported-2 begins with service 3: OpenNetVM hands packets of its ports to service 1; here every chain has a"
        " port of its own",
        "a group file says nothing of traffic: 0.1 Mpps of 64 bytes are assumed",
    ]


def test_the_long_form_is_read_and_what_is_not_carried_over_is_said() -> None:
    text = json.dumps({
        "globals": [{"TTL": 10}, {"directory": "logs"}],
        "simple_forward": [{"parameters": "-l 5 -- -m -r 1 -n 7 -s -t 60 -- -d 2"}],
        "basic_monitor": [{"parameters": "-l 6 -- -r 2 --"}],
    })  # fmt: skip
    specs, notes = chains_of(text, {}, "web", Traffic(rate_mpps=1, packet_bytes=64))
    assert [services for _, services in specs] == [(1, 2)]
    assert {(note.at, note.message) for note in notes} == {
        ("globals.0", "TTL: chains run until somebody deletes them"),
        ("globals.1", "directory: logs are the agent's to keep"),
        ("simple_forward.0.parameters", "-l 5: planning chooses cores"),
        ("simple_forward.0.parameters", "-t 60: NFs do not end by themselves after so many seconds"),
        ("basic_monitor.0.parameters", "-l 6: planning chooses cores"),
    }


def test_a_scan_keeps_its_word_and_signs_of_patterns_are_quoted() -> None:
    text = group(payload_scan=["1 -d 2 -i -s 'GET /a.b'"], basic_monitor=["2"])
    config = read(text)[0].nfs[0].config
    assert config == {"patterns": [r"GET /a\.b"], "synthetic_patterns": 0, "action": "drop"}


def rules(*given: tuple[str, int, int]) -> dict[str, str]:
    listed = {
        f"r{number}": {"ip": ip, "depth": depth, "action": what} for number, (ip, depth, what) in enumerate(given)
    }
    return {"rules.json": json.dumps(listed)}


def firewall(files: dict[str, str]) -> dict[str, Any]:
    return read(group(firewall=["1 -d 2 -f rules.json"], basic_monitor=["2"]), files)[0].nfs[0].config


def test_firewall_rules_come_from_their_file_narrower_ones_first() -> None:
    """Longest prefix as first match: 10.1/16 before 10/8; both halves of all addresses are the default action."""
    wide_first = rules(("10.0.0.0", 8, 0), ("10.1.0.0", 16, 1))
    assert firewall(wide_first) == {
        "rules": [{"action": "deny", "src": "10.1.0.0/16"}, {"action": "allow", "src": "10.0.0.0/8"}],
        "default_action": "deny",
        "synthetic_rules": 0,
    }
    rest = rules(("0.0.0.0", 1, 0), ("10.1.2.3", 32, 5), ("128.0.0.0", 1, 0))
    assert firewall(rest) == {
        "rules": [{"action": "deny", "src": "10.1.2.3/32"}], "default_action": "allow", "synthetic_rules": 0,
    }  # fmt: skip


def test_of_two_rules_of_one_prefix_the_last_counts() -> None:
    assert firewall(rules(("10.0.0.0", 8, 1), ("10.9.9.9", 8, 0)))["rules"] == [
        {"action": "allow", "src": "10.0.0.0/8"}
    ]


def test_the_example_of_opennetvm_is_refused_with_every_reason() -> None:
    found = errors(json.dumps(UPSTREAM))
    assert found.keys() == {"text.speed_tester.0", "text.speed_tester.1"}
    assert (
        "the catalogue has no NF type for OpenNetVM's 'speed_tester' (it has basic_monitor, "
        in found["text.speed_tester.0"]
    )


@pytest.mark.parametrize(
    ("text", "field", "message"),
    [
        (group(simple_forward=["1 -d 2", "2 -d 1"]), "simple_forward.0.parameters", "services 1 -> 2 -> 1 are a loop"),
        (group(simple_forward=["7 -d 7"]), "simple_forward.0.parameters", "services 7 -> 7 are a loop"),
        (group(simple_forward=["1 -d 9"]), "simple_forward.0.parameters", "-d 9: no NF of this file has that service"),
        (
            group(simple_forward=["1 -d 3", "2 -d 3"], basic_monitor=["3"]),
            "simple_forward.1.parameters",
            "-d 3: simple_forward.0.parameters hands packets to that service, too: chains that join",
        ),
        (
            group(simple_forward=["1 -d 2"], basic_monitor=["2", "2"]),
            "basic_monitor.1.parameters",
            "service 2 is that of basic_monitor.0.parameters, too",
        ),
        (group(simple_forward=["1"]), "simple_forward.0", "-d is missing"),
        (group(simple_forward=["0 -d 2"]), "simple_forward.0", "'0' is no service id: 1 to 31"),
        (group(simple_forward=["32 -d 2"]), "simple_forward.0", "'32' is no service id"),
        (group(simple_forward=["1 -d two"]), "simple_forward.0", "-d two: is no service id"),
        (group(simple_forward=["1 -d 2 -x"]), "simple_forward.0", "option -x not recognized (of simple_forward)"),
        (group(simple_forward=["1 -d 2 more"]), "simple_forward.0", "'more' is no option of simple_forward"),
        (group(simple_forward=["1 -d '2"]), "simple_forward.0", "parameters: No closing quotation"),
        (group(simple_forward=["-l 4 -- -r 1"]), "simple_forward.0", "has one `--`"),
        (group(simple_forward=["-l 4 -- -m -- -d 2"]), "simple_forward.0", "names no service: -r is missing"),
        (group(simple_forward=["-F config.json"]), "simple_forward.0", "-F: files of arguments are not read"),
        (group(simple_forward=[""]), "simple_forward.0", "parameters are empty"),
        (group(payload_scan=["1 -d 2 -s x"]), "payload_scan.0", "-i is missing"),
        (group(payload_scan=["1 -d 2 -i"]), "payload_scan.0", "-s is missing"),
        (group(payload_scan=["1 -d 2 -i -s a\0b"]), "payload_scan.0", "other characters than printable ASCII"),
        (group(payload_scan=["1 -d 2 -i -s 'a\nb'"]), "payload_scan.0", "other characters than printable ASCII"),
        (group(payload_scan=["1 -d 2 -i -s \ud800"]), "", "has half a character"),
        ('{"globals": [{"\\ud800": 1}]}', "", "has half a character"),
        ('{"\\ud800": [{"parameters": "1 -d 2"}]}', "", "has half a character"),
        (group(firewall=["1 -d 2"]), "firewall.0", "-f is missing"),
        (group(firewall=["1 -d 2 -f rules.json"]), "firewall.0", "-f rules.json: give that file, too"),
        ('{"simple_forward": [{"parameters": 1}]}', "simple_forward.0", "has no text `parameters`"),
        ('{"simple_forward": {"parameters": "1"}}', "simple_forward", "is not a list"),
        ('{"globals": [{"sextant": {"1": "no id"}}]}', "globals.0", "an NF's id is `<chain>.<nf>`"),
        ('{"globals": [1]}', "globals.0", "is no object"),
        ("[]", "", "is not a group file"),
        ("{}", "", "names no NF"),
        ('{"a": 1, "a": 2}', "", "has 'a' twice in one object, of which OpenNetVM reads the last"),
        ("{'a': 1}", "", "is not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
        ("[" * 100_000, "", "numbers or brackets without end"),
        ('{"a": ' + "9" * 5000 + "}", "", "numbers or brackets without end"),
        (group(simple_forward=["1 -d 2"] * 128), "simple_forward", "has 128 entries: a manager has at most 127 NFs"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_reported_with_its_place(text: str, field: str, message: str) -> None:
    found = errors(text)
    where = f"text.{field}" if field else "text"
    assert list(found) == [where]
    assert message in found[where]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("[]", "is no object of at most 1024 rules"),
        ('{"r": {"ip": "10.0.0.0", "depth": 0, "action": 0}}', "r: depth is 1 to 32"),
        ('{"r": {"ip": "10.0.0.0", "depth": true, "action": 0}}', "r: depth is 1 to 32"),
        ('{"r": {"ip": "10.0.0", "depth": 8, "action": 0}}', "r: ip is no IPv4 address"),
        ('{"r": {"ip": 10, "depth": 8, "action": "0"}}', "r: action is 0 (hand on) or 1 (drop)"),
        ('{"r": {}}', "r: is no rule"),
        ('{"r": {}, "r": {}}', "is not JSON: two entries of one object have the same name"),
        ("{", "is not JSON"),
    ],
)
def test_a_bad_file_of_rules_is_reported(file: str, message: str) -> None:
    [(field, found)] = errors(group(firewall=["1 -d 2 -f rules.json"]), {"rules.json": file}).items()
    assert field == "text.firewall.0" and f"-f rules.json: {message}" in found


def test_marks_that_contradict_the_links_are_refused() -> None:
    marked = json.loads(group(simple_forward=["1 -d 2"], basic_monitor=["2"]))
    marked["globals"] = [{"sextant": {"1": "web.forward", "2": "shop.monitor"}}]
    [(field, message)] = errors(json.dumps(marked)).items()
    assert field == "text.simple_forward.0.parameters" and "globals name shop, web" in message
