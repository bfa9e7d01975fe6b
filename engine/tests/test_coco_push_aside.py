"""Push-aside as published: which neighbours go, and that no core is overfilled. Shares are of a core, 1 is all."""

from collections.abc import Mapping
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st
from sextant_engine.control.coco.push_aside import borders, push_aside
from sextant_engine.control.coco.state import PushQuestion, SharedCores

MANY = 64


def host(cores: Mapping[int, str], *chains: str, slots: int = MANY, stays: str = "") -> SharedCores:
    """Elements are letters: `{0: "ab", 1: "cd"}` and the chain `abcd`."""
    return SharedCores(
        cores={core: tuple(names) for core, names in cores.items()},
        chains={chain: tuple(chain) for chain in chains},
        stays=frozenset(stays),
        free_slots=dict.fromkeys(cores, slots),
    )


def question(
    of: SharedCores, use: Mapping[str, float], overloaded: str, needs: float, others: Mapping[int, float] | None = None
) -> PushQuestion:
    rates = dict.fromkeys(of.chains, 1.0)
    return PushQuestion(of, use, others or {}, overloaded, needs, rates)


FIG_4 = host({0: "ab", 1: "cd"}, "abcd")
"""CoCo's Fig. 4: four elements of a chain on two cores."""


def test_the_neighbour_goes_to_the_core_next_door() -> None:
    """a grows from .4 to .7: D = .7 - .4 - (1 - .4 - .4) = .1. b frees .4, and core 1 has 1 - .2 - .3 = .5."""
    push = push_aside(question(FIG_4, {"a": 0.4, "b": 0.4, "c": 0.2, "d": 0.3}, "a", 0.7))
    assert (push.action, push.moves) == ("push_aside", {"b": 1})
    assert abs(push.lacks - 0.1) < 1e-12
    assert push.freed == 0.4


def test_where_its_core_has_the_time_only_its_share_is_raised() -> None:
    """D = .6 - .4 - (1 - .4 - .4) = 0."""
    push = push_aside(question(FIG_4, {"a": 0.4, "b": 0.4, "c": 0.2, "d": 0.3}, "a", 0.6))
    assert (push.action, push.moves) == ("raise_share", {})


def test_who_needs_more_than_a_core_is_scaled_out() -> None:
    push = push_aside(question(FIG_4, {"a": 0.4, "b": 0.4, "c": 0.2, "d": 0.3}, "a", 1.2))
    assert push.action == "scale_out"
    assert "120 % of a core" in push.why


def test_without_room_next_door_the_element_is_scaled_out() -> None:
    """Core 1 has 1 - .5 - .3 = .2, and b takes .4."""
    push = push_aside(question(FIG_4, {"a": 0.4, "b": 0.4, "c": 0.5, "d": 0.3}, "a", 0.7))
    assert (push.action, push.moves) == ("scale_out", {})


def test_what_others_use_of_the_core_next_door_is_no_room() -> None:
    use = {"a": 0.4, "b": 0.4, "c": 0.2, "d": 0.3}
    assert push_aside(question(FIG_4, use, "a", 0.7, {1: 0.2})).action == "scale_out"


def test_the_overloaded_element_itself_never_goes() -> None:
    """b is the border of core 0, and it is b that has grown; a is at the end of its chain."""
    push = push_aside(question(FIG_4, {"a": 0.3, "b": 0.4, "c": 0.1, "d": 0.1}, "b", 0.9))
    assert push.action == "scale_out"


def test_room_is_reserved_for_all_that_go_together() -> None:
    """b and d both border on core 1, which has 1 - .5 = .5. D = .8 - .2 - (1 - .2 - .3 - .3) = .4: neither frees that
    alone, and together they take .6."""
    crossed = host({0: "bed", 1: "xy"}, "xbedy")
    use = {"b": 0.3, "e": 0.2, "d": 0.3, "x": 0.3, "y": 0.2}
    assert push_aside(question(crossed, use, "e", 0.8)).action == "scale_out"
    roomy = {**use, "x": 0.1}  # core 1 has .7 now
    assert push_aside(question(crossed, roomy, "e", 0.8)).moves == {"b": 1, "d": 1}


def test_of_as_few_those_go_that_take_least() -> None:
    """D = .5 - .2 - (1 - .2 - .3 - .4) = .2: b frees .3 and d .4, so b goes."""
    both = host({0: "bed", 1: "x", 2: "y"}, "xbedy")
    use = {"b": 0.3, "e": 0.2, "d": 0.4, "x": 0.1, "y": 0.1}
    assert push_aside(question(both, use, "e", 0.5)).moves == {"b": 1}


def test_slots_are_room_as_well() -> None:
    use = {"a": 0.4, "b": 0.4, "c": 0.2, "d": 0.3}
    full = host({0: "ab", 1: "cd"}, "abcd", slots=0)
    assert push_aside(question(full, use, "a", 0.7)).action == "scale_out"


def test_who_has_to_stay_stays() -> None:
    use = {"a": 0.4, "b": 0.4, "c": 0.2, "d": 0.3}
    kept = host({0: "ab", 1: "cd"}, "abcd", stays="b")
    assert push_aside(question(kept, use, "a", 0.7)).action == "scale_out"


def test_an_element_of_two_chains_has_borders_in_both() -> None:
    """e is in `xbe` and in `edy`: up the first, down the second."""
    shared = host({0: "bed", 1: "x", 2: "y"}, "xbe", "edy")
    assert borders(shared, 0, "e") == {"b": frozenset({1}), "d": frozenset({2})}


SHARES = st.floats(0.01, 0.5)


@st.composite
def overloads(draw: st.DrawFn) -> PushQuestion:
    """One or two chains over three cores, in which somebody on core 0 has grown."""
    names = [*"abcdefgh"[: draw(st.integers(3, 8))]]
    at = draw(st.lists(st.integers(0, 2), min_size=len(names), max_size=len(names)))
    at[draw(st.integers(0, len(names) - 1))] = 0
    order = draw(st.permutations(names))
    cut = draw(st.integers(0, len(names)))
    chains = ["".join(part) for part in (order[:cut], order[cut:]) if part]
    cores = {core: "".join(name for name, on in zip(names, at, strict=True) if on == core) for core in range(3)}
    use = {name: draw(SHARES) for name in names}
    overloaded = draw(st.sampled_from(cores[0]))
    slots = draw(st.integers(0, 3))
    return question(host(cores, *chains, slots=slots), use, overloaded, use[overloaded] + draw(SHARES))


@given(overloads())
def test_a_push_frees_what_is_lacking_and_overfills_nobody(asked: PushQuestion) -> None:
    push = push_aside(asked)
    if push.action != "push_aside":
        assert push.moves == {}
        return
    assert push.freed >= push.lacks - 1e-9
    assert asked.overloaded not in push.moves
    for core in set(push.moves.values()):
        comes = [name for name, to in push.moves.items() if to == core]
        stands = asked.host.cores[core]
        assert sum(asked.use[name] for name in (*stands, *comes)) <= 1 + 1e-9
        assert len(comes) <= asked.host.free_slots[core]


@given(overloads())
def test_no_other_subset_of_the_borders_is_smaller(asked: PushQuestion) -> None:
    """Against all subsets and all cores of each."""
    push = push_aside(asked)
    if push.action == "raise_share" or asked.needs > 1:
        return
    found = borders(asked.host, 0, asked.overloaded)
    room = {core: 1 - sum(asked.use[name] for name in names) for core, names in asked.host.cores.items()}
    best = min(
        (
            (len(names), sum(asked.use[name] for name in names))
            for size in range(1, len(found) + 1)
            for names in combinations(sorted(found), size)
            if sum(asked.use[name] for name in names) >= push.lacks - 1e-9
            and any(_fits(asked, names, where, room) for where in product(*(sorted(found[name]) for name in names)))
        ),
        default=None,
    )
    assert (push.action == "push_aside") == (best is not None)
    if best is not None:
        assert len(push.moves) == best[0]
        assert abs(push.freed - best[1]) < 1e-9


def _fits(asked: PushQuestion, names: tuple[str, ...], where: tuple[int, ...], room: Mapping[int, float]) -> bool:
    for core in set(where):
        comes = [name for name, to in zip(names, where, strict=True) if to == core]
        if len(comes) > asked.host.free_slots[core] or sum(asked.use[name] for name in comes) > room[core] + 1e-9:
            return False
    return True
