"""What a chain would do that is being drawn: predicted by the engine for the fleet as it is, and stored nowhere."""

import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.new_chain import NewChainPrediction
from sextant_engine.errors import PlanningCancelled
from sqlalchemy.orm import Session

from sextant_backend.kit.admission import Admission, AdmissionTurn
from sextant_backend.kit.db import allow_idle, read_snapshot
from sextant_backend.kit.errors import Unavailable
from sextant_backend.modules.chain_requests import service
from sextant_backend.modules.snapshots.current_fleet import CurrentFleet

AT_ONCE, MOST_WAITING, WAIT_LIMIT_S = 2, 32, 5.0
"""They compute: more at once would only make each of them, and everything else here, slower."""
SOLVING = Solving(time_limit_s=5.0)
"""Nearly every chain is placed in milliseconds; a plan has longer for the others. Only the first one after a start, for
which all of a fleet is worked out, takes a second of CPU time where there are a thousand hosts."""
LIMIT_S = 10.0
"""A request that the engine computes longer for is refused."""


class NewChainPredictor:
    """Of one process: the fleet that it holds in memory, and who may compute now."""

    def __init__(self, fleet: CurrentFleet) -> None:
        self.fleet = fleet
        self.admission = Admission(AT_ONCE, MOST_WAITING, WAIT_LIMIT_S)

    def predict(self, session: Session, spec: ChainSpec) -> NewChainPrediction:
        """Raises what submitting it would raise, and Unavailable. One read snapshot, computed in no transaction."""
        from sextant_engine.new_chain import predict_new_chain

        service.refuse_unfit(session, spec)
        with read_snapshot(session):
            allow_idle(session)  # the first time it turns the rows of the whole fleet into objects
            fleet = self.fleet.read(session)
        end = time.monotonic() + LIMIT_S
        try:
            return predict_new_chain(fleet, spec, SOLVING, lambda _: time.monotonic() > end)
        except PlanningCancelled:
            raise Unavailable(f"What this chain would do could not be computed within {LIMIT_S:.0f} s.") from None


async def _turn(request: Request) -> AsyncIterator[NewChainPredictor]:
    """Once it is the request's turn to compute: before it takes one at the database, so that nobody else waits for
    those who draw, or type."""
    predictor: NewChainPredictor = request.app.state.new_chain_predictor
    turn = AdmissionTurn(predictor.admission)
    await turn.take()
    try:
        yield predictor
    finally:
        turn.give_back()


Predictor = Annotated[NewChainPredictor, Depends(_turn, scope="function")]
