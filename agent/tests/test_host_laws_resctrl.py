"""What a host's law gives, by the root helper to threads of real processes: over the double of resctrl in this process,
and over the mounted one with the helper as a process of its own, which is refused and disturbed as another program or
the kernel would do it."""

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
from sextant_domain.hosts.telemetry import ChainControl
from sextant_twin.machines import load

from .helper_process import why_no_groups
from .orders import HOST
from .resctrl_double import ResctrlDouble
from .resctrl_mount import HelperOnDouble, MountedDouble, mounted, why_no_fuse
from .test_helper_threads import PROGRAM
from .test_host_laws import BATCH, rates_of
from .test_resource_control import GROUP, Host, NfHost, together

MACHINE = build_inventory(load("xeon-gold-6126"), HOST)
"""11 ways on each of two nodes, as the double; web's NFs stand on cores 2 and 3, of the first."""
LEVELS = tuple(Level(gbps=gbps, ways=ways, mb_percent=mb) for gbps, ways, mb in [(4.0, 2, 20), (8.0, 6, 60)])
TABLE = LevelTable(host_model="m", types=dict.fromkeys(("router", "firewall"), TypeLevels(local=LEVELS)))
WHY_NOT_MOUNTED = why_no_fuse() or why_no_groups()


def has(ways: int, percent: int) -> set[NfResources | None]:
    """Of both NFs, together."""
    return {NfResources(ways, percent, of_chain=True)}


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

    def __init__(self, folder: Path, host: NfHost, resctrl: ResctrlDouble | MountedDouble, group: str) -> None:
        self.folder, self.host, self.order, self.now = folder, host, desired(), 1000.0
        self.resctrl, self.group = resctrl, group
        self.helper: HelperOnDouble | None = None
        self.failures: dict[str, str] = {}
        self.start()
        self.laws.allowed(None)

    def start(self) -> None:
        self.laws = HostLaws(self.folder, lambda: MACHINE, lambda: self.now)

    def second(self, gbps: float) -> ChainControl:
        self.now += 1
        mpps = gbps / wire_gbps(1.0, 64)
        found = replace(self.host.sample(), taken_ns=int(self.now * 1e9))
        self.laws.act(found, lambda: {"web": rates_of(mpps)}, self.order, lambda: self.failures)
        batch = self.laws.reported(BATCH)
        self.laws.save()
        _, self.failures = self.host.apply(self.laws.content(self.order))
        return batch.controls[0]

    @property
    def has(self) -> set[NfResources | None]:
        return set(self.host.found().values())

    def mask(self) -> str:
        """Of the chain's group on the first cache, in hexadecimal."""
        return self.resctrl.read(f"{self.group}/schemata").split("L3:0=")[1][:3]


@pytest.fixture
def in_this_process(tmp_path: Path) -> Iterator[Governed]:
    tmp_path.chmod(0o700)
    host = Host(tmp_path)
    yield Governed(tmp_path, host, host.helper.double, GROUP)
    host.end()


@pytest.fixture
def on_a_mount(tmp_path: Path) -> Iterator[Governed]:
    tmp_path.chmod(0o700)
    with mounted(tmp_path / "resctrl") as place:
        helper = HelperOnDouble(tmp_path, Path(PROGRAM), place)
        helper.start()
        host, resctrl = NfHost(tmp_path, helper.socket), MountedDouble(place)
        governed = Governed(tmp_path, host, resctrl, f"{helper.subtree.replace('/', '.')}.chain-web")
        governed.helper = helper
        yield governed
        resctrl.take()
        host.end()
        helper.end_all()


needs_fuse = pytest.mark.skipif(WHY_NOT_MOUNTED is not None, reason=f"nothing can be mounted here: {WHY_NOT_MOUNTED}")


@pytest.fixture(params=["in_this_process", pytest.param("on_a_mount", marks=needs_fuse)])
def governed(request: pytest.FixtureRequest) -> Governed:
    found: Governed = request.getfixturevalue(request.param)
    return found


def test_from_a_rate_to_the_threads_of_all_nfs_of_the_chain(governed: Governed) -> None:
    """7 Gbps need 6 ways and 60 %."""
    governed.second(3.0)
    assert governed.has == has(2, 20)
    governed.second(7.0)
    assert governed.has == has(6, 60), "in the same second"
    assert governed.mask() == "03f"
    threads = {str(governed.host.thread(nf_id)) for nf_id in governed.host.processes}
    assert set(governed.resctrl.read(f"{governed.group}/tasks").split()) == threads


def test_what_another_tool_changes_is_put_back_to_what_the_law_gave(governed: Governed) -> None:
    governed.second(7.0)
    governed.resctrl.write(f"{governed.group}/schemata", "MB:0=30\n")
    assert governed.has == has(6, 30)
    assert governed.second(7.0).state == "in_full"
    assert governed.has == has(6, 60)


def test_a_group_that_another_tool_removes_is_made_again(governed: Governed) -> None:
    """Its threads are in the default group meanwhile, whose ways another tool does not give back."""
    governed.second(7.0)
    governed.resctrl.remove(governed.group)
    assert governed.has == {NfResources(None, None)}
    governed.resctrl.write("schemata", "L3:0=7ff\n")
    governed.second(7.0)
    assert (governed.has, governed.mask()) == (has(6, 60), "03f")
    assert governed.second(7.0).state == "in_full"


def test_a_group_that_is_removed_with_its_ways_left_to_nobody_is_held_with_the_reason(governed: Governed) -> None:
    """The default group has 7c0: 5 ways, of which one stays with all others. So 6 do not fit, and 2 do."""
    governed.second(7.0)
    governed.resctrl.remove(governed.group)
    governed.second(7.0)
    control = governed.second(7.0)
    assert control.state == "held"
    assert control.note is not None
    assert "ask for at most 4" in control.note
    governed.resctrl.write("schemata", "L3:0=7ff\n")
    for _ in range(4):
        governed.second(7.0)
    assert governed.has == has(6, 60)


def test_a_thread_that_another_tool_takes_away_is_put_back(governed: Governed) -> None:
    governed.second(7.0)
    governed.resctrl.write("tasks", f"{governed.host.thread('web.router')}\n")
    assert NfResources(None, None) in governed.has
    governed.second(7.0)
    assert governed.has == has(6, 60)


def test_ways_that_another_tool_leaves_to_nobody_between_others_are_not_taken(governed: Governed) -> None:
    """It cuts web's 03f to 003: 7c3 is not contiguous, so nothing can be given before it gives them back."""
    governed.second(7.0)
    governed.resctrl.write(f"{governed.group}/schemata", "L3:0=3\n")
    governed.second(7.0)
    control = governed.second(7.0)
    assert (control.state, control.llc_ways, control.memory_bandwidth_percent) == ("held", 2, 60)
    assert control.note is not None
    assert "7c3, is not contiguous: somebody changed resctrl's groups" in control.note
    assert governed.mask() == "003", "it is left alone"
    governed.resctrl.write("schemata", "L3:0=7fc\n")
    for _ in range(4):
        governed.second(7.0)
    assert (governed.has, governed.mask()) == (has(6, 60), "03f")


def test_a_mask_with_a_gap_is_refused_by_the_kernel(governed: Governed) -> None:
    governed.second(7.0)
    with pytest.raises(OSError, match="Invalid argument") as refused:
        governed.resctrl.write(f"{governed.group}/schemata", "L3:0=2d\n")
    assert refused.value.errno == errno.EINVAL
    assert governed.resctrl.read("info/last_cmd_status") == "The mask 2d has non-consecutive 1-bits\n"
    assert governed.mask() == "03f"


def test_a_host_whose_classes_others_have_is_held_until_one_is_free(governed: Governed) -> None:
    """Seven groups of other programs, and the default one: there is no eighth class."""
    for number in range(7):
        governed.resctrl.make(f"db{number}")
        governed.resctrl.write(f"db{number}/schemata", "L3:0=400;1=400\n")
    governed.second(7.0)
    control = governed.second(7.0)
    assert (control.state, governed.has) == ("held", {NfResources(None, None)})
    assert control.note is not None
    assert "all 8 classes of service of this CPU are taken" in control.note
    governed.resctrl.remove("db6")
    for _ in range(4):
        governed.second(7.0)
    assert governed.has == has(6, 60)
    assert governed.resctrl.groups() == [*(f"db{number}" for number in range(6)), governed.group]


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSPC])
def test_what_the_kernel_refuses_stays_as_it_was_and_is_tried_again(governed: Governed, number: int) -> None:
    governed.second(3.0)
    governed.resctrl.refuse(number)
    governed.second(7.0)
    control = governed.second(7.0)
    assert (control.state, control.llc_ways, control.memory_bandwidth_percent) == ("held", 2, 20)
    assert control.note is not None
    assert control.note.startswith("it could not be given what its rate needs: ")
    assert control.note.endswith("next try in 2 s")
    governed.resctrl.take()
    assert governed.has == has(2, 20)
    for _ in range(3):
        governed.second(7.0)
    assert governed.has == has(6, 60)


@pytest.mark.parametrize("after", range(3))
def test_an_agent_killed_while_it_gives_goes_on_where_it_was(governed: Governed, after: int) -> None:
    """The kernel takes some changes and no more of them; the next agent brings the chain to what was given."""
    governed.second(3.0)
    governed.resctrl.refuse(errno.EIO, after)
    governed.second(7.0)
    governed.resctrl.take()
    governed.start()
    governed.failures = {}
    assert governed.laws.content(governed.order).chains[0].resources == ChainResources(
        llc_ways=6, memory_bandwidth_percent=60
    )
    governed.second(7.0)
    assert governed.has == has(6, 60)


@needs_fuse
def test_a_killed_helper_holds_the_law_and_its_successor_goes_on(on_a_mount: Governed) -> None:
    helper = on_a_mount.helper
    assert helper is not None
    on_a_mount.second(3.0)
    helper.kill()
    control = on_a_mount.second(7.0)
    assert (control.state, control.llc_ways) == ("held", 2)
    assert control.note is not None
    assert control.note.startswith("no root helper answers")
    helper.start()
    assert on_a_mount.has == has(2, 20), "as the killed one left it"
    assert on_a_mount.second(7.0).state == "in_full"
    assert on_a_mount.has == has(6, 60)
