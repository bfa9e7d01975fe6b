"""The file that says how hosts of measured packets on this machine are joined."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_run.errors import RunError
from sextant_run.lab_topology import SHIPPED, LabLink, LabTopology, read_topology
from sextant_run.settings import RunSettings

ROW = "hosts = 3\n[[link]]\nbetween = [1, 2]\n[[link]]\nbetween = [2, 3]\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lab.toml"


def test_the_shipped_one_is_a_diamond() -> None:
    """From 1 to 4 by two ways without a link in common: 1-2-4 and 1-3-4."""
    found = read_topology(SHIPPED)
    assert found.hosts == 4
    assert {link.between for link in found.link} == {(1, 2), (2, 4), (1, 3), (3, 4)}
    assert all(link.mbit for link in found.link)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_first_hosts_of_it_are_joined(count: int) -> None:
    """As many as SEXTANT_LAB_HOSTS says: without lab-4 its links are gone, too."""
    part = read_topology(SHIPPED).first(count)
    assert len(part.link) == {1: 0, 2: 1, 3: 2, 4: 4}[count]
    assert all(len(part.next_hops(number)) == count - 1 for number in range(1, count + 1))


def test_who_is_no_neighbour_is_reached_over_one() -> None:
    """In the row 1-2-3: from 1 both others over 2."""
    row = LabTopology(hosts=3, link=(LabLink(between=(1, 2)), LabLink(between=(2, 3))))
    assert row.next_hops(1) == {2: 2, 3: 2}
    assert row.next_hops(2) == {1: 1, 3: 3}


@st.composite
def topologies(draw: st.DrawFn) -> LabTopology:
    """Each host joined to one before it, and some more links."""
    hosts = draw(st.integers(1, 8))
    ends = {(draw(st.integers(1, number - 1)), number) for number in range(2, hosts + 1)}
    pairs = [(one, other) for other in range(1, hosts + 1) for one in range(1, other)]
    more = draw(st.sets(st.sampled_from(pairs), max_size=5)) if pairs else set()
    return LabTopology(
        hosts=hosts, link=tuple(LabLink(between=pair) for pair in draw(st.permutations(sorted(ends | more))))
    )


@given(topologies())
def test_from_host_to_host_every_packet_arrives(topology: LabTopology) -> None:
    """Passed on by each host as it would reach the end itself: in fewer steps than there are hosts."""
    hops = {number: topology.next_hops(number) for number in range(1, topology.hosts + 1)}
    joined = {frozenset(link.between) for link in topology.link}
    for begin, reached in hops.items():
        for end in reached:
            at, steps = begin, 0
            while at != end:
                following = hops[at][end]
                assert frozenset((at, following)) in joined
                at, steps = following, steps + 1
            assert steps < topology.hosts


@given(topologies())
def test_over_another_neighbour_every_packet_arrives_too_and_never_comes_back(topology: LabTopology) -> None:
    hops = {number: topology.next_hops(number) for number in range(1, topology.hosts + 1)}
    for begin in hops:
        for end, others in topology.other_ways(begin).items():
            assert hops[begin][end] not in others
            for at in others:
                visited = [at]
                while visited[-1] != end:
                    visited.append(hops[visited[-1]][end])
                assert begin not in visited and len(visited) < topology.hosts


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hosts = 0\n", "hosts: "),
        ("hosts = 17\n", "hosts: "),
        ("hosts = 2\n", "link: host 2 is joined to none of hosts 1 to 1"),
        ("hosts = 3\n[[link]]\nbetween = [2, 3]\n", "link: host 2 is joined to none of hosts 1 to 1"),
        (ROW + "[[link]]\nbetween = [2, 1]\n", "link.2.between: .2, 1. are joined by an earlier link"),
        (ROW + "[[link]]\nbetween = [3, 3]\n", "link.2.between: .3, 3. is not two of hosts 1 to 3"),
        (ROW + "[[link]]\nbetween = [1, 4]\n", "link.2.between: .1, 4. is not two of hosts 1 to 3"),
        (ROW + "mbit = 0\n", "link.1.mbit: "),
        ("cpu_percent = 0\n" + ROW, "cpu_percent: "),
        (ROW + "speed = 10\n", "link.1.speed: "),
        ("hosts = ", "it is not TOML"),
    ],
)
def test_a_file_that_cannot_be_names_its_field(file: Path, text: str, why: str) -> None:
    file.write_text(text)
    with pytest.raises(RunError, match=f"SEXTANT_LAB_TOPOLOGY: {file}: {why}"):
        read_topology(file)


def test_a_file_that_is_not_there_is_named(file: Path) -> None:
    with pytest.raises(RunError, match=f"{file}: it cannot be read: No such file"):
        read_topology(file)


def test_there_are_at_most_the_hosts_of_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text(ROW)
    monkeypatch.setenv("SEXTANT_LAB_TOPOLOGY", str(file))
    monkeypatch.setenv("SEXTANT_LAB_HOSTS", "3")
    found = RunSettings.of_environment()
    assert (found.lab_hosts, found.lab_topology, found.lab_cpu_percent) == (3, str(file), None)
    file.write_text("cpu_percent = 50\n" + ROW)
    assert RunSettings.of_environment().lab_cpu_percent == 50
    monkeypatch.setenv("SEXTANT_LAB_HOSTS", "4")
    with pytest.raises(RunError, match="'4' is not a number from 0 to 3"):
        RunSettings.of_environment()
