"""Figures 2 and 8: what a placement is worth."""

import random
from collections.abc import Iterator, Sequence
from itertools import product
from statistics import fmean, median, quantiles

import page
from setting import DRAWS, GIVEN, SEEDS, bare, study
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.profiling.estimates import estimate
from sextant_domain.studies.result import PlacementResult
from sextant_domain.studies.summary import gains_percent, shown
from sextant_engine.problem import Placement
from sextant_lab.kinds.placement.run import run
from sextant_lab.placing import by_chance
from sextant_lab.server import TwinServer

OTHERS = (Algorithm.NODE_BALANCE, Algorithm.NODE_FIRST)
SEARCHED = 400
"""Placements that the search on the twin itself looks at."""


def worst() -> Iterator[str]:
    """Fig. 2: a chain's worst placement against its best."""
    given = GIVEN["figure-2"]
    found = [_worst(bare(draw), given["chain"]) for draw in DRAWS]
    low, high = quantiles(found, n=20, method="inclusive")[::18]
    yield from page.head(
        "chain", "published %", "twin, centre of the priors %", f"median of {len(DRAWS)} draws %", "5-95 % of draws"
    )
    yield page.line(
        " -> ".join(given["chain"]),
        f"{given['published_worst_percent']}",
        f"{_worst(bare(), given['chain']):.1f}",
        f"{median(found):.1f}",
        f"{low:.1f} to {high:.1f}",
    )


def _worst(server: TwinServer, chain: Sequence[str]) -> float:
    nodes = [str(node) for node in sorted(server.free)]
    reached = [server.carried_mpps([chain], {"0": place})["0"] for place in product(nodes, repeat=len(chain))]
    return 100 * (1 - min(reached) / max(reached))


def gains() -> tuple[PlacementResult, PlacementResult]:
    """Fig. 8: over noise seeds at the centre of the priors, and over their draws."""
    sets = {one["name"]: one["chains"] for one in GIVEN["set"]}
    algorithms = [Algorithm.OCTANS, Algorithm.EXACT, *OTHERS]
    return (
        run(study("figure-8", "placement", sets, algorithms=algorithms)),
        run(study("figure-8", "placement", sets, algorithms=algorithms, draws=DRAWS, seeds=SEEDS[:1])),
    )


def gains_by_set(result: PlacementResult) -> Iterator[str]:
    """A line a set, with what a search that knows the twin finds."""
    server = TwinServer(result.scenario, None)
    yield from page.head(
        "set", "chains, NFs", "octans over node-balance %", "octans over node-first %", "octans, predicted Mpps",
        "octans, carried Mpps", "exact, carried Mpps", "node-first, carried Mpps", "searched on the twin, Mpps",
    )  # fmt: skip
    for one in result.scenario.set:
        rows = {
            name: [row for row in result.placed if (row.set, row.algorithm) == (one.name, name)] for name in Algorithm
        }
        octans = rows[Algorithm.OCTANS]
        first = rows[Algorithm.NODE_FIRST]
        starts = [
            dict(zip(map(str, range(len(one.chains))), _texts(row[0].nodes), strict=True))
            for row in rows.values()
            if row
        ]
        yield page.line(
            one.name,
            f"{len(one.chains)}, {one.nfs}",
            *(shown(gains_percent(result, other, one.name)) for other in OTHERS),
            f"{fmean(row.predicted_mpps for row in octans):.2f}",
            shown(estimate([row.total_mpps for row in octans]), 2),
            shown(estimate([row.total_mpps for row in rows[Algorithm.EXACT]]), 2),
            shown(estimate([row.total_mpps for row in first]), 2),
            f"{_searched(server, one.chains, starts):.2f}",
        )


def gains_altogether(at_centre: PlacementResult, drawn: PlacementResult) -> Iterator[str]:
    """Least, mean, most over sets, beside the paper's."""
    yield from page.head(
        "octans over",
        "published %: least, mean, most",
        "twin %: least, mean, most",
        "twin, mean over sets, over draws of priors %",
    )
    names = [one.name for one in at_centre.scenario.set]
    for other, key in zip(
        OTHERS, ("published_over_node_balance_percent", "published_over_node_first_percent"), strict=True
    ):
        each = [gains_percent(at_centre, other, name).value for name in names]
        yield page.line(
            str(other),
            ", ".join(map(str, GIVEN["figure-8"][key])),
            f"{min(each):.1f}, {shown(gains_percent(at_centre, other))}, {max(each):.1f}",
            shown(gains_percent(drawn, other)),
        )


def _texts(nodes: Sequence[Sequence[int]]) -> list[tuple[str, ...]]:
    return [tuple(map(str, chain)) for chain in nodes]


def _searched(server: TwinServer, chains: Sequence[Sequence[str]], starts: Sequence[Placement]) -> float:
    """The best of algorithms' placements and random ones, then moves of one NF while that helps: what can be had."""
    chance = random.Random(GIVEN["figure-8"]["noise_seeds"][0])

    def worth(placement: Placement) -> float:
        return sum(server.carried_mpps(chains, placement).values())

    drawn = [by_chance(server, chains, chance) for _ in range(SEARCHED // 2)]
    best = max((*starts, *drawn), key=worth)
    reached = worth(best)
    for _ in range(SEARCHED // 2):
        tried = _moved(server, best, chance)
        found = worth(tried)
        if found > reached:
            best, reached = tried, found
    return reached


def _moved(server: TwinServer, placement: Placement, chance: random.Random) -> Placement:
    """One NF on another node with a free core, or two NFs that change places."""
    places = [(name, position) for name, nodes in placement.items() for position in range(len(nodes))]
    name, position = chance.choice(places)
    nodes = {key: list(found) for key, found in placement.items()}
    target = chance.choice([str(node) for node in server.free if str(node) != nodes[name][position]])
    there = [(other, at) for other, at in places if nodes[other][at] == target]
    if len(there) >= len(server.free[int(target)]):
        other, at = chance.choice(there)
        nodes[other][at] = nodes[name][position]
    nodes[name][position] = target
    return {key: tuple(found) for key, found in nodes.items()}
