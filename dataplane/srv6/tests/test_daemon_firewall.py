"""NFs in the kernel: nftables' rules at the far end of a pair filter inner packets, and give back the others whole."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .firewall import (
    ALLOW,
    FRAGMENT,
    HOP_BY_HOP,
    ICMP,
    NF,
    TCP,
    counts,
    firewalled,
    in_tables,
    ipv4,
    ipv6,
    passes,
    rule,
    tables,
)
from .hosts import DEVICES, SIDS, Chain, Hosts, Refused, hosts
from .load import Load, frame, received


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with hosts(tmp_path_factory.mktemp("firewall")) as made:
        yield made


@pytest.fixture(scope="module")
def chain(pair: Hosts) -> Chain:
    return firewalled(pair)


@pytest.mark.parametrize("version", [4, 6])
def test_what_passes_comes_out_as_it_went_in_and_is_measured(chain: Chain, version: int) -> None:
    chain.one.call("add_firewall", **NF, **ALLOW)
    sent = frame(version, 7)
    chain.source.send(sent)
    chain.sink.settimeout(3)
    assert chain.sink.recv(65536)[14:] == sent[14:]
    assert counts(chain.one) == (1, 0)
    (nf,) = chain.one.call("read")["nfs"]
    assert (nf["nf_id"], nf["device"]) == ("c.one", DEVICES["c.one"]) and 0 < nf["latency_ns"] < 2_000_000_000


@pytest.mark.parametrize(
    ("rules", "default", "packets", "expected"),
    [
        ([], "deny", [ipv4(0), ipv6(1)], [False, False]),
        ([rule("deny", protocol="udp")], "allow", [ipv4(0), ipv4(1, TCP), ipv6(2), ipv6(3, TCP)], [False, True] * 2),
        ([rule("allow", dst_port=[5300, 5301])], "deny",
         [ipv4(0), ipv4(1, TCP, port=5301), ipv4(2, port=5302), ipv4(3, port=5299), ipv4(4, ICMP)],
         [True, True, False, False, False]),
        ([rule("allow", dst_port=[5300, 5300], protocol="tcp")], "deny",
         [ipv6(0), ipv6(1, TCP), ipv6(2, TCP, port=5301)], [False, True, False]),
        ([rule("deny", src="10.9.0.0/24")], "allow",
         [ipv4(0), ipv4(1, src="10.9.1.1"), ipv6(2)], [False, True, True]),
        ([rule("deny", dst="10.9.0.0/23")], "allow",
         [ipv4(0, dst="10.9.1.255"), ipv4(1, dst="10.9.2.0"), ipv4(2, dst="10.8.255.255")], [False, True, True]),
        ([rule("deny", src="10.9.0.1/32", dst="10.9.0.2/32")], "allow",
         [ipv4(0), ipv4(1, dst="10.9.0.3"), ipv4(2, src="10.9.0.3")], [False, True, True]),
        ([rule("deny", dst="2001:db8::/33")], "allow",
         [ipv6(0), ipv6(1, dst="2001:db8:8000::1"), ipv4(2)], [False, True, True]),
        ([rule("deny", src="2001:db8::1/128", protocol="udp", dst_port=[1, 65535])], "allow",
         [ipv6(0), ipv6(1, src="2001:db8::3"), ipv6(2, port=0)], [False, True, True]),
        ([rule("allow", src="10.9.0.1/32"), rule("deny", src="10.9.0.0/16")], "allow",
         [ipv4(0), ipv4(1, src="10.9.0.3")], [True, False]),
        ([rule("deny", src="0.0.0.0/0")], "allow", [ipv4(0), ipv6(1)], [False, True]),
    ],
)  # fmt: skip
def test_the_first_rule_that_matches_decides(
    chain: Chain, rules: list[dict[str, Any]], default: str, packets: list[bytes], expected: list[bool]
) -> None:
    chain.one.call("add_firewall", **NF, rules=rules, default_action=default)
    assert passes(chain, packets) == expected


def test_what_hides_ports_is_filtered_whatever_the_rules_say(chain: Chain) -> None:
    """Options, fragments (more follow: 0x2000; behind the first: 1), extension headers."""
    chain.one.call("add_firewall", **NF, **ALLOW)
    hidden = [ipv4(0, first=0x46), ipv4(1, fragment=0x2000), ipv4(2, fragment=1), ipv6(3, FRAGMENT)]
    assert passes(chain, [*hidden, ipv6(4, HOP_BY_HOP), ipv4(5, fragment=0x4000)]) == [False] * 5 + [True]


def test_as_many_rules_as_may_be_are_taken_and_one_more_is_not(chain: Chain) -> None:
    """The largest of requests, and of rules: both prefixes with a mask, and one rule for each of two protocols."""
    long = rule("deny", src="2001:db8:aaaa:bbbb:cccc:dddd:eeee:fffe/127", dst="2001:db8:aaaa:bbbb:cccc:dddd:eeee:0/113",
                dst_port=[10001, 65535])  # fmt: skip
    chain.one.call(
        "add_firewall", **NF, rules=[long] * 255 + [rule("deny", dst_port=[5300, 5300])], default_action="allow"
    )
    assert passes(chain, [ipv4(0), ipv6(1, port=5301)]) == [False, True]
    with pytest.raises(Refused) as refused:
        chain.one.call("add_firewall", **NF, rules=[rule("deny")] * 257, default_action="allow")
    assert (refused.value.code, refused.value.field) == ("bad-request", "rules")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"rules": {}}, "rules"),
        ({"rules": ["drop"]}, "rules.0"),
        ({"rules": [{}]}, "rules.0.action"),
        ({"rules": [rule("deny"), rule("accept; flush ruleset")]}, "rules.1.action"),
        ({"rules": [rule("deny", src="10.0.0.0/33")]}, "rules.0.src"),
        ({"rules": [rule("deny", src="10.0.0.0/8 accept")]}, "rules.0.src"),
        ({"rules": [rule("deny", src="10.0.0.0/8", dst="2001:db8::/32")]}, "rules.0.dst"),
        ({"rules": [rule("deny", dst="2001:db8::/129")]}, "rules.0.dst"),
        ({"rules": [rule("deny", protocol="icmp")]}, "rules.0.protocol"),
        ({"rules": [rule("deny", protocol=17)]}, "rules.0.protocol"),
        ({"rules": [rule("deny", dst_port=[2, 1])]}, "rules.0.dst_port"),
        ({"rules": [rule("deny", dst_port=[0, 65536])]}, "rules.0.dst_port"),
        ({"rules": [rule("deny", dst_port="80")]}, "rules.0.dst_port"),
        ({"rules": [rule("deny", comment="x")]}, "rules.0.comment"),
        ({"default_action": "drop"}, "default_action"),
        ({"segments": 0}, "segments"),
        ({"segments": 9}, "segments"),
        ({"nf_id": "c"}, "nf_id"),
        ({"sid": SIDS[2], "nf_id": "c.one"}, "sid"),
    ],
)
def test_what_is_wrong_is_refused_by_field_and_changes_nothing(
    chain: Chain, fields: dict[str, Any], field: str
) -> None:
    chain.one.call("add_firewall", **NF, **ALLOW)
    with pytest.raises(Refused) as refused:
        chain.one.call("add_firewall", **{**NF, **ALLOW, **fields})
    assert refused.value.field == field
    assert passes(chain, [ipv4(0)]) == [True]


def test_new_rules_take_the_place_of_the_old_ones_without_losing_a_packet(chain: Chain) -> None:
    chain.one.call("add_firewall", **NF, **ALLOW)
    with Load(chain.source, chain.sink, 2000) as load:
        for turn in range(20):
            chain.one.call("add_firewall", **NF, rules=[rule("deny", dst_port=[turn, turn])], default_action="allow")
            time.sleep(0.02)
    assert load.sent > 500 and load.got == list(range(load.sent))


def test_rules_outlive_the_daemon_and_its_successor_adopts_them(chain: Chain, pair: Hosts) -> None:
    chain.one.call("add_firewall", **NF, rules=[rule("deny", dst_port=[80, 80])], default_action="allow")
    assert passes(chain, [ipv4(0)]) == [True]
    before = counts(chain.one)
    pair.all[0].end(signal.SIGKILL)
    for number in range(10):
        chain.source.send(ipv4(number))
        chain.source.send(ipv4(number, port=80))
    assert received(chain.sink, 10) == list(range(10))
    chain.one = pair.all[0].start()
    hello = chain.one.call("hello")
    assert hello["adopted"] is True and hello["no_firewalls"] is None
    assert counts(chain.one) == (before[0] + 10, before[1] + 10)
    assert passes(chain, [ipv4(0), ipv4(1, port=80)]) == [True, False]


def test_without_its_rules_nothing_comes_back_and_it_is_not_said_to_run(chain: Chain, pair: Hosts) -> None:
    """Somebody flushes the host's nftables: nothing gets by unfiltered, and the rules can be loaded again."""
    chain.one.call("add_firewall", **NF, **ALLOW)
    assert len(tables(pair)) == 1
    in_tables(pair, "flush")
    assert chain.one.call("firewalls")["firewalls"] == [] and tables(pair) == []
    chain.source.send(ipv4(1))
    assert received(chain.sink, 1, 0.3) == []
    chain.one.call("add_firewall", **NF, **ALLOW)
    assert passes(chain, [ipv4(0)]) == [True]


def test_nothing_is_left_of_one_that_is_removed_and_tables_of_others_stay(chain: Chain, pair: Hosts) -> None:
    in_tables(pair, "add", "theirs")
    chain.one.call("add_firewall", **NF, **ALLOW)
    assert len(tables(pair)) == 2
    chain.one.call("remove", nf_id="c.one")
    assert tables(pair) == ["theirs"] and chain.one.call("firewalls")["firewalls"] == []
    assert "sxf" not in pair.all[0].inside("ip", "link", "show")
    chain.one.call("add_firewall", **NF, **ALLOW)
    pair.all[0].end(signal.SIGKILL)
    for link in json.loads(pair.all[0].inside("ip", "-j", "link", "show")):
        if link["ifname"].startswith("sxf") and link["ifname"].endswith("a"):
            pair.all[0].inside("ip", "link", "delete", link["ifname"])
    assert len(tables(pair)) == 2, "a table whose interface has gone"
    pair.all[0].start().call("hello")  # it is heard before it has adopted, and answers then
    assert tables(pair) == ["theirs"]
    pair.all[0].end()
    pair.all[0].clean()
    assert tables(pair) == ["theirs"]


def test_a_clean_host_has_no_table_of_ours(tmp_path: Path) -> None:
    with hosts(tmp_path) as made:
        client = made.all[0].start()
        client.call("add_firewall", **NF, **ALLOW)
        assert len(tables(made)) == 1
        made.all[0].end()
        assert len(tables(made)) == 1
        made.all[0].clean()
        assert tables(made) == []
