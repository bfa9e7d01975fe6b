"""What a simulated host says of its links, from the twin's report."""

from typing import Any

from sextant_agent.drivers.twin.samples import sample_of
from sextant_domain.hosts.telemetry import NodeSample


def nodes_of(nodes: int, links: list[tuple[int, int, float]]) -> list[Any]:
    report = {
        "chains": [],
        "instances": [],
        "nodes": [{"memory_bytes": 0, "memory_load": 0.5}] * nodes,
        "links": [{"from": start, "to": end, "load": load} for start, end, load in links],
        "other_cpu_ns": [],
        "taken_ns": 1,
        "epoch": 0,
    }
    found = sample_of(report, {}, host_epoch="e", taken_ns=1).nodes
    return [found[node] for node in range(nodes)]


def test_a_link_is_reported_in_both_directions() -> None:
    """0 to 1 at 20.5 %, back at 3 %: away from node 0 is towards node 1; the busier of the two stands for the link."""
    near, far = nodes_of(2, [(0, 1, 0.205), (1, 0, 0.03)])
    assert (near.link_out_load_percent, near.link_in_load_percent, near.link_load_percent) == (20.5, 3.0, 20.5)
    assert (far.link_out_load_percent, far.link_in_load_percent, far.link_load_percent) == (3.0, 20.5, 20.5)


def test_of_several_links_the_busiest_counts_in_each_direction() -> None:
    """Into node 2: 10 % from 0 and 40 % from 1; out of it 5 % to 0 and 1 % to 1."""
    loads = [(0, 1, 0.0), (0, 2, 0.1), (1, 0, 0.0), (1, 2, 0.4), (2, 0, 0.05), (2, 1, 0.01)]
    third = nodes_of(3, loads)[2]
    assert (third.link_in_load_percent, third.link_out_load_percent, third.link_load_percent) == (40.0, 5.0, 40.0)


def test_a_single_node_has_no_link() -> None:
    (only,) = nodes_of(1, [])
    assert (only.link_load_percent, only.link_in_load_percent, only.link_out_load_percent) == (None, None, None)
    assert "link" not in NodeSample(node=0, memory_bytes_per_s=0).model_dump_json()
