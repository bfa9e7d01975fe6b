"""The helper's own groups of resctrl: one for each NF, or chain, with ways of L3 or a share of the memory bandwidth of
its own. A chain's group holds threads of all its NFs.

Groups lie side by side under the mount point, so a name says whose each is: `sextant.<host>.<installation>.nf-<NF id>`
and `...chain-<name>`. Whose it is, its owner, is an NF id or a chain's name here: one has a dot, the other none.
Others' groups are read, never changed. What can be handed out is what the default group has and what owners were given
of it: where somebody took ways from the default group, for groups of theirs, Sextant leaves them alone. So nothing has
to be remembered, and the helper that comes after a killed one reads all from the files. In every step the default group
and those with own ways hold all of the ways that can be handed out: the default group grows before others change, and
shrinks after.
"""

import errno
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from sextant_agent.helper.refusal import HelperRefusal, Unusable
from sextant_agent.helper.resctrl_files import Resctrl, opened
from sextant_agent.helper.resctrl_stack import Requests, ResctrlGroupsRead, Stack, former_stacks, stack_of
from sextant_agent.helper.schemata import (
    FULL_PERCENT,
    LlcAllocation,
    bandwidth_line,
    llc_line,
    read_bandwidth,
    read_llc,
    read_schemata,
)

Info = TypeVar("Info")


@dataclass(frozen=True, slots=True)
class ResourceState:
    """One group as the kernel shows it."""

    owner: str
    """NF id, or name of a chain."""
    tids: tuple[int, ...]
    ways: Mapping[int, int]
    """Masks of ways of its own, by cache id; caches of which it shares ways with all others are left out."""
    bandwidth: Mapping[int, int]
    """Percent of the memory bandwidth, by cache id; empty where it is not handed out."""


@dataclass(frozen=True, slots=True)
class WantedResources:
    """What an owner shall have of one cache, and of the bandwidth behind it."""

    owner: str
    cache: int
    ways: int | None
    """None: it shares all others'."""
    percent: int | None
    """None: all."""


@dataclass(frozen=True, slots=True)
class AssignedWays:
    """What an owner was given."""

    mask: int | None
    """None where it shares."""
    nic_ways: int
    """How many of them the NIC writes into, too."""


class ResctrlGroups:
    """Not safe for several threads. All but `cannot` raise Refusal and, where the kernel refuses, OSError."""

    def __init__(self, name: str, open_: Callable[[], AbstractContextManager[Resctrl]] = opened) -> None:
        """`name`: of this installation, made by `subtree_name`."""
        self._prefix = f"sextant.{name}."
        self._open = open_

    def cannot(self) -> tuple[str | None, str | None]:
        """Why ways of L3, and why memory bandwidth, are not handed out here; None where they are."""
        try:
            with self._open() as resctrl:
                return _why_not(read_llc, resctrl), _why_not(read_bandwidth, resctrl)
        except Unusable as error:
            return str(error), str(error)
        except OSError as error:
            return f"resctrl: {error.strerror}", f"resctrl: {error.strerror}"

    def read(self) -> list[ResourceState]:
        """Of everybody who has a group."""
        with self._opened() as resctrl:
            groups = self._groups(resctrl)
            return [
                ResourceState(owner, self._tids(resctrl, owner), groups.ways_of(owner), groups.own[owner].bandwidth)
                for owner in sorted(groups.own)
            ]

    def set(self, owner: str, cache: int, ways: int | None, percent: int | None) -> AssignedWays:
        """Ways of a cache, and of the bandwidth behind it; of other caches it shares what all others share.

        Where it raises, all is as it was: what the kernel had taken before it refused is taken back. A group that was
        removed by then stays so, and the next request sets the others' ways right.
        """
        with self._changing() as resctrl:
            wanted = WantedResources(owner, cache, ways, percent)
            llc, groups = self._checked(resctrl, [wanted])
            if ways is None and percent is None:
                with self._whole(resctrl, groups, llc):
                    self._remove(resctrl, groups, llc, [owner] if owner in groups.own else [])
                return AssignedWays(None, 0)
            stacks = _stacks(groups, llc, {owner: (cache, ways)})
            with self._whole(resctrl, groups, llc):
                now = groups
                if owner not in groups.own:
                    self._make(resctrl, owner, groups)
                    now = self._groups(resctrl)
                self._carry_out(resctrl, now, stacks)
                self._set_bandwidths(resctrl, now, {owner: {cache: percent or FULL_PERCENT}})
            mask = next((stack.own[owner] for stack in stacks if owner in stack.own), None)
            return AssignedWays(mask, (mask & llc.nic).bit_count() if mask and llc else 0)

    def set_all(self, wanted: Sequence[WantedResources]) -> None:
        """As `set`, of several owners that have a group, at once: what one of them gives back, another can have. Where
        it raises, all is as it was."""
        with self._changing() as resctrl:
            llc, groups = self._checked(resctrl, wanted)
            for one in wanted:
                if one.owner not in groups.own:
                    raise HelperRefusal("not-found", "chain", f"{one.owner} has no group of resctrl: set it by itself")
            stacks = _stacks(groups, llc, {one.owner: (one.cache, one.ways) for one in wanted})
            percents = {one.owner: {one.cache: one.percent or FULL_PERCENT} for one in wanted}
            with self._whole(resctrl, groups, llc):
                self._carry_out(resctrl, groups, stacks)
                self._set_bandwidths(resctrl, groups, percents)

    def _checked(
        self, resctrl: Resctrl, wanted: Sequence[WantedResources]
    ) -> tuple[LlcAllocation | None, ResctrlGroupsRead]:
        """What there is, once it is known that it has such ways and percents."""
        needs_ways = any(one.ways is not None for one in wanted)
        llc = _needed(read_llc, resctrl, "llc_ways") if needs_ways else _readable_llc(resctrl)
        percents = {one.percent for one in wanted if one.percent is not None}
        if percents:
            _check_percents(resctrl, percents)
        groups = self._groups(resctrl)
        for one in wanted:
            for value, there in ((one.ways, groups.default.llc), (one.percent, groups.default.bandwidth)):
                if value is not None and one.cache not in there:
                    raise HelperRefusal("bad-request", "cache", f"there is no cache {one.cache} here")
        return llc, groups

    def exists(self, owner: str) -> bool:
        """Whether it has a group."""
        with self._opened() as resctrl:
            return self._name(owner) in resctrl.groups()

    def place(self, owner: str, tid: int) -> None:
        """Move one thread into the owner's group. It has been checked by `placeable_process.py`."""
        with self._opened() as resctrl:
            resctrl.write(f"{self._name(owner)}/tasks", f"{tid}\n")

    def expel(self, tid: int) -> None:
        """Put a thread into the default group."""
        with self._opened() as resctrl:
            resctrl.write("tasks", f"{tid}\n")

    def clean(self) -> list[str]:
        """Remove every group of ours without a thread, and set right what a killed helper left half done; returns whose
        the groups were. Where there is no resctrl there is nothing to clean."""
        with suppress(Unusable), self._open() as resctrl:
            resctrl.lock()
            groups = self._groups(resctrl)
            empty = [owner for owner in sorted(groups.own) if not self._tids(resctrl, owner)]
            self._remove(resctrl, groups, _readable_llc(resctrl), empty)
            return empty
        return []

    @contextmanager
    def _opened(self) -> Iterator[Resctrl]:
        try:
            with self._open() as resctrl:
                yield resctrl
        except Unusable as error:
            raise HelperRefusal("not-available", None, str(error)) from error

    @contextmanager
    def _changing(self) -> Iterator[Resctrl]:
        with self._opened() as resctrl:
            resctrl.lock()
            yield resctrl

    @contextmanager
    def _whole(self, resctrl: Resctrl, before: ResctrlGroupsRead, llc: LlcAllocation | None) -> Iterator[None]:
        """What is done within is done as a whole, or what the kernel took of it is taken back as far as it lets."""
        try:
            yield
        except (HelperRefusal, OSError):
            with suppress(HelperRefusal, OSError):
                self._take_back(resctrl, before, llc)
            raise

    def _take_back(self, resctrl: Resctrl, before: ResctrlGroupsRead, llc: LlcAllocation | None) -> None:
        now = self._groups(resctrl)
        if before.own.keys() - now.own.keys():
            return  # what was removed had ways, which are the default group's by now
        new = frozenset(now.own.keys() - before.own.keys())
        self._carry_out(resctrl, now, [] if llc is None else former_stacks(before, now), new)
        both = before.own.keys() & now.own.keys()
        had = {owner: percents for owner in both if (percents := before.own[owner].bandwidth)}
        self._set_bandwidths(resctrl, now, had)

    def _name(self, owner: str) -> str:
        return f"{self._prefix}{'nf' if '.' in owner else 'chain'}-{owner}"

    def _owner(self, name: str) -> str | None:
        """Whose group it is; None of groups that are not this installation's."""
        kind, dash, owner = name.removeprefix(self._prefix).partition("-")
        ours = name.startswith(self._prefix) and bool(dash) and kind == ("nf" if "." in owner else "chain")
        return owner if ours else None

    def _groups(self, resctrl: Resctrl) -> ResctrlGroupsRead:
        own, others = {}, {}
        for name in resctrl.groups():
            with suppress(FileNotFoundError):  # another program removed it
                found = read_schemata(resctrl.read(f"{name}/schemata"))
                owner = self._owner(name)
                if owner is None:
                    others[name] = found
                else:
                    own[owner] = found
        return ResctrlGroupsRead(read_schemata(resctrl.read("schemata")), own, others)

    def _tids(self, resctrl: Resctrl, owner: str) -> tuple[int, ...]:
        return tuple(int(line) for line in resctrl.read(f"{self._name(owner)}/tasks").split())

    def _make(self, resctrl: Resctrl, owner: str, groups: ResctrlGroupsRead) -> None:
        classes = _classes(resctrl)
        full = HelperRefusal(
            "no-room", None,
            f"all {classes} classes of service of this CPU are taken: remove groups of resctrl that nobody needs",
        )  # fmt: skip
        if 1 + len(groups.own) + len(groups.others) >= classes:
            raise full
        try:
            resctrl.make(self._name(owner))
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise full from error
            raise

    def _remove(
        self, resctrl: Resctrl, groups: ResctrlGroupsRead, llc: LlcAllocation | None, owners: Iterable[str]
    ) -> None:
        """And give their ways back."""
        going = frozenset(owners)
        stacks = _stacks(groups, llc, {}, without=going)
        self._carry_out(resctrl, groups, stacks, going)

    def _carry_out(
        self, resctrl: Resctrl, groups: ResctrlGroupsRead, stacks: Iterable[Stack], going: frozenset[str] = frozenset()
    ) -> None:
        for stack in stacks:
            if stack.during != groups.default.llc[stack.cache]:
                _write(resctrl, "schemata", llc_line(stack.cache, stack.during))
        for stack in stacks:
            for owner in groups.own.keys() - going:
                mask = stack.own.get(owner, stack.after)
                if groups.own[owner].llc.get(stack.cache) != mask:
                    _write(resctrl, f"{self._name(owner)}/schemata", llc_line(stack.cache, mask))
        for owner in going:
            resctrl.remove(self._name(owner))
        for stack in stacks:
            if stack.after != stack.during:
                _write(resctrl, "schemata", llc_line(stack.cache, stack.after))

    def _set_bandwidths(
        self, resctrl: Resctrl, groups: ResctrlGroupsRead, wanted: Mapping[str, Mapping[int, int]]
    ) -> None:
        """By owner, of caches; of those that are not named it has all."""
        if not wanted or _why_not(read_bandwidth, resctrl) is not None:
            return
        for owner, given in wanted.items():
            percents = {cache: given.get(cache, FULL_PERCENT) for cache in groups.default.bandwidth}
            if groups.own[owner].bandwidth != percents:
                _write(resctrl, f"{self._name(owner)}/schemata", bandwidth_line(percents))


def _stacks(
    groups: ResctrlGroupsRead, llc: LlcAllocation | None, requests: Requests, without: frozenset[str] = frozenset()
) -> list[Stack]:
    """Of every cache, as it shall be. Raises HelperRefusal."""
    if llc is None:
        return []
    found = (stack_of(cache, groups, llc, requests, without) for cache in sorted(groups.default.llc))
    return [stack for stack in found if stack is not None]


def _write(resctrl: Resctrl, path: str, line: str) -> None:
    try:
        resctrl.write(path, line)
    except OSError as error:
        why = ""
        with suppress(OSError):
            why = resctrl.read("info/last_cmd_status").strip()
        raise HelperRefusal("kernel", None, f"the kernel refused {line.strip()}: {why or error.strerror}") from error


def _check_percents(resctrl: Resctrl, percents: Iterable[int]) -> None:
    info = _needed(read_bandwidth, resctrl, "memory_bandwidth_percent")
    if not all(map(info.takes, percents)):
        why = f"is none of this CPU's steps, multiples of {info.step} from {info.least} to {FULL_PERCENT}"
        raise HelperRefusal("bad-request", "memory_bandwidth_percent", why)


def _classes(resctrl: Resctrl) -> int:
    """Of service: as many groups, with the default one, can be there at once."""
    found = []
    for part in ("L3", "MB"):
        with suppress(FileNotFoundError):
            found.append(int(resctrl.read(f"info/{part}/num_closids")))
    return min(found, default=1)


def _needed(read: Callable[[Resctrl], Info], resctrl: Resctrl, field: str) -> Info:
    try:
        return read(resctrl)
    except Unusable as error:
        raise HelperRefusal("not-available", field, str(error)) from error


def _readable_llc(resctrl: Resctrl) -> LlcAllocation | None:
    with suppress(Unusable):
        return read_llc(resctrl)
    return None


def _why_not(read: Callable[[Resctrl], object], resctrl: Resctrl) -> str | None:
    try:
        read(resctrl)
    except Unusable as error:
        return str(error)
    return None
