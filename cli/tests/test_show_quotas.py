"""`sextant chains show` of a chain with quota bounds: what its host gave each NF by itself, and the latest changes."""

from pathlib import Path

from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaChange, QuotaState

from .answers import NOW

BOUNDS = QuotaBounds(max_p95_us=5000, least_percent=10, most_percent=80)
OF_MEMORY = BOUNDS.model_copy(update={"least_ways": 2, "most_ways": 6, "least_bandwidth_percent": 20})
NF = BoundedNf(nf_id="edge.router", chain="edge", quota_percent=45, p95_us=700, max_p95_us=5000, state=QuotaState.WELL)
CHANGE = QuotaChange.model_validate({
    "at": NOW, "nf_id": "edge.router", "reason": "raised", "before_percent": 30, "after_percent": 45,
    "cause": "p95 9 ms > 5 ms in 2 windows running", "took_us": 1700,
})  # fmt: skip
WAYS = {"resource": "llc-ways", "before_percent": 0, "after_percent": 18.2, "before_ways": 0, "after_ways": 2}


def words(text: str) -> str:
    return " ".join(text.split())


def shown_with(console, sextant, chain_file: Path, bounds: QuotaBounds, **set_by_host: object) -> str:
    sextant("chains", "submit", str(chain_file))
    console.chains["edge"] = console.chains["edge"].model_copy(update={"quota_bounds": bounds})
    console.set_by_host = set_by_host
    return words(sextant("chains", "show", "edge").stdout)


def test_a_row_an_nf_and_one_a_change(console, sextant, chain_file: Path) -> None:
    shown = shown_with(console, sextant, chain_file, BOUNDS, bounded_nfs=(NF,), quota_changes=(CHANGE,))
    assert "quota bounds: 10 to 80 % of its core each, so that the p95 in it is" in shown
    assert "edge.router 45 % - - " in shown and " well -" in shown
    assert "edge.router raised CPU quota 30 -> 45 % p95 9 ms > 5 ms in 2 windows running" in shown


def test_ways_and_bandwidth_and_what_is_not_given(console, sextant, chain_file: Path) -> None:
    without = NF.model_copy(update={"nf_id": "edge.nat", "not_given": "LLC ways not given: no resctrl"})
    given = NF.model_copy(update={"llc_ways": 3, "memory_bandwidth_percent": 60})
    changes = CHANGE, QuotaChange.model_validate(CHANGE.model_dump() | WAYS)
    told = {"bounded_nfs": (given, without), "quota_changes": changes}
    shown = shown_with(console, sextant, chain_file, OF_MEMORY, **told)
    assert "; 2 to 6 LLC ways of its own; 20 % of the memory bandwidth at least" in shown
    assert "edge.router 45 % 3 60 % " in shown and "edge.nat 45 % shared 100 % " in shown
    assert "LLC ways not given: no resctrl" in shown
    assert "raised LLC ways shared -> 2 p95 9 ms" in shown
