"""`srv6.toml`, the path that follows from it, and what the doctor says of such a host."""

import os
import shutil
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path

import pytest
from sextant_agent.contract.errors import DriverError
from sextant_agent.doctor.finding import DoctorFinding
from sextant_agent.doctor.sight import read_sight
from sextant_agent.drivers.srv6.chain_path import free_tag, path_of, sids_after
from sextant_agent.drivers.srv6.doctor import examine_srv6
from sextant_agent.drivers.srv6.opening import open_driver
from sextant_agent.drivers.srv6.place import BadPlace, read_place
from sextant_agent.settings import AgentSettings
from sextant_domain.chains.part import MIN_FLEET_TAG
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.path import MAX_TAG, ChainPath, PathSegment
from sextant_engine.control.srv6.reroute import RerouteSettings

from .machines import two_sockets, write
from .orders import chain, nf
from .srv6_host import PROGRAMS, srv6_host, why_not

WHOLE = 'daemon = "/run/sextant/srv6.sock"\nprograms = ["/opt/bin"]\nlocator = "fc00:0:1::/48"\n'
LINK = '[[link]]\nport = "eth1"\nmac = "02:00:00:00:00:09"\nto = ["fc00:0:2::/48"]\n'


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    (tmp_path / "srv6.toml").write_text(WHOLE)
    place = read_place(tmp_path / "srv6.toml")
    assert (place.others, place.sources, place.mtu) == (frozenset(), (), 9000)
    assert place.source == IPv6Address("fc00:0:1::")
    assert place.program("nf") == Path("/opt/bin/sextant-srv6-nf")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("daemon = 3", "daemon"),
        (WHOLE + "colour = 'red'\n", "colour"),
        (WHOLE.replace("/run/", "run/"), "daemon: 'run/sextant/srv6.sock' is not an absolute path"),
        (WHOLE.replace('["/opt/bin"]', "[]"), "programs"),
        (WHOLE.replace("/48", "/64"), "locator: fc00:0:1::/64 is longer than a /48"),
        (WHOLE.replace("fc00:0:1::/48", "fc00:0:1::1/48"), "locator"),
        (WHOLE + LINK.replace("fc00:0:2::/48", "fc00::/16"), "link.0.to.0: fc00::/16 has addresses in common"),
        (WHOLE + LINK.replace("eth1", "eth1/../x"), "link.0.port"),
        (WHOLE + LINK.replace(":09", ":9"), "link.0.mac"),
        (WHOLE + "mtu = 1279\n", "mtu"),
        (WHOLE + "return_after_s = 0\n", "return_after_s"),
        (WHOLE + "slow_packets = 0\n", "slow_packets"),
        (WHOLE + "slow_after_s = 61\n", "slow_after_s"),
        ("daemon = ", "is not TOML"),
        ("#" * 70_000, "is larger than"),
    ],
)
def test_what_is_wrong_is_named_by_its_field(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "srv6.toml").write_text(text)
    with pytest.raises(BadPlace) as refused:
        read_place(tmp_path / "srv6.toml")
    assert message in str(refused.value)


def of(name: str, *types: str) -> DesiredChain:
    return chain(name, *(nf(name, kind, slot=slot) for slot, kind in enumerate(types)))


def test_segments_of_a_chain_that_is_all_here() -> None:
    """fc00:0:1::/48, tag 7, two NFs and the exit."""
    locator = IPv6Network("fc00:0:1::/48")
    web = path_of(of("web", "router", "firewall"), locator, 7, 9000)
    assert [(str(one.sid), one.nf_id) for one in web.segments] == [
        ("fc00:0:1:7::1", "web.router"), ("fc00:0:1:7::2", "web.firewall"), ("fc00:0:1:7::3", None),
    ]  # fmt: skip
    assert (web.tag, str(web.source), web.enters, web.leaves) == (7, "fc00:0:1::", True, True)
    assert sids_after(web, {"web.router", "web.firewall"}) == [one.sid for one in web.segments]
    most = path_of(of("x", "router"), locator, MAX_TAG, 9000)
    assert all(one.sid in locator for one in most.segments)


def test_where_packets_go_from_each_of_two_hosts() -> None:
    """router here, firewall and the exit there: from the edge to router, from router to firewall; there to the exit."""
    segments = tuple(
        PathSegment(sid=IPv6Address(sid), nf_id=nf_id)
        for sid, nf_id in (("fc00:0:1::1", "web.router"), ("fc00:0:2::1", "web.firewall"), ("fc00:0:2::e", None))
    )
    given = {"tag": 7, "source": IPv6Address("fc00:0:1::"), "segments": segments, "mtu": 1700}
    sids = [one.sid for one in segments]
    assert sids_after(ChainPath(**given, enters=True), {"web.router"}) == sids[:2]
    assert sids_after(ChainPath(**given, leaves=True), {"web.firewall"}) == sids[2:]


def test_the_lowest_tag_that_is_free() -> None:
    """Of the host's own, which lie below those of chains over several hosts."""
    assert [free_tag(taken) for taken in (set(), {1, 2}, {2})] == [1, 3, 1]
    with pytest.raises(DriverError, match="all 32767 tags"):
        free_tag(range(1, MIN_FLEET_TAG))


def settings(folder: Path) -> AgentSettings:
    return AgentSettings(
        host_id="edge-1", driver="srv6", state_dir=folder / "state", pki_dir=folder, srv6=folder / "srv6.toml"
    )


def test_without_its_file_nothing_is_opened_and_the_doctor_says_why(tmp_path: Path) -> None:
    with pytest.raises(DriverError, match=r"srv6\.toml cannot be read: No such file") as refused:
        open_driver(settings(tmp_path))
    assert refused.value.permanent
    *_, last = examine_srv6(read_sight(Path("/")), settings(tmp_path))
    assert (last.check, last.state) == ("srv6.toml", "problem")


@pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")
def test_the_doctor_asks_the_daemon(tmp_path: Path) -> None:
    folders = ", ".join(f'"{folder}"' for folder in PROGRAMS)
    with srv6_host(tmp_path) as host:
        (tmp_path / "srv6.toml").write_text(
            f'daemon = "{host.socket}"\nprograms = [{folders}]\nlocator = "fc00:0:1::/48"\n'
        )
        (tmp_path / "state").mkdir()
        os.chown(tmp_path / "state", os.getuid(), os.getgid())
        found = {one.check: one for one in examine_srv6(read_sight(Path("/")), settings(tmp_path))}
        assert found["daemon"].state == "ok" and found["daemon"].what.endswith("of host edge-1")
        assert all(found[f"sextant-srv6-{name}"].state == "ok" for name in ("nf", "source", "sink", "decode"))
        host.end()
        found = {one.check: one for one in examine_srv6(read_sight(Path("/")), settings(tmp_path))}
        assert found["daemon"].state == "problem"
        assert found["daemon"].do == "start it as root: sextant-srv6 --help"


class Machine:
    """Made up: two ports to other hosts, and all programs."""

    def __init__(self, root: Path) -> None:
        self.root = two_sockets(root)
        self.absent: set[str] = set()
        ports = {f"sys/class/net/{port}/mtu": 9000 for port in ("eth1", "eth2")}
        write(self.root, {**ports, "proc/sys/net/ipv6/conf/all/forwarding": 1})
        write(self.root, {"srv6.toml": WHOLE + LINK + LINK.replace("eth1", "eth2")})

    def findings(self) -> dict[str, DoctorFinding]:
        sight = read_sight(self.root, lambda path, _: path.name not in self.absent)
        return {one.check: one for one in examine_srv6(sight, settings(Path("/")))}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_doctor_looks_at_ports_forwarding_and_the_decoder(machine: Machine) -> None:
    found = machine.findings()
    assert {found[check].state for check in ("link.0", "link.1", "forwarding", "sextant-srv6-decode")} == {"ok"}
    assert found["link.0"].what == "eth1, MTU 9000, carries the 9000 of srv6.toml"


def test_what_a_port_lacks_is_said_with_what_to_do(machine: Machine) -> None:
    write(machine.root, {"sys/class/net/eth1/mtu": 1500, "proc/sys/net/ipv6/conf/all/forwarding": 0})
    (machine.root / "sys/class/net/eth2/mtu").unlink()
    machine.absent.add("sextant-srv6-decode")
    found = machine.findings()
    narrow, gone, forwarding = found["link.0"], found["link.1"], found["forwarding"]
    assert narrow.state == gone.state == "problem"
    assert narrow.do == "ip link set eth1 mtu 9000, on both ends and all between, or link.0.mtu = 1500 in srv6.toml"
    assert gone.what == "there is no interface eth2" and gone.do is not None and "link.1.port" in gone.do
    assert (forwarding.state, found["sextant-srv6-decode"].state) == ("warning", "warning")
    assert forwarding.do is not None and forwarding.do.startswith("sysctl -w net.ipv6.conf.all.forwarding=1")


def test_it_is_said_what_there_is_to_give_of_caches_and_memory(machine: Machine) -> None:
    """Never a fault: where there is none, quotas are what the local loop gives."""
    there = machine.findings()["resctrl"]
    assert (there.state, there.what) == (
        "ok", "11 ways a cache and 4 steps of memory bandwidth, handed out by the root helper alone",
    )  # fmt: skip
    shutil.rmtree(machine.root / "sys/fs/resctrl")
    none = machine.findings()["resctrl"]
    assert (none.state, none.what) == ("ok", "no resctrl: this CPU or kernel does not offer it")


def test_a_host_with_one_port_passes_on_nothing(machine: Machine) -> None:
    write(machine.root, {"srv6.toml": WHOLE + LINK, "proc/sys/net/ipv6/conf/all/forwarding": 0})
    assert "forwarding" not in machine.findings()


def test_of_several_links_to_a_segment_the_first_is_preferred(tmp_path: Path) -> None:
    """eth1 leads to two hosts, eth2 to one of them, too."""
    first = LINK.replace('to = ["fc00:0:2::/48"]', 'to = ["fc00:0:3::/48", "fc00:0:2::/48"]')
    file = tmp_path / "srv6.toml"
    file.write_text(WHOLE + "return_after_s = 2.5\nslow_packets = 50\n" + first + LINK.replace("eth1", "eth2"))
    place = read_place(file)
    assert [link.port for link in place.links_to(IPv6Address("fc00:0:2::1"))] == ["eth1", "eth2"]
    assert [link.port for link in place.links_to(IPv6Address("fc00:0:3::1"))] == ["eth1"]
    assert place.links_to(IPv6Address("fc00:0:4::1")) == ()
    settings = RerouteSettings(return_after_ns=2_500_000_000, slow_packets=50, slow_after_ns=1_000_000_000)
    assert place.rerouting == settings
