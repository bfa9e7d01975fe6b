"""One chain, placed and checked, and where its NFs then stand."""

from engine_fleets import chain
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import PlaceIntent
from sextant_engine.plan import make_plan

WEB = chain("web-edge", slo={"min_throughput_mpps": 0.5, "max_p95_ms": 5.0})


def place(fleet, name="web-edge", algorithm=Algorithm.NODE_FIRST):
    body = make_plan(fleet, PlaceIntent(chain=name), Solving(algorithm=algorithm), clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def seats(body):
    return {nf.nf_id: (nf.seat.host, nf.seat.node, nf.seat.core, nf.seat.slot) for nf in body.after}
