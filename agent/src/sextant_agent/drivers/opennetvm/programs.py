"""Which program runs for an NF of an order, with which arguments; pure.

Refused here is whatever a stock NF would not do as ordered: OpenNetVM's firewall looks at source addresses and nothing
else, its payload scan for one word. An NF that fails after it was given an id poisons that id, so that arguments
are checked before anything is started.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from sextant_domain.desired import DesiredNf

from sextant_agent.driver import DriverError
from sextant_agent.drivers.opennetvm.installation import Installation, ProgramFile

QUIET = str(2**32 - 1)
"""Packets between two screens that an NF prints: as rarely as can be, since its output goes to a file."""
MAX_FIREWALL_RULES = 1024
"""Of the table that the manager makes for a firewall."""
MAX_PATTERN_BYTES = 200
METACHARACTERS = frozenset(r"\.^$*+?{}[]()|")
"""Of regular expressions, which patterns are elsewhere."""
SYNTHETIC = IPv4Network("240.0.0.0/4")
"""Reserved addresses, from which no packet comes."""
FIREWALL_ALLOWS, FIREWALL_DENIES = 0, 1
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class NotRunnable(DriverError):
    """The NF cannot run as ordered here: its field, the reason, and what would."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=True)


@dataclass(frozen=True, slots=True)
class Program:
    """What to start for an NF."""

    binary: Path
    args: tuple[str, ...]
    """Its own; `{next}` stands for the service that it hands packets to."""
    sends_out: bool = False
    """It sends packets to their port itself, and hands none on."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Written into its folder before it starts."""

    def arguments(self, next_service: int | None) -> list[str]:
        """For one place in a chain."""
        return [arg.replace("{next}", str(next_service)) for arg in self.args]


def runnable_types(installation: Installation) -> frozenset[str]:
    """NF types whose program is there."""
    stock = {name for name, binary in STOCK.items() if installation.example(binary).is_file()}
    own = {name for name, program in installation.program.items() if program.path.is_file()}
    return frozenset((stock - installation.program.keys()) | own)


def programs(installation: Installation) -> tuple[Path, ...]:
    """Every binary that an NF may run."""
    stock = (installation.example(name) for name in sorted({*STOCK.values(), "flow_tracker"}))
    return (*stock, *(program.path for program in installation.program.values()))


def program_of(nf: DesiredNf, installation: Installation, *, last: bool) -> Program:
    """Raises NotRunnable."""
    own = installation.program.get(nf.runs)
    program = _own(nf, own, last=last) if own is not None else _stock(nf, installation, last=last)
    if not program.binary.is_file():
        raise NotRunnable(
            f"{nf.nf_id}: there is no program at {program.binary}: build it, or name another in opennetvm.toml"
        )
    return program


def way_out(installation: Installation) -> Program:
    """What sends packets back to their port behind a last NF that only hands on."""
    return Program(installation.example("basic_monitor"), ("-p", QUIET), sends_out=True)


def _own(nf: DesiredNf, own: ProgramFile, *, last: bool) -> Program:
    if own.sends_out and not last:
        raise NotRunnable(f"{nf.nf_id}: {own.path.name} sends packets out itself, and so must be the last of its chain")
    return Program(own.path, tuple(_filled(nf, arg) for arg in own.args), sends_out=own.sends_out)


def _filled(nf: DesiredNf, arg: str) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name == "next":
            return "{next}"
        key = name.removeprefix("config.")
        if key == name or key not in nf.config:
            raise NotRunnable(f"{nf.nf_id}: opennetvm.toml asks for '{{{name}}}', which its configuration has not")
        given = nf.config[key]
        if not isinstance(given, str | int | float):
            raise NotRunnable(f"{nf.nf_id}: {key} is no single value, which '{{{name}}}' in opennetvm.toml asks for")
        return str(given)

    return PLACEHOLDER.sub(value, arg)


def _stock(nf: DesiredNf, installation: Installation, *, last: bool) -> Program:
    make = _MAKERS.get(nf.runs)
    if make is None:
        names = ", ".join(sorted(_MAKERS))
        raise NotRunnable(
            f"{nf.nf_id}: OpenNetVM has no NF like '{nf.runs}' (it has {names}); name a program of your own for it"
            " in opennetvm.toml"
        )
    return make(nf, installation, last)


def _forward(nf: DesiredNf, installation: Installation, _: bool) -> Program:
    if nf.config.get("loops", 0):
        raise NotRunnable(f"{nf.nf_id}: loops must be 0: OpenNetVM's simple_forward has no busy loop")
    return Program(_binary(nf, installation), ("-d", "{next}", "-p", QUIET))


def _monitor(_: DesiredNf, installation: Installation, last: bool) -> Program:
    """At the end OpenNetVM's basic_monitor, which sends packets out; before it flow_tracker, which hands them on."""
    if last:
        return way_out(installation)
    return Program(installation.example("flow_tracker"), ("-d", "{next}", "-p", QUIET))


def _firewall(nf: DesiredNf, installation: Installation, _: bool) -> Program:
    rules = _source_rules(nf)
    text = {
        f"rule{number}": {"ip": str(prefix.network_address), "depth": prefix.prefixlen, "action": action}
        for number, (prefix, action) in enumerate(rules)
    }
    return Program(
        _binary(nf, installation),
        ("-d", "{next}", "-p", QUIET, "-f", "rules.json"),
        files={"rules.json": json.dumps(text, indent=1) + "\n"},
    )


def _source_rules(nf: DesiredNf) -> list[tuple[IPv4Network, int]]:
    """First match as longest prefix: the same where of two rules that overlap the narrower comes first."""
    if nf.config.get("rules_file"):
        raise NotRunnable(f"{nf.nf_id}: rules_file: give rules in the configuration; files are not read for OpenNetVM")
    given: dict[IPv4Network, int] = {}
    for number, rule in enumerate(nf.config.get("rules", [])):
        prefix, action = _source_rule(nf, number, rule)
        wider = next((old for old in given if old != prefix and old.supernet_of(prefix)), None)
        if wider is not None and given[wider] != action:
            raise NotRunnable(
                f"{nf.nf_id}: rules.{number}: {wider} before it holds all of {prefix}: OpenNetVM's firewall takes the"
                " longest prefix, so that narrower rules must come first"
            )
        given.setdefault(prefix, action)
    wanted = nf.config.get("synthetic_rules", 0)
    for address in range(wanted):
        given.setdefault(IPv4Network((int(SYNTHETIC.network_address) + address, 32)), FIREWALL_DENIES)
    if nf.config.get("default_action", "allow") == "allow":  # what matches nothing is dropped; a table has no 0.0.0.0/0
        for half in IPv4Network("0.0.0.0/0").subnets(prefixlen_diff=1):
            given.setdefault(half, FIREWALL_ALLOWS)
    if len(given) > MAX_FIREWALL_RULES:
        raise NotRunnable(
            f"{nf.nf_id}: {len(given)} rules, with synthetic ones and the default: OpenNetVM's firewall holds"
            f" {MAX_FIREWALL_RULES}"
        )
    return list(given.items())


def _source_rule(nf: DesiredNf, number: int, rule: Mapping[str, Any]) -> tuple[IPv4Network, int]:
    other = sorted(rule.keys() - {"action", "src"})
    if other or "src" not in rule:
        what = f"names {other[0]}" if other else "names no src"
        raise NotRunnable(f"{nf.nf_id}: rules.{number} {what}: OpenNetVM's firewall looks at source addresses only")
    prefix = IPv4Network(rule["src"])
    if prefix.prefixlen == 0:
        raise NotRunnable(f"{nf.nf_id}: rules.{number}.src: use default_action for all addresses")
    return prefix, FIREWALL_ALLOWS if rule["action"] == "allow" else FIREWALL_DENIES


def _scan(nf: DesiredNf, installation: Installation, _: bool) -> Program:
    """payload_scan with `-i`: packets with the word are dropped, others handed on."""
    patterns = nf.config.get("patterns", [])
    if nf.config.get("patterns_file") or nf.config.get("synthetic_patterns", 0) or len(patterns) != 1:
        raise NotRunnable(
            f"{nf.nf_id}: OpenNetVM's payload_scan looks for one word: give one pattern, no file and"
            " synthetic_patterns 0"
        )
    if nf.config.get("action") != "drop":
        raise NotRunnable(f"{nf.nf_id}: action must be drop: OpenNetVM's payload_scan knows no alert")
    word = str(patterns[0])
    if not word.isascii() or not word.isprintable() or METACHARACTERS & set(word) or len(word) > MAX_PATTERN_BYTES:
        raise NotRunnable(
            f"{nf.nf_id}: patterns.0: OpenNetVM's payload_scan compares text: at most {MAX_PATTERN_BYTES} printable"
            f" characters, none of {''.join(sorted(METACHARACTERS))}"
        )
    return Program(_binary(nf, installation), ("-d", "{next}", "-p", QUIET, "-i", "-s", word))


def _binary(nf: DesiredNf, installation: Installation) -> Path:
    return installation.example(STOCK[nf.runs])


STOCK = {
    "basic-monitor": "basic_monitor",
    "firewall": "firewall",
    "nids": "payload_scan",
    "simple-forward": "simple_forward",
}
"""NF type -> name among OpenNetVM's examples."""
_MAKERS: Mapping[str, Callable[[DesiredNf, Installation, bool], Program]] = {
    "basic-monitor": _monitor,
    "firewall": _firewall,
    "nids": _scan,
    "simple-forward": _forward,
}
