"""NFs in the kernel: where they can be, and what cannot be asked of them."""

import pytest
from sextant_domain.chains.chain import ChainSettings, NfSettings
from sextant_domain.chains.cpu_bounds import QuotaBounds, ShareBounds
from sextant_domain.chains.kernel_nf import KERNEL_NFS, NO_QUOTA, unlimitable, unlimitable_nf
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.host import Capability, HostInventory

BOUNDS = QuotaBounds(max_p95_us=1000, least_percent=10, most_percent=80)


def settings(**changes: object) -> ChainSettings:
    plain = ChainSettings(traffic=Traffic(rate_mpps=0.1, packet_bytes=64), nfs={"a": NfSettings()})
    return plain.model_copy(update=changes)


def host(*capabilities: Capability, nf_types: tuple[str, ...] | None = None) -> HostInventory:
    return HostInventory(
        host_id="edge", hostname="edge", host_model="m", driver="d", kernel="6", agent_version="0", nodes=(), cores=(),
        capabilities=capabilities, nf_types=nf_types,
    )  # fmt: skip


def test_only_a_host_that_says_so_can_have_one() -> None:
    able = Capability(name=KERNEL_NFS, available=True, reason="")
    unable = able.model_copy(update={"available": False, "reason": "no nf_tables"})
    assert [one.cannot_run("nft-firewall") for one in (host(), host(unable), host(able))] == [True, True, False]
    assert not host().cannot_run("firewall")
    assert host(able, nf_types=("router",)).cannot_run("nft-firewall")


@pytest.mark.parametrize(
    ("field", "bounds"), [("quota_bounds", BOUNDS), ("share_bounds", ShareBounds(least_percent=10, most_percent=80))]
)
def test_bounds_need_one_nf_that_could_be_given_something(field: str, bounds: object) -> None:
    asked = settings(**{field: bounds})
    (error,) = unlimitable(asked, {"a": "nft-firewall", "b": "nft-firewall"})
    assert error.field == field and "(a, b)" in error.message and NO_QUOTA in error.message
    assert list(unlimitable(asked, {"a": "nft-firewall", "b": "router"})) == []
    assert list(unlimitable(settings(), {"a": "nft-firewall"})) == []
    assert list(unlimitable(asked, {})) == []


def test_no_share_and_no_quota_is_an_nfs_own() -> None:
    wanted = NfSettings(cpu_share=50, cpu_quota_percent=20.0)
    assert [error.field for error in unlimitable_nf(wanted, "nft-firewall", "nfs.0")] == [
        "nfs.0.cpu_share", "nfs.0.cpu_quota_percent",
    ]  # fmt: skip
    assert (
        list(unlimitable_nf(wanted, "router", "nfs.0")) == list(unlimitable_nf(NfSettings(), "nft-firewall", "n")) == []
    )
