"""The small console's host in SRv6-INT's global loop: web needs more, and would get a lane on edge-2."""

from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.laws.srv6 import Srv6Parameters
from sextant_domain.laws.srv6_view import Srv6Chain, Srv6Host, Srv6HostRow, Srv6Lane, Srv6ParametersChange

from .answers import NOW

LANE = Srv6Lane(chain="web", host="edge-1", offered_mpps=0.03, carried_mpps=0.025, worst=4.0, saturated="web.a")
CHAIN = Srv6Chain(
    chain="web",
    lanes=(LANE,),
    best_mpps=0.02,
    above_since=NOW,
    surplus_since=None,
    why_not=None,
    recommended_lanes=2,
    recommended_hosts={"web-lane-2": "edge-2"},
)


class ShelfOfSrv6:
    """One host."""

    def __init__(self) -> None:
        self.parameters = Srv6Parameters()
        self.host = Srv6Host(
            host="edge-1",
            mode=PolicyMode.RECOMMEND,
            stopped=None,
            provenance=Provenance.MEASURED,
            evaluated_at=NOW,
            reason="web in 2 lanes is recommended",
            chains=(CHAIN,),
            unseen={},
            rests_until=None,
            recommendation_id=5,
        )

    def row(self) -> Srv6HostRow:
        """In the list."""
        return Srv6HostRow(
            host=self.host.host,
            mode=self.host.mode,
            chains=1,
            lanes=1,
            saturated=1,
            offered_mpps=0.03,
            reason=self.host.reason,
            evaluated_at=NOW,
            provenance=self.host.provenance,
            recommendation_id=5,
        )

    def change(self, body: Any) -> Srv6Parameters:
        """As the console changes them."""
        wanted = Srv6ParametersChange.model_validate(body).model_dump(exclude_none=True)
        self.parameters = self.parameters.model_copy(update=wanted)
        return self.parameters
