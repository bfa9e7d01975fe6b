"""Managers, cores and lcores of chains, and command lines."""

from pathlib import Path

import pytest
from sextant_agent.drivers.opennetvm.launching import manager_command, nf_command
from sextant_agent.drivers.opennetvm.placing import WAY_OUT_ID, PlacementRefused, lcores_of, manager_of, places_of
from sextant_domain.chains.chain import Ingress
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.opennetvm.launch import free_lcore, manager_lcores

from .opennetvm_world import installation, place
from .orders import chain, nf


def entering(port: str | None, *cores: int) -> DesiredChain:
    wanted = chain("web", *(nf("web", "simple-forward", core=core) for core in cores))
    return wanted.model_copy(update={"ingress": Ingress(port=port)})


def test_a_chain_has_the_manager_of_its_port(tmp_path: Path) -> None:
    both = installation(tmp_path, place(), place("east", nf_cpus="8-9"))
    assert manager_of(entering("east-0", 8), both, {}).name == "east"
    with pytest.raises(PlacementRefused, match=r"has the port p9 \(there are west-0, east-0\)"):
        manager_of(entering("p9", 8), both, {})
    with pytest.raises(PlacementRefused, match=r"all packets of port east-0 enter shop: .* another port"):
        manager_of(entering("east-0", 8), both, {"east": "shop"})


def test_without_a_port_it_has_the_first_that_is_free_and_holds_its_cores(tmp_path: Path) -> None:
    both = installation(tmp_path, place(), place("east", nf_cpus="8-9"))
    assert manager_of(entering(None, 4), both, {}).name == "west"
    assert manager_of(entering(None, 8), both, {}).name == "east"
    assert manager_of(entering(None, 4), both, {"west": "shop"}).name == "east", "where its cores are refused by name"
    with pytest.raises(PlacementRefused, match=r"every port has a chain \(a, b\)"):
        manager_of(entering(None, 4), both, {"west": "b", "east": "a"})


def test_a_chain_that_hands_on_at_its_end_gets_a_way_out(tmp_path: Path) -> None:
    west = place(way_out_cpu=3)
    places = places_of(entering("west-0", 4, 5), installation(tmp_path, west), west)
    assert [(one.nf_id, one.cpu) for one in places] == [
        ("web.simple-forward", 4),
        ("web.simple-forward", 5),
        (WAY_OUT_ID, 3),
    ]
    monitored = chain("web", nf("web", "simple-forward", core=4), nf("web", "basic-monitor", core=5))
    assert [one.nf_id for one in places_of(monitored, installation(tmp_path, west), west)] == [
        "web.simple-forward", "web.basic-monitor",
    ]  # fmt: skip


def test_cores_are_the_managers_and_polling_nfs_have_one_each(tmp_path: Path) -> None:
    west = place()
    with pytest.raises(PlacementRefused, match="core 9 is not one of the manager of port west-0"):
        places_of(entering("west-0", 9), installation(tmp_path, west), west)
    with pytest.raises(PlacementRefused, match="poll, with a core each"):
        places_of(entering("west-0", 4, 4), installation(tmp_path, west), west)
    shared = place(shared=True, cpus=[0, 1, 2, 3])
    assert len(places_of(entering("west-0", 4, 4), installation(tmp_path, shared), shared)) == 3


def test_thirty_one_services_are_all_there_are(tmp_path: Path) -> None:
    shared = place(shared=True, cpus=[0, 1, 2, 3])
    offered = installation(tmp_path, shared)
    assert len(places_of(entering("west-0", *[4] * 30), offered, shared)) == 31
    with pytest.raises(PlacementRefused, match="32 NFs, with the way out: OpenNetVM has 31 services"):
        places_of(entering("west-0", *[4] * 31), offered, shared)


def test_every_process_of_a_prefix_has_an_lcore_of_its_own(tmp_path: Path) -> None:
    """The first on a CPU has its number, by which OpenNetVM knows the core; others, and the way out, a spare one."""
    shared = place(shared=True, cpus=[0, 1, 2, 3])
    places = places_of(entering("west-0", 4, 5, 4), installation(tmp_path, shared), shared)
    assert lcores_of(places, shared) == [4, 5, 64, 65]
    assert manager_lcores(len(shared.cpus)) == (124, 125, 126, 127)
    assert free_lcore(4, 4, [4, *range(64, 123)]) == 123
    assert free_lcore(4, 4, [4, *range(64, 124)]) is None


def test_command_lines_in_full(tmp_path: Path) -> None:
    west = place(eal=["-a", "0000:3b:00.0"], nf_cpus="4-7", port_mask=1, memory_mb=512)
    offered = installation(tmp_path, west, manager_binary="/opt/onvm_mgr", huge_dir="/huge")
    shared = "--base-virtaddr=0x7f000000000 --file-prefix=sextant-west --huge-dir=/huge"
    assert " ".join(manager_command(offered, west)) == (
        f"/opt/onvm_mgr --lcores 125@0,126@1,127@2 -n 4 --proc-type=primary {shared} -m 512 -a 0000:3b:00.0 --"
        " -p 1 -n f0 -s web -v 3 -z 1"
    ), "cores 4 to 7 are 0xf0"
    nf_line = nf_command(offered, west, Path("/nf"), ["-d", "2"], lcore=4, cpu=4, instance=9, service=1)
    assert (
        " ".join(nf_line) == f"/nf --lcores 4@4 -n 3 --proc-type=secondary {shared} --no-pci -- -r 1 -n 9 -m -s -- -d 2"
    )
    second = nf_command(offered, west, Path("/nf"), [], lcore=64, cpu=4, instance=10, service=2)
    assert "-m" not in second and "64@4" in second
    assert manager_command(offered, place(shared=True, cpus=[0, 1, 2, 3]))[-1] == "-c"
