"""What `sextant-agent doctor` says of an OpenNetVM host, read off made-up roots: one thing is spoiled, one reported.

Here its description, programs and permissions."""

import os
from pathlib import Path

import pytest

from .doctor_world import MANAGER, STATE, DoctorWorld, only


def test_a_host_that_is_right_has_nothing_to_mend(world: DoctorWorld) -> None:
    assert world.wrong() == {}
    found = world.findings()
    assert found["NF types"].what == "offered: basic-monitor, firewall, nids, simple-forward"
    assert found["DPDK"].what == "manager and NFs are for ABI 23, DPDK 22.11 and up"
    assert found["port p0"].what == "card 0000:81:00.0 is bound to vfio-pci, and /dev/vfio/7 may be opened"
    assert found["manager west"].what == "not started: no chain uses p0"
    assert found["resctrl"].what.startswith("11 ways a cache")
    helper = found["root helper"]
    assert helper.state == "warning", "none answers here"
    assert helper.do
    assert "--host-id edge-1" in helper.do


def test_the_description_is_reported_by_its_field(world: DoctorWorld) -> None:
    world.describe("node = 1", "nodes = 1")
    found = only(world)
    assert (found.check, found.state) == ("opennetvm.toml", "problem")
    assert found.what == "/etc/sextant/opennetvm.toml: line 4: manager.0.node: Field required"


def test_programs_that_lack(world: DoctorWorld) -> None:
    (world.root / MANAGER).unlink()
    assert only(world).what == f"there is no manager at /{MANAGER}"
    assert "`sh deploy/agent/build-opennetvm.sh /opt/openNetVM`" in (only(world).do or "")
    world.program(MANAGER, b"")
    world.denied.add(MANAGER)
    assert only(world).do == f"chmod a+rx /{MANAGER}"


def test_a_type_without_its_program_is_not_offered(world: DoctorWorld) -> None:
    (world.root / "opt/openNetVM/examples/payload_scan/build/app/payload_scan").unlink()
    world.describe("[[manager]]", '[program.router]\npath = "/opt/nfs/router"\n[[manager]]')
    found = only(world)
    assert (found.check, found.state) == ("NF types", "warning")
    assert "nids: nothing at /opt/openNetVM/examples/payload_scan/build/app/payload_scan" in found.what
    assert "router: nothing at /opt/nfs/router" in found.what


def test_without_the_way_out_most_chains_cannot_end(world: DoctorWorld) -> None:
    (world.root / "opt/openNetVM/examples/basic_monitor/build/app/basic_monitor").unlink()
    assert set(world.wrong()) == {"NF types", "helpers"}


def test_two_versions_of_dpdk_do_not_meet(world: DoctorWorld) -> None:
    """ABI 21 came with DPDK 20.11, and 23 with 22.11: that of the year after. Static builds name a folder."""
    world.program("opt/openNetVM/examples/firewall/build/app/firewall", b"\x7fELF /usr/lib/dpdk/pmds-21.0\0")
    found = only(world)
    assert (found.check, found.state) == ("DPDK", "problem")
    assert found.what.startswith("the manager is for ABI 23, DPDK 22.11 and up, but firewall for ABI 21:")
    world.program(MANAGER, b"\x7fELF linked without a trace")
    assert world.wrong() == {}, "what cannot be told is no fault"
    assert "cannot be read from its file" in world.findings()["DPDK"].what


def test_folders_must_be_the_users(world: DoctorWorld) -> None:
    world.denied |= {"dev/hugepages", "var/run/dpdk"}
    wrong, user = world.wrong(), os.getuid()
    assert wrong["huge pages"].do == f"as root: chown {user} /dev/hugepages"
    assert wrong["runtime folder"].what == f"user {user} may not write to /var/run/dpdk"
    assert wrong["runtime folder"].do == (  # not /var/run/dpdk itself, which is every user's of DPDK
        'in opennetvm.toml: runtime_dir = "/run/sextant-agent/dpdk"; '
        f"then as root: install -d -o {user} -m 0700 /run/sextant-agent/dpdk (at every boot: a line in tmpfiles.d)"
    )
    world.denied = {"dev/hugepages", "var/run"}
    (world.root / "var/run/dpdk").rmdir()
    assert world.wrong()["runtime folder"].what == f"/var/run/dpdk does not exist, and user {user} may not create it"


def test_permissions_are_reported_for_the_agents_user(world: DoctorWorld) -> None:
    world.run_as(4242)
    found = only(world)
    assert found.check == "user"
    assert found.what == f"permissions were checked for user 4242, but /{STATE} belongs to user {os.getuid()}"


def test_what_may_not_be_looked_at_is_reported_and_the_rest_goes_on(
    world: DoctorWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root of a test may look everywhere, so the system call answers as it does to another user."""
    real_exists = Path.exists

    def exists(path: Path) -> bool:
        if path.name == "sextant-west":
            raise PermissionError(13, "Permission denied", str(path))
        return real_exists(path)

    monkeypatch.setattr(Path, "exists", exists)
    found = only(world)
    assert (found.check, found.state) == ("processes", "problem")
    assert found.what.endswith("var/run/dpdk/sextant-west: Permission denied")
    assert "resctrl" in world.findings()
