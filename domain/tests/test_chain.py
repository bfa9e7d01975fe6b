"""Chains as operators write them: short NFs, repeated names, limits."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from sextant_domain.chains.chain import MAX_NFS, ChainSpec
from sextant_domain.chains.chain_file import ChainFile

TRAFFIC = {"rate_mpps": 0.1, "packet_bytes": 64}


def chain(**changes: Any) -> ChainSpec:
    return ChainSpec.model_validate({"name": "edge", "nfs": ["router"], "traffic": TRAFFIC, **changes})


def fields(raised: pytest.ExceptionInfo[ValidationError]) -> list[str]:
    return [".".join(map(str, error["loc"])) for error in raised.value.errors()]


def test_a_short_nf_is_named_after_its_type() -> None:
    spec = chain(nfs=["router", {"type": "firewall"}])
    assert [(nf.type, nf.name, nf.config) for nf in spec.nfs] == [
        ("router", "router", {}),
        ("firewall", "firewall", {}),
    ]
    assert spec.nf_id(1) == "edge.firewall"


def test_repeated_short_nfs_are_numbered_and_never_take_a_given_name() -> None:
    # the third entry holds router-2, so the second router becomes router-3
    spec = chain(nfs=["router", "router", {"type": "firewall", "name": "router-2"}])
    assert [nf.name for nf in spec.nfs] == ["router", "router-3", "router-2"]


@given(st.lists(st.sampled_from(["router", "router-2", "firewall"]), min_size=1, max_size=MAX_NFS))
def test_short_nfs_always_get_names_of_their_own(types: list[str]) -> None:
    names = [nf.name for nf in chain(nfs=types).nfs]
    assert len(set(names)) == len(types)


def test_a_name_given_twice_is_refused_with_its_place() -> None:
    with pytest.raises(ValidationError, match=r"nfs\.1\.name: 'a' is used twice"):
        chain(nfs=[{"type": "router", "name": "a"}, {"type": "firewall", "name": "a"}])


def test_the_longest_chain_is_accepted_and_one_more_is_one_error() -> None:
    assert len(chain(nfs=["router"] * 32).nfs) == 32
    for count in (33, 10_000):
        with pytest.raises(ValidationError, match=f"1 to 32 NFs, not {count}") as raised:
            chain(nfs=["router"] * count)
        assert fields(raised) == ["nfs"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "Edge"}, "name"),
        ({"name": "-edge"}, "name"),
        ({"name": "edge\n"}, "name"),
        ({"name": "e" * 64}, "name"),
        ({"nfs": []}, "nfs"),
        ({"nfs": "router"}, "nfs"),
        ({"nfs": [None]}, "nfs.0"),
        ({"nfs": [{"name": "a"}]}, "nfs.0.type"),
        ({"nfs": [{"type": "router", "cores": 2}]}, "nfs.0.cores"),
        ({"traffic": {**TRAFFIC, "rate_mpps": -0.1}}, "traffic.rate_mpps"),
        ({"traffic": {**TRAFFIC, "rate_mpps": 148.9}}, "traffic.rate_mpps"),
        ({"traffic": {**TRAFFIC, "rate_mpps": float("nan")}}, "traffic.rate_mpps"),
        ({"traffic": {**TRAFFIC, "rate_mpps": float("inf")}}, "traffic.rate_mpps"),
        ({"traffic": {**TRAFFIC, "rate_mpps": "0.1"}}, "traffic.rate_mpps"),
        ({"traffic": {**TRAFFIC, "rate_mpps": True}}, "traffic.rate_mpps"),
        ({"traffic": {**TRAFFIC, "packet_bytes": 63}}, "traffic.packet_bytes"),
        ({"traffic": {**TRAFFIC, "packet_bytes": 1519}}, "traffic.packet_bytes"),
        ({"traffic": {**TRAFFIC, "packet_bytes": 64.0}}, "traffic.packet_bytes"),
        ({"traffic": {**TRAFFIC, "flows": 0}}, "traffic.flows"),
        ({"traffic": {"packet_bytes": 64}}, "traffic.rate_mpps"),
        ({"slo": {"max_p95_ms": 0}}, "slo.max_p95_ms"),
        ({"slo": {"min_throughput_mpps": 0}}, "slo.min_throughput_mpps"),
        ({"value": 0}, "value"),
        ({"ingress": {"match": {"dst_port": 0}}}, "ingress.match.dst_port"),
        ({"ingress": {"match": {"src_prefix": "10.0.0.1/8"}}}, "ingress.match.src_prefix"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_field_out_of_bounds_is_named(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as raised:
        chain(**changes)
    assert fields(raised) == [field]


def test_the_bounds_themselves_are_accepted() -> None:
    spec = chain(name="e" * 63, traffic={"rate_mpps": 148.8, "packet_bytes": 1518, "flows": 1_000_000})
    assert chain(traffic={"rate_mpps": 0, "packet_bytes": 64, "flows": 1}).traffic.rate_mpps == 0
    assert spec.traffic.packet_bytes == 1518


@pytest.mark.parametrize("data", [None, [], 7, "chain", {"name": "edge"}])
def test_what_is_no_chain_is_refused(data: Any) -> None:
    with pytest.raises(ValidationError):
        ChainSpec.model_validate(data)


def test_a_chain_file_is_an_envelope_around_a_chain() -> None:
    content = {"apiVersion": "sextant/v1", "kind": "Chain", "name": "edge", "nfs": ["router"], "traffic": TRAFFIC}
    assert ChainFile.model_validate(content).specs() == (chain(),)


@pytest.mark.parametrize("changes", [{"apiVersion": "sextant/v2"}, {"kind": "Deployment"}])
def test_an_envelope_of_another_kind_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        ChainFile.model_validate({"apiVersion": "sextant/v1", "kind": "Chain", **changes})


def test_an_envelope_field_inside_a_chain_is_refused() -> None:
    with pytest.raises(ValidationError):
        chain(kind="Chain")
