"""The small console's host in CoCo's law: web.a has grown on core 0, and web.b would go to core 1."""

from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.laws.coco import CocoParameters
from sextant_domain.laws.coco_view import (
    CocoCore,
    CocoElement,
    CocoHop,
    CocoHost,
    CocoHostRow,
    CocoParametersChange,
    CocoPush,
)
from sextant_domain.laws.recommendation import PolicyMode

from .answers import NOW

A = CocoElement(nf_id="web.a", chain="web", nf_type="firewall", use=0.6, needs=0.72, stays=False, goes_to=None)
B = A.model_copy(update={"nf_id": "web.b", "use": 0.4, "needs": 0.48, "goes_to": 1})
C = A.model_copy(update={"nf_id": "web.c", "use": None, "needs": None, "stays": True})


class ShelfOfCoco:
    """One host."""

    def __init__(self) -> None:
        self.parameters = CocoParameters()
        self.host = CocoHost(
            host="edge-1",
            mode=PolicyMode.RECOMMEND,
            stopped=None,
            provenance=Provenance.SIMULATED,
            evaluated_at=NOW,
            reason="a push is recommended; core 0 needs 120 % of its time",
            full=0.9,
            cores=(
                CocoCore(core=0, node=0, slots=4, others=0.0, needs=1.2, elements=(A, B)),
                CocoCore(core=1, node=0, slots=4, others=0.05, needs=0.2, elements=(C,)),
                CocoCore(core=2, node=1, slots=4, others=None, needs=None, elements=()),
            ),
            hops=(CocoHop(chain="web", from_core=0, to_core=1, mpps=1.0, other_node=False),),
            push=CocoPush(core=0, element="web.a", moves={"web.b": 1}, lacks=0.2, freed=0.48),
            rests_until=None,
            recommendation_id=4,
        )

    def row(self) -> CocoHostRow:
        """In the list."""
        return CocoHostRow(
            host=self.host.host,
            mode=self.host.mode,
            chains=1,
            overloaded=1,
            fullest_percent=120.0,
            short_mpps=0.2,
            reason=self.host.reason,
            evaluated_at=NOW,
            provenance=self.host.provenance,
            recommendation_id=4,
        )

    def change(self, body: Any) -> CocoParameters:
        """As the console changes them."""
        wanted = CocoParametersChange.model_validate(body).model_dump(exclude_none=True)
        self.parameters = self.parameters.model_copy(update=wanted)
        return self.parameters
