"""How good a plan is, in words: those of docs/contracts/verdicts.json, which the pages are held to as well."""

import json
from pathlib import Path

import pytest
from sextant_domain.base import Provenance
from sextant_domain.plans.evidence import Doubt, ModelUse, doubt_of
from sextant_domain.plans.trust import TrustVerdict
from sextant_domain.plans.verdict import proof_text, verdict_text

CONTRACTS = Path(__file__).parents[2] / "docs/contracts"
CASES = json.loads((CONTRACTS / "verdicts.json").read_text())
PROOFS = json.loads((CONTRACTS / "proofs.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['status']} {case['doubt']}")
def test_words_are_those_of_the_contract(case: dict[str, str]) -> None:
    doubt = None if case["doubt"] is None else Doubt(case["doubt"])
    assert verdict_text(case["status"], doubt) == case["text"]  # type: ignore[arg-type]


@pytest.mark.parametrize("case", PROOFS, ids=lambda case: case["text"])
def test_what_is_proved_names_of_whose_figures(case: dict[str, str]) -> None:
    doubt = None if case["doubt"] is None else Doubt(case["doubt"])
    assert proof_text(case["status"], doubt, case["predictors"]) == case["text"]  # type: ignore[arg-type]


def _use(trust: TrustVerdict | None) -> ModelUse:
    return ModelUse(
        nf_type="nids", host_model="xeon", version="fit-1", provenance=Provenance.PREDICTED, trust=trust, trust_why=None
    )


@pytest.mark.parametrize(
    ("trusts", "doubt"),
    [
        ((), None),
        ((None, TrustVerdict.UNTESTED), Doubt.UNTESTED),
        ((None, TrustVerdict.TRUSTED), None),
        ((TrustVerdict.TRUSTED, TrustVerdict.DISTRUSTED), Doubt.DISTRUSTED),
    ],
)
def test_one_distrusted_model_is_a_doubt_and_untested_ones_are_where_none_was_tested(
    trusts: tuple[TrustVerdict | None, ...], doubt: Doubt | None
) -> None:
    assert doubt_of(map(_use, trusts)) is doubt
