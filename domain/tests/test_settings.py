"""A chain's settings: what may change while it runs, and what does not fit together."""

import pytest
from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec, NfSettings

WEB = {"name": "web", "nfs": ["router", "firewall"], "traffic": {"rate_mpps": 1, "packet_bytes": 64}}


def spec(**changes: object) -> ChainSpec:
    return ChainSpec.model_validate({**WEB, **changes})


def test_settings_name_every_nf_and_come_back_as_they_were() -> None:
    given = spec(paused=True, nfs=[{"type": "router", "cpu_share": 300, "cpu_quota_percent": 40}, "firewall"])
    assert given.settings.nfs == {"router": NfSettings(cpu_share=300, cpu_quota_percent=40), "firewall": NfSettings()}
    assert spec().with_settings(given.settings) == given


@pytest.mark.parametrize(
    ("nf", "field"),
    [
        ({"cpu_share": 0}, "cpu_share"),
        ({"cpu_share": 10_001}, "cpu_share"),
        ({"cpu_share": "9"}, "cpu_share"),
        ({"cpu_quota_percent": 0.5}, "cpu_quota_percent"),
        ({"cpu_quota_percent": 101}, "cpu_quota_percent"),
    ],
)
def test_a_wish_out_of_range_names_its_field(nf: dict[str, object], field: str) -> None:
    with pytest.raises(ValidationError, match=field):
        spec(nfs=[{"type": "router", **nf}])


def test_nfs_that_share_a_process_have_no_cpu_wishes_of_their_own() -> None:
    nfs = ["firewall", {"type": "router", "cpu_quota_percent": 40}]
    with pytest.raises(ValidationError, match=r"nfs\.1\.cpu_quota_percent: NFs that share a process"):
        spec(execution="run-to-completion", nfs=nfs)
    with pytest.raises(ValidationError, match="paused"):
        spec(paused="yes")
