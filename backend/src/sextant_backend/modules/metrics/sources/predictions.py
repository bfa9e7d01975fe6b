"""What plans predict of chains as they stand, beside what these carry: as the maps and the trust meter compare them."""

from sextant_domain.base import Provenance
from sextant_domain.plans.trust import OutcomeTest
from sqlalchemy.orm import Session

from sextant_backend.modules.metrics.frame import Family, Found, Group
from sextant_backend.modules.predictions import service

_CHAIN = ("chain", "host", "provenance")


def _family(name: str, unit: str, meaning: str) -> Family:
    return Family(f"sextant_chain_{name}", unit, _CHAIN, meaning, Group.CHAIN)


PREDICTED = _family(
    "predicted_packets_per_second",
    "packets/s",
    "What the plan that the host runs by predicts the chain to carry; provenance: predicted, or assumed",
)
LOW = _family("predicted_low_packets_per_second", "packets/s", "Lower end of the 95 % interval of that prediction")
HIGH = _family("predicted_high_packets_per_second", "packets/s", "Upper end of it")
DIFFERENCE = _family(
    "prediction_difference_ratio",
    "ratio",
    "Measured less predicted, over predicted, by the mean of the newest 10 s; none where the chain was not offered "
    "enough to test the prediction, its port is full, or its host is silent",
)
HOLDS = _family("prediction_holds", "0 or 1", "1 where what was measured lies in the interval; none as above")
BY_RESULT = Family(
    "sextant_predictions",
    "chains",
    ("result",),
    "Chains of which something is predicted: measured `inside` or `outside` the interval, or `untested`",
    Group.FLEET,
)
FAMILIES = (BY_RESULT, PREDICTED, LOW, HIGH, DIFFERENCE, HOLDS)


def collect(session: Session, found: Found) -> None:
    """One statement."""
    results = {"inside": 0, "outside": 0, "untested": 0}
    for host in service.standing(session).hosts:
        for one in host.chains:
            where = (one.chain, host.host, (Provenance.ASSUMED if one.assumed else Provenance.PREDICTED).value)
            found.add(PREDICTED, one.predicted_mpps * 1e6, *where)
            found.add(LOW, None if one.low_mpps is None else one.low_mpps * 1e6, *where)
            found.add(HIGH, None if one.high_mpps is None else one.high_mpps * 1e6, *where)
            result = "untested"
            if one.test is OutcomeTest.INFORMATIVE and one.measured_mpps is not None and one.predicted_mpps > 0:
                found.add(DIFFERENCE, one.measured_mpps / one.predicted_mpps - 1, *where)
                if one.low_mpps is not None and one.high_mpps is not None:
                    holds = one.low_mpps <= one.measured_mpps <= one.high_mpps
                    found.add(HOLDS, holds, *where)
                    result = "inside" if holds else "outside"
            results[result] += 1
    for result, number in results.items():
        found.add(BY_RESULT, number, result)
