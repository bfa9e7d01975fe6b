"""Node-first: local until full, then the others by number."""

from engine_problems import chain, nodes, problem
from sextant_engine.solve import solve


def placed(*args, **fields):
    return solve(problem(*args, **fields), "node_first")


def test_all_on_the_local_node_while_it_has_cores():
    assert placed(nodes(4, 4), chain("c", "AB"), chain("d", "AB")).assignment == {"c": ("n0", "n0"), "d": ("n0", "n0")}


def test_the_rest_of_a_chain_spills_over_to_the_next_node():
    """3 cores on n0: both NFs of c, the first of d; its second goes to n1."""
    assert placed(nodes(3, 4), chain("c", "AB"), chain("d", "AB")).assignment == {"c": ("n0", "n0"), "d": ("n0", "n1")}


def test_chains_of_higher_value_come_first():
    found = placed(nodes(2, 2), chain("c", "AB"), chain("d", "AB", value=2.0))
    assert found.assignment == {"c": ("n1", "n1"), "d": ("n0", "n0")}


def test_local_means_the_chains_own_ingress():
    both = tuple(node.model_copy(update={"local": True}) for node in nodes(2, 2))
    assert placed(both, chain("c", "AB", ingress="n1")).assignment == {"c": ("n1", "n1")}


def test_taken_cores_are_left_alone():
    """4 cores, 3 taken on each node: one NF on n0, the other on n1."""
    assert placed(nodes(4, 4, taken=3), chain("c", "AB")).assignment == {"c": ("n0", "n1")}


def test_pins_are_kept_even_where_their_chain_comes_last():
    """d has no choice and takes n0's only core first."""
    found = placed(nodes(1, 4), chain("c", "A", value=9.0), chain("d", "A", nf_pins=("n0",)))
    assert found.assignment == {"c": ("n1",), "d": ("n0",)}
    assert placed(nodes(4, 4), chain("c", "AB", pin=("n1",))).assignment == {"c": ("n1", "n1")}
    assert placed(nodes(4, 4), chain("c", "AB", nf_pins=(None, "n1"))).assignment == {"c": ("n0", "n1")}


def test_what_runs_stays_where_a_fresh_start_is_not_worth_the_moves():
    """Fresh: c on n0 gives 9.7 against 7.84 - but two moves at 5 Mpps each cost more than that."""
    found = placed(nodes(4, 4), chain("c", "AA"), initial={"c": ("n1", "n1")}, move_price_mpps=5.0)
    assert found.assignment == {"c": ("n1", "n1")}
    assert found.moves == 0


def test_a_chain_that_does_not_fit_is_rejected_and_the_rest_is_placed():
    found = placed(nodes(2), chain("c", "AAA", value=5.0), chain("d", "AB"))
    assert found.assignment == {"d": ("n0", "n0")}
    assert [rejected.chain for rejected in found.rejected] == ["c"]
