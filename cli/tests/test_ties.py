"""Ties of NFs: given by option and by file, shown with whom."""

from pathlib import Path

import pytest
from sextant_domain.console.views import TiedNf

FIREWALL = "firewall=edge-firewall"


def test_submit_ties_an_nf(console, sextant, chain_file: Path) -> None:
    assert sextant("chains", "submit", str(chain_file), "--tied", FIREWALL).exit_code == 0
    assert console.chains["edge"].ties == {"edge.firewall": "edge-firewall"}


def test_a_chain_file_has_it_too(console, sextant, chain_file: Path) -> None:
    chain_file.write_text(chain_file.read_text().replace("firewall,", "{type: firewall, tied: edge-firewall},"))
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    assert console.chains["edge"].ties == {"edge.firewall": "edge-firewall"}


@pytest.mark.parametrize(
    ("option", "why"),
    [("web=edge", "has no NF 'web'"), ("firewall", "--tied"), ("firewall=Edge", "--tied"), ("firewall=", "--tied")],
)
def test_a_tie_that_cannot_be_is_bad_input(console, sextant, chain_file: Path, option: str, why: str) -> None:
    result = sextant("chains", "submit", str(chain_file), "--tied", option)
    assert result.exit_code == 2 and why in result.stderr
    assert console.chains == {}


def test_show_says_with_whom(console, sextant, chain_file: Path) -> None:
    sextant("chains", "submit", str(chain_file), "--tied", FIREWALL)
    alone = sextant("chains", "show", "edge").stdout
    assert "edge.firewall has the tie edge-firewall, and nobody else on its host has it" in alone
    console.tied_with = (TiedNf(nf_id="edge.firewall", others=("edge-2.firewall",)),)
    shown = sextant("chains", "show", "edge").stdout
    assert "edge.firewall is tied with edge-2.firewall by edge-firewall: they share a core and move together" in shown
