"""Node-balancing: every NF to the node with the lowest share of cores in use."""

from engine_problems import chain, nodes, problem
from sextant_engine.solve import solve


def placed(*args, **fields):
    return solve(problem(*args, **fields), "node_balance").assignment


def test_nfs_alternate_between_equal_nodes():
    """0/4 and 0/4: n0; 1/4 and 0/4: n1; equal again: n0; n1."""
    assert placed(nodes(4, 4), chain("c", "AABB")) == {"c": ("n0", "n1", "n0", "n1")}


def test_utilisation_is_relative_to_the_nodes_cores():
    """8 and 2 cores: n0 (tie at 0), n1 (0 against 1/8), then n0 at 1/8, 2/8, 3/8 and, by the tie at 1/2, at 4/8."""
    assert placed(nodes(8, 2), chain("c", "AAAAAA")) == {"c": ("n0", "n1", "n0", "n0", "n0", "n0")}


def test_taken_cores_count_as_used():
    taken = (nodes(4, 4)[0].model_copy(update={"taken": 2}), nodes(4, 4)[1])
    assert placed(taken, chain("c", "AAA")) == {"c": ("n1", "n1", "n0")}


def test_pins_are_kept():
    assert placed(nodes(4, 4), chain("c", "AAA", nf_pins=(None, "n0", None))) == {"c": ("n1", "n0", "n0")}


def test_what_runs_stays_where_moving_costs_more():
    """Alternating would move the second NF; at 9 Mpps a move it does not pay."""
    found = placed(nodes(4, 4), chain("c", "AA"), initial={"c": ("n0", "n0")}, move_price_mpps=9.0)
    assert found == {"c": ("n0", "n0")}
