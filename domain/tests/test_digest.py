"""Digests: the same for equal values in every process and release, different for different values."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from sextant_domain.base import canonical_json, digest_of
from sextant_domain.chains.chain import ChainSpec, Egress, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.plans.placement import Seat

NF = DesiredNf(nf_id="edge.router", nf_type="router", nf_version=1, config={"b": 1, "a": [1.5, "ü"]}, core=1)
CONTENT = HostContent(
    host_id="edge-1",
    chains=(
        DesiredChain(
            chain="edge",
            nfs=(NF,),
            ingress=Ingress(),
            egress=Egress(),
            traffic=Traffic(rate_mpps=0.1, packet_bytes=64),
        ),
    ),
)
EMPTY_HOST = b'{"chains":[],"host_id":"edge-1"}'
GOLDEN_EMPTY = "sha256:1ff39f0e9d9bcad992b36534456e783c2ac9874544cd9bf3e436adb70cf114f8"
GOLDEN = "sha256:7d8540de9645a8fe9f8483323c7caee46b37644feb575a975df8085b547f26e2"
GOLDEN_GIVEN = "sha256:9cac16d8aec8d0545a15c014d412a51ba2e37684afa307a9a58c32b68d4bf964"
"""Agents keep these in their ledgers: a change of them is a change of the protocol."""


def test_canonical_json_is_sorted_and_tight() -> None:
    assert canonical_json(HostContent(host_id="edge-1")) == EMPTY_HOST


def test_the_golden_values_hold() -> None:
    assert digest_of(HostContent(host_id="edge-1")) == GOLDEN_EMPTY
    assert digest_of(CONTENT) == GOLDEN


def test_the_golden_value_of_an_order_with_resources_holds() -> None:
    """As they stood before any plan could change resources."""
    given = {"llc_ways": 4, "memory_bandwidth_percent": 50, "cpu_share": 300, "cpu_quota_percent": 40.0}
    chain = CONTENT.chains[0].model_copy(update={"nfs": (NF.model_copy(update=given),)})
    assert digest_of(CONTENT.model_copy(update={"chains": (chain,)})) == GOLDEN_GIVEN


def test_an_order_of_before_chains_had_resources_has_the_digest_it_had() -> None:
    """What no chain has is not written; once one has it, it is another order."""
    assert b"resources" not in canonical_json(CONTENT)
    given = CONTENT.chains[0].model_copy(update={"resources": ChainResources(llc_ways=4)})
    assert digest_of(CONTENT.model_copy(update={"chains": (given,)})) != GOLDEN
    assert DesiredChain.model_validate_json(given.model_dump_json()) == given


def test_a_seat_without_a_quota_is_written_as_before() -> None:
    """Bodies of earlier plans have no such key, and their digests are over their text."""
    seat = Seat(host="edge-1", node=0, core=1)
    assert seat.model_dump().keys() == {
        "host", "node", "core", "slot", "llc_ways", "memory_bandwidth_percent", "cpu_share",
    }  # fmt: skip
    assert seat.model_copy(update={"cpu_quota_percent": 40.0}).model_dump()["cpu_quota_percent"] == 40.0


def test_another_process_finds_the_same() -> None:
    code = (
        "import sys; from sextant_domain.hosts.desired import HostContent; from sextant_domain.base import digest_of; "
        "print(digest_of(HostContent.model_validate_json(sys.stdin.read())))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=CONTENT.model_dump_json(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == GOLDEN


def test_an_order_carries_the_digest_of_its_content() -> None:
    order = DesiredHostConfig.of(4, CONTENT)
    assert (order.generation, order.digest) == (4, GOLDEN)


scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
configs = st.dictionaries(
    st.text(max_size=8),
    st.recursive(scalars | st.text(max_size=8), lambda inner: st.lists(inner, max_size=3), max_leaves=6),
    max_size=4,
)


@given(configs)
def test_the_order_of_keys_and_a_way_over_json_change_nothing(config: dict[str, object]) -> None:
    one = NF.model_copy(update={"config": config})
    other = NF.model_copy(update={"config": dict(reversed(config.items()))})
    assert digest_of(one) == digest_of(other) == digest_of(DesiredNf.model_validate_json(one.model_dump_json()))


@given(st.integers(0, 127), st.integers(0, 63))
def test_another_seat_is_another_digest(core: int, slot: int) -> None:
    moved = NF.model_copy(update={"core": core, "slot": slot})
    assert (digest_of(moved) == digest_of(NF)) == ((core, slot) == (1, 0))


def test_a_whole_number_written_as_one_or_as_a_float_is_one_rate() -> None:
    def spec(rate: str) -> ChainSpec:
        text = f'{{"name": "a", "nfs": ["router"], "traffic": {{"rate_mpps": {rate}, "packet_bytes": 64}}}}'
        return ChainSpec.model_validate_json(text)

    assert digest_of(spec("1")) == digest_of(spec("1.0"))
