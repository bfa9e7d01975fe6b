"""What NFs lose to others on another core of their L3, in swapped pairs against a spinner (docs/measuring.md)."""

from collections.abc import Iterator
from typing import Any

from page import head, line
from setting import NotMeasured, Setting, rows
from sextant_agent.measuring.program import MeasureFailed
from sextant_agent.measuring.protocol import profile
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileResult, ProfileTraffic
from solo import MANY, TABLE

Kind = tuple[str, str, dict[str, Any], int]
"""Name, type, configuration, flows."""

MONITOR: Kind = ("basic-monitor, 1 M flows", "basic-monitor", TABLE, MANY)
NAT: Kind = ("nat, 1 M flows", "nat", TABLE, MANY)
VICTIMS: tuple[Kind, ...] = (MONITOR, NAT, ("router", "router", {}, 1000))
COMPETITORS: tuple[Kind, ...] = (
    ("control: simple-forward", "simple-forward", {}, 1000),
    MONITOR,
    ("walker over 64 MiB", "bubble", {"working_set_bytes": 64 << 20, "lines_per_packet": 64}, 1000),
    ("nids", "nids", {}, 1000),
)


def colocation(setting: Setting) -> Iterator[str]:
    """Throughput lost with its standard error, or why this machine cannot measure it."""
    yield from setting.preface("colocation", "")
    shared = next((pair for pair in setting.calibration.pairs if pair.shares_llc), None)
    if shared is None and not setting.quick:
        yield f"Not measurable on this host: {_ask(setting, VICTIMS[0], COMPETITORS[0], setting.cores).not_measurable}."
        return
    yield from head("throughput lost, %", *(kind[0] for kind in COMPETITORS))
    cores = (shared.first, shared.second) if shared else setting.cores
    victims = VICTIMS[: setting.pick(len(VICTIMS), 1)]
    yield from rows(
        victims,
        lambda victim: line(victim[0], *(_cell(setting, victim, other, cores) for other in COMPETITORS)),
        lambda victim, reason: line(victim[0], f"not measured: {reason}", *[""] * (len(COMPETITORS) - 1)),
    )


def _cell(setting: Setting, victim: Kind, other: Kind, cores: tuple[int, ...]) -> str:
    found = _ask(setting, victim, other, cores)
    drop = found.throughput_drop_percent
    if drop is None:
        raise NotMeasured(str(found.not_measurable))
    return f"{drop.value:.1f}" + ("" if drop.standard_error is None else f" +- {drop.standard_error:.1f}")


def _ask(setting: Setting, victim: Kind, other: Kind, cores: tuple[int, ...]) -> ProfileResult:
    if len(cores) < 2:
        raise NotMeasured("co-location needs two cores, and this process may use one")
    request = ProfileRequest(
        mode=ProfileMode.COLOCATION,
        nf=_nf(victim, cores[1]),
        others=(_nf(other, cores[0]),),
        pairs=setting.pick(8, 2),
        half_width_percent=1.0,
        max_samples=3,
    )
    try:
        return profile(request, setting.program, setting.calibration, MeasurementWatch())
    except MeasureFailed as error:
        raise NotMeasured(str(error)) from error


def _nf(kind: Kind, core: int) -> ProfiledNf:
    _, nf_type, config, flows = kind
    return ProfiledNf(nf_type=nf_type, config=config, core=core, traffic=ProfileTraffic(flows=flows))
