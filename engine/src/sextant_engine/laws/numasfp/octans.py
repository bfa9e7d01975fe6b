"""The real Octans as a baseline: of all placements of whole chains, the one that Octans' own equations rank first.

Octans may split a chain over nodes; a look-up table of whole chains knows nothing of a split one, so it is not offered
one here. Its NF parameters are given, or those that are shipped as assumed.
"""

import json
from collections.abc import Mapping
from itertools import product
from typing import Any

from sextant_engine import native
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.numasfp.solve import answer
from sextant_engine.parameters import assumed_models

MOST_PLACEMENTS = 4096
"""12 chains on 2 nodes."""
BITS_PER_PACKET = (64 + 20) * 8
"""Frames of 64 bytes with preamble and gap, as the paper's traffic."""


def placed(question: Mapping[str, Any]) -> dict[str, Any]:
    """A `run` of Octans with its placement as the start."""
    params = dict(question.get("params") or {})
    given = params.pop("nf_types", None)
    plain = {**question, "params": params or None}
    # What is wrong with the rest is refused by the core, before this looks at it.
    answer("run", json.dumps({**plain, "algorithm": "rate_sorted"}))
    if question.get("start") is not None:
        return plain
    chains, nodes = question["chains"], question["nodes"]
    if len(nodes) ** len(chains) > MOST_PLACEMENTS:
        message = f"{len(chains)} chains on {len(nodes)} nodes have more than {MOST_PLACEMENTS} placements"
        raise BadEngineInput("algorithm", f"{message}, which Octans would all judge; leave some out")
    problem = _problem(chains, nodes, question["rates"][0], _parameters(chains, given))
    best = max(_within_cores(chains, nodes), key=lambda nodes_of: _score(problem, chains, nodes_of), default=None)
    if best is None:
        raise BadEngineInput("chains", "no placement keeps every chain whole within the cores of the nodes")
    return {**plain, "start": best}


def _within_cores(chains: Mapping[str, Any], nodes: Mapping[str, Any]) -> list[dict[str, str]]:
    found = []
    for chosen in product(nodes, repeat=len(chains)):
        placement = dict(zip(chains, chosen, strict=True))
        used = dict.fromkeys(nodes, 0)
        for chain, node in placement.items():
            used[node] += len(chains[chain])
        if all(used[node] <= given["cores"] for node, given in nodes.items()):
            found.append(placement)
    return found


def _score(problem: Mapping[str, Any], chains: Mapping[str, Any], placement: Mapping[str, str]) -> float:
    assignment = {chain: [placement[chain]] * len(types) for chain, types in chains.items()}
    judged = json.loads(native.evaluate(json.dumps({"problem": problem, "assignment": assignment})))
    return float(judged["objective"])


def _parameters(chains: Mapping[str, Any], given: Any) -> dict[str, Any]:
    if given is not None:
        if not isinstance(given, dict):
            raise BadEngineInput("params.nf_types", "is not an object of NF types, as in a problem")
        return given
    known = {
        model.nf_type: {
            "stalls": model.stalls,
            "ideal": model.ideal_mpps.model_dump(),
            "local": model.local.model_dump(),
            "remote": model.remote.model_dump(),
        }
        for model in assumed_models("any")
    }
    for chain, types in chains.items():
        for index, nf_type in enumerate(types):
            if nf_type not in known:
                message = f"of '{nf_type}' no Octans parameters are shipped; give them in params.nf_types"
                raise BadEngineInput(f"chains.{chain}.{index}", message)
    return known


def _problem(
    chains: Mapping[str, Any], nodes: Mapping[str, Any], rates: Mapping[str, float], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "nodes": [{"id": name, "local": name == "local", "cores": node["cores"]} for name, node in nodes.items()],
        "nf_types": parameters,
        "chains": [
            {"id": name, "nfs": types, "rate_mpps": rates[name] * 1000 / BITS_PER_PACKET}
            for name, types in chains.items()
        ],
        "objective": "served",
    }
