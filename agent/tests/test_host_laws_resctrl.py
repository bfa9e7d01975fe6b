"""What a host's law gives, by the root helper to the double of resctrl: threads of real processes."""

import errno
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sextant_agent.contract.sample import NfResources
from sextant_agent.controllers.frame import HostLaws
from sextant_agent.drivers.twin.inventory import build_inventory
from sextant_domain.base import digest_of
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.desired import ChainResources, DesiredHostConfig, HostContent, ResourceBounds
from sextant_domain.hosts.levels import Level, LevelTable, TypeLevels
from sextant_domain.hosts.telemetry import ChainControl, ChainSample
from sextant_twin.machines import load

from .orders import HOST
from .test_host_laws import batch_of
from .test_resource_control import GROUP, Host, together

MACHINE = build_inventory(load("xeon-gold-6126"), HOST)
"""11 ways on each of two nodes, as the double; web's NFs stand on cores 2 and 3, of the first."""
LEVELS = tuple(Level(gbps=gbps, ways=ways, mb_percent=mb) for gbps, ways, mb in [(4.0, 2, 20), (8.0, 6, 60)])
TABLE = LevelTable(host_model="m", types=dict.fromkeys(("router", "firewall"), TypeLevels(local=LEVELS)))


def desired() -> DesiredHostConfig:
    """web's two NFs begin with 2 ways and 20 %."""
    (web,) = together(2, 20).chains
    bounds = ResourceBounds(
        law="numasfp", law_version=1, table=digest_of(TABLE), least_ways=1, most_ways=9, least_percent=10,
        most_percent=90,
    )  # fmt: skip
    begins = {"resources": ChainResources(llc_ways=2, memory_bandwidth_percent=20), "bounds": bounds}
    return DesiredHostConfig.of(1, HostContent(host_id=HOST, chains=(web.model_copy(update=begins),), tables=(TABLE,)))


class Governed:
    """The host of the resource tests with laws: each `second` is measured, and what they gave is applied."""

    def __init__(self, folder: Path, host: Host) -> None:
        self.folder, self.host, self.order, self.now = folder, host, desired(), 1000.0
        self.failures: dict[str, str] = {}
        self.start()
        self.laws.allowed(None)

    def start(self) -> None:
        self.laws = HostLaws(self.folder, lambda: MACHINE, lambda: self.now)

    def second(self, gbps: float) -> ChainControl:
        self.now += 1
        mpps = gbps / wire_gbps(1.0, 64)
        samples = (ChainSample(chain="web", offered_mpps=mpps, delivered_mpps=mpps, drop_mpps=0),)
        found = replace(self.host.sample(), taken_ns=int(self.now * 1e9))
        batch, _ = self.laws.after(found, batch_of(samples), self.order, lambda: self.failures)
        self.laws.save()
        _, self.failures = self.host.apply(self.laws.content(self.order))
        return batch.controls[0]

    @property
    def has(self) -> set[NfResources | None]:
        return set(self.host.found().values())


@pytest.fixture
def governed(tmp_path: Path) -> Iterator[Governed]:
    tmp_path.chmod(0o700)
    host = Host(tmp_path)
    yield Governed(tmp_path, host)
    host.end()


def test_from_a_rate_to_the_threads_of_all_nfs_of_the_chain(governed: Governed) -> None:
    """7 Gbps need 6 ways and 60 %."""
    governed.second(3.0)
    assert governed.has == {NfResources(2, 20, of_chain=True)}
    governed.second(7.0)
    assert governed.has == {NfResources(6, 60, of_chain=True)}, "in the same second"
    double = governed.host.helper.double
    assert (double.all[GROUP].llc[0], len(double.tasks)) == (0x03F, 2)


def test_what_another_tool_changes_is_put_back_to_what_the_law_gave(governed: Governed) -> None:
    governed.second(7.0)
    governed.host.helper.double.write(f"{GROUP}/schemata", "MB:0=30\n")
    assert governed.has == {NfResources(6, 30, of_chain=True)}
    assert governed.second(7.0).state == "in_full"
    assert governed.has == {NfResources(6, 60, of_chain=True)}


def test_what_the_kernel_refuses_stays_as_it_was_and_is_tried_again(governed: Governed) -> None:
    governed.second(3.0)
    double = governed.host.helper.double

    def refused() -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    double.written = refused
    governed.second(7.0)
    control = governed.second(7.0)
    assert (control.state, control.llc_ways, control.memory_bandwidth_percent) == ("held", 2, 20)
    assert control.note is not None
    assert control.note.startswith("it could not be given what its rate needs: ")
    assert control.note.endswith("next try in 2 s")
    double.written = lambda: None
    assert governed.has == {NfResources(2, 20, of_chain=True)}
    for _ in range(3):
        governed.second(7.0)
    assert governed.has == {NfResources(6, 60, of_chain=True)}


@pytest.mark.parametrize("at", range(1, 4))
def test_an_agent_killed_while_it_gives_goes_on_where_it_was(governed: Governed, at: int) -> None:
    """The kernel takes some changes and no more of them; the next agent brings the chain to what was given."""
    governed.second(3.0)
    left = iter(range(1, at))
    double = governed.host.helper.double

    def dies() -> None:
        if next(left, None) is None:
            raise OSError(errno.EIO, "the helper died, too")

    double.written = dies
    governed.second(7.0)
    double.written = lambda: None
    governed.start()
    governed.failures = {}
    assert governed.laws.content(governed.order).chains[0].resources == ChainResources(
        llc_ways=6, memory_bandwidth_percent=60
    )
    governed.second(7.0)
    assert governed.has == {NfResources(6, 60, of_chain=True)}
