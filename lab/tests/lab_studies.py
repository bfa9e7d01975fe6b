"""Small studies of tests in one line each."""

from typing import Any

from sextant_domain.studies.scenario import PlacementScenario, understood

TREE: dict[str, Any] = {
    "name": "small",
    "summary": "Two NFs.",
    "kind": "placement",
    "algorithms": ["exact", "node_balance"],
    "server": {"machine": "xeon-e5-2650-v4", "io": "threads"},
    "profiling": {"upstream": "router"},
    "nf": [{"name": "router"}, {"name": "nat"}],
    "set": [{"name": "pair", "chains": [["router", "nat"], ["nat", "router"]]}],
}


def tree(**changes: Any) -> dict[str, Any]:
    """As TOML gives it."""
    return {key: value for key, value in {**TREE, **changes}.items() if value is not None}


def study(**changes: Any) -> PlacementScenario:
    """The same, read."""
    return understood(tree(**changes))
