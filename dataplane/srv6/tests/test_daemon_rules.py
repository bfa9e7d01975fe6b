"""Rules of an NF in the kernel change in one step while packets pass: each meets the old ones or the new, whatever
happens to the daemon."""

import json
import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from .firewall import ALLOW, NF, TCP, counts, firewalled, in_tables, ipv4, ipv6, passes, rule
from .hosts import Chain, Hosts, Refused, hosts
from .load import ETHERNET, Load

PLACE = {"nf_id": NF["nf_id"], "segments": NF["segments"]}
OUTER = 56 + 16 * int(NF["segments"])
"""Bytes before a tenant's packet (docs/contracts/srv6.md)."""
ALWAYS, NEVER, ONCE = 5300, 80, 81
"""Ports whose packets both sets of rules let pass, neither does, and the first does."""
LONG = [rule("deny", dst_port=[10_000 + number, 10_000 + number]) for number in range(250)]
FIRST: dict[str, Any] = {
    "rules": [*LONG, rule("allow", dst_port=[ALWAYS, ALWAYS]), rule("allow", dst_port=[ONCE, ONCE])],
    "default_action": "deny",
}
SECOND: dict[str, Any] = {
    "rules": [*LONG, rule("deny", dst_port=[NEVER, NEVER]), rule("deny", dst_port=[ONCE, ONCE])],
    "default_action": "allow",
}
"""One lets pass by a rule what the other does where no rule matches, and the other way round: half of one and half of
the other would let pass what neither does, or lose what both let pass, as no rules at all would."""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with hosts(tmp_path_factory.mktemp("rules")) as made:
        yield made


@pytest.fixture(scope="module")
def chain(pair: Hosts) -> Chain:
    return firewalled(pair)


def test_other_rules_act_and_what_was_counted_is_counted_on(chain: Chain) -> None:
    chain.one.call("set_rules", **PLACE, **FIRST)
    assert passes(chain, [ipv4(0), ipv4(1, port=NEVER), ipv4(2, port=ONCE), ipv6(3, port=ONCE)]) == [
        True, False, True, True,
    ]  # fmt: skip
    before = counts(chain.one)
    chain.one.call("set_rules", **PLACE, **SECOND)
    assert counts(chain.one) == before
    assert passes(chain, [ipv4(0), ipv4(1, port=NEVER), ipv4(2, port=ONCE), ipv6(3, port=ONCE)]) == [
        True, False, False, False,
    ]  # fmt: skip
    assert counts(chain.one) == (before[0] + 1, before[1] + 3)


def test_each_rule_counts_what_it_decides_from_when_it_was_put_there(chain: Chain) -> None:
    """The first is of both families and both protocols, which makes four of it in the kernel."""
    rules = [rule("deny", dst_port=[NEVER, NEVER]), rule("allow", src="10.9.0.0/24"), rule("deny", src="2001:db8::/32")]
    chain.one.call("set_rules", **PLACE, rules=rules, default_action="allow")
    assert by_rule(chain) == [(0, 0)] * 4
    packets = [
        ipv4(0, port=NEVER), ipv4(1, TCP, port=NEVER), ipv6(2, port=NEVER), ipv4(3), ipv6(4), ipv4(5, src="10.8.0.1"),
        ipv4(6, src="10.8.0.1"), ipv4(7, first=0x46),
    ]  # fmt: skip
    assert passes(chain, packets) == [False, False, False, True, False, True, True, False]
    sizes = [len(packet) - len(ETHERNET) - 2 + OUTER for packet in packets]
    decided = [(3, sum(sizes[:3])), (1, sizes[3]), (1, sizes[4]), (2, sizes[5] + sizes[6])]
    assert by_rule(chain) == decided, "what hides its ports is no rule's"
    with pytest.raises(Refused):
        chain.one.call("set_rules", **PLACE, rules=[rule("drop")], default_action="allow")
    assert by_rule(chain) == decided
    chain.one.call("set_rules", **PLACE, rules=rules[:1], default_action="allow")
    assert by_rule(chain) == [(0, 0)] * 2


def by_rule(chain: Chain) -> list[tuple[int, int]]:
    """Packets and bytes, the default last."""
    (found,) = chain.one.call("firewalls")["firewalls"]
    return [tuple(each) for each in (*found["rules"], found["default"])]


@pytest.mark.parametrize("version", [4, 6])
def test_no_packet_meets_neither_the_old_rules_nor_the_new(chain: Chain, version: int) -> None:
    """Even numbers are always let pass, odd ones never; by the kernel's counts, too: one that met none is missing."""
    of_version = ipv4 if version == 4 else ipv6

    def mixed(number: int) -> bytes:
        return of_version(number, port=NEVER if number % 2 else ALWAYS)

    chain.one.call("set_rules", **PLACE, **FIRST)
    before = counts(chain.one)
    with Load(chain.source, chain.sink, 1000, make=mixed) as load:
        for turn in range(60):
            chain.one.call("set_rules", **PLACE, **(FIRST if turn % 2 else SECOND))
            time.sleep(0.01)
    assert load.sent > 500 and load.got == list(range(0, load.sent, 2))
    passed, filtered = counts(chain.one)
    assert (passed - before[0], filtered - before[1]) == ((load.sent + 1) // 2, load.sent // 2)


def test_a_daemon_killed_in_the_midst_leaves_one_of_the_two(chain: Chain, pair: Hosts) -> None:
    """At any moment from before it reads the request until after it has answered."""
    chance, found = random.Random(7), set[bool]()
    for turn in range(16):
        chain.one.call("set_rules", **PLACE, **(FIRST if turn % 2 else SECOND))
        asked = {"id": 1, "op": "set_rules", **PLACE, **(SECOND if turn % 2 else FIRST)}
        with suppress(BrokenPipeError):
            chain.one.socket.sendall(json.dumps(asked).encode() + b"\n")
        time.sleep(chance.uniform(0, 0.004))
        pair.all[0].end(signal.SIGKILL)
        chain.one = pair.all[0].start()
        always, never, once = passes(chain, [ipv4(0), ipv4(1, port=NEVER), ipv4(2, port=ONCE)])
        assert (always, never) == (True, False)
        found.add(once is (turn % 2 == 0))
    assert True in found, "a change was carried out, at least by the slowest of the kills"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"rules": [rule("deny"), rule("deny", src="10.0.0.0/33")]}, "rules.1.src"),
        ({"rules": [rule("drop")]}, "rules.0.action"),
        ({"rules": [rule("deny")] * 257}, "rules"),
        ({"default_action": "drop"}, "default_action"),
        ({"segments": 0}, "segments"),
        ({"nf_id": "c.two"}, "nf_id"),
        ({"nf_id": "c.none"}, "nf_id"),
    ],
)
def test_rules_that_are_refused_leave_the_old_ones_and_what_they_have_counted(
    chain: Chain, fields: dict[str, Any], field: str
) -> None:
    chain.one.call("set_rules", **PLACE, rules=[rule("deny", dst_port=[NEVER, NEVER])], default_action="allow")
    before = counts(chain.one)
    with pytest.raises(Refused) as refused:
        chain.one.call("set_rules", **{**PLACE, **ALLOW, **fields})
    assert refused.value.field == field and counts(chain.one) == before
    assert passes(chain, [ipv4(0), ipv4(1, port=NEVER)]) == [True, False]


def test_rules_that_were_flushed_are_not_changed_but_loaded_again(chain: Chain, pair: Hosts) -> None:
    in_tables(pair, "flush")
    with pytest.raises(Refused) as refused:
        chain.one.call("set_rules", **PLACE, **ALLOW)
    assert (refused.value.code, refused.value.field) == ("not-found", "nf_id")
    assert "have gone" in refused.value.message
    chain.one.call("add_firewall", **NF, **ALLOW)
    assert passes(chain, [ipv4(0)]) == [True]
