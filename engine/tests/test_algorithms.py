"""What the core declares of algorithms is what everybody else says of them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from sextant_domain.laws import numasfp_algorithms as of_numasfp
from sextant_domain.laws.numasfp_algorithms import NUMASFP_ALGORITHMS, NumasfpAlgorithm
from sextant_domain.plans import algorithms as domain
from sextant_domain.plans.algorithms import ALGORITHMS, Algorithm
from sextant_domain.studies.numasfp import LoopAlgorithm
from sextant_engine import algorithms as core

ROOT = Path(__file__).parents[2]
NEXT = "make algorithms openapi, and commit what it writes"


def test_the_domain_has_what_the_core_declares_and_no_other():
    assert core.declared() == ALGORITHMS, NEXT
    assert [one.name for one in core.declared()] == list(Algorithm), NEXT
    assert Path(domain.__file__).read_text() == core.as_python(), NEXT


def test_the_domain_has_those_of_numasfp_that_place_chains():
    assert Path(of_numasfp.__file__).read_text() == core.as_numasfp_python(), NEXT
    assert [one.name for one in NUMASFP_ALGORITHMS] == list(NumasfpAlgorithm), NEXT
    assert not {"max_alloc", "sum_alloc"} & set(NumasfpAlgorithm), "these say what chains need, not where they stand"
    assert set(get_args(LoopAlgorithm)) <= set(NumasfpAlgorithm), "those of studies of the twin"
    contract = json.loads((ROOT / "docs" / "openapi.json").read_text())["components"]["schemas"]["NumasfpAlgorithm"]
    assert contract["enum"] == list(NumasfpAlgorithm), NEXT
    assert contract["x-algorithms"] == [one.model_dump(mode="json") for one in NUMASFP_ALGORITHMS], NEXT


def test_the_page_of_the_engine_has_the_table():
    assert core.as_markdown() in (ROOT / "docs" / "engine.md").read_text(), NEXT


def test_the_page_of_the_engine_has_the_table_of_numasfp():
    assert core.as_numasfp_markdown() in (ROOT / "docs" / "engine.md").read_text(), NEXT


def test_the_contract_of_the_api_declares_them_to_the_console():
    contract = json.loads((ROOT / "docs" / "openapi.json").read_text())["components"]["schemas"]["Algorithm"]
    assert contract["enum"] == [one.name for one in core.declared()], NEXT
    assert contract["x-algorithms"] == [one.model_dump(mode="json") for one in core.declared()], NEXT


def test_an_algorithm_without_bounds_takes_any_size():
    bounds = {one.name: [(bound.most, bound.of) for bound in one.bounds] for one in core.declared()}
    assert bounds["anytime"] == bounds["node_first"] == []
    assert bounds["exact"][0] == (1000, "chains")
    assert ("any size" in core.as_markdown()) and ("1,000 chains, else searched by anytime" in core.as_markdown())


@pytest.mark.parametrize("form", ["json", "python", "markdown", "numasfp", "numasfp-python"])
def test_the_command_writes_each_form(form):
    command = [sys.executable, "-m", "sextant_engine", "algorithms", "--as", form]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == core.FORMS[form]()
