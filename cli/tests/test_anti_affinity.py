"""`chains anti-affinity` and `submit --anti-affinity`: what is sent, and what is said of it."""

import json
from pathlib import Path

import pytest
from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.console.views import StandsWith


@pytest.mark.parametrize(("text", "scope"), [("web", "host"), ("web:host", "host"), ("web:node", "node")])
def test_submit_gives_the_group(console, sextant, chain_file: Path, text: str, scope: str) -> None:
    assert sextant("chains", "submit", str(chain_file), "--anti-affinity", text).exit_code == 0
    assert console.chains["edge"].anti_affinity == AntiAffinity(group="web", scope=scope)


def test_a_chain_file_has_it_too(console, sextant, chain_file: Path) -> None:
    chain_file.write_text(chain_file.read_text() + "anti_affinity: {group: web, scope: node}\n")
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    assert console.chains["edge"].anti_affinity == AntiAffinity(group="web", scope="node")


def test_a_group_is_given_and_taken_away(console, sextant, chain_file: Path) -> None:
    sextant("chains", "submit", str(chain_file))
    given = sextant("chains", "anti-affinity", "edge", "web:node")
    assert given.stdout == "edge is kept apart from the others of anti-affinity group web by node\n"
    assert console.chains["edge"].anti_affinity == AntiAffinity(group="web", scope="node")
    taken = sextant("chains", "anti-affinity", "edge", "none")
    assert taken.stdout == "edge has no anti-affinity group\n"
    assert console.chains["edge"].anti_affinity is None
    assert "anti_affinity" not in json.loads(sextant("chains", "show", "edge", "-o", "json").stdout)["spec"]


@pytest.mark.parametrize("text", ["Web", "web:rack", "web:", ":host", "", "w" * 64])
def test_a_group_that_cannot_be_read_is_bad_input(console, sextant, chain_file: Path, text: str) -> None:
    result = sextant("chains", "submit", str(chain_file), "--anti-affinity", text)
    assert result.exit_code == 2 and "GROUP:node" in result.stderr
    assert console.chains == {}


def test_whom_it_stands_with_all_the_same_is_said_in_list_and_show(console, sextant, chain_file: Path) -> None:
    sextant("chains", "submit", str(chain_file), "--anti-affinity", "web")
    console.stands_with = (StandsWith(chain="other", host="edge-1", node=None),)
    assert "breaks anti-affinity" in sextant("chains", "list").stdout
    shown = sextant("chains", "show", "edge").stdout
    assert "it stands with other on edge-1 all the same: move one of them" in shown
