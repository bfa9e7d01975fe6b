"""An NF in the kernel in a chain of the driver `srv6`, on real packets: filtered, counted, adopted, loaded again."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.control.differences import differences
from sextant_agent.controllers.srv6 import NfQuotas
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_agent.drivers.srv6.kernel_nfs import GONE
from sextant_agent.reporting.core_time import own_percent
from sextant_agent.reporting.telemetry import rates
from sextant_domain.chains.chain import Ingress
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.kernel_nf import KERNEL_NFS, NO_QUOTA
from sextant_domain.chains.match import Match
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaState
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
    assert one.tx_mpps > 0, "what it takes of a core is not measured:"
    assert (one.utilisation_percent, one.cpu_percent, one.headroom_mpps) == (None, None, None)
    (router,) = (sample for sample in rates(before, later, {}).nfs if sample.nf_id == "web.simple-forward")
    assert router.cpu_percent is not None
    assert own_percent(before, later, rates(before, later, {}).nfs) is None, "nor is what other work took of any core"
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


def test_other_rules_are_taken_up_while_packets_pass(driver: Srv6Driver) -> None:
    """Nothing is added again, and what was counted is counted on. Nor is a packet lost that both sets let pass."""
    driver.apply(web())
    before = wait_for("packets", lambda: s if (s := driver.sample()).chains["web"].delivered > 100 else None)
    allowing = web(dst_port=[1, 1])
    assert driver.apply(allowing).done == (f"changed rules, default_action of {WALL} while it runs",)
    again = wait_for("more", lambda: s if (s := driver.sample()).nfs[WALL].tx > before.nfs[WALL].tx + 100 else None)
    assert (again.nfs[WALL].filtered, again.nfs[WALL].starts) == (0, 1)
    assert driver.apply(web(default="deny")).done == (f"changed rules, default_action of {WALL} while it runs",)
    after = wait_for("filtered ones", lambda: s if (s := driver.sample()).nfs[WALL].filtered > 100 else None)
    assert after.nfs[WALL].tx >= again.nfs[WALL].tx
    assert after.chains["web"].instance == before.chains["web"].instance
    assert after.nfs["web.simple-forward"].pid == before.nfs["web.simple-forward"].pid
    assert differences(web(default="deny"), after) == ()


def test_what_each_rule_has_decided_is_reported_until_the_rules_change(driver: Srv6Driver) -> None:
    denying = web(protocol="udp")
    driver.apply(denying)
    before = driver.sample()
    found = wait_for("filtered ones", lambda: s if (s := driver.sample()).nfs[WALL].filtered > 100 else None)
    (counted,) = (nf.rule_counts for nf in rates(before, found, {}).nfs if nf.nf_id == WALL)
    assert counted is not None and counted.default.packets == 0
    (denied,) = counted.rules
    assert denied.packets == found.nfs[WALL].filtered and denied.bytes > 128 * denied.packets
    driver.apply(web())
    again = driver.sample()
    rules = again.nfs[WALL].rules
    assert rules is not None and rules.rules == () and rules.since > counted.since
    assert again.nfs[WALL].filtered >= denied.packets, "what was filtered in all does not begin anew"


def test_another_core_is_noted(driver: Srv6Driver) -> None:
    driver.apply(web())
    elsewhere = web().chains[0]
    nfs = (elsewhere.nfs[0], elsewhere.nfs[1].model_copy(update={"core": 0, "slot": 2}))
    moved = content(elsewhere.model_copy(update={"nfs": nfs}))
    driver.apply(moved)
    assert driver.sample().nfs[WALL].core == 0 and differences(moved, driver.sample()) == ()


def test_rules_that_are_refused_leave_the_former_ones_in_force(driver: Srv6Driver) -> None:
    """Refused for good, by their field; and an order of the former ones finds nothing to do."""
    denying = web(protocol="udp")
    driver.apply(denying)
    wait_for("filtered ones", lambda: driver.sample().nfs[WALL].filtered > 100)
    failure = driver.apply(web(src="10.0.0.0/33")).failures[WALL]
    assert failure.permanent and f"{WALL} keeps its former rules: config: " in failure.message
    assert "rules.0.src" in failure.message
    found = wait_for("more", lambda: s if (s := driver.sample()).nfs[WALL].filtered > 200 else None)
    assert (found.nfs[WALL].tx, found.chains["web"].delivered) == (0, 0)
    assert driver.apply(denying).done == ()


def test_rules_are_changed_once_a_daemon_that_was_killed_is_there_again(
    driver: Srv6Driver, measured: Srv6Host, tmp_path: Path
) -> None:
    """Nobody knows whether it had carried out the change: it is asked again, by a successor of the agent as well."""
    driver.apply(web())
    wait_for("packets", lambda: driver.sample().chains["web"].delivered > 100)
    measured.end(signal.SIGKILL)
    with pytest.raises(DataPlaneDown):
        driver.apply(web(protocol="udp"))
    measured.start()
    successor = new_driver(measured, tmp_path)
    assert successor.apply(web(protocol="udp")).done == (f"changed rules, default_action of {WALL} while it runs",)
    wait_for("filtered ones", lambda: successor.sample().nfs[WALL].filtered > 100)
    successor.close()


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


def test_how_long_it_has_packets_is_measured_and_what_it_filters_is_not_held_by_it(driver: Srv6Driver) -> None:
    """About half of the flows have such a port: those packets never come back."""
    driver.apply(web(dst_port=[1, 32767]))
    wait_for("filtered ones", lambda: driver.sample().nfs[WALL].filtered > 100)
    found = wait_for("a window", lambda: t if (t := driver.nf_times()[WALL]).window else None)
    assert 0 < found.p95_us < 2_000_000 and found.oldest_us == 0


def test_its_host_has_no_more_for_it_once_packets_are_with_it_for_too_long(driver: Srv6Driver, tmp_path: Path) -> None:
    """By packets: no kernel filters one within 1 us, and every one does within a second."""
    quotas = NfQuotas(driver, lambda: None, tmp_path / "quotas.json")

    def standing(max_p95_us: float) -> BoundedNf:
        bounds = QuotaBounds(max_p95_us=max_p95_us, least_percent=5, most_percent=80)
        both = web().chains[0]
        quotas.tick(content(both.model_copy(update={"quota_bounds": bounds, "nfs": both.nfs[1:]})))
        return quotas.standing()[0]

    driver.apply(web())
    found = wait_for("a window", lambda: one if (one := standing(1_000_000)).p95_us else None)
    assert found.state is QuotaState.WELL
    found = wait_for("two above it", lambda: one if (one := standing(0.1)).state is QuotaState.SATURATED else None)
    assert found.not_given == NO_QUOTA and (found.p95_us or 0) > 0.1


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
