"""Which hosts of an operation wait for which others: moves first, then batches."""

from hypothesis import given
from hypothesis import strategies as st
from sextant_backend.modules.operations.host_order import waits_of
from sextant_domain.base import digest_of_json
from sextant_domain.plans.placement import Seat
from sextant_domain.plans.plan import Change, ChangeKind, HostBase, PlanBody

Moves = list[tuple[str, str]]


def body(hosts: list[str], moves: Moves) -> PlanBody:
    """A plan of these hosts that moves an NF from the first of each pair to the second."""
    seats = {host: Seat(host=host, node=0, core=0, slot=0) for host in hosts}
    changes = tuple(
        Change(
            kind=ChangeKind.MOVE,
            nf_id=f"c{number}.router",
            chain=f"c{number}",
            nf_type="router",
            source=seats[source],
            target=seats[target],
            reason="asked for",
        )
        for number, (source, target) in enumerate(moves)
    )
    base = tuple(HostBase(host=host, generation=1, digest=digest_of_json(b"{}")) for host in hosts)
    return PlanBody.model_construct(base=base, changes=changes)


def test_without_moves_and_batches_nobody_waits() -> None:
    assert waits_of(body(["a", "b"], []), None) == {"a": set(), "b": set()}


def test_a_host_waits_for_those_its_chains_go_to() -> None:
    assert waits_of(body(["a", "b", "c"], [("a", "b"), ("a", "c")]), None) == {"a": {"b", "c"}, "b": set(), "c": set()}


def test_nobody_waits_where_two_hosts_exchange_chains() -> None:
    assert waits_of(body(["a", "b"], [("a", "b"), ("b", "a")]), None) == {"a": set(), "b": set()}


def test_a_batch_waits_for_the_one_before() -> None:
    """By name, two at a time: a and b, then c and d, then e."""
    waits = waits_of(body(["e", "d", "c", "b", "a"], []), 2)
    assert waits == {"a": set(), "b": set(), "c": {"a", "b"}, "d": {"a", "b"}, "e": {"c", "d"}}


def test_a_drained_host_comes_after_those_it_fills() -> None:
    """By name a would come first; one at a time it comes last, and waits for b by its chain as well."""
    assert waits_of(body(["a", "b", "c"], [("a", "b")]), 1) == {"b": set(), "c": {"b"}, "a": {"b", "c"}}


NAMES = ["a", "b", "c", "d", "e", "f"]


@given(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] != pair[1])),
    st.one_of(st.none(), st.integers(1, 7)),
)
def test_no_host_waits_for_ever_and_no_more_than_a_batch_are_ordered_at_once(
    moves: Moves, hosts_at_once: int | None
) -> None:
    """Played: whoever waits for nobody is done next. A batch may begin before a host of it has to wait for another."""
    waits, done, rounds = waits_of(body(NAMES, moves), hosts_at_once), set[str](), 0
    while done != set(NAMES):
        due = {host for host in NAMES if host not in done and waits[host] <= done}
        assert due, "somebody waits for ever"
        assert hosts_at_once is None or len(due) <= hosts_at_once
        done |= due
        rounds += 1
    assert rounds <= len(NAMES)
