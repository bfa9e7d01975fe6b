"""Which hosts of an operation wait for which others: moves first, then batches."""

from hypothesis import given
from hypothesis import strategies as st
from sextant_backend.modules.operations.host_order import ready_waits_of, waits_of
from sextant_domain.base import digest_of_json
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.plans.handover import Handover
from sextant_domain.plans.intents import LaneIntent, ReplaceIntent, RestoreIntent
from sextant_domain.plans.loss import ChainLoss, LossPreview
from sextant_domain.plans.placement import Seat
from sextant_domain.plans.plan import Adjustment, Change, ChangeKind, HostBase, PlanBody

Moves = list[tuple[str, str]]


def body(hosts: list[str], moves: Moves, handover: Handover | None = None) -> PlanBody:
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
    return PlanBody.model_construct(intent=ReplaceIntent(), base=base, changes=changes, handover=handover)


def test_without_moves_and_batches_nobody_waits() -> None:
    assert waits_of(body(["a", "b"], []), None) == {"a": set(), "b": set()}


def test_a_host_waits_for_those_its_chains_go_to() -> None:
    assert waits_of(body(["a", "b", "c"], [("a", "b"), ("a", "c")]), None) == {"a": {"b", "c"}, "b": set(), "c": set()}


def test_who_sends_a_chain_to_a_host_with_an_order_in_between_waits_until_that_is_ready() -> None:
    """b runs both meanwhile: a may go once b is ready, and b once a is complete."""
    between = DesiredHostConfig.of(2, HostContent(host_id="b"))
    made = body(["a", "b"], [("a", "b"), ("b", "a")], Handover(between=(between,)))
    assert ready_waits_of(made) == {"a": {"b"}, "b": set()}
    assert waits_of(made, None) == {"a": set(), "b": {"a"}}


def test_nobody_waits_for_chains_that_are_interrupted() -> None:
    """c0 and c1 change places between a and b; c2 goes from b to c, and b waits for that."""
    stopped = tuple(ChainLoss(chain=name, moves=1, rate_mpps=0.0, packets=0) for name in ("c0", "c1"))
    loss = LossPreview(packets=0, pause_ms=5500.0, assumed=True, basis="no room", chains=stopped)
    made = body(["a", "b", "c"], [("a", "b"), ("b", "a"), ("b", "c")], Handover(interrupts=loss))
    assert waits_of(made, None) == {"a": set(), "b": {"c"}, "c": set()}


def test_nobody_waits_where_a_plan_of_an_earlier_version_exchanges_chains() -> None:
    assert waits_of(body(["a", "b"], [("a", "b"), ("b", "a")]), None) == {"a": set(), "b": set()}


def test_a_batch_waits_for_the_one_before() -> None:
    """By name, two at a time: a and b, then c and d, then e."""
    waits = waits_of(body(["e", "d", "c", "b", "a"], []), 2)
    assert waits == {"a": set(), "b": set(), "c": {"a", "b"}, "d": {"a", "b"}, "e": {"c", "d"}}


def test_a_drained_host_comes_after_those_it_fills() -> None:
    """By name a would come first; one at a time it comes last, and waits for b by its chain as well."""
    assert waits_of(body(["a", "b", "c"], [("a", "b")]), 1) == {"b": set(), "c": {"b"}, "a": {"b", "c"}}


def divided(
    *, starts: tuple[str, ...] = (), stops: tuple[str, ...] = (), rates: tuple[str, str], hosts: str = "abc"
) -> PlanBody:
    """A plan that starts and stops lanes of web on these hosts; web has parts on a and b, of which the rate changes."""
    made = adjusting(traffic__rate_mpps=rates, traffic__lane=("null", "{}"))
    seats = {host: Seat(host=host, node=0, core=0, slot=0) for host in hosts}
    changes = tuple(
        Change(
            kind=kind, nf_id=f"web-lane-2.{host}", chain="web-lane-2", nf_type="router", reason="asked for",
            source=seats[host] if kind is ChangeKind.STOP else None,
            target=seats[host] if kind is ChangeKind.START else None,
        )
        for kind, where in ((ChangeKind.START, starts), (ChangeKind.STOP, stops))
        for host in where
    )  # fmt: skip
    base = tuple(HostBase(host=host, generation=1, digest=digest_of_json(b"{}")) for host in hosts)
    intent = LaneIntent(chain="web", weights=(1, 1) if starts else (1,))
    return made.model_copy(update={"intent": intent, "base": base, "changes": changes})


def test_a_lane_starts_before_the_parts_get_less_from_the_begin_of_their_path() -> None:
    more = divided(starts=("c",), rates=("0.02", "0.01"))
    assert waits_of(more, None) == {"a": {"c"}, "b": {"a", "c"}, "c": set()}
    on_the_path = divided(starts=("b",), rates=("0.02", "0.01"), hosts="ab")
    assert waits_of(on_the_path, None) == {"a": {"b"}, "b": set()}, "no flow is without a lane"


def test_a_lane_leaves_once_the_parts_have_more_from_the_end_of_their_path() -> None:
    less = divided(stops=("c",), rates=("0.01", "0.02"))
    assert waits_of(less, None) == {"a": {"b"}, "b": set(), "c": {"a", "b"}}
    on_the_path = divided(stops=("b",), rates=("0.01", "0.02"), hosts="ab")
    assert waits_of(on_the_path, None) == {"a": set(), "b": {"a"}}


def test_it_is_so_where_lanes_are_undone() -> None:
    undone = divided(stops=("c",), rates=("0.01", "0.02")).model_copy(update={"intent": RestoreIntent(operation_id=7)})
    assert waits_of(undone, None) == {"a": {"b"}, "b": set(), "c": {"a", "b"}}


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


def adjusting(**settings: tuple[str, str]) -> PlanBody:
    """A plan that changes the two parts of web, on a and b, alike. Values: before and after."""
    made = body(["a", "b"], [])
    changes = tuple(
        Adjustment(host=host, chain=chain, field=field.replace("__", "."), before=before, after=after)
        for host, chain in (("a", "web"), ("b", "web-part-2"))
        for field, (before, after) in settings.items()
    )
    return made.model_copy(update={"adjustments": changes})


def test_where_more_enters_the_end_of_a_path_is_first_and_where_less_does_its_begin() -> None:
    first_b, first_a = {"a": {"b"}, "b": set[str]()}, {"a": set[str](), "b": {"a"}}
    assert waits_of(adjusting(traffic__rate_mpps=("0.01", "0.02")), None) == first_b
    assert waits_of(adjusting(traffic__rate_mpps=("0.02", "0.01")), None) == first_a
    assert waits_of(adjusting(paused=("false", "true")), None) == first_a
    assert waits_of(adjusting(paused=("true", "false")), None) == first_b
    assert waits_of(adjusting(execution=('"isolated"', '"run-to-completion"')), None) == {"a": set(), "b": set()}
