"""The narrowest policy wins, and a host is changed as far as the least of its chains allows."""

from sextant_domain.laws.recommendation import PolicyMode
from sextant_engine.control.scopes import Modes, least

MANUAL, RECOMMEND, AUTOMATIC = PolicyMode.MANUAL, PolicyMode.RECOMMEND, PolicyMode.AUTOMATIC


def test_the_narrowest_scope_wins():
    """The fleet is manual, edge-1 recommends, web on it is automatic; mail follows its host, dns the fleet."""
    modes = Modes(MANUAL, {"edge-1": RECOMMEND}, {"web": AUTOMATIC})
    assert modes.of_chain("web", "edge-1") is AUTOMATIC
    assert modes.of_chain("mail", "edge-1") is RECOMMEND
    assert modes.of_chain("dns", "edge-2") is MANUAL


def test_a_host_is_changed_as_far_as_the_least_of_the_chains_allows_that_may_move():
    """On edge-1 dns has the policy of its host, manual: it stays, and web and mail are re-placed around it."""
    modes = Modes(AUTOMATIC, {"edge-1": MANUAL}, {"web": AUTOMATIC, "mail": RECOMMEND})
    assert modes.of_host("edge-1", ["web", "mail"]) is RECOMMEND
    assert modes.of_host("edge-1", ["web", "dns"]) is AUTOMATIC
    assert modes.kept("edge-1", ["web", "dns"]) == {"dns"}
    assert modes.of_host("edge-1", ["dns"]) is MANUAL
    assert modes.of_host("edge-1", []) is MANUAL
    assert modes.of_host("edge-2", ["dns"]) is AUTOMATIC
    assert modes.kept("edge-2", ["dns"]) == set()


def test_of_nothing_the_least_is_manual():
    assert least([]) is MANUAL


def test_a_law_may_act_somewhere_where_any_policy_is_not_manual():
    assert Modes(MANUAL, {"edge-1": MANUAL}, {}).all_manual
    assert not Modes(MANUAL, {"edge-1": MANUAL}, {"web": RECOMMEND}).all_manual


def test_on_a_host_with_maintenance_no_policy_counts():
    modes = Modes(AUTOMATIC, chains={"web": AUTOMATIC}, resting=frozenset({"edge-1"}))
    assert (modes.of_chain("web", "edge-1"), modes.of_chain("web", "edge-2")) == (MANUAL, AUTOMATIC)
    assert (modes.of_host("edge-1", ["web"]), modes.of_host("edge-1", [])) == (MANUAL, MANUAL)
    assert modes.kept("edge-1", ["web"]) == {"web"}
