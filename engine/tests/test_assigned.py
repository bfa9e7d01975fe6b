"""Plans by sfc2cpu's assigners, with the arithmetic; newcomers move nobody; what the checker does not believe."""

import pytest
from engine_fleets import chain
from sextant_domain.plans.algorithm_kinds import OF_SFC2CPU
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent
from sextant_engine.check import check
from sextant_engine.plan import make_plan
from test_compact import fleet, shared

"""Router, firewall, monitor: at 1 Mpps 10, 20 and 5 % of a core."""


def planned(given_fleet, intent, algorithm=Algorithm.MIN_MAX, **solving):
    body = make_plan(given_fleet, intent, Solving(algorithm=algorithm, **solving), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [one for one in body.checks if not one.ok]
    return body


def cores(body, name):
    return [nf.seat.core for nf in sorted(body.after, key=lambda nf: nf.position) if nf.chain == name]


def said(body):
    [one] = body.evidence.hosts
    assert one.assigned is not None
    return one.assigned


WEB = chain("web", rate=3.0)
"""30, 60 and 15 %."""


@pytest.mark.parametrize(
    ("algorithm", "expected", "fullest"),
    [
        (Algorithm.MIN_MAX, [1, 0, 1], 60),  # 60 | 30 + 15
        (Algorithm.LPT, [1, 0, 1], 60),  # 60 to core 0, 30 to core 1, 15 to core 1
        (Algorithm.LLF, [0, 1, 0], 60),  # in the order of the chain
        (Algorithm.RR, [0, 1, 0], 60),
        (Algorithm.FFD, [0, 0, 1], 90),  # 60 + 30 fit core 0, 15 more do not
        (Algorithm.THROUGHPUT, [1, 0, 1], 60),
        (Algorithm.NETWORK, [0, 1, 0], 60),  # one that takes the least loaded core
        (Algorithm.CALIBRATED, [0, 1, 0], 60),  # nobody costs others anything: as even, the lowest cores first
    ],
)
def test_a_newcomer_by_each_assigner(algorithm, expected, fullest):
    """Two cores, nothing else on them."""
    body = planned(fleet([shared()], [WEB]), PlaceIntent(chain="web"), algorithm)
    assert cores(body, "web") == expected
    one = said(body)
    assert one.fullest_percent == pytest.approx(fullest)
    assert (one.served_mpps, one.offered_mpps) == (pytest.approx(3.0), 3.0)
    assert (one.moves, one.most_moves, body.evidence.algorithm) == (0, 0, algorithm)
    assert body.evidence.status == ("feasible" if algorithm is Algorithm.FFD else "optimal")


@pytest.mark.parametrize("algorithm", OF_SFC2CPU)
def test_newcomers_move_nobody_and_stay_within_slots(algorithm):
    """All three of `old` on core 0, of which 3 slots are there: what comes goes to core 1, though core 0 has time."""
    old = chain("old", rate=1.0)
    given = fleet([shared()], [WEB], [(old, 0, [(0, 0), (0, 1), (0, 2)])])
    body = planned(given, PlaceIntent(chain="web"), algorithm)
    assert cores(body, "old") == [0, 0, 0]
    assert cores(body, "web") == [1, 1, 1]
    assert said(body).fullest_percent == pytest.approx(105.0)  # 30 + 60 + 15
    assert any("asked for 105 %" in warning for warning in body.warnings)


def test_beside_what_runs_the_fullest_core_is_the_least_possible():
    """Core 0 has 35 % (10 + 20 + 5). 60 | 35 + 30 + 15 = 80; 35 + 30 = 65 | 60 + 15 = 75; 35 + 15 = 50 | 90; so 75."""
    old = chain("old", rate=1.0)
    given = fleet([shared(slots=6)], [WEB], [(old, 0, [(0, 0), (0, 1), (0, 2)])])
    body = planned(given, PlaceIntent(chain="web"))
    assert said(body).fullest_percent == pytest.approx(75.0)
    assert cores(body, "web") == [0, 1, 1]
    assert said(body).bound_percent == pytest.approx(75.0)


def test_what_runs_moves_only_as_often_as_the_plan_says():
    """`old` asks core 0 for 70 % (20 + 40 + 10), core 1 for nothing. One move: 40 away, 30 left; two: 40 | 30 as well,
    so one is enough. Without a number nothing moves, and that is said."""
    old = chain("old", rate=2.0)
    given = fleet([shared()], [], [(old, 0, [(0, 0), (0, 1), (0, 2)])])
    still = planned(given, ReplaceIntent())
    assert still.changes == ()
    assert any("moves nothing that runs" in warning for warning in still.warnings)
    for most in (1, 2):
        body = planned(given, ReplaceIntent(), max_moves=most)
        assert cores(body, "old") == [0, 1, 0]
        assert (said(body).moves, said(body).most_moves) == (1, most)
        assert said(body).fullest_percent == pytest.approx(40.0)


def last_choice_first(slots):
    """Two cores, of which the first is used last, as on a small machine whose first core has source and sink."""
    inventory = shared(slots=slots)
    first, second = inventory.cores
    return inventory.model_copy(update={"cores": (first.model_copy(update={"last_choice": True}), second)})


def test_an_nf_on_a_core_that_is_used_last_goes_where_another_one_makes_room():
    """Core 0, used last, has firewalls of 30 and 30 %, core 1 routers of 5 and 5 %; both are full. One exchange makes
    35 | 35 of 60 | 10, and two moves are one exchange; with one move nothing can go anywhere."""
    heavy = [chain(name, "firewall", rate=1.5) for name in ("a", "b")]
    light = [chain(name, "router", rate=0.5) for name in ("c", "d")]
    standing = [(one, 0, [(at, slot)]) for at, pair in enumerate((heavy, light)) for slot, one in enumerate(pair)]
    given = fleet([last_choice_first(2)], [], standing)
    assert planned(given, ReplaceIntent(), max_moves=1).changes == ()
    body = planned(given, ReplaceIntent(), max_moves=2)
    assert said(body).fullest_percent == pytest.approx(35.0)
    assert said(body).moves == 2
    assert sorted(cores(body, name)[0] for name in "ab") == sorted(cores(body, name)[0] for name in "cd") == [0, 1]


def test_no_nf_goes_to_a_core_that_is_used_last_where_none_leaves_it():
    """60 % on core 1 would be 30 | 30, but core 0 is for what finds no room elsewhere."""
    heavy = [(chain(name, "firewall", rate=1.5), 0, [(1, slot)]) for slot, name in enumerate("ab")]
    assert planned(fleet([last_choice_first(4)], [], heavy), ReplaceIntent(), max_moves=2).changes == ()


def test_an_ideal_host_serves_less_where_a_core_is_too_full():
    """105 % on one core: of 97 % that switches leave each chain gets 97 / 105, so 3 Mpps become 2.771."""
    body = planned(fleet([shared(cores=1)], [WEB]), PlaceIntent(chain="web"), Algorithm.THROUGHPUT)
    assert said(body).served_mpps == pytest.approx(3.0 * 97 / 105)
    assert body.evidence.status == "optimal"


def test_chains_go_to_the_host_whose_fullest_core_is_least():
    """edge-1 holds 70 % on a core; 60 beside it is less on edge-2."""
    old = chain("old", rate=2.0)
    given = fleet(
        [shared(slots=6, cores=1), shared("edge-2", slots=6, cores=1)], [WEB], [(old, 0, [(0, 0), (0, 1), (0, 2)])]
    )
    body = planned(given, PlaceIntent(chain="web"))
    assert {nf.seat.host for nf in body.after if nf.chain == "web"} == {"edge-2"}


def test_cores_of_their_own_tied_nfs_and_unmeasured_types_are_refused():
    own = planned(fleet([shared(slots=1, cores=4)], [WEB]), PlaceIntent(chain="web"))
    assert "every NF has a core of its own" in own.rejected[0].reason
    tied = chain("web", {"type": "router", "tied": "one"})
    assert "one of tied NFs" in planned(fleet([shared()], [tied]), PlaceIntent(chain="web")).rejected[0].reason
    given = fleet([shared()], [WEB])
    unknown = planned(given.model_copy(update={"models": ()}), PlaceIntent(chain="web"))
    assert "no model in use says how much of a core" in unknown.rejected[0].reason
    full = planned(fleet([shared(cores=1, slots=2)], [WEB]), PlaceIntent(chain="web"))
    assert full.rejected[0].reason


def finding(body, snapshot):
    return next(one for one in check(body, snapshot) if one.check == "assigned")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"fullest_percent": 50.0}, "the fullest core is asked for 60 %"),
        ({"bound_percent": 70.0}, "above what is reached"),
        ({"bound_percent": 10.0}, "does not prove it"),
        ({"bound_mpps": 3.0}, "not one bound"),
        ({"served_mpps": 2.0}, "3 of 3 Mpps are served"),
        ({"moves": 1}, "0 NFs move, not 1"),
        ({"cores": ()}, "nothing is said of core 0"),
    ],
)
def test_the_checker_reckons_for_itself(change, expected):
    given = fleet([shared()], [WEB])
    body = planned(given, PlaceIntent(chain="web"))
    [host] = body.evidence.hosts
    wrong = host.model_copy(update={"assigned": said(body).model_copy(update=change)})
    evidence = body.evidence.model_copy(update={"hosts": (wrong,)})
    found = finding(body.model_copy(update={"evidence": evidence}), given)
    assert not found.ok
    assert expected in found.detail


def test_the_checker_finds_a_move_that_nobody_allowed():
    """The same plan of one move, as if none had been allowed, and as if it had been made for a newcomer."""
    old = chain("old", rate=2.0)
    given = fleet([shared()], [], [(old, 0, [(0, 0), (0, 1), (0, 2)])])
    body = planned(given, ReplaceIntent(), max_moves=1)
    none = body.evidence.model_copy(update={"solving": Solving(algorithm=Algorithm.MIN_MAX, max_moves=0)})
    for wrong in (
        body.model_copy(update={"evidence": none}),
        body.model_copy(update={"intent": PlaceIntent(chain="web")}),
    ):
        assert "old.firewall move, of which 0 may" in finding(wrong, given).detail
