"""What the chains of a host will do under the fleet, by the engine's own prediction."""

from collections.abc import Collection
from itertools import islice
from math import inf

from sextant_domain.base import Provenance
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.plans.evidence import Cause, ModelUse, NfPrediction
from sextant_domain.plans.plan import ChainPrediction, SloVerdict
from sextant_domain.plans.trust import SPARE_PREDICTOR, Spread, Trust
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning import intervals, time_sharing
from sextant_engine.planning.intervals import SharingSpreads
from sextant_engine.planning.line_rate import line_shares
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.reports import CauseFound, ChainReport, HostReport, NfReport
from sextant_engine.planning.time_sharing import Share
from sextant_engine.planning.unmodelled import crowded, unmodelled

PREDICTOR = "octans"
NO_LATENCY = "latency is measured, not predicted"
PAUSED = "paused: this is what it will do once it is resumed"
"""Its place is kept for it, so it is planned with as though it ran."""
WORST = 3
"""Causes listed for each NF in the plan, the model's constant aside; the interference view has all."""
ASKED = WORST + 1
"""Of the report: the constant may be among them."""


def predictions_of(fleet: FleetView, host: HostState, report: HostReport | None) -> list[ChainPrediction]:
    """One for each chain of the fleet, by name: by Octans' model, or by time sharing where cores are shared."""
    without = unmodelled(host) | crowded(host)
    if report is not None:
        spread = fleet.spreads.get((host.inventory.host_model, PREDICTOR))
        return [
            _unpredicted(host, name, fleet.specs.get(name), without[name])
            if name in without
            else _predicted(host, name, fleet.specs.get(name), report.chains[name], spread)
            for name in sorted(host.chains)
        ]
    why_not, shares = host.unpredictable or "", shares_of(host)
    model = host.inventory.host_model
    spreads = SharingSpreads(
        of_capacity=fleet.spreads.get((model, time_sharing.PREDICTOR)),
        of_offer=fleet.spreads.get((model, SPARE_PREDICTOR)),
    )
    return [
        _shared(host, name, fleet.specs.get(name), shares[name], spreads)
        if name in shares and name not in without
        else _unpredicted(host, name, fleet.specs.get(name), without.get(name, why_not))
        for name in sorted(host.chains)
    ]


def _unpredicted(host: HostState, name: str, spec: ChainSpec | None, note: str) -> ChainPrediction:
    asked = spec.slo if spec else None
    return ChainPrediction(
        chain=name,
        throughput_mpps=None,
        bottleneck=None,
        provenance=Provenance.PREDICTED,
        throughput_slo=SloVerdict.NOT_PREDICTABLE if asked and asked.min_throughput_mpps is not None else None,
        latency_slo=_latency(spec),
        note=note,
        host=host.name,
        ingress_node=ingress_node(host.chains[name], host.inventory),
    )


def _predicted(
    host: HostState, name: str, spec: ChainSpec | None, found: ChainReport, spread: Spread | None
) -> ChainPrediction:
    chain = host.chains[name]
    line = line_shares(host).get(name)
    arriving = min(chain.traffic.rate_mpps, inf if line is None else line)
    interval = intervals.by_octans(host, chain, found, spread)
    return ChainPrediction(
        chain=name,
        throughput_mpps=found.mpps,
        before_mpps=found.before_mpps,
        low_mpps=None if interval is None else min(interval.low, arriving),
        high_mpps=None if interval is None else min(interval.high, arriving),
        interval_source=interval and interval.source,
        interval_note=interval and interval.note,
        capacity_mpps=max(found.capacity_mpps, 0.0),
        line_mpps=line,
        predictor=PREDICTOR,
        bottleneck=chain.nfs[found.bottleneck].nf_id,
        provenance=provenance_of(host, [nf.nf_type for nf in chain.nfs]),
        throughput_slo=_throughput(spec, found.mpps),
        latency_slo=_latency(spec),
        note="; ".join([*_notes(chain, spec, found.capacity_mpps), *_line(host, chain, line)]),
        host=host.name,
        ingress_node=ingress_node(chain, host.inventory),
        nfs=tuple(_nf(host, nf.nf_id, nf_found) for nf, nf_found in zip(chain.nfs, found.nfs, strict=True)),
    )


def _shared(
    host: HostState, name: str, spec: ChainSpec | None, share: Share, spreads: SharingSpreads
) -> ChainPrediction:
    chain = host.chains[name]
    interval = intervals.by_time_sharing(host, chain, share, spreads)
    beside_traffic = time_sharing.beside_source_and_sink(host, chain)
    return ChainPrediction(
        chain=name,
        throughput_mpps=share.mpps,
        low_mpps=interval and interval.low,
        high_mpps=interval and interval.high,
        interval_source=interval and interval.source,
        interval_note=interval and interval.note,
        capacity_mpps=share.capacity_mpps,
        predictor=time_sharing.PREDICTOR,
        bottleneck=chain.nfs[share.bottleneck].nf_id,
        provenance=Provenance.PREDICTED,
        assumes=("source and sink",) if beside_traffic else (),
        throughput_slo=_throughput(spec, share.mpps),
        latency_slo=_latency(spec),
        note="; ".join(
            [
                time_sharing.NOTE,
                *_notes(chain, spec, share.capacity_mpps),
                *([time_sharing.ASSUMES] if beside_traffic else []),
                *([time_sharing.BETWEEN_CORES] if time_sharing.crosses_cores(chain) else []),
            ]
        ),
        host=host.name,
        ingress_node=ingress_node(chain, host.inventory),
    )


def _notes(chain: DesiredChain, spec: ChainSpec | None, capacity: float) -> list[str]:
    notes = [f"capacity {max(capacity, 0.0):.2f} Mpps"]
    notes += [NO_LATENCY] if _latency(spec) else []
    return notes + ([PAUSED] if chain.paused else [])


def _line(host: HostState, chain: DesiredChain, line: float | None) -> list[str]:
    if line is None or line >= chain.traffic.rate_mpps:
        return []
    others = sum(other.ingress.port == chain.ingress.port for other in host.chains.values()) - 1
    beside = f" beside {others} other chain{'s' if others > 1 else ''}" if others else ""
    return [f"port {chain.ingress.port} carries {line:.2f} Mpps of it{beside}"]


def _throughput(spec: ChainSpec | None, mpps: float) -> SloVerdict | None:
    least = spec.slo.min_throughput_mpps if spec else None
    if least is None:
        return None
    return SloVerdict.MET if mpps >= least else SloVerdict.MISSED


def _latency(spec: ChainSpec | None) -> SloVerdict | None:
    return SloVerdict.NOT_PREDICTABLE if spec and spec.slo.max_p95_ms is not None else None


def provenance_of(host: HostState, nf_types: list[str]) -> Provenance:
    """Of figures that rest on the models of these types."""
    assumed = any(host.models[nf_type].provenance is Provenance.ASSUMED for nf_type in nf_types)
    return Provenance.ASSUMED if assumed else Provenance.PREDICTED


def _nf(host: HostState, nf_id: str, found: NfReport) -> NfPrediction:
    worst = islice((cause for cause in found.causes if cause.kind != "fixed"), WORST)
    part = _part(found)
    return NfPrediction(
        nf_id=nf_id,
        mpps=found.mpps,
        ideal_mpps=found.ideal_mpps,
        llc_drop=found.llc_drop,
        mem_drop=found.mem_drop,
        fixed_drop=found.fixed_drop,
        worst=tuple(_cause(host, cause, part) for cause in worst),
    )


def causes_of(host: HostState, found: NfReport) -> list[Cause]:
    """All of them, with neighbours' NF ids instead of their chains and positions."""
    part = _part(found)
    return [_cause(host, cause, part) for cause in found.causes]


def _part(found: NfReport) -> float:
    """Where the model's sum says that more is lost than there is, each cause takes its part of all there is."""
    return 1 / max(1.0, found.llc_drop + found.mem_drop + found.fixed_drop)


def _cause(host: HostState, found: CauseFound, part: float) -> Cause:
    neighbour = None
    if found.chain is not None and found.position is not None:
        neighbour = host.chains[found.chain].nfs[found.position].nf_id
    return Cause(
        kind=found.kind,
        nf_id=neighbour,
        llc_drop=part * found.llc_drop,
        mem_drop=part * found.mem_drop,
        lost_mpps=part * found.lost_mpps,
        share=found.share,
    )


def shares_of(host: HostState) -> dict[str, Share]:
    """What time sharing predicts of chains of the host; empty where cores are not shared."""
    return host.derive(time_sharing.sharing_of)


def predictor_of(host: HostState) -> str:
    """The one whose figures plans show of this host."""
    return time_sharing.PREDICTOR if host.inventory.shares_cores else PREDICTOR


def trust_in(fleet: FleetView, host: HostState, nf_type: str, predictor: str | None = None) -> Trust | None:
    """How far the host's predictor, or another, has held with the model in use; None where it was never tested."""
    trust = fleet.trust.get((nf_type, host.inventory.host_model, predictor or predictor_of(host)))
    return trust if trust is not None and trust.version == host.models[nf_type].version else None


def models_of(
    fleet: FleetView, host: HostState, predictor: str | None = None, nf_types: Collection[str] | None = None
) -> list[ModelUse]:
    """Model versions that the choice of nodes on this host rests on, of NF types that stand there or others, with how
    far the host's predictor is trusted with them, or another that chose."""
    types = {nf.nf_type for nf in host.nfs()} if nf_types is None else nf_types
    return [
        _use(model, trust_in(fleet, host, name, predictor))
        for name, model in sorted(host.models.items())
        if name in types
    ]


def _use(model: PerformanceModel, trust: Trust | None) -> ModelUse:
    return ModelUse(
        nf_type=model.nf_type,
        host_model=model.host_model,
        version=model.version,
        provenance=model.provenance,
        ideal_provenance=model.ideal_provenance,
        trust=trust.verdict if trust else None,
        trust_why=trust.why if trust else None,
    )
