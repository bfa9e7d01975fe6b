"""What a reader of the plan should know beside it; hosts with the same warning share one."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from sextant_domain.base import Provenance
from sextant_domain.hosts.host import PROFILING
from sextant_domain.plans.trust import TrustVerdict

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import SHARED_CORES, HostState
from sextant_engine.planning import time_sharing
from sextant_engine.planning.listing import listed
from sextant_engine.planning.misplaced import misplaced
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.predict import models_of, predictor_of, shares_of, trust_in
from sextant_engine.planning.resource_groups import throttled_together
from sextant_engine.planning.share_laws import divided_by_two
from sextant_engine.planning.unmodelled import unmodelled

MARGIN = 1.05
"""By which a level is beyond those of the samples: less is as near as weights are known."""


def warnings_of(fleet: FleetView, touched: list[HostState]) -> list[str]:
    """By kind, then by host."""
    shared: dict[str, list[str]] = {}
    own: list[str] = []
    for host in touched:
        own += _other_work(host)
        own += _same_packets(host)
        own += _throttled_together(host)
        own += divided_by_two(host)
        for text in _of_host(fleet, host):
            shared.setdefault(text, []).append(host.name)
        if not host.up:
            own.append(f"{host.name} is {host.snapshot.status}: its order waits until it answers")
        for nf_id, why in misplaced(host).items():
            own.append(f"{nf_id} on {host.name}: {why}; re-place the fleet to move it")
    return [f"{listed(names)}: {text}" for text, names in shared.items()] + own


def _of_host(fleet: FleetView, host: HostState) -> Iterator[str]:
    yield from _unjudged(fleet, host)
    yield from _never_profiled(fleet, host)
    why_not = host.unpredictable
    if why_not == SHARED_CORES:
        if set(shares_of(host)) < set(host.chains):
            yield f"{why_not}; throughput is measured only"
            return
        yield time_sharing.NOTE
    elif why_not is not None:
        yield f"{why_not}; profile it there, or ship an assumed model"
        return
    elif assumed := [use.nf_type for use in models_of(fleet, host) if use.provenance is Provenance.ASSUMED]:
        why_not = host.inventory.why_not(PROFILING)
        them = "it" if len(assumed) == 1 else "them"
        next_step = f"profile {them} there" if why_not is None else f"it cannot profile: {why_not}"
        yield f"predictions rest on what is assumed of {listed(assumed, 'type')}, not on profiles; {next_step}"
    yield from dict.fromkeys(unmodelled(host).values())
    if why_not != SHARED_CORES:
        yield from _extrapolated(host)
    yield from _stale(fleet, host)
    yield from _distrusted(fleet, host)


def _other_work(host: HostState) -> Iterator[str]:
    """NFs on cores of which somebody else uses a part: the model knows nothing of them."""
    for unit in host.cores.layout.units:
        here = sorted(nf.nf_id for nf in host.nfs() if nf.core in unit.threads)
        if unit.other and here:
            used = f"other work uses {unit.other:.0f} % of core {unit.core} of {host.name}"
            yield f"{used}, where {listed(here)} will stand: what is predicted there counts on the whole core"


def _throttled_together(host: HostState) -> Iterator[str]:
    """The kernel's documentation of resctrl, `thread_throttle_mode`: the least of what the threads ask for is all's."""
    for core, sibling, limits in throttled_together(host):
        each = listed([f"{nf_id} ({percent} %)" for nf_id, percent in sorted(limits.items())])
        yield (
            f"cores {core} and {sibling} of {host.name} are one physical core, whose threads are throttled together: "
            f"{each} all have {min(limits.values())} % of memory bandwidth while both threads run"
        )


def _same_packets(host: HostState) -> Iterator[str]:
    """Chains of IPv6 of which one packet would be of two. Chains of IPv4 share their default match, and nobody is
    warned of them."""
    of_ipv6 = [chain for _, chain in sorted(host.chains.items()) if chain.ingress.match.version == 6]
    alike: dict[str, None] = {}
    for one, other in combinations(of_ipv6, 2):
        if one.traffic.lane and other.traffic.lane and one.traffic.lane.of == other.traffic.lane.of:
            continue  # a packet is of one lane
        if one.ingress.port == other.ingress.port and one.ingress.match.overlaps(other.ingress.match):
            alike |= dict.fromkeys((one.chain, other.chain))
    if alike:
        how = "each is sent packets of its own; from a network card only one could get a packet of both"
        yield f"the matches of {listed(sorted(alike), 'chain')} on {host.name} overlap: {how}"


def _unjudged(fleet: FleetView, host: HostState) -> Iterator[str]:
    """Latency objectives on a host that does not measure it; one that says nothing of it does."""
    why_not = next(
        (one.reason for one in host.inventory.capabilities if one.name == "latency" and not one.available), ""
    )
    specs = (fleet.specs.get(name) for name in sorted(host.chains))
    asked = [spec.name for spec in specs if spec is not None and spec.slo.max_p95_ms is not None]
    if why_not and asked:
        yield f"nobody will judge the latency objective of {', '.join(asked)}: {why_not}"


def _never_profiled(fleet: FleetView, host: HostState) -> Iterator[str]:
    """Of registered types: what is assumed of their implementation says nothing of their configuration."""
    for name in sorted({nf.nf_type for nf in host.nfs()}):
        nf_type, model = fleet.nf_types.get(name), host.models.get(name)
        if nf_type is None or nf_type.implementation is None or (model is not None and model.ideal_known):
            continue
        why_not = host.inventory.why_not(PROFILING)
        next_step = "profile it" if why_not is None else f"it cannot be profiled there: {why_not}"
        yield f"{name} was never profiled on this host model, figures are those assumed of {nf_type.runs}; {next_step}"


def _extrapolated(host: HostState) -> Iterator[str]:
    """NFs that stand beside more than they were profiled beside: the first NFs take other shares than the next ones."""
    weights: dict[int, float] = defaultdict(float)
    for nf in host.nfs():
        weights[host.node_of(nf.core)] += 1 / host.models[nf.nf_type].stalls
    beyond: dict[str, tuple[float, float]] = {}
    for chain in host.chains.values():
        for nf in chain.nfs:
            model, node = host.models[nf.nf_type], host.node_of(nf.core)
            if model.most_level is not None:
                known = (
                    model.most_level.local if node == ingress_node(chain, host.inventory) else model.most_level.remote
                )
                level = weights[node] - 1 / model.stalls
                if level > MARGIN * known:
                    beyond[nf.nf_type] = max(beyond.get(nf.nf_type, (0.0, 0.0)), (level, known))
    for name, (level, known) in sorted(beyond.items()):
        yield (
            f"{name} stands beside NFs that weigh {level:.2g} together, and was profiled beside {known:.2g} at most: "
            "what it loses is extrapolated; profile it on a host of this model with more free cores"
        )


def _stale(fleet: FleetView, host: HostState) -> Iterator[str]:
    """A promoted model whose NF type has moved on is used all the same: it is nearer than an assumed one."""
    for name in sorted({nf.nf_type for nf in host.nfs()}):
        model, now = host.models[name], fleet.nf_types.get(name)
        if model.nf_version is not None and now is not None and model.nf_version != now.version:
            versions = f"is of version {model.nf_version}, the type is at version {now.version}"
            yield f"model of {name} {versions}: profile it again"


def _distrusted(fleet: FleetView, host: HostState) -> Iterator[str]:
    for name in sorted({nf.nf_type for nf in host.nfs()}):
        trust = trust_in(fleet, host, name)
        if trust is not None and trust.verdict is TrustVerdict.DISTRUSTED:
            error = f"is off by {trust.error_percent:.1f} %" if trust.error_percent is not None else "does not hold"
            yield f"{predictor_of(host)} {error} on {name} on this host model: profile it again"
