"""An NF in the kernel in a chain of the driver `srv6`, on real packets: filtered, counted, adopted, loaded again."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.control.differences import differences
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_agent.drivers.srv6.kernel_nfs import GONE
from sextant_agent.reporting.telemetry import rates
from sextant_domain.chains.chain import Ingress
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.kernel_nf import KERNEL_NFS
from sextant_domain.chains.match import Match
from sextant_domain.hosts.desired import HostContent, NfState

from .orders import chain, content, nf
from .srv6_host import DATAPLANE, Srv6Host, new_driver, shell, srv6_host, why_not
from .waiting import wait_for

pytestmark = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")

WALL = "web.nft-firewall"
FAMILIES = {
    "ipv4": {},
    "ipv6": {"src_prefix": "2001:db8:1::/48", "dst_prefix": "2001:db8:2::/48"},
}


@pytest.fixture
def measured(tmp_path: Path) -> Iterator[Srv6Host]:
    with srv6_host(tmp_path) as host:
        yield host


@pytest.fixture
def driver(measured: Srv6Host, tmp_path: Path) -> Iterator[Srv6Driver]:
    driver = new_driver(measured, tmp_path)
    yield driver
    driver.apply(content())
    driver.close()
    assert "sxf" not in measured.links() and nft_tables(measured, "list").split() == [], "nothing is left"


def web(family: str = "ipv4", default: str = "allow", **rule: object) -> HostContent:
    """A router before it, on one core with it."""
    rules = [{"action": "deny", **rule}] if rule else []
    core = max(os.sched_getaffinity(0))
    wall = nf("web", "nft-firewall", core=core, slot=1, rules=rules, default_action=default)
    made = chain("web", nf("web", "simple-forward", core=core), wall, rate_mpps=0.002)
    ingress = Ingress(match=Match.model_validate(FAMILIES[family]))
    traffic = made.traffic.model_copy(update={"packet_bytes": 128})
    return content(made.model_copy(update={"ingress": ingress, "traffic": traffic}))


def nft_tables(measured: Srv6Host, *words: str) -> str:
    """In the host's namespace."""
    namespace = f"--net=/run/netns/{measured.namespace}"
    return shell("nsenter", namespace, sys.executable, DATAPLANE / "srv6/tests/nft_tables.py", *words)


@pytest.mark.parametrize("family", list(FAMILIES))
def test_what_no_rule_denies_comes_out_and_is_counted(driver: Srv6Driver, family: str) -> None:
    assert driver.apply(web(family)).failures == {}
    before = wait_for("packets", lambda: s if (s := driver.sample()).chains["web"].delivered > 100 else None)
    found = before.nfs[WALL]
    assert (found.state, found.pid, found.nf_type) == (NfState.RUNNING, None, "nft-firewall")
    assert found.rx >= found.tx > 100 and found.filtered == found.drops == 0
    assert differences(web(family), before) == ()
    later = wait_for("more", lambda: s if (s := driver.sample()).nfs[WALL].rx > found.rx + 100 else None)
    (one,) = (sample for sample in rates(before, later, {}).nfs if sample.nf_id == WALL)
    assert one.tx_mpps > 0 and one.utilisation_percent is None, "what it takes of a core is not measured"
    path = later.chains["web"].path
    assert path is not None and (path[1].nf_id, path[1].waits_us) == (WALL, None) and (path[1].p50_us or 0) > 0


@pytest.mark.parametrize("family", list(FAMILIES))
def test_what_a_rule_denies_does_not_come_out_and_is_counted_as_filtered(driver: Srv6Driver, family: str) -> None:
    driver.apply(web(family, protocol="udp"))
    found = wait_for("filtered ones", lambda: s if (s := driver.sample()).nfs[WALL].filtered > 100 else None)
    assert (found.nfs[WALL].tx, found.nfs[WALL].drops, found.chains["web"].delivered) == (0, 0, 0)
    assert found.nfs[WALL].rx == found.nfs[WALL].filtered


def test_a_successor_of_the_agent_adopts_it_and_goes_on_counting(
    driver: Srv6Driver, measured: Srv6Host, tmp_path: Path
) -> None:
    driver.apply(web())
    before = wait_for("packets", lambda: s if (s := driver.sample()).nfs[WALL].rx > 100 else None)
    measured.end(signal.SIGKILL)
    silent = driver.sample()
    assert silent.nfs[WALL].state is NfState.RUNNING, "packets go on"
    measured.start()
    successor = new_driver(measured, tmp_path)
    assert successor.apply(web()).done == ()
    after = successor.sample().nfs[WALL]
    assert (after.state, after.starts) == (NfState.RUNNING, 1) and after.rx > before.nfs[WALL].rx
    successor.close()


def test_rules_that_are_flushed_are_loaded_again_and_nothing_gets_by_meanwhile(
    driver: Srv6Driver, measured: Srv6Host
) -> None:
    driver.apply(web())
    wait_for("packets", lambda: driver.sample().nfs[WALL].rx > 100)
    nft_tables(measured, "flush")  # as `nft flush ruleset`, or a start of nftables.service
    gone = driver.sample()
    assert (gone.nfs[WALL].state, gone.nfs[WALL].exit) == (NfState.CRASHED, GONE)
    assert driver.sample().nfs[WALL].rx == gone.nfs[WALL].rx
    assert [gap.text for gap in differences(web(), gone)] == [f"restarting {WALL}"]
    assert driver.apply(web()).done == (f"restarted {WALL} (its rules had gone)",)
    again = wait_for("packets", lambda: s if (s := driver.sample()).nfs[WALL].rx > gone.nfs[WALL].rx + 100 else None)
    assert (again.nfs[WALL].state, again.nfs[WALL].starts) == (NfState.RUNNING, 2)
    assert differences(web(), again) == ()


def test_other_rules_and_another_core_are_taken_up(driver: Srv6Driver) -> None:
    driver.apply(web())
    wait_for("packets", lambda: driver.sample().chains["web"].delivered > 100)
    assert driver.apply(web(default="deny")).done
    wait_for("filtered ones", lambda: driver.sample().nfs[WALL].filtered > 100)
    elsewhere = web(default="deny").chains[0]
    nfs = (elsewhere.nfs[0], elsewhere.nfs[1].model_copy(update={"core": 0, "slot": 2}))
    moved = content(elsewhere.model_copy(update={"nfs": nfs}))
    driver.apply(moved)
    assert driver.sample().nfs[WALL].core == 0 and differences(moved, driver.sample()) == ()


def test_a_rule_that_is_refused_is_refused_for_good_by_its_field(driver: Srv6Driver) -> None:
    report = driver.apply(web(src="10.0.0.0/33"))
    assert report.failures["web"].permanent
    assert f"{WALL} does not start: config: an IPv4 prefix" in report.failures["web"].message
    assert "rules.0.src" in report.failures["web"].message
    assert driver.sample().chains == {}


def test_bounds_of_quotas_leave_it_alone(driver: Srv6Driver) -> None:
    """It has no CPU group, and nothing is missing."""
    bounds = QuotaBounds(max_p95_us=20_000, least_percent=5, most_percent=80)
    ordered = content(web().chains[0].model_copy(update={"quota_bounds": bounds}))
    driver.apply(ordered)
    found = wait_for("packets", lambda: s if (s := driver.sample()).nfs[WALL].rx > 100 else None)
    assert WALL not in {gap.key for gap in differences(ordered, found)}
    assert WALL not in driver.nf_times()


def test_the_host_says_that_it_can_and_without_its_daemon_that_it_cannot(
    driver: Srv6Driver, measured: Srv6Host
) -> None:
    able = driver.inventory()
    assert able.host.why_not(KERNEL_NFS) is None and "nft-firewall" in (able.nf_types or ())
    measured.end()
    unable = driver.inventory()
    assert unable.host.why_not(KERNEL_NFS) is not None and "nft-firewall" not in (unable.nf_types or ())
    assert "firewall" in (unable.nf_types or ())
    measured.start()
