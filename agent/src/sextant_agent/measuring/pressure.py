"""How an NF presses and suffers: stalled cycles by counters, or what stands in for them where there are none.

Substitutes, each a difference of measurements that any machine allows: cycles a packet with a million flows less those
with a thousand (how much its tables suffer when they leave the cache); throughput lost to a fixed walker through
memory; and throughput that a fixed reporter loses to it.
"""

from collections.abc import Callable, Set

from sextant_domain.profiling.estimates import difference
from sextant_domain.profiling.profile import Estimate, Pressure, ProfiledNf, ProfileMode, ProfileRequest, ProfileResult

STALLED = "stalled-cycles"
FEW_FLOWS, MANY_FLOWS = 1000, 1_000_000
REPORTER = "basic-monitor"
REPORTER_CONFIG = {"flow_table_entries": 1 << 20}
"""Random accesses all over a table of some 64 MiB: what else uses the cache shows in its throughput."""
WALKER = "bubble"

Measure = Callable[[ProfileRequest], ProfileResult]


def measure_pressure(nf: ProfiledNf, other_core: int | None, nf_types: Set[str], measure: Measure) -> Pressure:
    """By counters if the first measurement has them. `other_core`: for competitors; None where there is none."""
    few = measure(_solo(nf, FEW_FLOWS))
    stalls = None if few.nf is None else few.nf.counts.get(STALLED)
    if stalls is not None:
        return Pressure(nf_type=nf.nf_type, source="perf", stalls_per_packet=stalls)
    notes: list[str] = []
    many = measure(_solo(nf, MANY_FLOWS))
    return Pressure(
        nf_type=nf.nf_type,
        source="substitutes",
        sensitivity_cycles=_sensitivity(few, many, notes),
        bubble_drop_percent=_bubble_drop(nf, other_core, nf_types, measure, notes),
        contentiousness_percent=_contentiousness(nf, other_core, measure, notes),
        notes=tuple(notes),
    )


def _solo(nf: ProfiledNf, flows: int) -> ProfileRequest:
    traffic = nf.traffic.model_copy(update={"flows": flows})
    return ProfileRequest(mode=ProfileMode.SOLO, nf=nf.model_copy(update={"traffic": traffic}))


def _sensitivity(few: ProfileResult, many: ProfileResult, notes: list[str]) -> Estimate | None:
    if few.nf is None or many.nf is None:
        notes.append(f"sensitivity: {few.not_measurable or many.not_measurable}")
        return None
    return difference(many.nf.cycles_per_packet, few.nf.cycles_per_packet)


def _bubble_drop(
    nf: ProfiledNf, core: int | None, nf_types: Set[str], measure: Measure, notes: list[str]
) -> Estimate | None:
    if core is None:
        notes.append("bubble sensitivity: there is no second core to measure on")
        return None
    walker = _reporter(nf, core)
    if WALKER in nf_types:
        walker = walker.model_copy(update={"nf_type": WALKER, "config": {}})
    else:
        notes.append(f"bubble sensitivity: no '{WALKER}' here, {REPORTER} with {MANY_FLOWS} flows walks memory instead")
    return _drop("bubble sensitivity", nf, walker, measure, notes)


def _contentiousness(nf: ProfiledNf, core: int | None, measure: Measure, notes: list[str]) -> Estimate | None:
    if core is None:
        notes.append("contentiousness: there is no second core to measure on")
        return None
    competitor = nf.model_copy(update={"core": core})
    return _drop("contentiousness", _reporter(nf, nf.core), competitor, measure, notes)


def _drop(
    what: str, reporter: ProfiledNf, competitor: ProfiledNf, measure: Measure, notes: list[str]
) -> Estimate | None:
    """What the reporter loses to the competitor."""
    found = measure(ProfileRequest(mode=ProfileMode.COLOCATION, nf=reporter, others=(competitor,)))
    if found.not_measurable is not None:
        notes.append(f"{what}: {found.not_measurable}")
    return found.throughput_drop_percent


def _reporter(nf: ProfiledNf, core: int) -> ProfiledNf:
    """On that core, with many flows of the same traffic."""
    traffic = nf.traffic.model_copy(update={"flows": MANY_FLOWS})
    return ProfiledNf(nf_type=REPORTER, config=REPORTER_CONFIG, core=core, traffic=traffic)
