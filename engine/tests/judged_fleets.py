"""A fleet of one host of two nodes whose placements pressure curves or a Gaussian process may judge."""

from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.trust import Trust
from sextant_domain.profiling.curves import ChainRole, CurveModel, PressureCurve
from sextant_domain.profiling.model import LocalRemote
from sextant_domain.profiling.process import ProcessFit, ProcessModel, ProcessSample, ProcessShape
from sextant_engine.fleet_view import MoveThresholds
from sextant_engine.plan import make_plan

BIG = numa_inventory()
MODEL = BIG.host_model
ALWAYS = MoveThresholds(margin_mpps=0.0, move_price_mpps=0.0)


def curves_of(nf_type, near, version="assumed-1"):
    """Loses 4 % for each unit of pressure on the node that packets arrive on, and nothing elsewhere."""
    return CurveModel(
        nf_type=nf_type,
        host_model=MODEL,
        version=version,
        near=near,
        far=0.0,
        curves=tuple(
            PressureCurve(
                role=role,
                pressures=(0.0, 20.0),
                drops=(0.0, 0.8 if role in (ChainRole.LOCAL, ChainRole.CROSSING) else 0.0),
                half_width=0.05,
                samples=9,
            )
            for role in ChainRole
        ),
    )


CURVES = (curves_of("router", 10.0), curves_of("firewall", 10.0))
SPEC = chain("web", "router", "firewall", rate=99.0)


def trust(nf_type, predictor, verdict):
    return Trust(
        nf_type=nf_type,
        host_model=MODEL,
        predictor=predictor,
        version="assumed-1",
        verdict=verdict,
        why="as it came",
        informative=20,
        uninformative=0,
        error_percent=1.0,
        bias_percent=0.0,
        coverage_percent=None,
        band_percent=5.0,
        last=None,
    )


def process_of(nf_type, slope=0.0, ideal=10.0, version="assumed-1"):
    """Loses `slope` for each Mpps that others bring to the node that packets arrive on, and nothing elsewhere."""
    return ProcessModel.of(
        ProcessFit(
            nf_type=nf_type,
            host_model=MODEL,
            version=version,
            shape=ProcessShape(level=0.3, bend=0.2, slope=0.2, lengths=(1.8, 1.3, 1.8, 1.95, 2.7), shared=0.5),
            ideal_mpps=LocalRemote(local=ideal, remote=0.8 * ideal),
            references=0.5,
            average_mpps=1.0,
            quantile=2.0,
            samples=tuple(
                ProcessSample(
                    role=role,
                    load=(0.0, near, 0.0, 0.0, 0.0),
                    drop=slope * near if role in (ChainRole.LOCAL, ChainRole.CROSSING) else 0.0,
                    variance=1e-6,
                )
                for role in ChainRole
                for near in (0.0, 5.0, 10.0, 20.0)
            ),
        )
    )


PROCESSES = (process_of("router"), process_of("firewall"))


def fleet(chains=(), specs=(SPEC,), curves=CURVES, trusts=(), processes=()):
    changes = {"curves": curves, "trust": tuple(trusts), "processes": tuple(processes)}
    return snapshot([host(BIG, chains)], specs).model_copy(update=changes)


def planned(asked, intent=None, thresholds=None, watch=None, **solving):
    intent = intent or PlaceIntent(chain="web")
    return make_plan(asked, intent, Solving(**solving), watch, clock=lambda: 0.0, thresholds=thresholds)


def nodes_of(body):
    return {nf.nf_id: nf.seat.node for nf in body.after}


def crowded():
    """Both NFs of a chain that runs, where packets arrive."""
    return fleet([running(SPEC, BIG, [(0, 0), (1, 0)])])
