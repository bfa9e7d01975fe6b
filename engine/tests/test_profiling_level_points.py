"""A job for levels on a host: its grid, its points one after another, and what was found."""

import pytest
from engine_profiles import NF_TYPES, host
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.host import PROFILING_RESOURCES, Capability, LlcInfo
from sextant_domain.profiling.job import LevelsAsk, ProfilingAsk
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.design import MeasuredPoint
from sextant_engine.profiling.levels.design import EXPECTED_SHARE, levels_design
from sextant_engine.profiling.levels.points import MeasuredRate, first_points, levels_of, next_setting
from sextant_engine.profiling.requests import CannotProfile, request_of

STEPS = tuple(range(10, 101, 10))


def able_host(ways=11, steps=STEPS, nodes=2, **more):
    """With CAT and MBA, each node alike."""
    found = host(nodes=nodes, **more)
    llc = LlcInfo(size_bytes=2**20, ways=ways)
    given = tuple(node.model_copy(update={"llc": llc, "memory_bandwidth_steps_percent": steps}) for node in found.nodes)
    able = Capability(name=PROFILING_RESOURCES, available=True, reason="always")
    return found.model_copy(update={"nodes": given, "capabilities": (*found.capabilities, able)})


def an_ask(**levels):
    return ProfilingAsk(nf_type="firewall", host="big-1", levels=levels)


def carried(setting):
    """Mpps of 64 B: 1 Gbps a way, and 1 Gbps for 10 %, the lesser of both; on a remote node half of it."""
    gbps = min(setting.llc_ways, setting.memory_bandwidth_percent / 10) * (1.0 if setting.local else 0.5)
    return gbps / wire_gbps(1.0, 64)


def measured_all(ask, inventory):
    points, _ = first_points(ask, inventory, free_cores(inventory))
    found = [MeasuredRate(setting, carried(setting)) for setting in points]
    while (setting := next_setting(ask, inventory, found)) is not None:
        found.append(MeasuredRate(setting, carried(setting)))
    return found


def test_a_job_begins_with_all_that_an_nf_can_have_on_each_kind_of_node():
    """11 ways, of which one stays with all others; node 0 is where packets arrive."""
    points, left_out = first_points(an_ask(), able_host(), free_cores(able_host()))
    assert [(p.subject.node, p.local, p.llc_ways, p.memory_bandwidth_percent) for p in points] == [
        (0, True, 10, 100), (1, False, 10, 100),
    ]  # fmt: skip
    assert left_out == []


def test_what_is_found_is_the_staircase_of_each_node_from_half_of_the_points():
    """Each rate takes as many ways as Gbps, and ten times as many %; on the remote node twice as much, so that more
    than 5 Gbps have no level there."""
    ask, inventory = an_ask(rates_gbps=[2, 5, 8]), able_host()
    found = levels_of(ask, inventory, measured_all(ask, inventory))
    assert [(one.gbps, one.ways, one.mb_percent) for one in found.levels.local] == [
        (2.0, 2, 20), (5.0, 5, 50), (8.0, 8, 80),
    ]  # fmt: skip
    assert [(one.gbps, one.ways, one.mb_percent) for one in found.levels.remote] == [(2.0, 4, 40), (5.0, 10, 100)]
    assert [(node.kind, node.points_of_grid) for node in found.nodes] == [("local", 100), ("remote", 100)]
    assert all(node.points_measured <= 60 for node in found.nodes)
    assert [front.points for front in found.nodes[1].fronts] == [((4, 40),), ((10, 100),), ()]


def test_a_kind_of_node_that_there_is_not_is_left_out():
    ask, inventory = an_ask(rates_gbps=[2]), able_host(nodes=1)
    points, left_out = first_points(ask, inventory, free_cores(inventory))
    assert len(points) == 1
    assert left_out == ["remote: the host has one NUMA node"]
    assert levels_of(ask, inventory, measured_all(ask, inventory)).levels.remote == ()
    with pytest.raises(CannotProfile, match="one NUMA node"):
        first_points(an_ask(nodes=["remote"]), inventory, free_cores(inventory))


def test_remote_nodes_are_left_out_where_the_host_says_that_it_cannot():
    ask, inventory = an_ask(rates_gbps=[2]), able_host(profiling_resources_remote=False)
    points, left_out = first_points(ask, inventory, free_cores(inventory))
    assert [point.local for point in points] == [True]
    assert left_out == ["remote: profiling-resources-remote says so"]
    able = able_host(profiling_resources_remote=True)
    assert first_points(ask, able, free_cores(able))[1] == []


def test_half_of_a_job_has_no_levels():
    ask, inventory = an_ask(), able_host()
    with pytest.raises(ValueError, match="is to be measured first"):
        levels_of(ask, inventory, measured_all(ask, inventory)[:3])


@pytest.mark.parametrize(
    ("inventory", "says"),
    [
        (host(), "its driver does not offer it"),
        (able_host(ways=1), "cache ways to give"),
        (able_host(steps=()), "steps of memory bandwidth"),
        (able_host(profiling=False), "cannot profile: profiling says so"),
    ],
)
def test_a_host_without_cat_or_mba_is_refused_with_the_reason(inventory, says):
    with pytest.raises(CannotProfile, match=says):
        levels_design(an_ask(), inventory, free_cores(inventory), NF_TYPES)


def test_a_part_with_more_steps_is_asked_about_ten_of_them():
    points, _ = first_points(an_ask(), able_host(steps=tuple(range(1, 101))), free_cores(able_host()))
    assert points[0].memory_bandwidth_percent == 100
    design = levels_design(an_ask(), able_host(steps=tuple(range(1, 101))), free_cores(able_host()), NF_TYPES)
    assert design.grid_points == 2 * 10 * 10


def test_a_design_says_what_is_known_and_what_it_will_take():
    """200 points, 40 % of them expected, five of ten samples each of 1.5 s."""
    ask, inventory = an_ask(), able_host()
    fresh = levels_design(ask, inventory, free_cores(inventory), NF_TYPES)
    assert fresh.expected_s == pytest.approx(EXPECTED_SHARE * 200 * 5 * 1.5)
    assert fresh.most_s == pytest.approx(200 * 10 * 1.5)
    first = fresh.points[0]
    before = MeasuredPoint(first, {"firewall": 1}, ask.packet_bytes, ask.flows, None, 1.0)
    again = levels_design(ask, inventory, free_cores(inventory), NF_TYPES, measured=[before])
    assert (again.known, again.points) == (1, fresh.points[1:])
    other = before.setting.model_copy(update={"llc_ways": 3})
    less = levels_design(
        ask,
        inventory,
        free_cores(inventory),
        NF_TYPES,
        measured=[MeasuredPoint(other, {"firewall": 1}, 64, 100_000, None, 1.0)],
    )
    assert less.known == 0, "fewer ways are another point"


def test_a_point_asks_its_agent_for_the_resources():
    inventory = able_host()
    point = first_points(an_ask(), inventory, free_cores(inventory))[0][0]
    request = request_of(point, an_ask(), inventory, free_cores(inventory), NF_TYPES)
    assert (request.llc_ways, request.memory_bandwidth_percent, request.nf.core) == (10, 100, 6)


@pytest.mark.parametrize(
    "levels",
    [{"rates_gbps": []}, {"rates_gbps": [0]}, {"rates_gbps": [5, 5]}, {"rates_gbps": list(range(1, 66))},
     {"rates_gbps": [float("nan")]}, {"nodes": []}, {"nodes": ["near"]}, {"nodes": ["local", "local"]}],
)  # fmt: skip
def test_rates_and_nodes_are_bounded(levels):
    with pytest.raises(ValueError, match=r"rates_gbps|nodes"):
        LevelsAsk(**levels)


def test_levels_are_measured_without_competitors():
    with pytest.raises(ValueError, match="competitors"):
        ProfilingAsk(nf_type="firewall", host="big-1", competitors=("router",), levels={})
