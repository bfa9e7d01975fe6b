"""CoCo's law with tied elements: they stay or go as a whole, and take as many slots as they are. Worked examples."""

import json
from dataclasses import replace
from itertools import pairwise, product

from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_engine.control.coco.push_aside import push_aside
from sextant_engine.control.coco.scale_out import LaneQuestion, more_lanes
from sextant_engine.control.coco.state import PushQuestion, SharedCores
from sextant_engine.control.coco.tied import TiedPusher
from sextant_engine.laws.coco.solve import ExactPush, answer

HOST = SharedCores(
    cores={0: ("web.a", "web.f", "mail.f"), 1: ("web.c", "mail.d")},
    chains={"web": ("web.a", "web.f", "web.c"), "mail": ("mail.f", "mail.d")},
    free_slots={0: 1, 1: 2},
    ties={"web.f": "edge", "mail.f": "edge"},
)
USE = {"web.a": 0.4, "web.f": 0.2, "mail.f": 0.2, "web.c": 0.1, "mail.d": 0.1}
RULES = push_aside, ExactPush()


def pushed(rule, host=HOST, use=USE, overloaded="web.a", needs=0.6):
    rates = dict.fromkeys(host.chains, 1.0)
    return TiedPusher(rule)(PushQuestion(host, use, {}, overloaded, needs, rates))


def test_a_tied_neighbour_goes_with_the_other_of_its_element():
    """a needs .6 of a core on which .4 + .4 are used: D = .6 - .4 - .2 = 0 at first; with .8 it is .2, which f of web
    alone would free. Both firewalls go, and free .4: core 1 has 1 - .2 = .8 and two slots."""
    for rule in RULES:
        push = pushed(rule, needs=0.8)
        assert (push.action, push.moves) == ("push_aside", {"web.f": 1, "mail.f": 1})
        assert abs(push.freed - 0.4) < 1e-9


def test_one_slot_is_not_enough_for_two():
    """The exact rule finds another way, and parts nobody."""
    host = replace(HOST, free_slots={0: 1, 1: 1})
    assert pushed(push_aside, host, needs=0.8).action == "scale_out"
    moves = pushed(ExactPush(), host, needs=0.8).moves
    assert moves and "web.f" not in moves and "mail.f" not in moves


def test_both_need_their_time_together():
    """Core 1 uses .7: it has room for one firewall of .2, and not for .4."""
    use = {**USE, "web.c": 0.6}
    assert pushed(push_aside, use=use, needs=0.8).action == "scale_out"
    untied = pushed(push_aside, replace(HOST, ties={}), use=use, needs=0.8)
    assert untied.moves == {"web.f": 1}


def test_an_element_that_grows_stays_whole():
    """f of web needs .5 instead of .2: the element .7, with a's .4 more than its core. a goes, which has no core next
    door, or nobody: mail's firewall is no border of it."""
    push = pushed(push_aside, overloaded="web.f", needs=0.5)
    assert push.moves == {}
    assert push.action == "scale_out"


def test_a_chain_that_stays_keeps_its_element():
    assert pushed(push_aside, replace(HOST, stays=frozenset({"mail.f"})), needs=0.8).action == "scale_out"


def lanes(host, overloaded, **need):
    asked = {**USE, overloaded: 1.2} | {name.replace("_", "."): share for name, share in need.items()}
    return more_lanes(LaneQuestion(host, asked, {}, dict.fromkeys(host.chains, 1.0), 0.9), overloaded)


def test_lanes_do_not_help_a_tied_element():
    """All of them would stand on its core."""
    why = (
        "all lanes of web.f would stand on its core here, as it is tied by edge; no other host is known for web-lane-2"
    )
    assert lanes(HOST, "web.f") == why


def test_a_lane_has_its_tied_element_where_it_stands():
    """a needs 1.2, so .6 a lane, and the firewalls .1 each: core 0 has .9 - .6 - .05 - .1 = .15 and one slot left,
    which the second lane's firewall takes, although its c would fit there, too. That and a's second go to core 2."""
    host = replace(HOST, cores={**HOST.cores, 2: ()}, free_slots={0: 1, 1: 0, 2: 4})
    found = lanes(host, "web.a", web_f=0.1, mail_f=0.1)
    assert found.seats == {"web-lane-2.f": 0, "web-lane-2.a": 2, "web-lane-2.c": 2}


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_the_search_keeps_slots_of_elements_that_are_several_nfs(data):
    """As good as trying all placements of five elements, of one to three NFs each, on three cores."""
    names, cores = "abcde", range(3)
    nfs = {name: data.draw(st.integers(1, 3)) for name in names}
    slots = [data.draw(st.integers(1, 5)) for _ in cores]
    cpu = {name: data.draw(st.integers(1, 6)) / 10 for name in names}
    chains = [(list(data.draw(st.permutations(names)))[: data.draw(st.integers(2, 5))], rate) for rate in (1.0, 2.0)]
    named = {name for elements, _ in chains for name in elements}
    asked = {
        "chains": [{"elements": elements, "rate": rate} for elements, rate in chains],
        "cpu": {name: cpu[name] for name in named},
        "nfs": {name: nfs[name] for name in named},
        "cores": [{"id": core, "slots": slots[core]} for core in cores],
        "t_d": 1,
    }
    best = min(
        (
            sum(rate for elements, rate in chains for one, other in pairwise(elements) if at[one] != at[other])
            for at in (dict(zip(sorted(named), tried, strict=True)) for tried in product(cores, repeat=len(named)))
            if all(sum(nfs[name] for name in named if at[name] == core) <= slots[core] for core in cores)
            and all(sum(cpu[name] for name in named if at[name] == core) <= 1 + 1e-9 for core in cores)
        ),
        default=None,
    )
    found = json.loads(answer("place", json.dumps(asked)))
    assert found.get("delayed_bytes") == best
