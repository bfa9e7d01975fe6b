"""Profiles on the twin: the same points as the testbed measures, computed, with the noise of simulated counters.

An NF is fed in a closed loop, as the measuring protocol has it: its throughput is what its core has room for. So it is
where NFs of its chain stand in front of it, however slow they are; a competitor with a rate takes no more than that.
"""

import json
import random
from datetime import UTC, datetime
from typing import Any

from sextant_domain.base import Provenance, canonical_json
from sextant_domain.calibration import CacheLevel, Calibration, Counters, CounterSource, MachineFingerprint
from sextant_domain.profile import (
    NfFigures,
    ProfiledNf,
    ProfileMode,
    ProfileProgress,
    ProfileRequest,
    ProfileResult,
    ProfileSample,
)
from sextant_twin import calibration
from sextant_twin._core import Host
from sextant_twin.errors import BadInput
from sextant_twin.machines import Machine

from sextant_agent import __version__
from sextant_agent.driver import DriverError
from sextant_agent.drivers.twin.orders import NF_TYPES
from sextant_agent.drivers.twin.point import OVERLOAD_PPS, Eased, PointChain, setting_of, with_ports
from sextant_agent.hashing import short_hash
from sextant_agent.measuring.requests import placed_nfs
from sextant_agent.measuring.results import half_width_percent, measured
from sextant_agent.measuring.watch import Cancelled, Watch

SETTLED = 0.002
"""Relative change of what the NF has room for, when those in front of it keep up."""
ROUNDS = 12
LEAD = 1.02
"""What is offered to such a chain, over what the NF has room for: its ring is never empty."""
NOISE = 0.01
"""Standard deviation of a counter, relative: the twin's own for counters over time."""
FEWEST_SAMPLES = 3
EVENTS = ("instructions", "llc-references", "llc-misses", "stalled-cycles")


class TwinProfiler:
    """Of one machine. Keeps nothing; safe for several threads."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        tree = machine.core(calibration.load())
        self._core_json = json.dumps(tree)
        self._host = Host(json.dumps(with_ports(tree)))

    def profile(self, request: ProfileRequest, watch: Watch) -> ProfileResult:
        """Raises DriverError where the request names what is not there, Cancelled."""
        self._check(request)
        if watch.cancelled():
            raise Cancelled("the measurement was cancelled before it began")
        beside = self._figures(request, request.others) if request.others else None
        alone = self._figures(request, ()) if request.mode is not ProfileMode.SHARED_CORE else beside
        if alone is None:
            raise DriverError("others: an NF that shares its core needs another one", permanent=True)
        chance = random.Random(canonical_json(request))  # noqa: S311 - equal requests give equal figures
        samples: list[ProfileSample] = []
        ended = False
        while not ended and len(samples) < request.max_samples:
            if watch.cancelled():
                raise Cancelled(f"the measurement was cancelled after {len(samples)} samples")
            samples.append(_sample(request, alone, beside, chance))
            ended = (
                len(samples) >= FEWEST_SAMPLES and half_width_percent(request, samples) <= request.half_width_percent
            )
            watch.progress(ProfileProgress(stage="measuring", samples=len(samples), limit=request.max_samples))
        found = measured(request, samples, self._calibration(), _COUNTERS, "narrow" if ended else "limit")
        return found.model_copy(update={"provenance": Provenance.SIMULATED})

    def _check(self, request: ProfileRequest) -> None:
        cores = self._machine.nodes * self._machine.cores_per_node
        for place, nf in placed_nfs(request):
            if nf.runs not in NF_TYPES:
                known = ", ".join(sorted(NF_TYPES))
                raise DriverError(
                    f"{place}.type: there is no NF type '{nf.runs}' here; there are {known}", permanent=True
                )
            if nf.core >= cores:
                raise DriverError(
                    f"core {nf.core} is not offered by this host; offered are 0 to {cores - 1}", permanent=True
                )

    def _figures(self, request: ProfileRequest, others: tuple[ProfiledNf, ...]) -> list[NfFigures]:
        """Of the NF, then of the others."""
        rivals = [PointChain((nf,), _rate_pps(nf)) for nf in others]
        try:
            found = self._settled((*request.upstream, request.nf), rivals)
        except BadInput as error:
            raise DriverError(f"the twin refuses it: {error}", permanent=True) from error
        shared = request.mode is ProfileMode.SHARED_CORE
        limited = (False, *(nf.traffic.rate_mpps is not None for nf in others))
        of_chains = found[len(request.upstream) :]
        return [_figures_of(each, shared=shared, limited=lim) for each, lim in zip(of_chains, limited, strict=True)]

    def _settled(self, nfs: tuple[ProfiledNf, ...], rivals: list[PointChain]) -> list[dict[str, Any]]:
        """The steady state in which the last of `nfs` does all that its core has room for: what its tables find in the
        caches depends on its own rate, so NFs in front of it that are slower than it are eased until they keep up."""
        natural = self._steady([PointChain(nfs), *rivals])
        room = natural[len(nfs) - 1]["capacity_pps"]
        real = [each["capacity_pps"] for each in natural[: len(nfs) - 1]]
        if all(pps >= room for pps in real):
            return natural
        for _ in range(ROUNDS):
            eased = {place: Eased(pps / room) for place, pps in enumerate(real) if pps < room}
            found = self._steady([PointChain(nfs, LEAD * room, eased), *rivals])
            before, room = room, found[len(nfs) - 1]["capacity_pps"]
            if abs(room - before) <= SETTLED * before:
                break
        return found

    def _steady(self, chains: list[PointChain]) -> list[dict[str, Any]]:
        instances: list[dict[str, Any]] = json.loads(self._host.steady(json.dumps(setting_of(chains))))["instances"]
        return instances

    def _calibration(self) -> Calibration:
        """What the protocol would measure of the machine, from its data file."""
        machine = self._machine
        fingerprint = MachineFingerprint(
            cpu_model=machine.name,
            microcode="none",
            hypervisor="simulated",
            boot_id=short_hash((self._core_json + calibration.digest()).encode()),
        )
        return Calibration(
            fingerprint=fingerprint,
            taken_at=datetime.now(UTC),
            version=f"twin {__version__}",
            tsc_hz=machine.clock,
            clocks=(),
            pairs=(),
            threshold_ns=None,
            threshold_reason="simulated: cores of a node share its L3",
            caches=(
                CacheLevel(level=2, size_bytes=int(machine.l2.size), load_ns=machine.l2.latency * 1e9),
                CacheLevel(level=3, size_bytes=int(machine.llc.size), load_ns=machine.llc.latency * 1e9),
            ),
            memory_ns=machine.memory.latency * 1e9,
            counters=_COUNTERS,
        )


_COUNTERS = Counters(source=CounterSource.PERF, events=EVENTS, reason="simulated, with their noise")


def _rate_pps(nf: ProfiledNf) -> float:
    rate = nf.traffic.rate_mpps
    return OVERLOAD_PPS if rate is None else rate * 1e6


def _figures_of(found: dict[str, Any], *, shared: bool, limited: bool) -> NfFigures:
    """`limited`: it takes what it is offered, however much more it could."""
    counts = {
        "instructions": found["instructions"],
        "llc-references": found["llc_references"],
        "llc-misses": found["llc_misses"],
        "stalled-cycles": found["stalled_cycles"],
    }
    return NfFigures(
        mpps=found["taken_pps" if limited else "capacity_pps"] / 1e6,
        cycles_per_packet=found["cycles"],
        cpu_percent=100 * found["core_share"] if shared else 100.0,
        counts=counts,
    )


def _sample(
    request: ProfileRequest, alone: list[NfFigures], beside: list[NfFigures] | None, chance: random.Random
) -> ProfileSample:
    """One run: every figure with its own error; with competitors a drop for each ABBA block of four phases."""
    competing = request.mode is ProfileMode.COLOCATION and beside is not None
    drops, rises = [], []
    for _ in range(request.pairs // 2 if competing and beside else 0):
        before, during = _noisy(alone[0], chance), _noisy(beside[0], chance) if beside else alone[0]
        drops.append(100 * (1 - during.mpps / before.mpps))
        rises.append(100 * (during.cycles_per_packet / before.cycles_per_packet - 1))
    return ProfileSample(
        taken_at=datetime.now(UTC),
        counter_source=CounterSource.PERF,
        nf=_noisy(alone[0], chance),
        beside=_noisy(beside[0], chance) if competing and beside else None,
        others=tuple(_noisy(figures, chance) for figures in (beside or [])[1:]),
        clean_slices=1,
        starved_slices=0,
        settling_slices=0,
        throughput_drops_percent=tuple(drops),
        cycles_rises_percent=tuple(rises),
    )


def _noisy(figures: NfFigures, chance: random.Random) -> NfFigures:
    """Time and cycles go together: what takes more cycles passes fewer packets."""
    slower = max(0.1, chance.gauss(1.0, NOISE))
    return NfFigures(
        mpps=figures.mpps / slower,
        cycles_per_packet=figures.cycles_per_packet * slower,
        cpu_percent=figures.cpu_percent,
        counts={name: count * max(0.0, chance.gauss(1.0, NOISE)) for name, count in figures.counts.items()},
    )
