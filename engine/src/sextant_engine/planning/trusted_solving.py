"""Hosts solved again under pressure curves or a Gaussian process, where these are trusted: `automatic`.

The core chose the hosts and solved each by Octans' equations. Here its placement, from which the search goes on, is one
of several candidates.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from sextant_domain.plans.verdict import PREDICTOR_WORDS

from sextant_engine.local_search import SearchResult
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.fleet_problem import FleetProblem
from sextant_engine.planning.found import FleetFound, HostFound, ScoredPlacement
from sextant_engine.planning.reports import FrontierFound, MoveGain
from sextant_engine.planning.rest_judge import RestJudge, trusted_predictor
from sextant_engine.planning.rest_predictor import RestPredictor
from sextant_engine.portfolio import BASELINE, LEAST_GAIN_OVER_BASELINE, PortfolioResult, solve_portfolio
from sextant_engine.problem import Chain, NfParameters, Node, Placement, PlacementProblem
from sextant_engine.stop import Stop

AT_HOME = "what runs stays"
STAYS = f"node-first stays, as no predicted gain over it exceeds {100 * LEAST_GAIN_OVER_BASELINE:.1f} %"


def judged(draft: PlanDraft, asked: FleetProblem, found: FleetFound) -> FleetFound:
    """With hosts whose trusted predictor is not Octans' equations placed by that one; all as it was where an algorithm
    was asked for. Raises PlanningCancelled."""
    if draft.solving.algorithm is not None:
        return found
    judges = {name: _predictor(draft, asked, found, name) for name in sorted(found.hosts)}
    wanted = {name: one for name, one in judges.items() if one is not None}
    for done, (name, predictor) in enumerate(wanted.items()):
        draft.progress.report("solving", done, len(wanted))
        moved = sum(one.result.moves for host, one in found.hosts.items() if host != name)
        most = draft.solving.max_moves
        left = None if most is None else max(0, most - moved)
        host = _JudgedHost(draft, asked, found, name, max_moves=left, predictor=predictor)
        better = host.solved(draft.seconds_left() / (len(wanted) - done))
        if better is not None:
            found = _with(found, name, better)
    return found


def _predictor(draft: PlanDraft, asked: FleetProblem, found: FleetFound, name: str) -> RestPredictor | None:
    host = draft.hosts[name]
    chains = _chains(asked, name, found.hosts[name].result.assignment)
    if any(chain.get("anti_affinity", {}).get("scope") == "node" for chain in chains):
        return None  # only the core keeps chains apart by node
    types = {nf for chain in chains for nf in chain["nfs"]}
    known = found.hosts[name].trusted and types <= host.models.keys()
    return trusted_predictor(draft.fleet, host, types) if known and types else None


def _chains(asked: FleetProblem, host: str, assignment: Placement) -> list[dict[str, Any]]:
    """Those that run on the host and those that are placed there, with the node that their packets arrive on."""
    placed = [
        {**chain, "ingress": dict(asked.rest["entries"][chain["entry"]])[host]}
        for chain in asked.rest["waiting"]
        if chain["id"] in assignment
    ]
    return [*asked.host(host)["chains"], *placed]


def _with(found: FleetFound, name: str, better: HostFound) -> FleetFound:
    """Sums go on by the figures of the predictor that each host was placed by."""
    then, now = found.hosts[name].result, better.result
    return found.model_copy(
        update={
            "hosts": {**found.hosts, name: better},
            "objective": found.objective + now.objective - then.objective,
            "score": found.score + now.score - then.score,
            "bound": found.bound + (now.bound or 0.0) - (then.bound or 0.0),
            "evaluations": found.evaluations + now.evaluations,
            "status": "feasible" if found.status == "optimal" and now.status != "optimal" else found.status,
        }
    )


class _JudgedHost:
    def __init__(
        self,
        draft: PlanDraft,
        asked: FleetProblem,
        found: FleetFound,
        name: str,
        *,
        max_moves: int | None,
        predictor: RestPredictor,
    ) -> None:
        self._draft, self._found, self._predictor = draft, found.hosts[name], predictor
        self._asked, rest = asked.host(name), asked.rest
        self._may_move = self._asked["may_move"] and max_moves != 0 and bool(self._asked["chains"])
        self._margin = rest["margin_mpps"]
        self._running = {chain["id"]: tuple(chain["placement"]) for chain in self._asked["chains"]}
        chains = _chains(asked, name, self._found.result.assignment)
        self._free = self._problem(rest, chains, max_moves)
        self._judge = RestJudge(self._free, predictor)

    def _problem(
        self, rest: Mapping[str, Any], chains: Sequence[Mapping[str, Any]], max_moves: int | None
    ) -> PlacementProblem:
        """Seats of last choice that the core granted are as good as others."""
        held = [node for nodes in self._found.result.assignment.values() for node in nodes]
        local = {chain["ingress"] for chain in chains}
        types = sorted({nf for chain in chains for nf in chain["nfs"]})
        parameters = rest["models"][self._asked["model"]]
        return PlacementProblem(
            nodes=tuple(
                Node(id=node["id"], local=node["id"] in local, cores=max(node["cores"], held.count(node["id"])))
                for node in self._asked["nodes"]
            ),
            nf_types={nf: NfParameters.model_validate(parameters[nf]) for nf in types},
            chains=tuple(
                Chain(
                    id=chain["id"],
                    nfs=tuple(chain["nfs"]),
                    value=chain["value"],
                    rate_mpps=chain["rate_mpps"],
                    ingress=chain["ingress"],
                    nf_pins=self._running[chain["id"]] if chain.get("stays") else None,
                )
                for chain in chains
            ),
            objective="served",
            initial=self._running,
            move_price_mpps=rest["move_price_mpps"],
            max_moves=max_moves,
        )

    def solved(self, seconds: float) -> HostFound | None:
        """What runs stays unless moving it gains more than the margin; None where the predictor cannot predict it."""
        at_home = self._solve(self._pinned(), seconds / 2 if self._may_move else seconds, {})
        if at_home is None:
            return None
        if not self._may_move:
            return self._host_found(at_home, at_home, ())
        moved = self._solve(self._free, seconds / 2, {AT_HOME: at_home.found.placement})
        if moved is None:
            return None
        worth_it = moved.found.score > at_home.found.score + self._margin
        frontier = _frontier(moved.found, self._free.move_price_mpps, self._moves(moved.found.placement))
        return self._host_found(moved if worth_it else at_home, moved, frontier)

    def _pinned(self) -> PlacementProblem:
        chains = tuple(
            chain.model_copy(update={"nf_pins": self._running[chain.id]}) if chain.id in self._running else chain
            for chain in self._free.chains
        )
        return self._free.model_copy(update={"chains": chains})

    def _solve(
        self, problem: PlacementProblem, seconds: float, known: Mapping[str, Placement]
    ) -> PortfolioResult | None:
        own = self._found.result.assignment
        if problem is self._free or not self._moves(own):
            known = {self._found.algorithm: own, **known}

        def cancelled(_best: float, _bound: float, _evaluations: int) -> bool:
            self._draft.progress.report("solving")
            return False

        return solve_portfolio(
            problem,
            self._judge,
            seed=self._draft.solving.seed,
            stop=Stop(seconds, None, cancelled),
            known=known,
            baseline=None if AT_HOME in known else BASELINE,  # what moves must gain has a margin of its own
            only_takes=self._predictor.only_takes,
        )

    def _moves(self, placement: Placement) -> int:
        pairs = (
            (then, now)
            for name, nodes in self._running.items()
            for then, now in zip(nodes, placement[name], strict=True)
        )
        return sum(then != now for then, now in pairs)

    def _host_found(
        self, chosen: PortfolioResult, widest: PortfolioResult, frontier: tuple[FrontierFound, ...]
    ) -> HostFound:
        """`widest`: of the search that was allowed most, whose bound holds for all."""
        best, bound = chosen.found, widest.bound
        proved = bound is not None and best.score >= bound * (1 - 1e-9)
        scores = {**chosen.found.candidates, **widest.found.candidates}
        optimal = {*chosen.proved_by_octans, *widest.proved_by_octans}
        optimal |= {self._found.algorithm} if self._found.result.status == "optimal" else set()
        ranked = sorted((name for name in scores if name != AT_HOME), key=lambda name: (-scores[name], name))
        rates = self._judge.mpps(best.placement) or {}
        ended = "; it ended at its limit" if widest.found.ended or best.ended else ""
        stays = f"; {STAYS}" if chosen.stays else ""
        no_proof = f"a search under {PREDICTOR_WORDS[self._predictor.name]} proves nothing"
        return HostFound(
            algorithm=best.begun_with if best.begun_with != AT_HOME else self._found.algorithm,
            trusted=True,
            predictor=self._predictor.name,
            improved=best.improved,
            candidates=tuple(
                ScoredPlacement(algorithm=one, score=scores[one], proved=one in optimal) for one in ranked
            ),
            frontier=frontier,
            gains=self._gains(best.placement),
            result=self._found.result.model_copy(
                update={
                    "assignment": best.placement,
                    "status": "optimal" if proved else "feasible",
                    "score": best.score,
                    "objective": sum(rates.values()),
                    "bound": bound,
                    "moves": self._moves(best.placement),
                    "unproven": None if proved else f"{no_proof}{ended}{stays}",
                    "evaluations": self._found.result.evaluations + chosen.found.evaluations + widest.found.evaluations,
                }
            ),
        )

    def _gains(self, placement: Placement) -> tuple[MoveGain, ...]:
        """Of every move between placements whose NFs are all known, in the order of chains and positions."""
        moves = [
            (name, position)
            for name in sorted(self._running)
            for position, then in enumerate(self._running[name])
            if placement[name][position] != then
        ]
        ways = accumulate(moves, lambda at, move: _moved(at, move, placement), initial={**placement, **self._running})
        worth = [self._worth(at) for at in ways]
        return tuple(
            MoveGain(chain=name, position=position, gain_mpps=then[0] - now[0], mpps=then[1] - now[1])
            for (name, position), (now, then) in zip(moves, pairwise(worth), strict=True)
            if now is not None and then is not None
        )

    def _worth(self, at: Placement) -> tuple[float, float] | None:
        """Score and Mpps of all chains; None where an NF is not known."""
        score, rates = self._judge(at), self._judge.mpps(at)
        return None if score is None or rates is None else (score, sum(rates.values()))


def _moved(at: Placement, move: tuple[str, int], to: Placement) -> Placement:
    name, position = move
    nodes = tuple(to[name][place] if place == position else node for place, node in enumerate(at[name]))
    return {**at, name: nodes}


def _frontier(found: SearchResult, price: float, most: int) -> tuple[FrontierFound, ...]:
    """From no move to as many as the plan makes, the best that was seen with at most so many."""
    points: list[FrontierFound] = []
    none = found.by_moves[0].score
    for moves in range(most + 1):
        best = max((one for one in found.by_moves if one.moves <= moves), key=lambda one: one.score)
        net = best.score - none
        points.append(FrontierFound(moves=moves, gain_mpps=net + price * best.moves, net_mpps=net, proven=False))
    return tuple(points)
