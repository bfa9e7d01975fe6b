"""The verbs: what a request may say, field by field, and what is done about it."""

import json
import re
import threading
from collections.abc import Callable
from typing import NoReturn

from sextant_agent.helper import arithmetic
from sextant_agent.helper.candidate import Candidate
from sextant_agent.helper.groups import Groups, GroupState
from sextant_agent.helper.refusal import Refusal

VERSION = 1
NF_ID = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
"""As `sextant_domain.base.NfId`, written out: the helper imports nothing but the standard library."""
MOST_PID = 1 << 22
"""The kernel's own bound (PID_MAX_LIMIT)."""
MOST_ID = (1 << 53) - 1

Request = dict[str, object]
Answer = dict[str, object]


class Verbs:
    """Answers one line with one line. Safe for several threads: one request is carried out at a time."""

    def __init__(
        self, groups: Groups | None, why_not: str | None, *, cgroup: int | None, programs: frozenset[str], uid: int
    ) -> None:
        """`groups` is None where cgroups cannot be used, for the reason `why_not`."""
        self._groups = groups
        self._why_not = why_not
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
            "clean": (frozenset(), self._clean),
        }

    def answer(self, line: bytes) -> bytes:
        """Never raises: what is wrong with a request is its answer."""
        number: int | None = None
        try:
            request = _parse(line)
            number = _within(request, "id", 0, MOST_ID)
            op = request.get("op")
            if not isinstance(op, str) or op not in self._verbs:
                raise Refusal("unknown-op", "op", f"there is no such verb; there are {', '.join(self._verbs)}")
            fields, act = self._verbs[op]
            _has_exactly(request, fields | {"id", "op"})
            with self._lock:
                return _line({"id": number, "ok": True, **act(request)})
        except Refusal as refusal:
            return refused(refusal, number)
        except OSError as error:
            why = f"the kernel refused: {error.strerror or error}"
            return refused(Refusal("kernel", None, why), number)
        except Exception as error:  # a mistake in here must not end the helper
            return refused(Refusal("internal", None, f"{type(error).__name__}: report it"), number)

    def close(self) -> None:
        """Carry out nothing more. Groups with a process stay as they are: NFs outlive agent and helper."""
        with self._lock:
            groups, self._groups, self._why_not = self._groups, None, "the helper is ending"
            if groups is not None:
                groups.clean()
                groups.remove_subtree()

    def _hello(self, _: Request) -> Answer:
        return {
            "version": VERSION,
            "cgroup": self._cgroup,
            "reason": self._why_not,
            "controllers": ["cpu"] if self._groups else [],
            "subtree": str(self._groups.subtree) if self._groups else None,
            "period_us": arithmetic.PERIOD_US,
        }

    def _place(self, request: Request) -> Answer:
        nf_id, pid = _nf_id(request), _within(request, "pid", 2, MOST_PID)
        groups = self._usable()
        candidate = Candidate(pid, self._programs, self._uid)
        try:
            groups.ensure(nf_id)
            groups.place(nf_id, pid)
            if not candidate.alive():
                # It ended in between. Should its pid have been taken over, the process that has it now was moved.
                if pid in groups.read(nf_id).pids:
                    groups.expel(pid)
                raise Refusal("not-allowed", "pid", f"process {pid} ended while it was placed")
        finally:
            candidate.close()
        return {}

    def _set_cpu(self, request: Request) -> Answer:
        nf_id, quota = _nf_id(request), _quota(request)
        weight = _within(request, "weight", arithmetic.LEAST_WEIGHT, arithmetic.MOST_WEIGHT)
        groups = self._usable()
        groups.ensure(nf_id)
        groups.set_cpu(nf_id, weight, quota)
        return {}

    def _read(self, request: Request) -> Answer:
        nf_id = _nf_id(request)
        return _state(self._there(nf_id).read(nf_id))

    def _remove(self, request: Request) -> Answer:
        nf_id = _nf_id(request)
        self._there(nf_id).remove(nf_id)
        return {}

    def _list(self, _: Request) -> Answer:
        groups = self._usable()
        return {"nfs": [_state(groups.read(nf_id)) for nf_id in groups.nf_ids()]}

    def _clean(self, _: Request) -> Answer:
        return {"removed": self._usable().clean()}

    def _usable(self) -> Groups:
        if self._groups is None:
            raise Refusal("not-available", None, self._why_not or "cgroups cannot be used here")
        return self._groups

    def _there(self, nf_id: str) -> Groups:
        groups = self._usable()
        if not groups.exists(nf_id):
            raise Refusal("not-found", "nf_id", f"{nf_id} has no group: place it first")
        return groups


def refused(refusal: Refusal, number: int | None = None) -> bytes:
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


def _parse(line: bytes) -> Request:
    try:
        request = json.loads(line.decode(), parse_constant=_no_constant, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        raise Refusal("bad-request", None, "the line is not one JSON object") from error
    if not isinstance(request, dict):
        raise Refusal("bad-request", None, "the line is not one JSON object")
    return request


def _no_constant(text: str) -> NoReturn:
    raise ValueError(text)  # NaN and Infinity are not JSON


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field stands twice")
    return fields


def _has_exactly(request: Request, fields: frozenset[str]) -> None:
    for strange in sorted(request.keys() - fields):
        raise Refusal("bad-request", strange[:40], "this verb has no such field")
    for missing in sorted(fields - request.keys()):
        raise Refusal("bad-request", missing, "is missing")


def _nf_id(request: Request) -> str:
    value = request["nf_id"]
    if not isinstance(value, str) or len(value) > 127 or not NF_ID.fullmatch(value):
        raise Refusal("bad-request", "nf_id", "is not an NF id: <chain>.<nf>, each lower case, digits and hyphens")
    return value


def _quota(request: Request) -> float | None:
    value = request["quota_percent"]
    least, most = arithmetic.LEAST_QUOTA_PERCENT, arithmetic.MOST_QUOTA_PERCENT
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise Refusal("bad-request", "quota_percent", f"is neither null nor a number from {least:g} to {most:g}")
    return float(value)


def _within(request: Request, field: str, least: int, most: int) -> int:
    value = request.get(field)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Refusal("bad-request", field, f"is not a whole number from {least} to {most}")
    return value
