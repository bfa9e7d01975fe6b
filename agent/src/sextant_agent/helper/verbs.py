"""The verbs: what a request may say, field by field, and what is done about it."""

import json
import threading
from collections.abc import Callable
from contextlib import suppress

from sextant_agent.helper import arithmetic, fields
from sextant_agent.helper.fields import MOST_CACHE, MOST_ID, MOST_PID, MOST_WAYS, Request
from sextant_agent.helper.groups import CpuGroups, GroupState
from sextant_agent.helper.placeable_process import PlaceableProcess
from sextant_agent.helper.refusal import HelperRefusal
from sextant_agent.helper.resctrl_groups import ResctrlGroups, ResourceState, WantedResources
from sextant_agent.helper.schemata import FULL_PERCENT

VERSION = 1
MOST_CHAINS = 16
"""In one request: no CPU has more classes of service for groups of ours."""
CHAIN_FIELDS = frozenset({"chain", "cache", "llc_ways", "memory_bandwidth_percent"})

Answer = dict[str, object]


class Verbs:
    """Answers one line with one line. Safe for several threads: one request is carried out at a time."""

    def __init__(
        self, groups: CpuGroups | None, why_not: str | None, resctrl: ResctrlGroups,
        *, cgroup: int | None, programs: frozenset[str], uid: int,
    ) -> None:  # fmt: skip
        """`groups` is None where cgroups cannot be used, for the reason `why_not`."""
        self._groups = groups
        self._why_not = why_not
        self._resctrl = resctrl
        self._cgroup = cgroup
        self._programs = programs
        self._uid = uid
        self._lock = threading.Lock()
        self._verbs: dict[str, tuple[frozenset[str], Callable[[Request], Answer]]] = {
            "hello": (frozenset(), self._hello),
            "place": (frozenset({"nf_id", "pid"}), self._place),
            "set_cpu": (frozenset({"nf_id", "weight", "quota_percent"}), self._set_cpu),
            "read": (frozenset({"nf_id"}), self._read),
            "remove": (frozenset({"nf_id"}), self._remove),
            "list": (frozenset(), self._list),
            "set_resources": (
                frozenset({"nf_id", "cache", "llc_ways", "memory_bandwidth_percent"}), self._set_resources,
            ),
            "place_thread": (frozenset({"nf_id", "pid", "tid"}), self._place_thread),
            "set_chain_resources": (CHAIN_FIELDS, self._set_chain_resources),
            "set_resources_of_chains": (frozenset({"chains"}), self._set_resources_of_chains),
            "place_chain_thread": (frozenset({"chain", "pid", "tid"}), self._place_chain_thread),
            "list_resources": (frozenset(), self._list_resources),
            "clean": (frozenset(), self._clean),
        }  # fmt: skip

    def answer(self, line: bytes) -> bytes:
        """Never raises: what is wrong with a request is its answer."""
        number: int | None = None
        try:
            request = fields.parse(line)
            number = fields.within(request, "id", 0, MOST_ID)
            op = request.get("op")
            if not isinstance(op, str) or op not in self._verbs:
                raise HelperRefusal("unknown-op", "op", f"there is no such verb; there are {', '.join(self._verbs)}")
            names, act = self._verbs[op]
            fields.has_exactly(request, names | {"id", "op"})
            with self._lock:
                return _line({"id": number, "ok": True, **act(request)})
        except HelperRefusal as refusal:
            return refused(refusal, number)
        except OSError as error:
            why = f"the kernel refused: {error.strerror or error}"
            return refused(HelperRefusal("kernel", None, why), number)
        except Exception as error:  # a mistake in here must not end the helper
            return refused(HelperRefusal("internal", None, f"{type(error).__name__}: report it"), number)

    def close(self) -> None:
        """Carry out nothing more. Groups with a process stay as they are: NFs outlive agent and helper."""
        with self._lock:
            groups, self._groups, self._why_not = self._groups, None, "the helper is ending"
            if groups is not None:
                groups.clean()
                groups.remove_subtree()
            with suppress(OSError, HelperRefusal):  # the next start does it
                self._resctrl.clean()

    def _hello(self, _: Request) -> Answer:
        no_ways, no_bandwidth = self._resctrl.cannot()
        return {
            "version": VERSION,
            "cgroup": self._cgroup,
            "reason": self._why_not,
            "controllers": ["cpu"] if self._groups else [],
            "subtree": str(self._groups.subtree) if self._groups else None,
            "period_us": arithmetic.PERIOD_US,
            "budget_percent": self._groups.budget_percent if self._groups else None,
            "llc_reason": no_ways,
            "memory_bandwidth_reason": no_bandwidth,
        }

    def _place(self, request: Request) -> Answer:
        nf_id, pid = fields.nf_id(request), fields.within(request, "pid", 2, MOST_PID)
        groups = self._usable()
        process = PlaceableProcess(pid, self._programs, self._uid)
        try:
            groups.ensure(nf_id)
            groups.place(nf_id, pid)
            if not process.alive():
                # It ended in between. Should its pid have been taken over, the process that has it now was moved.
                if pid in groups.read(nf_id).pids:
                    groups.expel(pid)
                raise HelperRefusal("not-allowed", "pid", f"process {pid} ended while it was placed")
        finally:
            process.close()
        return {}

    def _set_cpu(self, request: Request) -> Answer:
        nf_id, quota = fields.nf_id(request), fields.quota(request)
        weight = fields.within(request, "weight", arithmetic.LEAST_WEIGHT, arithmetic.MOST_WEIGHT)
        groups = self._usable()
        groups.ensure(nf_id)
        groups.set_cpu(nf_id, weight, quota)
        return {}

    def _read(self, request: Request) -> Answer:
        nf_id = fields.nf_id(request)
        return _state(self._there(nf_id).read(nf_id))

    def _remove(self, request: Request) -> Answer:
        nf_id = fields.nf_id(request)
        self._there(nf_id).remove(nf_id)
        return {}

    def _list(self, _: Request) -> Answer:
        groups = self._usable()
        return {"nfs": [_state(groups.read(nf_id)) for nf_id in groups.nf_ids()]}

    def _set_resources(self, request: Request) -> Answer:
        return self._set_group(fields.nf_id(request), request)

    def _set_chain_resources(self, request: Request) -> Answer:
        return self._set_group(fields.chain(request), request)

    def _set_resources_of_chains(self, request: Request) -> Answer:
        wanted = [
            _wanted(fields.chain(one), one) for one in fields.entries(request, "chains", CHAIN_FIELDS, MOST_CHAINS)
        ]
        if len({one.owner for one in wanted}) != len(wanted):
            raise HelperRefusal("bad-request", "chains", "name a chain twice")
        if any(one.ways is None and one.percent is None for one in wanted):
            raise HelperRefusal("bad-request", "chains", "leave one nothing of its own: set that one by itself")
        self._resctrl.set_all(wanted)
        return {}

    def _set_group(self, owner: str, request: Request) -> Answer:
        one = _wanted(owner, request)
        given = self._resctrl.set(one.owner, one.cache, one.ways, one.percent)
        return {"mask": given.mask, "nic_ways": given.nic_ways}

    def _place_thread(self, request: Request) -> Answer:
        return self._place_in_group(fields.nf_id(request), "nf_id", request)

    def _place_chain_thread(self, request: Request) -> Answer:
        return self._place_in_group(fields.chain(request), "chain", request)

    def _place_in_group(self, owner: str, field: str, request: Request) -> Answer:
        pid, tid = fields.within(request, "pid", 2, MOST_PID), fields.within(request, "tid", 2, MOST_PID)
        process = PlaceableProcess(pid, self._programs, self._uid)
        try:
            process.check_thread(tid)
            if not self._resctrl.exists(owner):
                raise HelperRefusal("not-found", field, f"{owner} has no group of resctrl: set its resources first")
            self._resctrl.place(owner, tid)
            try:
                process.check_thread(tid)
            except HelperRefusal:  # should its id have been taken over, the thread that has it now was moved
                with suppress(ProcessLookupError):
                    self._resctrl.expel(tid)
                raise
        finally:
            process.close()
        return {}

    def _list_resources(self, _: Request) -> Answer:
        found = self._resctrl.read()
        return {
            "nfs": [{"nf_id": state.owner, **_resources(state)} for state in found if "." in state.owner],
            "chains": [{"chain": state.owner, **_resources(state)} for state in found if "." not in state.owner],
        }

    def _clean(self, _: Request) -> Answer:
        removed = {*self._resctrl.clean()}
        if self._groups is not None or all(self._resctrl.cannot()):
            removed |= {*self._usable().clean()}
        return {"removed": sorted(removed)}

    def _usable(self) -> CpuGroups:
        if self._groups is None:
            raise HelperRefusal("not-available", None, self._why_not or "cgroups cannot be used here")
        return self._groups

    def _there(self, nf_id: str) -> CpuGroups:
        groups = self._usable()
        if not groups.exists(nf_id):
            raise HelperRefusal("not-found", "nf_id", f"{nf_id} has no group: place it first")
        return groups


def _wanted(owner: str, request: Request) -> WantedResources:
    return WantedResources(
        owner,
        fields.within(request, "cache", 0, MOST_CACHE),
        fields.within_or_none(request, "llc_ways", 1, MOST_WAYS),
        fields.within_or_none(request, "memory_bandwidth_percent", 1, FULL_PERCENT),
    )


def refused(refusal: HelperRefusal, number: int | None = None) -> bytes:
    """The line that says no."""
    error = {"code": refusal.code, "field": refusal.field, "message": refusal.message}
    return _line({"id": number, "ok": False, "error": error})


def _line(answer: Answer) -> bytes:
    return json.dumps(answer, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def _state(state: GroupState) -> Answer:
    return {
        "nf_id": state.nf_id,
        "pids": list(state.pids),
        "weight": state.weight,
        "quota_percent": state.quota_percent,
        "cpu_ns": state.use.cpu_ns,
        "periods": state.use.periods,
        "throttled_periods": state.use.throttled_periods,
        "throttled_ns": state.use.throttled_ns,
    }


def _resources(state: ResourceState) -> Answer:
    return {
        "tids": list(state.tids),
        "llc_ways": {str(cache): mask for cache, mask in state.ways.items()},
        "memory_bandwidth_percent": {str(cache): percent for cache, percent in state.bandwidth.items()},
    }
