"""Every example is a chain as it stands."""

from pathlib import Path

import pytest
from sextant_cli.chain_file import load_chain

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "chains").rglob("*.yaml"))


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 4


def test_one_goes_over_hosts_and_in_lanes() -> None:
    """Parts of the first lane, at three quarters of what enters, and the second lane with all their NFs on one host."""
    parts = load_chain(str(next(path for path in EXAMPLES if path.stem == "over-hosts-in-lanes"))).lanes
    assert [(spec.name, spec.ingress.host, [nf.type for nf in spec.nfs]) for spec in parts] == [
        ("over-hosts-in-lanes", "lab-1", ["router", "firewall"]),
        ("over-hosts-in-lanes-part-2", "lab-4", ["nids"]),
        ("over-hosts-in-lanes-lane-2", "lab-2", ["router", "firewall", "nids"]),
    ]
    assert [spec.traffic.rate_mpps for spec in parts] == pytest.approx([0.003, 0.003, 0.001])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_accepted_and_named_like_its_file(path: Path) -> None:
    assert load_chain(str(path)).lanes[0].name == path.stem
