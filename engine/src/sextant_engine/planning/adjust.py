"""Change settings of a chain where it stands: traffic, pause, execution, CPU shares and quotas, backends."""

import json
from collections.abc import Iterator
from typing import Any

from sextant_domain.chains.chain import ChainSettings, NfSettings
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, ResourceBounds
from sextant_domain.plans.intents import AdjustIntent
from sextant_domain.plans.plan import Adjustment, Rejection

from sextant_engine.host_state import HostState
from sextant_engine.planning.cpu_budget import above_budget, ask_for_less, quotas_beyond
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.parts import wrong_parts
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.share_laws import opposed


def adjust(draft: PlanDraft, intent: AdjustIntent) -> None:
    """Give the chain its settings wherever it runs, and the other parts of one over several hosts what is of the whole:
    all, or nothing. A host that is not up gets its order once it is back."""
    before = dict(draft.hosts)
    draft.rejected += wrong_parts(draft, intent)
    for name in intent.chains:
        hosts = draft.hosts_of(name)
        if not hosts:
            relax = "change its specification; it is planned with it"
            draft.rejected.append(rejection(name, "the chain runs on no host", relax=relax))
        for host in hosts:
            chain = host.chains[name]
            settings = intent.settings_of(name, chain.settings)
            refused = _refused(host, chain, settings)
            if refused is not None:
                draft.rejected.append(refused)
            else:
                _give(draft, host, chain, settings)
    if draft.rejected:
        draft.hosts, draft.reasons = before, {}


def _refused(host: HostState, chain: DesiredChain, settings: ChainSettings) -> Rejection | None:
    """Why the chain cannot have them where it stands."""
    unlike = sorted(chain.settings.nfs.keys() ^ settings.nfs.keys())
    if unlike:
        reason = f"the settings and the chain on {host.name} have different NFs: {', '.join(unlike)}"
        return rejection(chain.chain, reason, relax="name every NF of the chain, and no other")
    lacking = host.lacks(settings.needs_beyond(chain.settings).values())
    if lacking is not None:
        reason = f"the chain runs on {host.name}, which cannot do {lacking}"
        return rejection(chain.chain, reason, relax="leave that setting as it is")
    held = [nf.nf_id for nf in chain.nfs if nf.llc_ways is not None or nf.memory_bandwidth_percent is not None]
    if held and settings.execution != "isolated":
        reason = f"execution: {held[0]} has LLC ways or memory bandwidth of its own, and would share a process"
        return rejection(chain.chain, reason, relax="give these back (none) first")
    changed = adjusted(chain, settings)
    too_much = above_budget(host, quotas_beyond(changed, chain))
    if too_much is not None:
        return rejection(chain.chain, too_much, relax=ask_for_less(settings.quota_bounds, host))
    clash = next(opposed(host, changed), None) if changed.share_bounds != chain.share_bounds else None
    return None if clash is None else _of_two_laws(changed, host.name, *clash)


def _give(draft: PlanDraft, host: HostState, chain: DesiredChain, settings: ChainSettings) -> None:
    changed = adjusted(chain, settings)
    draft.put(host.name, changed)
    pairs = zip(chain.nfs, changed.nfs, strict=True)
    draft.reasons |= {now.nf_id: "as its chain's settings ask for" for then, now in pairs if then != now}


def _of_two_laws(chain: DesiredChain, host: str, core: int, other: DesiredChain) -> Rejection:
    mine, its = (one.share_bounds.law for one in (chain, other) if one.share_bounds is not None)
    reason = (
        f"share_bounds.law: core {core} of {host} is divided by {its} for {other.chain}, and one law divides a core"
    )
    relax = (
        f"leave it at {its}, or take the share bounds of {other.chain} away first (none), and give it {mine} afterwards"
    )
    return rejection(chain.chain, reason, relax=relax)


def adjusted(chain: DesiredChain, settings: ChainSettings) -> DesiredChain:
    """The same NFs on the same seats, with these settings."""
    nfs = tuple(_adjusted_nf(nf, settings.nfs[nf.nf_id.split(".", 1)[1]]) for nf in chain.nfs)
    update = {
        "traffic": settings.traffic,
        "execution": settings.execution,
        "paused": settings.paused,
        "share_bounds": settings.share_bounds,
        "quota_bounds": settings.quota_bounds,
        "nfs": nfs,
    }
    return chain.model_copy(update=update)


def _adjusted_nf(nf: DesiredNf, settings: NfSettings) -> DesiredNf:
    update = settings.model_dump(exclude={"config"}) | {"config": {**nf.config, **settings.config}}
    return nf.model_copy(update=update)


def adjustments_of(touched: list[HostState]) -> tuple[Adjustment, ...]:
    """What is reported of chains that run before and after: each setting that differs, and bounds as a whole, by host,
    chain and field. CPU
    shares and quotas are changes of an NF's resources, whoever asked for them."""
    return tuple(
        Adjustment(host=host.name, chain=name, field=field, before=before, after=after)
        for host in touched
        for name in sorted(host.chains.keys() & host.before.keys())
        for field, before, after in _differences(host.before[name], host.chains[name])
    )


def _differences(then: DesiredChain, now: DesiredChain) -> Iterator[tuple[str, str, str]]:
    if then.bounds != now.bounds:
        yield "bounds", _json(then.bounds), _json(now.bounds)
    if then.settings == now.settings:
        return
    before, after = _flat_settings(then.settings), _flat_settings(now.settings)
    for field in sorted(before.keys() | after.keys()):
        if before.get(field) != after.get(field):
            yield field, json.dumps(before.get(field)), json.dumps(after.get(field))


def _json(bounds: ResourceBounds | None) -> str:
    return json.dumps(None if bounds is None else bounds.model_dump(mode="json"))


def _flat_settings(settings: ChainSettings) -> dict[str, Any]:
    found = settings.model_dump(mode="json")
    found["nfs"] = {name: {"config": nf.config} for name, nf in settings.nfs.items()}
    return _flat(found)


def _flat(value: dict[str, Any], at: str = "") -> dict[str, Any]:
    """`{"traffic": {"flows": 1}}` as `{"traffic.flows": 1}`; lists are left whole."""
    found: dict[str, Any] = {}
    for name, inner in value.items():
        found |= _flat(inner, f"{at}{name}.") if isinstance(inner, dict) else {f"{at}{name}": inner}
    return found
