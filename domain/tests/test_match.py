"""Matches: one address family, canonical text, unicast only, and what overlaps."""

from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.match import NO_UNICAST, Match
from sextant_domain.profiling.profile import ProfileTraffic

SRC, DST = "2001:db8:a::/48", "2001:db8:b::/48"


def match(**fields: Any) -> Match:
    return Match.model_validate({"src_prefix": SRC, "dst_prefix": DST, **fields})


def chain(match: dict[str, Any], **traffic: Any) -> ChainSpec:
    return ChainSpec.model_validate(
        {
            "name": "edge",
            "nfs": ["router"],
            "ingress": {"match": match},
            "traffic": {"rate_mpps": 0.1, "packet_bytes": 64, **traffic},
        }
    )


def refusal(**fields: Any) -> tuple[str, str]:
    """The field and the message of the one error."""
    with pytest.raises(ValidationError) as raised:
        match(**fields)
    (error,) = raised.value.errors()
    return ".".join(map(str, error["loc"])), error["msg"]


@st.composite
def networks(draw: st.DrawFn) -> IPv4Network | IPv6Network:
    """Of either family; short lengths and few leading bits, so that many of them overlap."""
    version = draw(st.sampled_from((4, 6)))
    bits = 32 if version == 4 else 128
    length = draw(st.integers(0, bits))
    top = draw(st.integers(0, 7)) << (bits - 4)
    low = draw(st.sampled_from((0, draw(st.integers(0, 2 ** (bits - 4) - 1)))))
    network = ip_network(((top | low) >> (bits - length) << (bits - length), length))
    assume(network.version == 4 or not any(network.overlaps(special) for special in NO_UNICAST))
    return network


@st.composite
def matches(draw: st.DrawFn) -> Match:
    src = draw(networks())
    dst = draw(networks().filter(lambda network: network.version == src.version))
    port = draw(st.sampled_from((None, 53, 80)))
    return Match(src_prefix=src, dst_prefix=dst, protocol=draw(st.sampled_from(("udp", "tcp"))), dst_port=port)


@st.composite
def spellings(draw: st.DrawFn, network: IPv6Network) -> str:
    """The same prefix as people write it: groups with leading zeros or without, in capitals, shortened or whole."""
    address = network.network_address
    whole = address.exploded if draw(st.booleans()) else address.compressed
    return f"{whole.upper() if draw(st.booleans()) else whole}/{network.prefixlen}"


@given(networks(), st.data())
def test_every_spelling_is_stored_in_canonical_form(network: IPv4Network | IPv6Network, data: st.DataObject) -> None:
    """What ipaddress writes is RFC 5952's form; reading it again changes nothing."""
    text = data.draw(spellings(network)) if isinstance(network, IPv6Network) else str(network)
    dumped = Match(src_prefix=text, dst_prefix=network).model_dump(mode="json")
    assert dumped["src_prefix"] == dumped["dst_prefix"] == str(network)
    assert Match.model_validate(dumped).model_dump(mode="json") == dumped


def test_the_examples_of_rfc_5952() -> None:
    """Section 4: no leading zeros, lower case; of zeros the longest run is shortened, the first of two, never one."""
    for written, canonical in [
        ("2001:0db8::0001", "2001:db8::1"),
        ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
        ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("2001:DB8::ABCD", "2001:db8::abcd"),
    ]:
        assert str(match(src_prefix=written).src_prefix) == f"{canonical}/128"


@given(matches(), matches())
def test_overlap_is_what_ipaddress_says_of_both_prefixes(one: Match, other: Match) -> None:
    by_prefix = one.version == other.version and (
        one.src_prefix.overlaps(other.src_prefix) and one.dst_prefix.overlaps(other.dst_prefix)
    )
    by_port = one.dst_port is None or other.dst_port is None or one.dst_port == other.dst_port
    assert one.overlaps(other) == (by_prefix and by_port and one.protocol == other.protocol)
    assert one.overlaps(other) == other.overlaps(one)
    assert one.overlaps(one)


def test_overlap_by_hand() -> None:
    wide = match(src_prefix="2001:db8::/32")
    assert wide.overlaps(match())
    assert not wide.overlaps(match(src_prefix="2001:db9::/32"))
    assert not wide.overlaps(match(protocol="tcp"))
    assert match(dst_port=53).overlaps(match())
    assert not match(dst_port=53).overlaps(match(dst_port=80))
    assert not wide.overlaps(Match()), "no packet is of both families"


def test_families_are_not_mixed() -> None:
    field, message = refusal(dst_prefix="192.168.0.0/16")
    assert field == "dst_prefix"
    assert "192.168.0.0/16 is of IPv4, and src_prefix, 2001:db8:a::/48, of IPv6" in message
    with pytest.raises(ValidationError, match="submit a second chain"):
        Match.model_validate({"src_prefix": SRC})  # the other prefix is IPv4 by default


@pytest.mark.parametrize(
    ("prefix", "why"),
    [
        ("::ffff:10.0.0.0/104", "is IPv4-mapped, and no packet carries such an address; write the IPv4 prefix"),
        ("::1", "is unspecified, loopback or IPv4-compatible"),
        ("fe80::/64", "is link-local, and no router forwards such an address"),
        ("ff02::1", "is multicast"),
        ("::/0", "is too wide, since ::ffff:0:0/96 in it is IPv4-mapped; all global unicast addresses are 2000::/3"),
        ("fe00::/7", "is too wide, since fe80::/10 in it is link-local"),
        ("2001:db8::1/32", "'2001:db8::1/32' has bits set behind its length; write 2001:db8::/32"),
        ("fe80::1%eth0", "with a zone"),
        ("2001:db8::/129", "is no prefix"),
        ("2001:db8::/-1", "is no prefix"),
        ("2001:db8:::/48", "is no prefix"),
        ("", "is no prefix"),
        (" 2001:db8::/32", "is no prefix"),
        ("1" * 50, "an IPv4 or IPv6 prefix is needed"),
        (42540766411282592856903984951653826560, "an IPv4 or IPv6 prefix is needed"),
        (None, "an IPv4 or IPv6 prefix is needed"),
    ],
)
def test_what_is_no_unicast_prefix_is_refused(prefix: Any, why: str) -> None:
    for side in ("src_prefix", "dst_prefix"):
        field, message = refusal(**{side: prefix})
        assert field == side
        assert why in message


@given(st.integers(0, 2**128 - 1), st.integers(0, 128))
def test_a_prefix_is_accepted_when_all_its_addresses_may_be_matched(address: int, length: int) -> None:
    network = IPv6Network((address >> (128 - length) << (128 - length), length))
    ends = (network[0], network[-1])
    special = any(end in one for end in ends for one in NO_UNICAST) or any(
        one.network_address in network for one in NO_UNICAST
    )
    try:
        accepted = Match(src_prefix=network, dst_prefix=SRC).src_prefix == network
    except ValidationError:
        accepted = False
    assert accepted == (not special)


def test_the_whole_of_global_and_unique_local_addresses_can_be_matched() -> None:
    found = Match(src_prefix="2000::/3", dst_prefix="fc00::/7")
    assert IPv6Address("2606:4700::1111") in found.src_prefix
    assert IPv6Address("fd12:3456::1") in found.dst_prefix


@pytest.mark.parametrize(
    ("fields", "header_bytes"),
    [  # Ethernet 14, IPv4 20 or IPv6 40, UDP 8 or TCP 20
        ({"src_prefix": "10.0.0.0/8", "dst_prefix": "10.0.0.0/8"}, 42),
        ({"src_prefix": "10.0.0.0/8", "dst_prefix": "10.0.0.0/8", "protocol": "tcp"}, 54),
        ({}, 62),
        ({"protocol": "tcp"}, 74),
    ],
)
def test_headers_of_each_family_and_protocol(fields: dict[str, Any], header_bytes: int) -> None:
    assert match(**fields).header_bytes == header_bytes


def test_packets_that_cannot_hold_their_headers_are_refused() -> None:
    """TCP over IPv6 has 74 bytes of headers: 64 do not do, 74 do, and IMIX has packets of 64."""
    asked = {"src_prefix": SRC, "dst_prefix": DST, "protocol": "tcp"}
    with pytest.raises(ValidationError, match=r"traffic\.packet_bytes: tcp over IPv6 has 74 bytes of headers"):
        chain(asked)
    with pytest.raises(ValidationError, match=r"traffic\.sizes: tcp over IPv6 has 74 bytes of headers"):
        chain(asked, sizes="imix", packet_bytes=362)
    assert chain(asked, packet_bytes=74).traffic.packet_bytes == 74
    assert chain({**asked, "protocol": "udp"}).traffic.packet_bytes == 64
    with pytest.raises(ValidationError, match="ask for 74 or more"):
        ProfileTraffic.model_validate({"match": asked})


def test_a_string_has_less_room_in_ipv6() -> None:
    """64 bytes hold 22 of payload by UDP over IPv4 (42 of headers), and 2 over IPv6 (62)."""
    payload = {"kind": "matches", "percent": 5, "strings": ["evil"]}
    chain({}, payload=payload)
    with pytest.raises(
        ValidationError, match=r"4 bytes do not fit into the payload of a 64-byte udp packet \(2 bytes\)"
    ):
        chain({"src_prefix": SRC, "dst_prefix": DST}, payload=payload)


def test_a_match_in_words() -> None:
    assert Match().text == "udp 10.0.0.0/8 -> 192.168.0.0/16"
    assert match(protocol="tcp", dst_port=443).text == "tcp 2001:db8:a::/48 -> 2001:db8:b::/48 port 443"


def test_only_a_chain_of_ipv6_needs_the_capability() -> None:
    assert chain({}).needs == {}
    assert chain({"src_prefix": SRC, "dst_prefix": DST}).needs == {"ingress.match": "ipv6"}
