"""From nodes to cores: ordinary before last choice, fewest NFs first, lowest core id, lowest free slot."""

import pytest
from engine_fleets import demo_inventory, numa_inventory
from sextant_domain.hosts.host import ReservedFor
from sextant_engine.assign_cores import RULE, Assigned, NoSeat, assign_cores


def cores_of(assigned):
    return [(seat.core, seat.slot) for seat in assigned.values()]


def wanted(count, node=0):
    return [(f"c.nf{number}", node) for number in range(count)]


def with_cores(inventory, **changes):
    """`changes`: c3={...} changes core 3."""
    return inventory.model_copy(
        update={
            "cores": tuple(core.model_copy(update=changes.get(f"c{core.id}", {})) for core in inventory.cores),
        }
    )


def threads(inventory):
    """Cores 0-1, 2-3, ... become siblings."""
    pairs = {f"c{core.id}": {"siblings": (core.id ^ 1,)} for core in inventory.cores}
    return with_cores(inventory, **pairs)


def test_the_demonstration_host_fills_core_1_and_then_the_two_last_choice_slots_of_core_0():
    """Core 1 has 8 slots, core 0 two of last choice: ten NFs, no eleventh."""
    ten = assign_cores(demo_inventory(), (), wanted(10))
    assert cores_of(ten) == [(1, slot) for slot in range(8)] + [(0, 0), (0, 1)]
    assert ten["c.nf7"].why == "core 1 is the only ordinary core, and has 1 of 8 slots free"
    assert ten["c.nf8"].why == "every other core is full, so the last-choice core 0"
    with pytest.raises(NoSeat, match=r"node 0 of edge-1 has no free seat for c\.nf10"):
        assign_cores(demo_inventory(), (), wanted(11))


def test_shared_slots_spread_to_the_core_with_the_fewest_nfs():
    """Four cores of 4 slots, two NFs on core 0, one on core 1: cores 2, 3, then 1 (tie 1-2-3: lowest), 2, 3, then 0."""
    shared = with_cores(numa_inventory(nodes=1), **{f"c{core}": {"slots": 4} for core in range(4)})
    seats = assign_cores(shared, [(0, 0), (0, 1), (1, 0)], wanted(6))
    assert cores_of(seats) == [(2, 0), (3, 0), (1, 1), (2, 1), (3, 1), (0, 2)]
    assert seats["c.nf0"].why == "core 2 holds the fewest NFs (0 of 4 slots taken)"


def test_a_shared_core_whose_sibling_is_empty_goes_before_one_whose_sibling_works():
    """Six threads of 4 slots on three physical cores: with an NF on core 0, its sibling 1 comes after 2 and 4, then the
    siblings of whom fewest stand: all have one beside, so by number."""
    shared = with_cores(
        threads(numa_inventory(nodes=1, cores=6)), **{f"c{n}": {"slots": 4, "siblings": (n ^ 1,)} for n in range(6)}
    )
    assert cores_of(assign_cores(shared, [(0, 0)], wanted(5))) == [(2, 0), (4, 0), (1, 0), (3, 0), (5, 0)]


def test_a_hole_left_in_the_slots_is_filled_first():
    assert cores_of(assign_cores(demo_inventory(), [(1, 0), (1, 2)], wanted(2))) == [(1, 1), (1, 3)]


def test_exclusive_cores_go_by_number_within_the_node():
    seats = assign_cores(numa_inventory(), [(0, 0), (5, 0)], [*wanted(2), ("d.x", 1)])
    assert cores_of(seats) == [(1, 0), (2, 0), (4, 0)]
    assert seats["d.x"].why == "core 4 is the lowest free core of node 1"


def test_reserved_cores_are_never_used():
    inventory = numa_inventory(nodes=1, reserved=(0, 2))
    assert cores_of(assign_cores(inventory, (), wanted(2))) == [(1, 0), (3, 0)]
    with pytest.raises(NoSeat):
        assign_cores(inventory, (), wanted(3))


def test_siblings_stay_empty():
    """Four threads, two physical cores: two NFs, on the lower thread of each."""
    inventory = threads(numa_inventory(nodes=1))
    assert cores_of(assign_cores(inventory, (), wanted(2))) == [(0, 0), (2, 0)]
    with pytest.raises(NoSeat):
        assign_cores(inventory, (), wanted(3))


def test_an_incumbent_on_either_thread_takes_the_physical_core():
    assert cores_of(assign_cores(threads(numa_inventory(nodes=1)), [(1, 0)], wanted(1))) == [(2, 0)]


def test_a_physical_core_with_a_reserved_thread_is_not_used():
    """Core 1 is the manager's: its sibling 0 would not have an empty sibling."""
    inventory = with_cores(threads(numa_inventory(nodes=1)), c1={"reserved_for": ReservedFor.MANAGER})
    assert cores_of(assign_cores(inventory, (), wanted(1))) == [(2, 0)]


def test_siblings_listed_on_one_side_only_count_all_the_same():
    inventory = with_cores(numa_inventory(nodes=1, cores=2), c1={"siblings": (0,)})
    assert cores_of(assign_cores(inventory, [(0, 0)], ())) == []
    with pytest.raises(NoSeat):
        assign_cores(inventory, [(0, 0)], wanted(1))


def test_with_smt_share_every_thread_takes_an_nf():
    inventory = threads(numa_inventory(nodes=1))
    assert cores_of(assign_cores(inventory, (), wanted(4), smt="share")) == [(0, 0), (2, 0), (1, 0), (3, 0)]


def test_exclusive_last_choice_cores_come_last():
    inventory = with_cores(numa_inventory(nodes=1, cores=3), c0={"last_choice": True})
    seats = assign_cores(inventory, (), wanted(3))
    assert cores_of(seats) == [(1, 0), (2, 0), (0, 0)]


def test_an_incumbent_on_a_core_that_is_gone_takes_no_room():
    assert cores_of(assign_cores(numa_inventory(nodes=1, cores=1), [(77, 0)], wanted(1))) == [(0, 0)]


class HighestFirst:
    """Another assigner: the highest free core of the node, whatever stands beside."""

    def assign(self, problem, state):
        assigned = {}
        for nf_id, node in problem.wanted:
            unit = max((one for one in state.open_units() if one.node == node), key=lambda one: one.core)
            assigned[nf_id] = Assigned(unit.core, state.lowest_free_slot(unit), unit.node, "the highest")
            state.take(unit.core, assigned[nf_id].slot)
        return assigned


class Fixed:
    """Answers with the cores that it was given."""

    def __init__(self, **cores):
        self.cores = cores

    def assign(self, problem, state):
        return {f"c.{nf}": Assigned(core, 0, 0, "fixed") for nf, core in self.cores.items()}


def test_another_assigner_chooses_other_cores():
    """Four cores a node: the rule takes 0 and 1, the other one 3 and 2."""
    assert cores_of(assign_cores(numa_inventory(), (), wanted(2))) == [(0, 0), (1, 0)]
    assert cores_of(assign_cores(numa_inventory(), (), wanted(2), assigner=HighestFirst())) == [(3, 0), (2, 0)]
    assert cores_of(assign_cores(numa_inventory(), (), wanted(2), assigner=RULE)) == [(0, 0), (1, 0)]


@pytest.mark.parametrize(("cores", "why"), [
    ({"nf0": 0}, "nf1 was assigned no core of node 0"),
    ({"nf0": 0, "nf1": 5}, "nf1 was assigned no core of node 0"),
    ({"nf0": 0, "nf1": 99}, "nf1 was assigned no core of node 0"),
    ({"nf0": 2, "nf1": 2}, "nf1 was assigned slot 0 of core 2 of big-1, which is not free"),
    ({"nf0": 0, "nf1": 3}, "nf1 was assigned slot 0 of core 3 of big-1, which is not free"),
])  # fmt: skip
def test_an_assigner_that_breaks_a_rule_is_refused(cores, why):
    """Cores 0 to 3 are node 0's; somebody stands on core 3."""
    with pytest.raises(NoSeat, match=why):
        assign_cores(numa_inventory(), [(3, 0)], wanted(2), assigner=Fixed(**cores))
