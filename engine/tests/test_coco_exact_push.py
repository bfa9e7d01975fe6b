"""The cheapest change beside push-aside as published: never dearer, and as cheap as trying everything finds."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_engine.control.coco.push_aside import core_of, push_aside
from sextant_engine.control.coco.state import PushQuestion, SharedCores
from sextant_engine.laws.coco.solve import ExactPush

MANY = 64


def question(cores, chains, use, overloaded, needs, rates=None, **told):
    """Elements are letters."""
    host = SharedCores(
        cores=dict(enumerate(map(tuple, cores))),
        chains={str(index): tuple(chain) for index, chain in enumerate(chains)},
        free_slots=told.get("free_slots", dict.fromkeys(range(len(cores)), MANY)),
        stays=frozenset(told.get("stays", "")),
    )
    rates = rates or [1.0] * len(chains)
    by_chain = {str(index): rate for index, rate in enumerate(rates)}
    return PushQuestion(host, use, told.get("others", {}), overloaded, needs, by_chain)


FIG_4 = (["ab", "cd"], ["abcd"], {"a": 0.2, "b": 0.3, "c": 0.3, "d": 0.6}, "d", 0.9)
"""CoCo's Fig. 4 with shares of ours: d (the analyzer) grows to .9, so that c (the logger) has to go: .9 + .3 > 1."""


def test_figure_4():
    """D = .9 - .6 - (1 - .3 - .6) = .2; c frees .3, and core 0 has 1 - .2 - .3 = .5. The one hop stays one."""
    for rule in (push_aside, ExactPush(price=1.0)):
        push = rule(question(*FIG_4))
        assert (push.action, push.moves) == ("push_aside", {"c": 0})
        assert (push.lacks, push.freed) == (pytest.approx(0.2), pytest.approx(0.3))


def test_it_sees_what_a_push_does_to_other_chains():
    """D = .6 - .4 - 0 = .2. The published rule takes p, which frees .2: x-p becomes p-e, and p-r (10) is parted: with
    q-x 1 + 10 + 1, and a move. The exact rule takes q, .3: x-p and e-q, 1 + 1, and a move."""
    use = {"x": 0.4, "p": 0.2, "r": 0.1, "e": 0.4, "q": 0.3}
    asked = question(["x", "preq"], ["xpe", "eqx", "pr"], use, "e", 0.6, [1.0, 1.0, 10.0])
    rule = ExactPush(price=1.0)
    literal, exact = push_aside(asked).moves, rule(asked).moves
    assert (literal, exact) == ({"p": 0}, {"q": 0})
    assert (rule.cost(asked, literal), rule.cost(asked, exact)) == (pytest.approx(13), pytest.approx(3))


def test_where_no_border_helps_any_element_may_go():
    """The border c finds core 0 full (.2 + .7); x, of another chain, goes to core 2 at no hop: .6 + .2 <= 1."""
    use = {"a": 0.2, "b": 0.7, "c": 0.3, "d": 0.4, "x": 0.2}
    asked = question(["ab", "cdx", ""], ["abcd", "x"], use, "d", 0.6)
    assert push_aside(asked).action == "scale_out"
    push = ExactPush(price=1.0)(asked)
    assert (push.action, push.moves, push.freed) == ("push_aside", {"x": 2}, pytest.approx(0.2))


def test_what_stays_and_full_cores_bind_it():
    stays = ExactPush()(question(*FIG_4, stays="cd"))
    assert stays.action == "scale_out"
    full = ExactPush()(question(*FIG_4, free_slots={0: 0, 1: 0}))
    assert full.action == "scale_out"  # c for a leaves .2 + .9 on core 1, c for b .3 + .9


def test_an_exchange_needs_no_free_slot():
    """a takes .05: c for it leaves .05 + .9 on core 1 and .3 + .3 on core 0."""
    use = {"a": 0.05, "b": 0.3, "c": 0.3, "d": 0.6}
    push = ExactPush()(question(["ab", "cd"], ["abcd"], use, "d", 0.9, free_slots={0: 0, 1: 0}, stays="d"))
    assert (push.moves, push.freed) == ({"a": 1, "c": 0}, pytest.approx(0.25))


def test_what_a_core_cannot_give_is_no_room() -> None:
    """c may go where .2 + .3 + .3 = .8 is needed then; of .75 that core 0 could give there is not enough."""
    asked = replace(question(*FIG_4[:3], "d", 0.7), full=0.75)
    assert ExactPush()(replace(asked, full=0.8)).moves == {"c": 0}
    assert ExactPush()(asked).moves != {"c": 0}


def test_a_core_that_lacks_time_already_gets_no_more():
    """Core 0 needs 1.2 of itself, and goes on; c may not come, so core 2 takes it."""
    asked = question(["ab", "cd", ""], ["abcd"], {"a": 0.6, "b": 0.6, "c": 0.3, "d": 0.6}, "d", 0.9)
    assert ExactPush(price=100.0)(asked).moves in ({"c": 2}, {"d": 2})


SHARES = st.floats(0.05, 0.5)


@st.composite
def overloads(draw):
    """Two chains over three cores, no core too full before one of its elements grows."""
    names = "abcdefg"[: draw(st.integers(2, 7))]
    use = {name: draw(SHARES) for name in names}
    cores, left = ([], [], []), [1.0, 1.0, 1.0]
    for name in names:
        core = max(range(3), key=lambda one: left[one]) if draw(st.booleans()) else draw(st.integers(0, 2))
        core = core if left[core] >= use[name] else max(range(3), key=lambda one: left[one])
        cores[core].append(name)
        left[core] -= use[name]
    chains = [names, draw(st.permutations(names))[: draw(st.integers(1, len(names)))]]
    rates = [draw(st.sampled_from([0.5, 1.0, 3.0])) for _ in chains]
    grown = draw(st.sampled_from(names))
    return question(cores, chains, use, grown, min(1.0, use[grown] * draw(st.floats(1, 4))), rates)


@settings(deadline=None, max_examples=150)
@given(overloads(), st.sampled_from([0.0, 0.3, 2.0]))
def test_it_is_the_cheapest_change_and_never_dearer_than_the_published_rule(asked, price):
    rule = ExactPush(price=price)
    literal, push = push_aside(asked), rule(asked)
    if push.action != "push_aside":
        assert literal.action == push.action
        return
    need = {**asked.use, asked.overloaded: asked.needs}
    stands = {name: core for core, names in asked.host.cores.items() for name in names}
    best = None
    for cores in product(range(3), repeat=len(stands)):
        moves = {name: core for name, core in zip(stands, cores, strict=True) if core != stands[name]}
        if _holds(asked, need, stands | moves):
            best = min(rule.cost(asked, moves), best if best is not None else float("inf"))
    assert _holds(asked, need, stands | push.moves)
    assert rule.cost(asked, push.moves) == pytest.approx(best, abs=1e-4)
    if literal.action == "push_aside":
        assert rule.cost(asked, push.moves) <= rule.cost(asked, literal.moves) + 1e-9


def _holds(asked, need, stands):
    """No core takes more than all of its time, or than it took before where that was more already."""
    before = {core: sum(asked.use[name] for name in names) for core, names in asked.host.cores.items()}
    overloaded = core_of(asked.host, asked.overloaded)
    loads = {core: sum(need[name] for name, at in stands.items() if at == core) for core in range(3)}
    return all(load <= (1 if core == overloaded else max(1, before[core])) + 1e-9 for core, load in loads.items())
