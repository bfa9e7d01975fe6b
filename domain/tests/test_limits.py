"""Which NF limits a chain: the cases that the console's pages are held to as well."""

import json
from pathlib import Path
from typing import Any

import pytest
from sextant_domain.hosts.limits import NfLoad, limiting

CASES = json.loads(Path(__file__).with_name("limits.json").read_text())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_which_nf_limits_a_chain(case: dict[str, Any]) -> None:
    found = limiting([NfLoad(**nf) for nf in case["nfs"]])
    expected = case["limit"]
    assert found == (expected and (expected["nf_id"], expected["by"]))
