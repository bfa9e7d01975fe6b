"""Figures 4 and 5: which counter weighs NFs, and what that says of those that they hurt."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median

import page
from setting import GIVEN, SEEDS, TYPES, bare
from sextant_domain.profiling.estimates import estimate
from sextant_domain.profiling.fit import MetricScore, MetricSelection
from sextant_domain.studies.summary import shown
from sextant_engine.modelling.metrics import select_metric
from sextant_engine.modelling.predictor import CYCLES, Profiles, profiles_of
from sextant_lab.placing import fitted
from sextant_lab.profiling import Sandbox
from sextant_lab.server import TwinServer

STALLS = "stalled-cycles"
RATIO = "cycles-per-instruction"
REPORTER = "octans-router"


def selections(draws: Sequence[int | None], seeds: Sequence[int]) -> list[MetricSelection]:
    """One a run; with a score of cycles an instruction, which is no count and weighs nothing in a fit."""
    found = []
    for draw in draws:
        server = bare(draw)
        sandbox = Sandbox(server)
        for seed in seeds:
            records = list(sandbox.records(seed))
            selection = fitted(server, records).metric
            ratio = _of(select_metric(_with_ratio(profiles_of(records, server.machine.nodes))), RATIO)
            scores = tuple(sorted((*selection.scores, ratio), key=lambda score: score.metric))
            found.append(selection.model_copy(update={"scores": scores}))
    return found


def _with_ratio(profiles: Profiles) -> Profiles:
    """Cycles an instruction beside the counts: the inverse of IPC, so that, as with stalls, more of it is slower."""

    def more(counts: Mapping[str, float]) -> Mapping[str, float]:
        instructions = counts.get("instructions")
        return {**counts, RATIO: counts[CYCLES] / instructions} if instructions else counts

    samples = {
        nf_type: tuple(replace(sample, counts=more(sample.counts)) for sample in found)
        for nf_type, found in profiles.samples.items()
    }
    alone = {nf_type: more(counts) for nf_type, counts in profiles.counts_alone.items()}
    return replace(profiles, samples=samples, counts_alone=alone)


def requirements(at_centre: Sequence[MetricSelection], drawn: Sequence[MetricSelection]) -> Iterator[str]:
    """Of every counter: R1, R2 and the sign of Property 1."""
    published = GIVEN["figure-4"]
    yield (
        f"Published of resource stalls: variance below {published['published_variance']}, |r| of"
        f" {published['published_correlation']} and more. Ours is twin, over {len(at_centre)} noise seeds."
    )
    yield ""
    yield from page.head(
        "counter a packet", "variance (R1)", "r with ideal Mpps (R2)", "Property 1", "qualifies", "in draws"
    )
    for score in at_centre[0].scores:
        same = [_of(one, score.metric) for one in at_centre]
        qualifies = sum(one.qualifies for one in same)
        drawn_so = sum(_of(one, score.metric).qualifies for one in drawn)
        yield page.line(
            f"`{score.metric}`",
            _over([one.variance for one in same], 4),
            _over([one.correlation for one in same], 2),
            _over([one.aggressiveness for one in same], 2),
            f"{qualifies} of {len(same)}",
            f"{drawn_so} of {len(drawn)}",
        )
    yield ""
    yield f"Models are made with {_used(at_centre)}; in draws of all priors with {_used(drawn)}."


def _used(found: Sequence[MetricSelection]) -> str:
    """'`cycles` (5 of 5)': those in use, the commonest first."""
    counts = Counter(one.used for one in found)
    return ", ".join(f"`{name}` ({count} of {len(found)})" for name, count in counts.most_common())


def stability(server: TwinServer) -> Iterator[str]:
    """Fig. 4a: stalled cycles a packet beside a rising number of the most aggressive type, and 4b: alone."""
    sandbox = Sandbox(server)
    numbers = GIVEN["figure-4"]["competitors"]
    yield from page.head("NF (twin)", *(f"{number} beside" for number in numbers), "ideal Mpps")
    for nf in TYPES:
        values = [_mean([_stalls(sandbox, nf, [REPORTER] * number, seed) for seed in SEEDS]) for number in numbers]
        ideal = _mean([_mpps(sandbox, nf, seed) for seed in SEEDS])
        yield page.line(f"`{nf}`", *values, ideal)


def drops(server: TwinServer) -> Iterator[str]:
    """Fig. 5: what the router loses to a rising number of each type; 5a is the column of three."""
    sandbox = Sandbox(server)
    numbers = GIVEN["figure-5"]["competitors"]
    yield from page.head(
        "beside the router (twin)", "its stalled cycles", "its Mpps alone", *(f"{number}: drop %" for number in numbers)
    )
    for nf in TYPES:
        lost = [_mean([_drop(sandbox, [nf] * number, seed) for seed in SEEDS]) for number in numbers]
        stalls = _mean([_stalls(sandbox, nf, [], seed) for seed in SEEDS])
        yield page.line(f"`{nf}`", stalls, _mean([_mpps(sandbox, nf, seed) for seed in SEEDS]), *lost)


def _of(selection: MetricSelection, metric: str) -> MetricScore:
    return next(score for score in selection.scores if score.metric == metric)


def _over(values: Sequence[float | None], digits: int) -> str:
    known = [value for value in values if value is not None]
    return f"{median(known):.{digits}f}" if known else "-"


def _mean(values: Sequence[float]) -> str:
    return shown(estimate(values), 1)


def _stalls(sandbox: Sandbox, nf: str, others: Sequence[str], seed: int) -> float:
    result = sandbox.beside(nf, others, seed).result
    found = result.beside or result.nf
    counts: Mapping[str, float] = {} if found is None else {name: one.value for name, one in found.counts.items()}
    return counts[STALLS]


def _mpps(sandbox: Sandbox, nf: str, seed: int) -> float:
    found = sandbox.beside(nf, [], seed).result.nf
    return 0.0 if found is None else found.mpps.value


def _drop(sandbox: Sandbox, others: Sequence[str], seed: int) -> float:
    found = sandbox.beside(REPORTER, others, seed).result.throughput_drop_percent
    return 0.0 if found is None else found.value
