"""Points as the testbed measures them, computed, with the noise of simulated counters.

An NF is fed in a closed loop, as the measuring protocol has it: its throughput is what its core has room for. So it is
where NFs of its chain stand in front of it, however slow they are; a competitor with a rate takes no more than that.
"""

import hashlib
import json
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sextant_domain.base import Provenance, canonical_json
from sextant_domain.profiling.calibration import CacheLevel, Calibration, Counters, CounterSource, MachineFingerprint
from sextant_domain.profiling.profile import (
    NfFigures,
    ProfiledNf,
    ProfileMode,
    ProfileRequest,
    ProfileResult,
    ProfileSample,
)
from sextant_domain.profiling.samples import half_width_percent, measured

from sextant_twin import calibration
from sextant_twin._core import Host
from sextant_twin.anchor import OVERLOAD_PPS
from sextant_twin.errors import BadTwinInput
from sextant_twin.machines import Machine
from sextant_twin.points import Eased, Io, NfCore, PointChain, from_file, no_threads, setting_of, with_ports

SETTLED = 0.002
"""Relative change of what the NF has room for, when those in front of it keep up."""
ROUNDS = 12
LEAD = 1.02
"""What is offered to such a chain, over what the NF has room for: its ring is never empty."""
NOISE = 0.01
"""Standard deviation of a counter, relative: the twin's own for counters over time."""
FEWEST_SAMPLES = 3
EVENTS = ("instructions", "llc-references", "llc-misses", "stalled-cycles")
COUNTERS = Counters(source=CounterSource.PERF, events=EVENTS, reason="simulated, with their noise")

OnSample = Callable[[int], None]
"""How many samples there are, before each; it may raise to end the measurement."""


@dataclass(frozen=True, slots=True)
class Computed:
    """A point without noise: the NF first, then its competitors."""

    alone: list[NfFigures]
    """Where cores are shared, with those it shares its core with."""
    beside: list[NfFigures] | None
    """None where it has no competitors on cores of their own."""


class TwinProfiler:
    """Of one machine. Keeps nothing; safe for several threads."""

    def __init__(self, machine: Machine, nf_core: NfCore = from_file, io: Io = no_threads) -> None:
        self._machine = machine
        self._nf_core, self._io = nf_core, io
        tree = machine.core(calibration.load())
        self._core_json = json.dumps(tree)
        self._host = Host(json.dumps(with_ports(tree)))

    def profile(
        self, request: ProfileRequest, version: str, reported: OnSample = lambda _: None, seed: int | None = None
    ) -> ProfileResult:
        """`version`: of what asks. `seed`: of the noise; equal ones give equal figures of equal requests, None is one
        of them. Raises BadTwinInput where the request names what is not there, and what `reported` does."""
        computed = self.computed(request)
        whose = b"" if seed is None else f"{seed} ".encode()
        chance = random.Random(whose + canonical_json(request))  # noqa: S311 - noise, not a secret
        samples: list[ProfileSample] = []
        ended = False
        while not ended and len(samples) < request.max_samples:
            reported(len(samples))
            samples.append(_sample(request, computed, chance))
            ended = (
                len(samples) >= FEWEST_SAMPLES and half_width_percent(request, samples) <= request.half_width_percent
            )
        reported(len(samples))
        found = measured(
            request,
            samples,
            self._calibration(version),
            COUNTERS,
            "narrow" if ended else "limit",
            agent_version=version,
        )
        return found.model_copy(update={"provenance": Provenance.SIMULATED})

    def computed(self, request: ProfileRequest) -> Computed:
        """Without noise. Raises BadTwinInput."""
        if request.mode is ProfileMode.SHARED_CORE:
            return Computed(self._figures(request, request.others), None)
        beside = self._figures(request, request.others) if request.others else None
        return Computed(self._figures(request, ()), beside)

    def _figures(self, request: ProfileRequest, others: tuple[ProfiledNf, ...]) -> list[NfFigures]:
        """Of the NF, then of the others."""
        size = request.others_a_chain
        rivals = [
            PointChain(others[first : first + size], _rate_pps(others[first])) for first in range(0, len(others), size)
        ]
        if request.hop is not None:
            return [self._handed_on(request)]
        if request.offered_mpps is not None:
            offered = PointChain((request.nf,), request.offered_mpps * 1e6)
            return [_offered_figures(self._steady([offered])[0])]
        place = len(request.upstream)
        given = self._resources(request)
        found = self._settled((*request.upstream, request.nf, *request.downstream), place, rivals, given)
        shared = request.mode is ProfileMode.SHARED_CORE
        limited = (False, *(size > 1 or nf.traffic.rate_mpps is not None for nf in others))
        of_chains = [found[place], *found[place + 1 + len(request.downstream) :]]
        return [_figures_of(each, shared=shared, limited=lim) for each, lim in zip(of_chains, limited, strict=True)]

    def _handed_on(self, request: ProfileRequest) -> NfFigures:
        """With the time that a packet spends in both NFs, beyond what it spends where they share a core: the twin's NFs
        neither sleep nor wake, so that only caches and links tell one place from another."""
        rate_pps = (request.offered_mpps or 0.0) * 1e6
        near = tuple(nf.model_copy(update={"core": request.nf.core}) for nf in request.downstream)
        there, together = (
            self._steady([PointChain((request.nf, *second), rate_pps)]) for second in (request.downstream, near)
        )
        spent = [sum(found["service_s"] for found in each) for each in (there, together)]
        return _offered_figures(there[0]).model_copy(update={"delay_us": 1e6 * (spent[0] - spent[1])})

    def _resources(self, request: ProfileRequest) -> dict[str, Any]:
        """The lowest ways, since the NIC writes into the highest; all others keep one. Raises BadTwinInput."""
        given: dict[str, Any] = {}
        ways, percent = request.llc_ways, request.memory_bandwidth_percent
        if ways is not None:
            there = self._machine.llc.ways
            if ways >= there:
                raise BadTwinInput("llc_ways", f"{ways} are asked for, but of {there} one stays with all others")
            given["ways"] = (1 << ways) - 1
        if percent is not None:
            given["mba"] = 1 - percent / 100
        return given

    def _settled(
        self, nfs: tuple[ProfiledNf, ...], subject: int, rivals: list[PointChain], given: Mapping[str, Any]
    ) -> list[dict[str, Any]]:
        """The steady state in which the `subject` of `nfs` does all that its core has room for: what its tables find in
        the caches depends on its own rate, so NFs of its chain that are slower than it are eased until they keep up."""
        natural = self._steady([PointChain(nfs, resources=given), *rivals])
        room = natural[subject]["capacity_pps"]
        real = {place: natural[place]["capacity_pps"] for place in range(len(nfs)) if place != subject}
        if all(pps >= room for pps in real.values()):
            return natural
        for _ in range(ROUNDS):
            eased = {place: Eased(pps / room) for place, pps in real.items() if pps < room}
            found = self._steady([PointChain(nfs, LEAD * room, eased), *rivals])
            before, room = room, found[subject]["capacity_pps"]
            if abs(room - before) <= SETTLED * before:
                break
        return found

    def _steady(self, chains: list[PointChain]) -> list[dict[str, Any]]:
        asked = json.dumps(setting_of(chains, self._nf_core, self._io))
        instances: list[dict[str, Any]] = json.loads(self._host.steady(asked))["instances"]
        return instances

    def _calibration(self, version: str) -> Calibration:
        """What the protocol would measure of the machine, from its data file."""
        machine = self._machine
        known = (self._core_json + calibration.digest()).encode()
        fingerprint = MachineFingerprint(
            cpu_model=machine.name,
            microcode="none",
            hypervisor="simulated",
            boot_id=hashlib.sha256(known).hexdigest()[:16],
        )
        return Calibration(
            fingerprint=fingerprint,
            taken_at=datetime.now(UTC),
            version=f"twin {version}",
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
            counters=COUNTERS,
        )


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


def _offered_figures(found: dict[str, Any]) -> NfFigures:
    """It is offered a rate: what it carries, and the time of its core that goes into that. The twin's NFs neither sleep
    nor wake, so nothing is taken where nothing comes."""
    counted = _figures_of(found, shared=False, limited=True)
    return counted.model_copy(update={"cpu_percent": 100 * min(1.0, found["taken_pps"] * found["service_s"])})


def _sample(request: ProfileRequest, computed: Computed, chance: random.Random) -> ProfileSample:
    """One run: every figure with its own error; with competitors a drop for each ABBA block of four phases."""
    alone, beside = computed.alone, computed.beside
    drops, rises = [], []
    for _ in range(request.pairs // 2 if beside else 0):
        before, during = _noisy(alone[0], chance), _noisy((beside or alone)[0], chance)
        drops.append(100 * (1 - during.mpps / before.mpps))
        rises.append(100 * (during.cycles_per_packet / before.cycles_per_packet - 1))
    return ProfileSample(
        taken_at=datetime.now(UTC),
        counter_source=CounterSource.PERF,
        nf=_noisy(alone[0], chance, offered=request.offered_mpps is not None),
        beside=_noisy(beside[0], chance) if beside else None,
        others=tuple(_noisy(figures, chance) for figures in (beside or alone)[1:]),
        clean_slices=1,
        starved_slices=0,
        settling_slices=0,
        throughput_drops_percent=tuple(drops),
        cycles_rises_percent=tuple(rises),
    )


def _noisy(figures: NfFigures, chance: random.Random, *, offered: bool = False) -> NfFigures:
    """Time and cycles go together: what takes more cycles passes fewer packets or, where they are offered at a rate,
    more of its core."""
    slower = max(0.1, chance.gauss(1.0, NOISE))
    return NfFigures(
        mpps=figures.mpps if offered else figures.mpps / slower,
        cycles_per_packet=figures.cycles_per_packet * slower,
        cpu_percent=min(100.0, figures.cpu_percent * slower) if offered else figures.cpu_percent,
        counts={name: count * max(0.0, chance.gauss(1.0, NOISE)) for name, count in figures.counts.items()},
        delay_us=None if figures.delay_us is None else figures.delay_us * slower,
    )
