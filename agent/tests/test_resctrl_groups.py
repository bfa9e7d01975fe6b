"""Groups of resctrl over its double: who may fill which ways, what others' groups keep, what a killed helper leaves.

The double shows what is written and what of it the kernel would refuse; no CPU with CAT was there to try it on.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_agent.helper.refusal import HelperRefusal
from sextant_agent.helper.resctrl_groups import AssignedWays, ResctrlGroups, WantedResources
from sextant_agent.machine.ways import is_contiguous

from .resctrl_double import ResctrlDouble

NAME = "edge-1.0123abcd"


def groups_of(double: ResctrlDouble, name: str = NAME) -> ResctrlGroups:
    @contextmanager
    def open_() -> Iterator[ResctrlDouble]:
        yield double

    return ResctrlGroups(name, open_)


def masks(double: ResctrlDouble, cache: int = 0) -> dict[str, str]:
    """Of every group by its NF, or `chain-<name>`; the default's as ''."""
    return {
        name.removeprefix(f"sextant.{NAME}.").removeprefix("nf-"): f"{group.llc[cache]:03x}"
        for name, group in double.all.items()
    }


def refused(groups: ResctrlGroups, nf_id: str, cache: int, ways: int | None, percent: int | None) -> HelperRefusal:
    with pytest.raises(HelperRefusal) as refusal:
        groups.set(nf_id, cache, ways, percent)
    return refusal.value


@pytest.fixture
def double() -> ResctrlDouble:
    return ResctrlDouble(is_there=lambda tid: tid < 1000)


def test_ways_of_its_own_a_thread_in_them_and_back(double: ResctrlDouble) -> None:
    """4 of 11 ways: 00f, 7f0 for all others; on the other cache it shares all."""
    groups = groups_of(double)
    assert groups.set("web.router", 0, 4, 50) == AssignedWays(0x00F, 0)
    assert masks(double) == {"": "7f0", "web.router": "00f"}
    assert masks(double, 1) == {"": "7ff", "web.router": "7ff"}
    groups.place("web.router", 71)
    (state,) = groups.read()
    assert (state.owner, state.tids, dict(state.ways)) == ("web.router", (71,), {0: 0x00F})
    assert dict(state.bandwidth) == {0: 50, 1: 100}
    assert groups.set("web.router", 0, None, None) == AssignedWays(None, 0)
    assert masks(double) == {"": "7ff"}
    assert double.tasks == {}, "it is in the default group again"


def test_several_chains_at_once_where_one_can_have_what_another_gives(double: ResctrlDouble) -> None:
    """7 and 3 of 11 ways become 2 and 8: one after the other, the second would find no room before the first gave."""
    groups = groups_of(double)
    groups.set("web", 0, 7, 50)
    groups.set("log", 0, 3, 50)
    groups.set_all([WantedResources("log", 0, 8, 70), WantedResources("web", 0, 2, None)])
    states = {state.owner: (state.ways[0].bit_count(), state.bandwidth[0]) for state in groups.read()}
    assert states == {"log": (8, 70), "web": (2, 100)}
    before = {name: dict(group.llc) for name, group in double.all.items()}
    for wanted, message in (
        ([WantedResources("log", 0, 9, None), WantedResources("web", 0, 2, None)], "ask for at most"),
        ([WantedResources("log", 0, 1, None), WantedResources("mail", 0, 1, None)], "mail has no group"),
        ([WantedResources("log", 0, 1, None), WantedResources("web", 9, 1, None)], "no cache 9"),
        ([WantedResources("log", 0, 1, 33), WantedResources("web", 0, 1, None)], "none of this CPU's steps"),
    ):
        with pytest.raises(HelperRefusal) as refusal:
            groups.set_all(wanted)
        assert message in refusal.value.message
        assert {name: dict(group.llc) for name, group in double.all.items()} == before, "all is as it was"


def test_bandwidth_alone_shares_the_ways_that_are_shared(double: ResctrlDouble) -> None:
    groups = groups_of(double)
    groups.set("web.firewall", 0, None, 30)
    groups.set("web.router", 0, 2, None)
    assert masks(double) == {"": "7fc", "web.firewall": "7fc", "web.router": "003"}
    assert [dict(state.ways) for state in groups.read()] == [{}, {0: 0x003}]
    groups.set("web.router", 0, None, None)
    assert masks(double) == {"": "7ff", "web.firewall": "7ff"}


def test_an_nf_that_moves_has_its_ways_on_the_other_cache_and_gives_the_former_back(double: ResctrlDouble) -> None:
    """The stack of cache 0 closes up: b slides from 00c to 003."""
    groups = groups_of(double)
    groups.set("web.a", 0, 2, 20)
    groups.set("web.b", 0, 2, None)
    groups.set("web.a", 1, 2, 20)
    assert masks(double, 0) == {"": "7fc", "web.a": "7fc", "web.b": "003"}
    assert masks(double, 1) == {"": "7fc", "web.a": "003", "web.b": "7fc"}
    assert dict(groups.read()[0].bandwidth) == {0: 100, 1: 20}


def test_ways_of_the_nic_are_given_last_and_it_is_reported(double: ResctrlDouble) -> None:
    """Of 11 ways the two highest are the NIC's: the tenth is one of them."""
    groups = groups_of(double)
    assert groups.set("web.a", 0, 9, None) == AssignedWays(0x1FF, 0)
    assert groups.set("web.a", 0, 10, None) == AssignedWays(0x3FF, 1)
    assert "ask for at most 0" in refused(groups, "web.b", 0, 1, None).message


def test_what_others_took_from_the_default_group_is_theirs(double: ResctrlDouble) -> None:
    """A person gave 00f to a database, and 7f0 to all others: Sextant's ways begin with the fifth."""
    double.make("db")
    double.write("db/schemata", "L3:0=00f\n")
    double.write("schemata", "L3:0=7f0\n")
    groups = groups_of(double)
    groups.set("web.router", 0, 2, None)
    assert masks(double) == {"": "7c0", "db": "00f", "web.router": "030"}
    groups.set("web.router", 0, None, None)
    assert masks(double) == {"": "7f0", "db": "00f"}, "and not more than it had"


def test_ways_that_anothers_group_may_fill_are_no_nfs_own(double: ResctrlDouble) -> None:
    """A fresh group may fill all: the refusal says which it is and what to do, and nothing has changed."""
    double.make("monitoring")
    refusal = refused(groups_of(double), "web.router", 0, 2, None)
    assert (refusal.code, refusal.field) == ("no-room", "llc_ways")
    assert "monitoring" in refusal.message and "ways 3 of cache 0" in refusal.message
    assert masks(double) == {"": "7ff", "monitoring": "7ff"}


def test_two_installations_leave_each_others_groups_alone(double: ResctrlDouble) -> None:
    first, second = groups_of(double), groups_of(double, "edge-1.ffffffff")
    first.set("web.router", 0, 2, None)
    second.set("web.router", 0, 2, None)
    assert sorted(group.llc[0] for group in double.all.values()) == [0x003, 0x00C, 0x7F0]
    assert second.clean() == ["web.router"]
    assert first.read()[0].ways == {0: 0x003}


def test_ways_that_are_not_contiguous_are_reported_and_groups_can_still_go(double: ResctrlDouble) -> None:
    """A person took 00c, which lies between the router's 003 and the default group's 7f0."""
    groups = groups_of(double)
    groups.set("web.router", 0, 2, None)
    double.write("schemata", "L3:0=7f0\n")
    refusal = refused(groups, "web.firewall", 0, 1, None)
    assert "7f3, is not contiguous" in refusal.message
    assert groups.set("web.router", 0, None, None) == AssignedWays(None, 0)
    assert masks(double) == {"": "7f0"}


def test_no_more_groups_than_classes_of_service() -> None:
    """4 classes: the default group's, a person's, and two."""
    double = ResctrlDouble(classes=4)
    double.make("db")
    groups = groups_of(double)
    groups.set("web.a", 0, None, 50)
    groups.set("web.b", 0, None, 50)
    refusal = refused(groups, "web.c", 0, None, 50)
    assert (refusal.code, "all 4 classes of service" in refusal.message) == ("no-room", True)
    groups.set("web.b", 0, None, 60)


@pytest.mark.parametrize("percent", [1, 5, 55, 99])
def test_percentages_that_the_kernel_would_round_are_refused(double: ResctrlDouble, percent: int) -> None:
    refusal = refused(groups_of(double), "web.a", 0, None, percent)
    assert (refusal.code, refusal.field) == ("bad-request", "memory_bandwidth_percent")
    assert masks(double) == {"": "7ff"}


def test_a_cache_that_there_is_not(double: ResctrlDouble) -> None:
    for request in ((1, None), (None, 50), (2, 50)):
        assert refused(groups_of(double), "web.a", 2, *request).field == "cache"
    assert double.groups() == []


def test_a_cpu_that_takes_empty_masks_leaves_all_others_one_way_all_the_same() -> None:
    """AMD says 0 for the least: of 11 ways 10 can be given."""
    groups = groups_of(ResctrlDouble(least=0))
    assert "ask for at most 10" in refused(groups, "web.a", 0, 11, None).message
    assert groups.set("web.a", 0, 10, None) == AssignedWays(0x3FF, 1)


def test_what_the_kernel_refuses_is_reported_in_its_words(
    double: ResctrlDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, text: str) -> None:
        double.status = "CBM overlaps with pseudo-locked region"
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(double, "write", refuse)
    refusal = refused(groups_of(double), "web.a", 0, 1, None)
    assert refusal.code == "kernel"
    assert refusal.message == "the kernel refused L3:0=1: CBM overlaps with pseudo-locked region"


@pytest.mark.parametrize(
    ("double", "no_ways", "no_bandwidth"),
    [
        (ResctrlDouble(), None, None),
        (ResctrlDouble(options=frozenset({"rw", "cdp"})), "mounted with cdp", None),
        (ResctrlDouble(options=frozenset({"rw", "mba_MBps"})), None, "mba_MBps"),
        (ResctrlDouble(mask=None), "does not allocate ways of L3", None),
        (ResctrlDouble(bandwidth=None), None, "does not allocate memory bandwidth"),
        (ResctrlDouble(bandwidth=(0, 1, 2048)), None, "steps of its own, not in percent"),
    ],
    ids=["both", "cdp", "MBps", "no CAT", "no MBA", "AMD"],
)
def test_what_cannot_be_handed_out_is_known_and_refused(
    double: ResctrlDouble, no_ways: str | None, no_bandwidth: str | None
) -> None:
    groups = groups_of(double)
    for reported, why, request in zip(groups.cannot(), (no_ways, no_bandwidth), ((2, None), (None, 50)), strict=True):
        assert (reported is None) == (why is None)
        if why is None:
            groups.set("web.a", 0, *request)
        else:
            assert why in (reported or "")
            assert why in refused(groups, "web.b", 0, *request).message


def test_what_no_thread_is_in_is_cleaned_and_the_rest_stays(double: ResctrlDouble) -> None:
    """Thread 1071 has ended: its NF's group goes, and the other's ways slide together."""
    groups = groups_of(double)
    for nf_id, tid in (("web.gone", 70), ("web.router", 71)):
        groups.set(nf_id, 0, 2, None)
        groups.place(nf_id, tid)
    double.is_there = lambda tid: tid == 71
    assert groups.clean() == ["web.gone"]
    assert masks(double) == {"": "7fc", "web.router": "003"}
    assert groups.clean() == []


def test_a_chain_has_a_group_beside_those_of_nfs(double: ResctrlDouble) -> None:
    """web's 4 ways upon the nat's 2; threads of both NFs of web fill the same."""
    groups = groups_of(double)
    groups.set("nat.nat", 0, 2, None)
    assert groups.set("web", 0, 4, 50) == AssignedWays(0x03C, 0)
    assert masks(double) == {"": "7c0", "nat.nat": "003", "chain-web": "03c"}
    for tid in (71, 72):
        groups.place("web", tid)
    of_nat, of_web = groups.read()
    assert (of_nat.owner, of_web.owner, of_web.tids) == ("nat.nat", "web", (71, 72))
    assert (dict(of_web.ways), dict(of_web.bandwidth)) == ({0: 0x03C}, {0: 50, 1: 100})
    assert groups.clean() == ["nat.nat"], "no thread of it is there; web's ways slide down"
    assert masks(double) == {"": "7f0", "chain-web": "00f"}
    assert groups.set("web", 0, None, None) == AssignedWays(None, 0)
    assert (masks(double), double.tasks) == ({"": "7ff"}, {})


@pytest.mark.parametrize("name", ["nf-web", "chain-web.router", "nf-", "web", "pod-web.router", "chain"])
def test_what_is_named_nearly_like_ours_is_somebody_elses(double: ResctrlDouble, name: str) -> None:
    double.make(f"sextant.{NAME}.{name}")
    groups = groups_of(double)
    assert (groups.read(), groups.clean()) == ([], [])
    assert double.groups() == [f"sextant.{NAME}.{name}"]


class Full:
    """Refuses the n-th change of the double from now on, and that one alone; counts them."""

    def __init__(self, double: ResctrlDouble, number: int, at: int) -> None:
        self.made, self._number, self._at = 0, number, at
        double.written = self.written

    def written(self) -> None:
        self.made += 1
        if self.made == self._at:
            raise OSError(self._number, "refused")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EINVAL])
@pytest.mark.parametrize(
    ("owner", "ways", "percent"),
    [("web", 4, 50), ("nat.nat", 6, 30), ("nat.nat", None, 50), ("nat.nat", None, None), ("dns.dns", 1, None)],
    ids=["new", "grows", "gives ways back", "goes", "moves nobody"],
)
def test_what_the_kernel_refuses_in_the_middle_is_taken_back(
    number: int, owner: str, ways: int | None, percent: int | None
) -> None:
    """nat.nat has 2 ways and half the bandwidth, vpn.vpn 3 ways upon it. The kernel refuses the first change, the
    second, and so on: each time all is as before, and the same request succeeds when it is made again. Only a group
    that was removed already stays removed, and no way is lost."""
    for at in range(1, 20):
        double = ResctrlDouble(is_there=lambda _: True)
        groups = groups_of(double)
        groups.set("nat.nat", 0, 2, 50)
        groups.set("vpn.vpn", 0, 3, None)
        before = {name: (dict(group.llc), dict(group.bandwidth)) for name, group in double.all.items()}
        full = Full(double, number, at)
        try:
            groups.set(owner, 0, ways, percent)
        except (HelperRefusal, OSError):
            after = {name: (dict(group.llc), dict(group.bandwidth)) for name, group in double.all.items()}
            gone = ways is None and percent is None and not groups.exists(owner)
            assert gone or after == before, f"after change {at} was refused"
            assert_whole(double)
            double.written = lambda: None
            groups.set(owner, 0, ways, percent)
            assert_whole(double, settled=True)
        else:
            assert full.made < at, "nothing was refused: these were all changes"
            assert at > 2, "and there were some"
            return
    pytest.fail("more changes than any request makes")


def test_seven_chains_are_what_eight_classes_hold(double: ResctrlDouble) -> None:
    """16 classes of ways and 8 of bandwidth: Linux has 8 groups, and one is everybody's."""
    groups = groups_of(double)
    for number in range(7):
        groups.set(f"chain{number}", number % 2, 1, None)
    refusal = refused(groups, "chain7", 0, 1, None)
    assert (refusal.code, "all 8 classes of service" in refusal.message) == ("no-room", True)


class Killed(Exception):
    """The helper ends here."""


REQUESTS = st.lists(
    st.tuples(st.sampled_from("abcdAB"), st.integers(0, 1), st.none() | st.integers(1, 6), st.sampled_from([None, 50])),
    min_size=1, max_size=10,
)  # fmt: skip


@given(REQUESTS, st.integers(0, 12))
def test_a_helper_killed_at_any_write_loses_no_way_and_its_successor_sets_all_right(
    requests: list[tuple[str, int, int | None, int | None]], steps: int
) -> None:
    """All but the last wish are carried out; in the last, the helper is killed before its n-th change."""
    double = ResctrlDouble(is_there=lambda _: True)
    groups = groups_of(double)
    for letter, cache, ways, percent in requests[:-1]:
        ask(groups, letter, cache, ways, percent)
        assert_whole(double)
    left = iter(range(steps))

    def written() -> None:
        assert_whole(double)
        if next(left, None) is None:
            raise Killed

    double.written = written
    letter, cache, ways, percent = requests[-1]
    with suppress(Killed):
        ask(groups, letter, cache, ways, percent)
    double.written = lambda: None
    assert_whole(double)
    successor = groups_of(double)
    successor.clean()
    ask(successor, *requests[-1])
    assert_whole(double, settled=True)


def ask(groups: ResctrlGroups, letter: str, cache: int, ways: int | None, percent: int | None) -> None:
    """As the agent does it: set, then place. Capitals are chains."""
    nf_id = letter.lower() if letter.isupper() else f"web.{letter}"
    try:
        groups.set(nf_id, cache, ways, percent)
    except HelperRefusal as refusal:
        assert refusal.code == "no-room"
        return
    if ways is not None or percent is not None:
        groups.place(nf_id, ord(letter))


def assert_whole(double: ResctrlDouble, *, settled: bool = False) -> None:
    """No way is lost, nobody's own way is another's own, and what is shared is never nothing."""
    for cache in double.caches:
        shared = double.all[""].llc[cache]
        own = [group.llc[cache] for group in double.all.values() if not group.llc[cache] & shared]
        assert sum(own) + shared == 0x7FF, "every way is somebody's, and none is two NFs' own"
        assert all(is_contiguous(mask) for mask in (*own, shared))
        if settled:
            others = {group.llc[cache] for group in double.all.values()} - {*own}
            assert others == {shared}, "whoever has no ways of its own shares what all share"
