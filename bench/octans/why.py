"""Why chains fare worse than NFs: the same NFs at the same places, in chains and each fed as profiling feeds it."""

import json
import random
from collections.abc import Iterator
from statistics import fmean

import page
from setting import GIVEN, SEEDS, bare
from sextant_domain.profiling.estimates import estimate
from sextant_domain.studies.summary import shown
from sextant_engine.problem import Placement
from sextant_lab.placing import by_chance
from sextant_lab.predicting import CURVES, OCTANS, PROCESS, RATED, Chains, Knowledge
from sextant_lab.profiling import Sandbox
from sextant_lab.server import TwinServer
from sextant_twin._core import Host
from sextant_twin.points import with_ports

PREDICTORS = (*OCTANS, RATED, CURVES, PROCESS)


def apart() -> Iterator[str]:
    """Fig. 7d's largest case: predicted less found drop, and without its sign, in points."""
    given = GIVEN["figure-7d"]
    chains: Chains = [given["chain"]] * max(given["chains"])
    server = bare()
    sandbox = Sandbox(server)
    known = [Knowledge(server, list(sandbox.records(seed))) for seed in SEEDS]
    chance = random.Random(given["seed"])
    places = [by_chance(server, chains, chance) for _ in range(given["placements"])]
    yield from page.head(
        "predictor (twin)", "in chains: predicted less found, points", "off by",
        "each NF by itself: predicted less found", "off by",
    )  # fmt: skip
    in_chains = [server.carried_mpps(chains, place) for place in places]
    alone = [_by_itself(chains, place) for place in places]
    capacities = [_capacities(server, *each) for each in alone]
    for predictor in PREDICTORS:
        cells = []
        for found, settings in ((in_chains, [(chains, place) for place in places]), (capacities, alone)):
            runs = [_off(one, predictor, settings, found) for one in known]
            cells += [
                shown(estimate([fmean(run) for run in runs]), 2),
                shown(estimate([_size(run) for run in runs]), 2),
            ]
        yield page.line(predictor, *cells)


def _off(
    known: Knowledge, predictor: str, settings: list[tuple[Chains, Placement]], found: list[dict[str, float]]
) -> list[float]:
    off = []
    for (chains, place), mpps in zip(settings, found, strict=True):
        for name, predicted in known.predict(predictor, chains, place).items():
            pairs = zip(chains[int(name)], place[name], strict=True)
            ideal = min(known.ideal_mpps(nf, int(node)) for nf, node in pairs)
            if predicted is not None:
                off.append(100 * (mpps[name] - predicted.mpps) / ideal)
    return off


def _size(values: list[float]) -> float:
    return fmean(map(abs, values))


def _by_itself(chains: Chains, place: Placement) -> tuple[Chains, Placement]:
    """Every NF a chain, on its node."""
    nodes = [node for name in place for node in place[name]]
    return [[nf] for chain in chains for nf in chain], {str(number): (node,) for number, node in enumerate(nodes)}


def _capacities(server: TwinServer, chains: Chains, place: Placement) -> dict[str, float]:
    """Each with a port of its own, so that all go as fast as they can, as competitors do when they are profiled; at
    most what is offered, as predictions are."""
    setting, names = server.setting(chains, place)
    for number, chain in enumerate(setting["chains"]):
        chain["nic"] = number
    host = Host(json.dumps(with_ports(json.loads(server.core_json))))
    found = json.loads(host.steady(json.dumps(setting)))["instances"]
    most = server.scenario.traffic.mpps
    return {name: min(one["capacity_pps"] / 1e6, most) for name, one in zip(names, found, strict=True)}
