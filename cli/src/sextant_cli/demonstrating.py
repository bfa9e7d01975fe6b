"""The demonstration fleet: hosts asked for and awaited, chains put on them, all taken away again.

Every step may be repeated: what is there is left as it is, what is gone is not missed.
"""

import time
from collections.abc import Sequence
from typing import Any

from sextant_domain.console.views import ChainState, ChainView, HostView
from sextant_domain.hosts.demo import DEMO_LABELS, DEMO_PATTERN, DemoFleet
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.plan import PlanState
from sextant_domain.problem import NextAction

from sextant_cli.applying import MAX_PLANS, made_plan, request_plan, start
from sextant_cli.chain_states import chain_states
from sextant_cli.client import Answer, path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.measured_demo import of_measured_demo
from sextant_cli.session import Session, read, read_all
from sextant_cli.versions import as_it_is
from sextant_cli.waiting import until_free

POLL_S = 0.5
PROGRESS_EVERY_S = 2.0
FEW_HOSTS, LIST_EVERY_S = 20, 2.0
"""So many are asked for one by one; a list of a thousand takes the console most of a second."""
HOSTS_A_REQUEST = 200
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
    """Until all report: asked for as a list, until few are missing."""
    progress, deadline = ProgressLine(session, len(names), "hosts are up"), time.monotonic() + timeout_s
    missing = list(names)
    while missing:
        if len(missing) > FEW_HOSTS:
            listed = {host.host_id: host for host in read_all(HostView, session.api.pages(path_of("hosts")))}
        else:
            listed = {name: host for name in missing if (host := _host(session, name)) is not None}
        missing = [name for name in missing if not _is_up(listed.get(name))]
        progress(len(names) - len(missing))
        if missing and time.monotonic() > deadline:
            raise _late(f"{missing[0]} does not report: {_why_not(listed.get(missing[0]))}", "sextant demo", timeout_s)
        if missing:
            time.sleep(POLL_S if len(missing) <= FEW_HOSTS else LIST_EVERY_S)


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
    """Submit those of the first `count` chains that are not there, by one plan; then a plan for each that it did not
    place, or that somebody who stopped this command left. What runs stays as it is."""
    specs = {spec["name"]: spec for spec in (chain_of(number, hosts) for number in range(1, count + 1))}
    known = chain_states(session)
    new = [spec for name, spec in specs.items() if name not in known]
    if new:
        _apply_together(session, new, timeout_s)
    progress, states = ProgressLine(session, count, "chains placed"), chain_states(session)
    for number, (name, spec) in enumerate(specs.items(), start=1):
        if states.get(name) is ChainState.SUBMITTED:
            await_hosts(session, [spec["ingress"]["host"]], timeout_s)  # a busy machine is silent for a moment
            _apply(session, spec, request_plan(session, PlaceIntent(chain=name)), timeout_s)
        progress(number)


def _apply_together(session: Session, specs: Sequence[dict[str, Any]], timeout_s: float) -> None:
    """What it leaves out, and a plan that another one overtook, is left to plans of single chains."""
    submitted = session.api.post(path_of("chains", "batches"), {"chains": specs}, patience_s=timeout_s).body
    plan, _answer = made_plan(session, int(submitted["plan_id"]), timeout_s)
    if not plan.applicable:
        _put_aside(session, plan.id)
        return
    try:
        start(session, plan, timeout_s)
    except CliError as cause:
        if cause.kind != "stale-plan":
            raise


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
    own = [chain.spec.name for chain in known if chain.spec.name.startswith(CHAIN_PREFIX) or of_measured_demo(chain)]
    _delete_chains(session, own, timeout_s)
    want(session, 0)
    _await_silence(session, hosts, timeout_s)
    _remove_hosts(session, hosts, timeout_s)


def _delete_chains(session: Session, names: Sequence[str], timeout_s: float) -> None:
    """All are ordered away first: their hosts work side by side."""
    for name in names:
        _delete_chain(session, name, timeout_s)
    progress, deadline = ProgressLine(session, len(names), "chains removed"), time.monotonic() + timeout_s
    while left := sorted(chain_states(session).keys() & set(names)):
        progress(len(names) - len(left))
        if time.monotonic() > deadline:
            raise _late(f"chain {left[0]} is still there", "sextant operations list", timeout_s)
        time.sleep(POLL_S if len(left) <= FEW_HOSTS else LIST_EVERY_S)
    progress(len(names))


def _remove_hosts(session: Session, hosts: Sequence[str], timeout_s: float) -> None:
    """Some at once: each request is one transaction, which what else is stored of these hosts waits for."""
    progress = ProgressLine(session, len(hosts), "hosts removed")
    for at in range(0, len(hosts), HOSTS_A_REQUEST):
        some = {"hosts": hosts[at : at + HOSTS_A_REQUEST]}
        session.api.post(path_of("hosts", "removals"), some, patience_s=timeout_s)
        progress(min(at + HOSTS_A_REQUEST, len(hosts)))


def _delete_chain(session: Session, name: str, timeout_s: float) -> None:
    path = path_of("chains", name)

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
