"""Who hurts whom on a host that runs, or would run, a given content."""

from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import HostContent
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.interference import Interference, Victim
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.fleet import Draft, HostDraft, Policy
from sextant_engine.planning.predict import causes_of, models_of, provenance_of
from sextant_engine.planning.reports import HostReport, report_of


def interference_of(snapshot: FleetSnapshot, host: str, content: HostContent) -> Interference:
    """Every NF of `content` on `host` with all that takes throughput from it; raises KeyError for an unknown host."""
    draft = Draft(snapshot, Solving(), Policy(), clock=lambda: 0.0, watch=lambda _: False)
    laid = draft.hosts[host]
    laid.chains = {chain.chain: chain for chain in content.chains}
    report = report_of(draft, laid)
    if report is None:
        return Interference(host=host, provenance=Provenance.PREDICTED, victims=(), note=laid.unpredictable())
    types = sorted({nf.nf_type for nf in laid.nfs()})
    return Interference(
        host=host,
        provenance=provenance_of(laid, types),
        victims=tuple(_victims(laid, report)),
        models=tuple(models_of(draft, laid)),
        note=None,
    )


def _victims(host: HostDraft, report: HostReport) -> list[Victim]:
    victims = [
        Victim(
            nf_id=nf.nf_id,
            chain=name,
            nf_type=nf.nf_type,
            node=int(found.node),
            mpps=found.mpps,
            ideal_mpps=found.ideal_mpps,
            is_bottleneck=position == report.chains[name].bottleneck,
            causes=tuple(causes_of(host, found)),
        )
        for name, chain in sorted(host.chains.items())
        for position, (nf, found) in enumerate(zip(chain.nfs, report.chains[name].nfs, strict=True))
    ]
    return sorted(victims, key=lambda victim: victim.node)
