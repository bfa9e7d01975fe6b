"""The demonstration fleet: hosts asked for and awaited, chains put on them, all taken away again.

Every step may be repeated: what is there is left as it is, what is gone is not missed.
"""

import time
from collections.abc import Sequence
from typing import Any

from sextant_domain.console.views import ChainState, ChainView, HostView
from sextant_domain.hosts.demo import DEMO_LABELS, DEMO_PATTERN, DemoFleet
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.plan import PlaceIntent, PlanState
from sextant_domain.problem import NextAction

from sextant_cli.applying import MAX_PLANS, made_plan, request_plan, start
from sextant_cli.client import Answer, path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.session import Session, read, read_all
from sextant_cli.versions import as_it_is
from sextant_cli.waiting import until_free

POLL_S = 0.5
PROGRESS_EVERY_S = 2.0
CHAIN_PREFIX = "demo-chain-"
MOST_CHAINS = 1000
_KINDS: tuple[tuple[tuple[str, ...], float, int], ...] = (
    (("router", "firewall", "basic-monitor"), 1.0, 256),
    (("firewall", "nids"), 0.5, 512),
    (("router", "nat", "load-balancer", "dpi"), 0.8, 128),
)
"""NFs, Mpps, bytes a packet."""


class ProgressLine:
    """`12 of 20 hosts are up`, now and then."""

    def __init__(self, session: Session, whole: int, what: str) -> None:
        self._session, self._whole, self._what = session, whole, what
        self._last = (0, 0.0)

    def __call__(self, count: int) -> None:
        """So many so far."""
        now = time.monotonic()
        if count != self._last[0] and (count == self._whole or now - self._last[1] >= PROGRESS_EVERY_S):
            self._last = (count, now)
            self._session.out.progress(f"{count} of {self._whole} {self._what}")


def present(session: Session) -> DemoFleet:
    """As it was asked for."""
    return read(DemoFleet, session.api.get(path_of("demo")).body)


def want(session: Session, hosts: int) -> DemoFleet:
    """Ask for so many."""
    return read(DemoFleet, session.api.put(path_of("demo"), DemoFleet(hosts=hosts).model_dump()).body)


def is_demo(host: HostView) -> bool:
    """Whether a host is one of the demonstration fleet's: by name, and by the label it was enrolled with."""
    return host.host_id.startswith(DEMO_PATTERN.replace("*", "")) and host.labels == DEMO_LABELS


def await_hosts(session: Session, names: Sequence[str], timeout_s: float) -> None:
    """Until all report."""
    progress, deadline = ProgressLine(session, len(names), "hosts are up"), time.monotonic() + timeout_s
    for count, name in enumerate(names, start=1):
        while not _is_up(host := _host(session, name)):
            if time.monotonic() > deadline:
                why = _why_not(host)
                raise _late(f"{name} does not report: {why}", "sextant demo", timeout_s)
            time.sleep(POLL_S)
        progress(count)


def _is_up(host: HostView | None) -> bool:
    return host is not None and host.status is HostStatus.UP and host.inventory is not None


def _why_not(host: HostView | None) -> str:
    if host is None:
        return "it has not enrolled"
    return host.status_reason if host.status is not HostStatus.UP else "it has not reported its inventory"


def chain_of(number: int, hosts: Sequence[str]) -> dict[str, Any]:
    """The chain of that number, from 1 on: its host follows from it."""
    nfs, rate_mpps, packet_bytes = _KINDS[number % len(_KINDS)]
    return {
        "name": f"{CHAIN_PREFIX}{number:04}",
        "nfs": list(nfs),
        "ingress": {"host": hosts[(number - 1) % len(hosts)]},
        "traffic": {"rate_mpps": rate_mpps, "packet_bytes": packet_bytes, "flows": 10_000},
        "slo": {"min_throughput_mpps": 0.9 * rate_mpps},
    }


def place_chains(session: Session, count: int, hosts: Sequence[str], timeout_s: float) -> None:
    """Submit the first `count` chains and apply a plan for each; those that are there stay as they are."""
    progress = ProgressLine(session, count, "chains placed")
    for number in range(1, count + 1):
        spec = chain_of(number, hosts)
        try:
            known = read(ChainView, session.api.get(path_of("chains", spec["name"])).body)
        except CliError as cause:
            if cause.kind != "not-found":
                raise
            submitted = session.api.post(path_of("chains"), spec).body
            _apply(session, spec, int(submitted["plan_id"]), timeout_s)
        else:
            if known.state is ChainState.SUBMITTED:  # somebody stopped this command before it was applied
                _apply(session, spec, request_plan(session, PlaceIntent(chain=spec["name"])), timeout_s)
        progress(number)


def _apply(session: Session, spec: dict[str, Any], plan_id: int, timeout_s: float) -> None:
    name, host = spec["name"], spec["ingress"]["host"]
    intent, unsure = PlaceIntent(chain=name), True
    for _ in range(MAX_PLANS):
        plan, _answer = made_plan(session, plan_id, timeout_s)
        rejected = plan.body.rejected if plan.body is not None else ()
        try:
            if plan.state is not PlanState.SUPERSEDED:
                if not rejected:
                    start(session, plan, timeout_s)
                    return
                if not unsure:
                    raise _no_room(name, plan_id, rejected[0].reason)
        except CliError as cause:
            if cause.kind != "stale-plan":
                raise
        if rejected:  # its host may have been silent for a moment: a busy machine is no full one
            unsure = False
            _put_aside(session, plan_id)
        await_hosts(session, [host], timeout_s)
        plan_id = request_plan(session, intent)
    raise _late(f"{name}: other plans were applied first", "sextant operations list", timeout_s)


def _put_aside(session: Session, plan_id: int) -> None:
    """It changes nothing, and would wait for a review."""
    try:
        session.api.post(path_of("plans", str(plan_id), "reject"))
    except CliError as cause:
        if cause.status is not Exit.REFUSED:  # somebody decided on it before
            raise


def take_away(session: Session, hosts: Sequence[str], timeout_s: float) -> None:
    """Chains, then the process that serves the hosts, then the hosts."""
    known = read_all(ChainView, session.api.pages(path_of("chains")))
    _refuse_strangers(known, frozenset(hosts))
    own = [chain.spec.name for chain in known if chain.spec.name.startswith(CHAIN_PREFIX)]
    _delete_chains(session, own, timeout_s)
    want(session, 0)
    _await_silence(session, hosts, timeout_s)
    progress = ProgressLine(session, len(hosts), "hosts removed")
    for count, name in enumerate(hosts, start=1):
        _delete(session, "hosts", name, timeout_s)
        progress(count)


def _delete_chains(session: Session, names: Sequence[str], timeout_s: float) -> None:
    """All are ordered away first: their hosts work side by side."""
    for name in names:
        _delete(session, "chains", name, timeout_s)
    progress, deadline = ProgressLine(session, len(names), "chains removed"), time.monotonic() + timeout_s
    for count, name in enumerate(names, start=1):
        while _is_there(session, "chains", name):
            if time.monotonic() > deadline:
                raise _late(f"chain {name} is still there", "sextant operations list", timeout_s)
            time.sleep(POLL_S)
        progress(count)


def _delete(session: Session, kind: str, name: str, timeout_s: float) -> None:
    path = path_of(kind, name)

    def attempt() -> Answer:
        return as_it_is(session, path, lambda found: session.api.delete(path, if_match=found.etag))

    try:
        until_free(attempt, timeout_s)
    except CliError as cause:
        if cause.kind != "not-found":
            raise


def _await_silence(session: Session, hosts: Sequence[str], timeout_s: float) -> None:
    """Until its process has ended, so that nobody is refused for what he was just asked to do."""
    deadline = time.monotonic() + timeout_s
    for name in hosts[:1]:
        while (host := _host(session, name)) is not None and host.status is HostStatus.UP:
            if time.monotonic() > deadline:
                raise _late(f"{name} still reports", "make status", timeout_s)
            time.sleep(POLL_S)


def _refuse_strangers(chains: Sequence[ChainView], hosts: frozenset[str]) -> None:
    """Raises CliError where somebody's own chain runs on one of the hosts."""
    for chain in chains:
        stands = hosts & {nf.seat.host for nf in chain.placement}
        if stands and not chain.spec.name.startswith(CHAIN_PREFIX):
            raise error(
                "host-in-use",
                "Another chain runs there",
                f"{chain.spec.name} has NFs on {sorted(stands)[0]}; nothing was removed",
                Exit.REFUSED,
                next_actions=(
                    NextAction(label="Delete it first", command=f"sextant chains delete {chain.spec.name} --wait"),
                ),
            )


def _host(session: Session, name: str) -> HostView | None:
    try:
        return read(HostView, session.api.get(path_of("hosts", name)).body)
    except CliError as cause:
        if cause.kind != "not-found":
            raise
        return None


def _is_there(session: Session, kind: str, name: str) -> bool:
    try:
        session.api.get(path_of(kind, name))
    except CliError as cause:
        if cause.kind != "not-found":
            raise
        return False
    return True


def _no_room(name: str, plan_id: int, reason: str) -> CliError:
    return error(
        "no-room",
        "A chain does not fit",
        f"{name}: {reason}; the chains before it were placed",
        Exit.FAILED,
        next_actions=(NextAction(label="See what is missing", command=f"sextant plans show {plan_id}"),),
    )


def _late(what: str, command: str, timeout_s: float) -> CliError:
    next_actions = (NextAction(label="See it later", command=command),)
    return error(
        "timeout",
        what,
        f"waited {timeout_s:.0f} s; it continues without this command",
        Exit.FAILED,
        next_actions=next_actions,
    )
