"""What a port's line carries of each chain, with the arithmetic."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain
from sextant_engine.planning.line_rate import shares_of_line, wire_bits


def entering(name: str, rate: float, packet_bytes: int = 64) -> DesiredChain:
    traffic = Traffic(rate_mpps=rate, packet_bytes=packet_bytes)
    return DesiredChain(chain=name, nfs=(), ingress=Ingress(port="nic0"), egress=Egress(), traffic=traffic)


def shares(*chains: DesiredChain) -> dict[str, float]:
    return shares_of_line(10_000, {chain.chain: chain for chain in chains})


def test_a_line_alone():
    """(64 + 4 + 20) x 8 = 704 bits a packet: 10,000 / 704 = 14.2 Mpps."""
    assert shares(entering("a", 30.0)) == pytest.approx({"a": 10_000 / 704})


def test_equal_chains_divide_it():
    """Three of 14 Mpps: 14.2 / 3 = 4.73 each."""
    found = shares(*(entering(name, 14.0) for name in "abc"))
    assert found == pytest.approx(dict.fromkeys("abc", 10_000 / 704 / 3))


def test_what_one_leaves_the_other_may_have():
    """a wants 2 of 14.2 Mpps: b may have 12.2, and a what b's 30 leave it: a half."""
    assert shares(entering("a", 2.0), entering("b", 30.0)) == pytest.approx(
        {"a": 10_000 / 704 / 2, "b": 10_000 / 704 - 2}
    )


def test_large_packets_take_more_of_it():
    """1500 bytes are 1524 x 8 = 12,192 bits: half of the line is 0.410 Mpps of them, 7.10 of the small ones."""
    found = shares(entering("large", 5.0, 1500), entering("small", 30.0))
    assert found == pytest.approx({"large": 5_000 / 12_192, "small": 5_000 / 704})


@given(st.lists(st.tuples(st.floats(0.01, 100), st.integers(64, 1518)), min_size=1, max_size=12))
def test_no_more_arrives_than_the_line_carries(asked):
    chains = [entering(f"c{number}", rate, size) for number, (rate, size) in enumerate(asked)]
    found = shares(*chains)
    arriving = {one.chain: min(one.traffic.rate_mpps, found[one.chain]) for one in chains}
    used = sum(arriving[one.chain] * wire_bits(one) for one in chains)
    assert used <= 10_000 * (1 + 1e-9)
    if any(one.traffic.rate_mpps > found[one.chain] * (1 + 1e-9) for one in chains):
        assert used == pytest.approx(10_000), "a line that is not full holds nobody up"
