"""Who hurts whom on a host that runs, or would run, a given content."""

from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import HostContent
from sextant_domain.plans.interference import Interference, Victim
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.predict import causes_of, models_of, provenance_of
from sextant_engine.planning.reports import HostReport, report_of


def interference_of(snapshot: FleetSnapshot, host: str, content: HostContent) -> Interference:
    """Every NF of `content` on `host` with all that takes throughput from it; raises KeyError for an unknown host."""
    fleet = FleetView.of(snapshot)
    asked = fleet.hosts[host].holding({chain.chain: chain for chain in content.chains})
    report = report_of(fleet, asked)
    if report is None:
        return Interference(host=host, provenance=Provenance.PREDICTED, victims=(), note=asked.unpredictable)
    types = sorted({nf.nf_type for nf in asked.nfs()})
    return Interference(
        host=host,
        provenance=provenance_of(asked, types),
        victims=tuple(_victims(asked, report)),
        models=tuple(models_of(fleet, asked)),
        note=None,
    )


def _victims(host: HostState, report: HostReport) -> list[Victim]:
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
