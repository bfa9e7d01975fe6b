"""What the arguments of OpenNetVM's stock NFs mean in Sextant: the way back from
`sextant_domain.opennetvm.programs`; pure."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from getopt import GetoptError, getopt
from ipaddress import AddressValueError, IPv4Address, IPv4Network
from typing import Any

from sextant_domain.opennetvm.programs import (
    FIREWALL_ALLOWS,
    FIREWALL_DENIES,
    HALVES,
    MAX_FIREWALL_RULES,
    METACHARACTERS,
)


class BadArguments(Exception):
    """What is wrong, and what would be right."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """An NF of a chain."""

    nf_type: str
    config: Mapping[str, Any]
    next_service: int | None
    """None: it sends packets out."""
    notes: tuple[str, ...] = field(default=())


def meaning(program: str, words: Sequence[str], files: Mapping[str, str]) -> Meaning:
    """Of a program's own arguments; `files`: what NFs read, by name. Raises BadArguments."""
    known = _PROGRAMS.get(program)
    if known is None:
        raise BadArguments(
            f"the catalogue has no NF type for OpenNetVM's '{program}' (it has {', '.join(sorted(_PROGRAMS))})"
        )
    allowed, make = known
    try:
        options, rest = getopt(list(words), allowed)
    except GetoptError as error:
        raise BadArguments(f"{error.msg} (of {program})") from error
    if rest:
        raise BadArguments(f"'{rest[0][:100]}' is no option of {program}")
    given = dict(options)
    if "d:" in allowed and "-d" not in given:
        raise BadArguments(f"-d is missing: {program} ends at once without a service to hand packets to")
    return make(given, files)


def _next(given: Mapping[str, str]) -> int:
    word = given["-d"]
    if not word.isascii() or not word.isdecimal() or len(word) > 5:
        raise BadArguments(f"-d {word[:100]}: is no service id")
    return int(word)


def _forward(given: Mapping[str, str], _: Mapping[str, str]) -> Meaning:
    return Meaning("simple-forward", {}, _next(given))


def _tracker(given: Mapping[str, str], _: Mapping[str, str]) -> Meaning:
    return Meaning("basic-monitor", {}, _next(given))


def _monitor(_: Mapping[str, str], __: Mapping[str, str]) -> Meaning:
    return Meaning("basic-monitor", {}, None)


def _scan(given: Mapping[str, str], _: Mapping[str, str]) -> Meaning:
    word = given.get("-s", "")
    if not word:
        raise BadArguments("-s is missing: payload_scan needs the word that it looks for")
    if not word.isascii() or not word.isprintable():
        raise BadArguments("-s: the word has other characters than printable ASCII, which NFs are not given")
    if "-i" not in given:
        raise BadArguments("-i is missing: payload_scan drops packets without the word then, which no NF type does")
    pattern = "".join(f"\\{sign}" if sign in METACHARACTERS else sign for sign in word)
    config = {"patterns": [pattern], "synthetic_patterns": 0, "action": "drop"}
    return Meaning("nids", config, _next(given))


def _firewall(given: Mapping[str, str], files: Mapping[str, str]) -> Meaning:
    name = given.get("-f", "")
    if not name:
        raise BadArguments("-f is missing: firewall ends at once without its rules")
    text = files.get(name, files.get(name.rsplit("/", 1)[-1]))
    if text is None:
        raise BadArguments(f"-f {name[:200]}: give that file, too; the group file does not hold the rules")
    try:
        rules, notes = _rules(text, name[:200])
    except (ValueError, RecursionError) as error:
        raise BadArguments(f"-f {name[:200]}: is not JSON: {str(error)[:200]}") from error
    return Meaning("firewall", rules, _next(given), notes)


def _rules(text: str, name: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """A table of longest prefixes as a list whose first match counts."""
    read = json.loads(text, object_pairs_hook=_without_repetition)
    if not isinstance(read, dict) or len(read) > MAX_FIREWALL_RULES:
        raise BadArguments(f"-f {name}: is no object of at most {MAX_FIREWALL_RULES} rules")
    table: dict[IPv4Network, int] = {}
    for key, rule in read.items():
        prefix, action = _rule(f"-f {name}: {key[:100]}", rule)
        table[prefix] = action  # the last of two
    allows_rest = all(table.get(half) == FIREWALL_ALLOWS for half in HALVES)
    listed = [prefix for prefix in table if not (allows_rest and prefix in HALVES)]
    ordered = _narrow_first(listed)
    notes = () if ordered == listed else (f"-f {name}: its rules were ordered anew, narrower ones first",)
    rules = [{"action": "allow" if table[one] == FIREWALL_ALLOWS else "deny", "src": str(one)} for one in ordered]
    config = {"rules": rules, "default_action": "allow" if allows_rest else "deny", "synthetic_rules": 0}
    return config, notes


def _narrow_first(prefixes: list[IPv4Network]) -> list[IPv4Network]:
    """As they are, where no wider one stands before a narrower one that it holds."""
    before: set[tuple[int, int]] = set()
    for prefix in prefixes:
        address, length = int(prefix.network_address), prefix.prefixlen
        if any((wider, address >> 32 - wider) in before for wider in range(1, length)):
            return sorted(prefixes, key=lambda prefix: -prefix.prefixlen)
        before.add((length, address >> 32 - length))
    return prefixes


def _rule(at: str, rule: Any) -> tuple[IPv4Network, int]:
    if not isinstance(rule, dict) or rule.keys() != {"ip", "depth", "action"}:
        raise BadArguments(f'{at}: is no rule; write {{"ip": "10.1.0.0", "depth": 16, "action": 1}}')
    depth, action = rule["depth"], rule["action"]
    if type(depth) is not int or not 1 <= depth <= 32:
        raise BadArguments(f"{at}: depth is 1 to 32")
    if type(action) is not int:
        raise BadArguments(f"{at}: action is {FIREWALL_ALLOWS} (hand on) or {FIREWALL_DENIES} (drop)")
    try:
        prefix = IPv4Network((int(IPv4Address(str(rule["ip"]))), depth), strict=False)
    except AddressValueError as error:
        raise BadArguments(f"{at}: ip is no IPv4 address") from error
    return prefix, FIREWALL_ALLOWS if action == FIREWALL_ALLOWS else FIREWALL_DENIES


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    read = dict(pairs)
    if len(read) < len(pairs):
        raise ValueError("two entries of one object have the same name")
    return read


_PROGRAMS: Mapping[str, tuple[str, Callable[[Mapping[str, str], Mapping[str, str]], Meaning]]] = {
    "basic_monitor": ("p:", _monitor),
    "firewall": ("d:f:p:b", _firewall),
    "flow_tracker": ("d:p:", _tracker),
    "payload_scan": ("d:s:p:i", _scan),
    "simple_forward": ("d:p:", _forward),
}
"""Program -> its options, as its getopt takes them, and what they mean."""
