"""The law by which ways of a cache are handed out: laws that hold for every history, and examples."""

from hypothesis import given
from hypothesis import strategies as st
from sextant_agent.machine.ways import TooFewWays, WayPool, is_contiguous, own_masks, shared_mask

NAMES = ("a", "b", "c", "d", "e", "f")
XEON = WayPool("cache 0", 0x7FF, nic=0x600)
"""11 ways, of which the NIC writes into the two highest."""


@st.composite
def pools(draw: st.DrawFn) -> WayPool:
    ways, first = draw(st.integers(2, 20)), draw(st.integers(0, 8))
    mask = (1 << ways) - 1 << first
    nic_ways = draw(st.integers(0, min(3, ways - 1)))
    nic = (1 << nic_ways) - 1 << (first if draw(st.booleans()) else first + ways - nic_ways)
    return WayPool("cache 0", mask, nic, least=draw(st.integers(1, 2)))


requests = st.lists(st.tuples(st.sampled_from(NAMES), st.none() | st.integers(1, 12)), max_size=20)
"""One after the other: an NF that asks for ways, or gives its own back."""


def depth(mask: int, pool: WayPool) -> int:
    """How many ways of the pool lie nearer to the stack's beginning."""
    return pool.mask.bit_length() - mask.bit_length() if pool.from_top else (pool.mask & (mask & -mask) - 1).bit_count()


@given(pools(), requests)
def test_whatever_was_asked_for_one_after_the_other(pool: WayPool, asked: list[tuple[str, int | None]]) -> None:
    held: dict[str, int] = {}
    for nf_id, ways in asked:
        numbers = {name: mask.bit_count() for name, mask in held.items() if name != nf_id}
        others = sum(numbers.values())
        numbers |= {} if ways is None else {nf_id: ways}
        try:
            masks = own_masks(numbers, held, pool)
        except TooFewWays as refusal:
            assert refusal.owner == nf_id, "whoever has its ways keeps them"
            assert ways is not None
            assert ways < pool.least or others + ways > pool.mask.bit_count() - pool.least, "only where it does not fit"
            continue
        shared = shared_mask(masks, pool)
        assert {name: mask.bit_count() for name, mask in masks.items()} == numbers
        assert all(is_contiguous(mask) and mask & ~pool.mask == 0 for mask in (*masks.values(), shared))
        assert shared.bit_count() >= pool.least
        assert sum(masks.values()) + shared == pool.mask, "disjoint, and no way lies idle"
        if nf_id not in held:
            assert {name: masks[name] for name in held} == held, "who is added moves nobody"
        for name, mask in held.items():
            if name in masks and name != nf_id and depth(mask, pool) < depth(held.get(nf_id, 0) or pool.mask, pool):
                assert masks[name] == mask, "who stands below the one that changes is not moved"
        if ways is not None and held.get(nf_id, 0).bit_count() == ways:
            assert masks == held, "asked for again, nothing changes"
        held = masks


@given(pools(), requests)
def test_the_nics_ways_are_given_last(pool: WayPool, asked: list[tuple[str, int | None]]) -> None:
    """Whoever has one of them: there was no other left."""
    numbers = {name: ways for name, ways in asked if ways is not None}
    try:
        masks = own_masks(numbers, {}, pool)
    except TooFewWays:
        return
    if any(mask & pool.nic for mask in masks.values()):
        assert shared_mask(masks, pool) & ~pool.nic == 0


def test_an_example_of_adding_growing_and_going() -> None:
    """a: ways 0, 1; b: 2, 3, 4; c: 5. b goes: c slides to 2. a wants 3: it comes upon c, which slides to 0."""
    first = own_masks({"a": 2, "b": 3}, {}, XEON)
    assert first == {"a": 0b00011, "b": 0b11100}
    second = own_masks({"a": 2, "b": 3, "c": 1}, first, XEON)
    assert second == first | {"c": 0b100000}
    assert shared_mask(second, XEON) == 0b11111000000
    third = own_masks({"a": 2, "c": 1}, second, XEON)
    assert third == {"a": 0b011, "c": 0b100}
    assert own_masks({"a": 3, "c": 1}, third, XEON) == {"c": 0b0001, "a": 0b1110}


def test_an_example_where_the_nic_writes_into_the_lowest_ways() -> None:
    """Of ways 4 to 11, with the NIC's 4 and 5, the stack begins with way 11."""
    pool = WayPool("cache 0", 0xFF0, nic=0x030)
    masks = own_masks({"a": 2, "b": 3}, {}, pool)
    assert masks == {"a": 0b1100_0000_0000, "b": 0b0011_1000_0000}
    assert shared_mask(masks, pool) == 0b0111_0000
    assert own_masks({"a": 2, "b": 3, "c": 1}, masks, pool)["c"] == 0b0100_0000


def test_what_is_shared_has_as_many_ways_as_the_hardware_wants() -> None:
    """Haswell's masks have 2 ways at least: of 11, 9 can be given, and nobody can have 1."""
    haswell = WayPool("cache 0", 0x7FF, nic=0x600, least=2)
    assert own_masks({"a": 9}, {}, haswell) == {"a": 0x1FF}
    for ways, why in ((10, "ask for at most 9"), (1, "a mask has 2 at least")):
        try:
            own_masks({"a": ways}, {}, haswell)
        except TooFewWays as refusal:
            assert why in str(refusal)
        else:
            raise AssertionError(ways)
