"""`sextant chains predict`: what is sent, and what is said of the answer."""

import json
from pathlib import Path
from typing import Any

import pytest
from sextant_domain.base import Provenance
from sextant_domain.plans.new_chain import AffectedChain, NewChainPrediction, NewNf
from sextant_domain.plans.placement import Seat
from sextant_domain.plans.plan import ChainPrediction, ChooserFigures, Rejection, SloVerdict
from sextant_domain.problem import NextAction

from .answers import NOW

PREDICTION = ChainPrediction(
    chain="edge",
    throughput_mpps=4.7,
    low_mpps=4.5,
    high_mpps=4.9,
    bottleneck="edge.nids",
    provenance=Provenance.PREDICTED,
    throughput_slo=SloVerdict.MISSED,
    latency_slo=None,
)
ANSWER = NewChainPrediction(
    chain="edge",
    taken_at=NOW,
    host="sim-1",
    nfs=(
        NewNf(
            nf_id="edge.router",
            nf_type="router",
            seat=Seat(host="sim-1", node=0, core=3),
            local=True,
            crosses=False,
            shares_with=0,
        ),
        NewNf(
            nf_id="edge.nids",
            nf_type="nids",
            seat=Seat(host="sim-1", node=1, core=17),
            local=False,
            crosses=True,
            shares_with=2,
        ),
    ),
    prediction=PREDICTION,
    unmeasured=(),
    affected=(
        AffectedChain(
            chain="web",
            before_mpps=9.8,
            after_mpps=9.2,
            low_mpps=9.0,
            high_mpps=9.4,
            provenance=Provenance.PREDICTED,
            breaks_slo=True,
            longer=None,
        ),
    ),
    others_mpps=-0.7,
    rejected=None,
    stopped=False,
    doubt=None,
    warnings=("sim-1: predictions rest on what is assumed of nids",),
    next_actions=(),
)


@pytest.mark.parametrize(
    ("changes", "says", "never"),
    [
        (
            {},
            [
                "edge would go to sim-1",
                "remote, cross to node 1; core shared with 2 NFs",
                "predicted: 4.7000 Mpps (95 % interval 4.5000 to 4.9000); limited by edge.nids",
                "its throughput objective would be missed",
                "its objective would be missed",
                "all other chains of sim-1 together: -0.7000 Mpps",
                "warning: sim-1: predictions rest on what is assumed of nids",
                "nothing was planned or stored",
            ],
            "no prediction",
        ),
        (
            {
                "prediction": PREDICTION.model_copy(update={"throughput_mpps": None}),
                "unmeasured": ("nids", "router"),
                "next_actions": (
                    NextAction(label="Profile nids on sim-1", command="sextant profile start nids --host sim-1"),
                ),
            },
            [
                "no prediction: nids, router: never measured on sim-1's model",
                "next: Profile nids on sim-1: sextant profile start nids --host sim-1",
            ],
            "4.7",
        ),
        (
            {
                "prediction": PREDICTION.model_copy(
                    update={"by_curves": ChooserFigures(throughput_mpps=4.2, bottleneck="edge.nids")}
                )
            },
            ["predicted: 4.7000 Mpps", "placed by pressure curves: 4.2000 Mpps predicted"],
            "no prediction",
        ),
        (
            {
                "prediction": PREDICTION.model_copy(
                    update={"by_process": ChooserFigures(throughput_mpps=4.1, before_mpps=3.9, bottleneck="edge.nids")}
                )
            },
            ["placed by a Gaussian process: 4.1000 Mpps predicted, now 3.9000"],
            "pressure curves",
        ),
        (
            {"unmeasured": ("router",), "stopped": True},
            ["never measured on sim-1's model, so assumed: router", "the search was ended by its time"],
            "no prediction",
        ),
    ],
)
def test_the_answer_is_printed(
    sextant, console, chain_file: Path, changes: dict[str, Any], says: list[str], never: str
):
    console.new_chain = ANSWER.model_copy(update=changes)
    result = sextant("chains", "predict", str(chain_file))
    assert result.exit_code == 0, result.output
    for words in says:
        assert words in result.stdout
    assert never not in result.stdout
    assert console.asked_of is not None and console.asked_of.name == "edge"
    assert (console.chains, console.plans) == ({}, {})


def test_what_fits_nowhere_ends_with_status_one(sextant, console, chain_file: Path) -> None:
    no_room = Rejection(chain="edge", reason="needs 3 slots on one host", short=None, relax="add a host")
    console.new_chain = ANSWER.model_copy(update={"host": None, "nfs": (), "prediction": None, "rejected": no_room})
    result = sextant("chains", "predict", str(chain_file))
    assert result.exit_code == 1
    assert "no room for edge: needs 3 slots on one host" in result.stdout and "next: add a host" in result.stdout


def test_json_is_what_the_console_answered(sextant, console, chain_file: Path) -> None:
    console.new_chain = ANSWER
    result = sextant("chains", "predict", "-o", "json", "-", stdin=chain_file.read_text())
    assert NewChainPrediction.model_validate(json.loads(result.stdout)) == ANSWER


def test_a_file_that_cannot_be_read_is_named(sextant) -> None:
    result = sextant("chains", "predict", "absent.yaml")
    assert result.exit_code == 2 and "absent.yaml" in result.stderr
