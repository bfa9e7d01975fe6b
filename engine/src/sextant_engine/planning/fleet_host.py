"""A host as the core's fleet problem has it: its seats, counted by the rules of cores and slots, and what runs there.

As JSON, made once for each view of a host. Whoever plans again and again for a thousand hosts, of which a few
have changed meanwhile, pays for those few. And text is nothing that the garbage collector has to walk.
"""

import json
from typing import Any, NamedTuple

from sextant_domain.chains.anti_affinity import AntiAffinity

from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import group_of
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.host_problem import placement_of
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.unmodelled import unmodelled


class _Beside(NamedTuple):
    """All that the text depends on beside the host's view."""

    may_move: bool
    chains: tuple[tuple[float, bool, AntiAffinity | None], ...]
    """Of each by name: its value, whether it stays where it is, and whom it must not stand with."""


class _Latest:
    """The text that was asked for last: one, so that values which change again and again fill no memory."""

    made: tuple[_Beside, str] | None = None
    """Replaced as a whole: several threads may ask."""


def fleet_host(draft: PlanDraft, host: HostState, may_move: bool) -> str:
    """With `may_move` its chains may change nodes, where the model holds."""
    fleet = draft.fleet
    beside = _Beside(
        may_move and host.cordoned is None and host.name not in draft.stuck,
        tuple((fleet.value_of(name), name in draft.kept, group_of(fleet, name)) for name in sorted(host.chains)),
    )
    latest = host.derive(_latest)
    made = latest.made
    if made is None or made[0] != beside:
        made = beside, json.dumps(_host(host, beside))
        latest.made = made
    return made[1]


def apart(group: AntiAffinity | None) -> dict[str, Any]:
    """The field of a chain of the problem; none of a chain without a group."""
    return {} if group is None else {"anti_affinity": group.model_dump(mode="json")}


def _latest(_host: HostState) -> _Latest:
    return _Latest()


def _host(host: HostState, beside: _Beside) -> dict[str, Any]:
    placed = placement_of(host)
    held = [node for nodes in placed.values() for node in nodes]
    modelled = all(nf.nf_type in host.models for nf in host.nfs())
    return {
        "id": host.name,
        "model": host.inventory.host_model if modelled else None,
        "trusted": not host.inventory.shares_cores,
        "may_move": beside.may_move and host.unpredictable is None and not unmodelled(host),
        "nodes": [
            {
                "id": str(node),
                "cores": host.room(node, spare=False) + held.count(str(node)),
                "spare": host.room(node, spare=True),
            }
            for node in sorted(node.id for node in host.inventory.nodes)
        ],
        "chains": [
            {
                "id": name,
                "nfs": [nf.nf_type for nf in host.chains[name].nfs],
                "value": value,
                "rate_mpps": host.chains[name].traffic.rate_mpps,
                "ingress": str(ingress_node(host.chains[name], host.inventory)),
                "placement": list(nodes),
                "stays": stays,
                **apart(group),
            }
            for (name, nodes), (value, stays, group) in zip(placed.items(), beside.chains, strict=True)
        ],
    }
