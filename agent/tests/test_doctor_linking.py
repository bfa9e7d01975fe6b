"""Libraries that OpenNetVM's programs need of a host: found as the loader finds them."""

import struct
from pathlib import Path

import pytest
from sextant_agent.drivers.opennetvm.doctor.linking import Links, links_of

from .doctor_world import MANAGER, DoctorWorld

EAL = "librte_eal.so.23"


def program(*needed: str, runpath: str = "") -> bytes:
    """An ELF file of one segment, which is loaded at 0x400000: its header, two program headers, the dynamic section,
    the strings."""
    strings = b"\0" + b"".join(name.encode() + b"\0" for name in (*needed, runpath))
    places = {name: strings.index(name.encode() + b"\0") for name in (*needed, runpath)}
    offset = 64 + 2 * 56
    entries = [(1, places[name]) for name in needed] + ([(29, places[runpath])] if runpath else [])
    table = offset + 16 * (len(entries) + 2)
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in (*entries, (5, 0x400000 + table), (0, 0)))
    size = table + len(strings)
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    header += struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 4, 0, 0x400000, 0x400000, size, size, 4096)
    section = struct.pack("<IIQQQQQQ", 2, 4, offset, 0x400000 + offset, 0, len(dynamic), len(dynamic), 8)
    return header + load + section + dynamic + strings


def test_a_program_is_read(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_bytes(program(EAL, "libc.so.6", runpath="/opt/dpdk/lib:$ORIGIN/../lib"))
    assert links_of(path) == Links((EAL, "libc.so.6"), ("/opt/dpdk/lib", "$ORIGIN/../lib"))
    of_this_machine = links_of(Path("/bin/sh"))
    assert of_this_machine and any(name.startswith("libc.") for name in of_this_machine.needed)


def test_what_is_no_such_program_is_passed_over(tmp_path: Path) -> None:
    """Nor is one that is cut short, anywhere."""
    path, whole = tmp_path / "program", program(EAL, runpath="/opt")
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert links_of(path) is None
    path.write_bytes(b"#!/bin/sh\n")
    assert links_of(path) is None
    assert links_of(tmp_path / "nowhere") is None


@pytest.fixture
def world(tmp_path: Path) -> DoctorWorld:
    """Its manager is linked to DPDK, and knows no folder of its own."""
    world = DoctorWorld(tmp_path)
    world.program(MANAGER, program("librte_ring.so.23", EAL, "libnuma.so.1"))
    world.write({"usr/lib/librte_ring.so.23": ""})
    return world


def test_a_library_that_is_not_on_the_host(world: DoctorWorld) -> None:
    """Others than DPDK's are the system's to have."""
    (found,) = world.wrong().values()
    assert (found.check, found.state) == ("DPDK", "problem")
    assert found.what == f"the loader does not find {EAL} of onvm_mgr"
    assert found.do and "install the DPDK that they were built against" in found.do


@pytest.mark.parametrize(
    ("folder", "runpath", "cache"),
    [
        ("usr/lib", "", b""),
        ("opt/dpdk/lib", "/opt/dpdk/lib", b""),
        ("opt/openNetVM/onvm/onvm_mgr/lib", "$ORIGIN/../lib", b""),
        ("opt/other", "", b"glibc-ld.so.cache1.1\0librte_eal.so.23\0/opt/other/librte_eal.so.23\0"),
    ],
)
def test_it_is_found_where_the_loader_finds_it(world: DoctorWorld, folder: str, runpath: str, cache: bytes) -> None:
    world.program(MANAGER, program("librte_ring.so.23", EAL, runpath=runpath))
    world.program("etc/ld.so.cache", cache)
    assert list(world.wrong()) == ["DPDK"]
    world.write({f"{folder}/{EAL}": ""})
    assert world.wrong() == {}
