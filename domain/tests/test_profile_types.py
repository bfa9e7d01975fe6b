"""Results and records of profiles: most random values break a rule between their fields, so these are made by hand."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError
from sextant_domain.base import Provenance
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, StandingNf
from sextant_domain.profiling.profile import (
    Estimate,
    NfEstimates,
    ProfiledNf,
    ProfileMode,
    ProfileRequest,
    ProfileResult,
)

NF, RIVAL = ProfiledNf(nf_type="edge-firewall", implementation="firewall", core=1), ProfiledNf(nf_type="nat", core=2)
BESIDE = ProfileRequest(mode=ProfileMode.COLOCATION, nf=NF, others=(RIVAL,))
ONE = Estimate(value=1.5, standard_error=0.1, half_width=0.25, count=3)
NARROW = ProfileResult(
    request=BESIDE,
    provenance=Provenance.MEASURED,
    ended="narrow",
    nf=NfEstimates(mpps=ONE, cycles_per_packet=ONE, cpu_percent=ONE, counts={"instructions": ONE}),
    throughput_drop_percent=ONE,
    pairs=16,
)
CANNOT = ProfileResult(
    request=BESIDE, provenance=Provenance.MEASURED, ended="not-measurable", not_measurable="no pair shares an L3"
)


def record(result: ProfileResult) -> ProfileRecord:
    setting = PointSetting(
        purpose=PointPurpose.LOCAL,
        ingress_node=0,
        chain=(StandingNf(nf_type="edge-firewall", node=0),),
        others=(StandingNf(nf_type="nat", node=0),),
    )
    return ProfileRecord(
        id=1,
        job_id=2,
        point_id=3,
        host="edge-1",
        host_model="test-cpu 1x2",
        versions={"edge-firewall": 1, "nat": 2},
        setting=setting,
        request=BESIDE,
        result=result,
        stored_at=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        provenance=Provenance.MEASURED,
    )


@pytest.mark.parametrize("result", [NARROW, CANNOT], ids=["narrow", "not measurable"])
def test_a_result_and_its_record_are_the_same_after_a_way_over_json(result: ProfileResult) -> None:
    assert ProfileResult.model_validate_json(result.model_dump_json()) == result
    assert ProfileRecord.model_validate_json(record(result).model_dump_json()) == record(result)


def test_figures_and_a_reason_exclude_each_other() -> None:
    for wrong in (
        {"not_measurable": "no pair shares an L3"},
        {"ended": "not-measurable"},
        {"nf": None},
    ):
        with pytest.raises(ValidationError):
            ProfileResult.model_validate({**NARROW.model_dump(), **wrong})


def test_the_built_in_type_whose_program_runs() -> None:
    assert (NF.runs, RIVAL.runs) == ("firewall", "nat")
    assert "implementation" not in RIVAL.model_dump()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"downstream": (RIVAL,)}, "downstream: NFs of a chain have a core each"),
        ({"mode": ProfileMode.SOLO, "others": (), "others_a_chain": 2}, "others_a_chain: only co-located"),
        (
            {"mode": ProfileMode.SHARED_CORE, "others": (NF,), "downstream": (RIVAL,)},
            "downstream: NFs that share a core are measured without a chain",
        ),
    ],
)
def test_nfs_of_a_chain_have_cores_of_their_own(wrong: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        ProfileRequest.model_validate({**BESIDE.__dict__, **wrong})


def test_a_request_without_chains_is_as_it_was_before_there_were_any() -> None:
    """Requests that were stored are compared with new ones."""
    assert not {"upstream", "downstream", "others_a_chain"} & BESIDE.model_dump().keys()
