"""Which of OpenNetVM's stock programs stands for an NF type and its configuration, with which arguments.

Refused here is whatever a stock NF would not do as ordered: OpenNetVM's firewall looks at source addresses and nothing
else, its payload scan for one word. Source: OpenNetVM v21.10, `examples`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from typing import Any

QUIET = str(2**32 - 1)
"""Packets between two screens that an NF prints: as rarely as can be, since its output goes to a file."""
MAX_SERVICE = 31
"""Service ids 1 to 31 of one manager."""
MAX_FIREWALL_RULES = 1024
"""Of the table that the manager makes for a firewall."""
MAX_PATTERN_BYTES = 200
METACHARACTERS = frozenset(r"\.^$*+?{}[]()|")
"""Of regular expressions, which patterns are elsewhere."""
SYNTHETIC = IPv4Network("240.0.0.0/4")
"""Reserved addresses, from which no packet comes."""
FIREWALL_ALLOWS, FIREWALL_DENIES = 0, 1
HALVES = tuple(IPv4Network("0.0.0.0/0").subnets(prefixlen_diff=1))
"""A table holds no 0.0.0.0/0: these two stand for it."""


class NoStockProgram(Exception):
    """No stock NF does what is asked: the property of the configuration, and why."""

    def __init__(self, at: str, message: str) -> None:
        """`at`: `rules.2.src`, or empty where it is the NF type itself."""
        super().__init__(f"{at}: {message}" if at else message)
        self.at = at
        self.message = message


@dataclass(frozen=True, slots=True)
class StockProgram:
    """One of OpenNetVM's examples."""

    name: str
    """Of its folder and its binary."""
    args: tuple[str, ...]
    """Its own; `{next}` stands for the service that it hands packets to."""
    sends_out: bool = False
    """It sends packets to their port itself, and hands none on."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Read from its working folder when it starts."""


WAY_OUT = StockProgram("basic_monitor", ("-p", QUIET), sends_out=True)
"""Sends packets back to their port: for behind a last NF that only hands on."""


def stock_program(nf_type: str, config: Mapping[str, Any], *, last: bool) -> StockProgram:
    """Of a built-in type with its whole configuration; `last`: of its chain. Raises NoStockProgram."""
    make = _MAKERS.get(nf_type)
    if make is None:
        raise NoStockProgram("", f"OpenNetVM has no NF like '{nf_type}' (it has {', '.join(sorted(_MAKERS))})")
    return make(config, last)


def _forward(config: Mapping[str, Any], _: bool) -> StockProgram:
    if config.get("loops", 0):
        raise NoStockProgram("loops", "must be 0: OpenNetVM's simple_forward has no busy loop")
    return StockProgram("simple_forward", ("-d", "{next}", "-p", QUIET))


def _monitor(_: Mapping[str, Any], last: bool) -> StockProgram:
    """At the end OpenNetVM's basic_monitor, which sends packets out; before it flow_tracker, which hands them on."""
    return WAY_OUT if last else StockProgram("flow_tracker", ("-d", "{next}", "-p", QUIET))


def _firewall(config: Mapping[str, Any], _: bool) -> StockProgram:
    text = {
        f"rule{number}": {"ip": str(prefix.network_address), "depth": prefix.prefixlen, "action": action}
        for number, (prefix, action) in enumerate(_source_rules(config))
    }
    return StockProgram(
        "firewall",
        ("-d", "{next}", "-p", QUIET, "-f", "rules.json"),
        files={"rules.json": json.dumps(text, indent=1) + "\n"},
    )


def _source_rules(config: Mapping[str, Any]) -> list[tuple[IPv4Network, int]]:
    """First match as longest prefix: the same where of two rules that overlap the narrower comes first."""
    if config.get("rules_file"):
        raise NoStockProgram("rules_file", "give rules in the configuration; files are not read for OpenNetVM")
    rules = config.get("rules", [])
    if len(rules) > MAX_FIREWALL_RULES:
        raise _too_many_rules(len(rules))
    given: dict[IPv4Network, int] = {}
    firsts: dict[tuple[int, int], int] = {}  # prefix length and bits -> the first rule of it
    for number, rule in enumerate(rules):
        prefix, action = _source_rule(number, rule)
        address, length = int(prefix.network_address), prefix.prefixlen
        holding = (firsts.get((wider, address >> 32 - wider), number) for wider in range(1, length))
        first = min(holding, default=number)
        if first < number and rules[first]["action"] != rule["action"]:
            raise NoStockProgram(
                f"rules.{number}",
                f"{IPv4Network(rules[first]['src'])} before it holds all of {prefix}: OpenNetVM's firewall takes the"
                " longest prefix, so that narrower rules must come first",
            )
        given.setdefault(prefix, action)
        firsts.setdefault((length, address >> 32 - length), number)
    for address in range(min(config.get("synthetic_rules", 0), MAX_FIREWALL_RULES + 1)):
        given.setdefault(IPv4Network((int(SYNTHETIC.network_address) + address, 32)), FIREWALL_DENIES)
    if config.get("default_action", "allow") == "allow":  # what matches nothing is dropped
        for half in HALVES:
            given.setdefault(half, FIREWALL_ALLOWS)
    if len(given) > MAX_FIREWALL_RULES:
        raise _too_many_rules(len(given))
    return list(given.items())


def _too_many_rules(number: int) -> NoStockProgram:
    return NoStockProgram(
        "rules",
        f"{number} rules, with synthetic ones and the default: OpenNetVM's firewall holds {MAX_FIREWALL_RULES}",
    )


def _source_rule(number: int, rule: Mapping[str, Any]) -> tuple[IPv4Network, int]:
    other = sorted(rule.keys() - {"action", "src"})
    if other or "src" not in rule:
        what = f"names {other[0]}" if other else "names no src"
        raise NoStockProgram(f"rules.{number}", f"{what}: OpenNetVM's firewall looks at source addresses only")
    if ":" in rule["src"]:
        raise NoStockProgram(f"rules.{number}.src", "is of IPv6: OpenNetVM's firewall reads IPv4 only")
    prefix = IPv4Network(rule["src"])
    if prefix.prefixlen == 0:
        raise NoStockProgram(f"rules.{number}.src", "use default_action for all addresses")
    return prefix, FIREWALL_ALLOWS if rule["action"] == "allow" else FIREWALL_DENIES


def _scan(config: Mapping[str, Any], _: bool) -> StockProgram:
    """payload_scan with `-i`: packets with the word are dropped, others handed on."""
    patterns = config.get("patterns", [])
    if config.get("patterns_file") or config.get("synthetic_patterns", 0) or len(patterns) != 1:
        raise NoStockProgram(
            "patterns",
            "OpenNetVM's payload_scan looks for one word: give one pattern, no file and synthetic_patterns 0",
        )
    if config.get("action") != "drop":
        raise NoStockProgram("action", "must be drop: OpenNetVM's payload_scan knows no alert")
    word = str(patterns[0])
    if not word.isascii() or not word.isprintable() or METACHARACTERS & set(word) or len(word) > MAX_PATTERN_BYTES:
        raise NoStockProgram(
            "patterns.0",
            f"OpenNetVM's payload_scan compares text: at most {MAX_PATTERN_BYTES} printable characters, none of"
            f" {''.join(sorted(METACHARACTERS))}",
        )
    return StockProgram("payload_scan", ("-d", "{next}", "-p", QUIET, "-i", "-s", word))


STOCK = {
    "basic-monitor": "basic_monitor",
    "firewall": "firewall",
    "nids": "payload_scan",
    "simple-forward": "simple_forward",
}
"""NF type -> name among OpenNetVM's examples."""
STOCK_NAMES = (*sorted({*STOCK.values(), "flow_tracker"}),)
"""Every example that may run for an NF."""
_MAKERS: Mapping[str, Callable[[Mapping[str, Any], bool], StockProgram]] = {
    "basic-monitor": _monitor,
    "firewall": _firewall,
    "nids": _scan,
    "simple-forward": _forward,
}
