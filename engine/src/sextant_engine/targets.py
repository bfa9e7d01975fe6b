"""What moving one NF to each core of its host is predicted to do: the planner's own move and prediction, core by core.

Where cores are exclusive all cores of a node are alike, so that one of each is predicted; shared ones are predicted
each.
"""

from dataclasses import dataclass
from typing import Any

from sextant_domain.plans.intents import MigrateIntent
from sextant_domain.plans.plan import ChainPrediction, Rejection, Worse
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.plans.targets import MoveTarget, MoveTargets

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.migrate import moved_by
from sextant_engine.planning.predict import predictions_of
from sextant_engine.planning.reports import report_of
from sextant_engine.planning.standing import predicted_as_placed
from sextant_engine.planning.worse import worse_of


@dataclass(frozen=True)
class _Effect:
    predictions: tuple[ChainPrediction, ...]
    worse: tuple[Worse, ...]
    score: float
    """Sum of value x Mpps."""
    other: float
    """Percent of the core that other work uses."""

    @property
    def order(self) -> tuple[bool, float, float, int]:
        """The best first: no objective broken, least other work, most carried, least that lengthens latency."""
        return any(one.breaks_slo for one in self.worse), self.other, -round(self.score, 6), len(self.worse)


def targets_of(snapshot: FleetSnapshot, nf_id: str, host: str) -> MoveTargets:
    """Of an NF that is ordered to stand on that host; raises KeyError for an unknown host."""
    chain = nf_id.split(".", 1)[0]
    fleet = FleetView.of(snapshot)
    home = fleet.hosts[host]
    standing_now = {one.chain: one for one in predicted_as_placed(fleet, [host])}
    now = standing_now.get(chain)
    known: dict[tuple[int, float], _Effect] = {}
    found: list[tuple[int, int, str | None, _Effect | None]] = []
    for core in sorted(home.inventory.cores, key=lambda core: core.id):
        unit = home.cores.layout.unit_of.get(core.id)
        other = 0.0 if unit is None else unit.other
        key = (core.id if home.inventory.shares_cores else -1 - core.node, other)
        moved = moved_by(fleet, fleet.hosts, MigrateIntent(nf_id=nf_id, host=host, core=core.id))
        why = moved.reason if isinstance(moved, Rejection) else None
        if not isinstance(moved, Rejection) and key not in known:
            known[key] = _effect(fleet, moved, other)
        found.append((core.id, core.node, why, known[key] if why is None else None))
    orders = sorted({effect.order for *_, effect in found if effect is not None})
    compared = _Comparison(chain, {name: one.throughput_mpps for name, one in standing_now.items()}, orders)
    return MoveTargets(
        nf_id=nf_id,
        chain=chain,
        host=host,
        core=next((nf.core for nf in home.nfs() if nf.nf_id == nf_id), -1),
        now_mpps=now and now.throughput_mpps,
        predictor=now and now.predictor,
        note=now.note if now is not None and now.throughput_mpps is None else None,
        cores=tuple(
            MoveTarget(
                core=core,
                node=node,
                why_not=why,
                other_percent=effect.other if effect is not None and effect.other else None,
                **(_NOTHING if effect is None else compared.of(effect)),
            )
            for core, node, why, effect in found
        ),
    )


_NOTHING: dict[str, Any] = {
    "rank": None,
    "chain_mpps": None,
    "change_mpps": None,
    "others_mpps": None,
    "worse": (),
}


def _effect(fleet: FleetView, moved: HostState, other: float) -> _Effect:
    predictions = tuple(predictions_of(fleet, moved, report_of(fleet, moved, most_causes=0)))
    score = sum(fleet.value_of(one.chain) * (one.throughput_mpps or 0.0) for one in predictions)
    return _Effect(predictions, worse_of(fleet, [moved], predictions), score, other)


@dataclass(frozen=True)
class _Comparison:
    """What effects are compared with."""

    chain: str
    now: dict[str, float | None]
    """Mpps of every chain of the host as it stands."""
    orders: list[tuple[bool, float, float, int]]

    def of(self, effect: _Effect) -> dict[str, Any]:
        """Fields of a target."""
        changes = {
            one.chain: one.throughput_mpps - before
            for one in effect.predictions
            if one.throughput_mpps is not None and (before := self.now.get(one.chain)) is not None
        }
        own = next((one.throughput_mpps for one in effect.predictions if one.chain == self.chain), None)
        others = [change for name, change in changes.items() if name != self.chain]
        return {
            "rank": self.orders.index(effect.order) + 1,
            "chain_mpps": own,
            "change_mpps": changes.get(self.chain),
            "others_mpps": sum(others) if changes else None,
            "worse": effect.worse,
        }
