"""Measuring NFs on a host: what is asked, what came out, and how far it is to be trusted."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from sextant_domain.base import Frozen, Name, Provenance, StrictFloat, StrictInt
from sextant_domain.chains.match import Match
from sextant_domain.chains.traffic import MAX_RATE_MPPS
from sextant_domain.profiling.calibration import Counters, CounterSource, MachineFingerprint
from sextant_domain.profiling.shares_ask import HopDistance

MAX_OTHERS = 15
MAX_SAMPLES = 100
MAX_WAYS = 64
"""More than any cache has: the mask of ways has 32 bits on all parts that there are."""


class ProfileMode(StrEnum):
    """How NFs stand to each other."""

    SOLO = "solo"
    """One NF, alone on its core."""
    COLOCATION = "colocation"
    """One NF and competitors, each on a core of its own, swapped with a spinner in ABBA order."""
    SHARED_CORE = "shared-core"
    """Several NFs on one core, the kernel dividing it."""


class ProfileTraffic(Frozen):
    """What an NF is fed in a closed loop: the next burst comes when the last is done, at `rate_mpps` at most."""

    packet_bytes: StrictInt = Field(default=64, ge=64, le=1518)
    flows: StrictInt = Field(default=1000, ge=1, le=1_000_000)
    match: Match = Match()
    rate_mpps: StrictFloat | None = Field(default=None, gt=0, le=MAX_RATE_MPPS, exclude_if=lambda rate: rate is None)
    """Where it is set, a competitor takes no more than this; the NF whose figures are asked for always takes what it
    can, since its capacity is what is asked."""

    @field_validator("match")
    @classmethod
    def _packets_hold_its_headers(cls, match: Match, info: ValidationInfo) -> Match:
        size = info.data.get("packet_bytes")
        if size is not None and size < match.header_bytes:
            raise ValueError(
                f"{match.protocol} over IPv{match.version} has {match.header_bytes} bytes of headers, and packet_bytes "
                f"is {size}; ask for {match.header_bytes} or more"
            )
        return match


class ProfiledNf(Frozen):
    """One NF of a measurement, completely configured."""

    nf_type: Name
    nf_version: int = Field(default=1, ge=1)
    config: dict[str, Any] = Field(default_factory=dict)
    core: StrictInt = Field(ge=0)
    traffic: ProfileTraffic = ProfileTraffic()
    implementation: Name | None = Field(default=None, exclude_if=lambda name: name is None)
    """The built-in type whose program runs, where an operator registered `nf_type`."""

    @property
    def runs(self) -> str:
        """The built-in type whose program runs."""
        return self.implementation or self.nf_type


class ProfileRequest(Frozen):
    """One point to measure."""

    mode: ProfileMode
    nf: ProfiledNf
    """Whose figures are asked for."""
    others: tuple[ProfiledNf, ...] = Field(default=(), max_length=MAX_OTHERS)
    """Competitors, or those that share its core."""
    upstream: tuple[ProfiledNf, ...] = Field(default=(), max_length=MAX_OTHERS, exclude_if=lambda nfs: not nfs)
    """NFs of its own chain in front of it, in order, each on a core of its own: its packets come from the last of them
    by a ring. The figures are still those of `nf`: what its core has room for, whatever the NFs before it can do."""
    downstream: tuple[ProfiledNf, ...] = Field(default=(), max_length=MAX_OTHERS, exclude_if=lambda nfs: not nfs)
    """NFs of its own chain behind it, as `upstream`: it hands its packets to the first of them."""
    others_a_chain: StrictInt = Field(default=1, ge=1, le=MAX_OTHERS, exclude_if=lambda number: number == 1)
    """Competitors stand in chains of so many, in their order; the last one may be shorter."""
    seconds: StrictFloat = Field(default=1.0, ge=0.05, le=60)
    """Of one sample; not of `colocation`, whose time is pairs x 160 ms."""
    pairs: StrictInt = Field(default=16, ge=2, le=64)
    """Of spinner and competitor in one sample of `colocation`; even, since pairs are swapped in turn."""
    half_width_percent: StrictFloat = Field(default=1.0, ge=0.05, le=50)
    """Samples are repeated until the 95 % confidence interval is this narrow on either side: relative to the cycles a
    packet, or, with competitors, in points of the drop."""
    max_samples: StrictInt = Field(default=10, ge=3, le=MAX_SAMPLES)
    llc_ways: StrictInt | None = Field(default=None, ge=1, le=MAX_WAYS, exclude_if=lambda ways: ways is None)
    """Ways of the last-level cache of its node that `nf` has for itself; None: it shares all of them."""
    memory_bandwidth_percent: StrictInt | None = Field(
        default=None, ge=1, le=100, exclude_if=lambda percent: percent is None
    )
    """What its memory requests are throttled to; None: they are not."""
    offered_mpps: StrictFloat | None = Field(default=None, gt=0, le=MAX_RATE_MPPS, exclude_if=lambda rate: rate is None)
    """`nf` is offered so much in place of all that it can take: what is asked is the share of its core that it takes
    then, `cpu_percent`, and `mpps` is what it carries."""
    hop: HopDistance | None = Field(default=None, exclude_if=lambda distance: distance is None)
    """`downstream` is one NF, in a process of its own, at that distance: what is asked is `delay_us`, what a packet
    takes longer at `offered_mpps` than if both ran to completion in one process on the core of `nf`."""
    sandboxed: bool = False
    """True where the cores are a sandbox of their own: NFs that run there belong to it and are no obstacle."""

    @model_validator(mode="after")
    def _cores_fit_the_mode(self) -> Self:
        cores = [nf.core for nf in (self.nf, *self.upstream, *self.downstream, *self.others)]
        for field in ("upstream", "downstream"):
            if self.mode is ProfileMode.SHARED_CORE and getattr(self, field):
                raise ValueError(f"{field}: NFs that share a core are measured without a chain")
            if getattr(self, field) and len(set(cores)) != len(cores) and self.hop != "same_core":
                raise ValueError(f"{field}: NFs of a chain have a core each")
        if self.mode is not ProfileMode.COLOCATION and self.others_a_chain != 1:
            raise ValueError("others_a_chain: only co-located competitors stand in chains")
        if self.mode is ProfileMode.SOLO and self.others:
            raise ValueError("others: an NF measured solo has none")
        if self.mode is not ProfileMode.SOLO and not self.others:
            raise ValueError(f"others: {self.mode} needs at least one other NF")
        if self.mode is ProfileMode.COLOCATION and len(set(cores)) != len(cores):
            raise ValueError("others: co-located NFs have a core each")
        if self.mode is ProfileMode.SHARED_CORE and len(set(cores)) != 1:
            raise ValueError(f"others: NFs that share a core all name core {self.nf.core}")
        if self.has_resources and (self.mode is not ProfileMode.SOLO or self.upstream or self.downstream):
            raise ValueError("llc_ways: only an NF that is measured solo and without a chain has resources of its own")
        if self.hop is not None:
            self._hop_fits()
        elif self.offered_mpps is not None and (
            self.mode is not ProfileMode.SOLO or self.upstream or self.downstream or self.has_resources
        ):
            raise ValueError("offered_mpps: only an NF that is measured solo, with all its core has, is offered a rate")
        if self.pairs % 2:
            raise ValueError("pairs: an even number is needed, pairs are swapped in turn (ABBA)")
        return self

    def _hop_fits(self) -> None:
        if self.mode is not ProfileMode.SOLO or self.upstream or self.has_resources or self.offered_mpps is None:
            raise ValueError("hop: only a pair of NFs that is offered a rate, alone, is asked what handing on costs")
        if len(self.downstream) != 1:
            raise ValueError("hop: packets are handed on to one NF, `downstream`")
        if (self.downstream[0].core == self.nf.core) != (self.hop == "same_core"):
            raise ValueError(f"hop: the core of `downstream` is not at the distance {self.hop}")

    @property
    def has_resources(self) -> bool:
        """It is measured with cache ways, or memory bandwidth, of its own."""
        return self.llc_ways is not None or self.memory_bandwidth_percent is not None

    @property
    def cores(self) -> tuple[int, ...]:
        """Each once, the NF's own first."""
        return tuple(dict.fromkeys(nf.core for nf in (self.nf, *self.upstream, *self.downstream, *self.others)))


class Estimate(Frozen):
    """A mean with how sure it is."""

    value: float
    standard_error: float | None = Field(default=None, ge=0)
    """None for a single value."""
    half_width: float | None = Field(default=None, ge=0)
    """Of the 95 % confidence interval, by Student's t."""
    count: int = Field(ge=1)


class NfFigures(Frozen):
    """One NF in one sample."""

    mpps: float = Field(ge=0)
    """Packets over time, frames written included: median of clean slices (shared core: all packets over all time)."""
    cycles_per_packet: float = Field(ge=0)
    """Ticks of the time-stamp counter inside the NF: median of clean slices."""
    cpu_percent: float = Field(ge=0)
    """CPU time over wall time."""
    counts: dict[str, float] = Field(default_factory=dict)
    """Hardware counters inside the NF, a packet; empty without."""
    delay_us: float | None = Field(default=None, exclude_if=lambda delay: delay is None)
    """Of a packet, where `hop` is asked for."""


class NfEstimates(Frozen):
    """One NF over all samples."""

    mpps: Estimate
    cycles_per_packet: Estimate
    cpu_percent: Estimate
    counts: dict[str, Estimate] = Field(default_factory=dict)
    delay_us: Estimate | None = Field(default=None, exclude_if=lambda delay: delay is None)


class ProfileSample(Frozen):
    """One fresh run that passed its gates."""

    taken_at: datetime
    counter_source: CounterSource
    nf: NfFigures
    """Alone, or against the spinner."""
    beside: NfFigures | None = None
    """The same NF against its competitors."""
    others: tuple[NfFigures, ...] = ()
    clean_slices: int = Field(ge=0)
    starved_slices: int = Field(ge=0)
    """Dropped: in them some NF lacked its core for more than 3 % of the time."""
    settling_slices: int = Field(ge=0)
    """Dropped: just after a swap."""
    throughput_drops_percent: tuple[float, ...] = ()
    """One an ABBA block, which is two pairs."""
    cycles_rises_percent: tuple[float, ...] = ()
    void_tries: int = Field(default=0, ge=0)
    """Runs before this one whose gates did not hold."""


class ProfileResult(Frozen):
    """What was found, or why it cannot be."""

    request: ProfileRequest
    provenance: Provenance
    """`measured`, or `simulated` for the twin."""
    ended: Literal["narrow", "limit", "not-measurable"]
    """`narrow`: the interval is as narrow as asked; `limit`: after all samples it is not."""
    not_measurable: str | None = None
    """Why this host cannot measure it: 'co-location: no pair of offered cores shares an L3'."""
    notes: tuple[str, ...] = Field(default=(), exclude_if=lambda notes: not notes)
    """How the figures are to be taken, for a person: 'nodes 0 and 1 share an L3'."""
    nf: NfEstimates | None = None
    beside: NfEstimates | None = None
    others: tuple[NfEstimates, ...] = ()
    throughput_drop_percent: Estimate | None = None
    """What the competitors take; over ABBA blocks of all samples."""
    cycles_rise_percent: Estimate | None = None
    pairs: int = Field(default=0, ge=0)
    """Pairs of spinner and competitor that counted."""
    samples: tuple[ProfileSample, ...] = ()
    void_tries: int = Field(default=0, ge=0)
    counters: Counters | None = None
    fingerprint: MachineFingerprint | None = None
    calibrated_at: datetime | None = None
    program_version: str = ""
    agent_version: str = ""

    @model_validator(mode="after")
    def _has_figures_or_a_reason(self) -> Self:
        if (self.ended == "not-measurable") != (self.not_measurable is not None):
            raise ValueError("not_measurable: a reason is given exactly where the result is not-measurable")
        if (self.nf is None) != (self.not_measurable is not None):
            raise ValueError("nf: figures are given exactly where the point could be measured")
        return self

    @property
    def clean_slices(self) -> int:
        """Slices that counted."""
        return sum(sample.clean_slices for sample in self.samples)

    @property
    def dropped_slices(self) -> int:
        """Slices that were measured and did not count."""
        return sum(sample.starved_slices + sample.settling_slices for sample in self.samples)


class ProfileProgress(Frozen):
    """Progress of a measurement."""

    stage: Literal["calibrating", "measuring"]
    samples: int = Field(default=0, ge=0)
    limit: int = Field(default=0, ge=0)
    note: str = ""
    """For a person: 'half width 2.1 %', 'sample void: ...'."""


class Pressure(Frozen):
    """How an NF type presses on the memory hierarchy and suffers from it: by counters, or by substitutes."""

    nf_type: Name
    source: Literal["perf", "substitutes"]
    stalls_per_packet: Estimate | None = None
    """Stalled cycles; by counters only."""
    sensitivity_cycles: Estimate | None = None
    """Substitute: cycles a packet with 1 M flows less those with 1 k flows."""
    bubble_drop_percent: Estimate | None = None
    """Substitute: throughput it loses to a fixed walker through memory."""
    contentiousness_percent: Estimate | None = None
    """Substitute: throughput a fixed reporter (basic-monitor, 1 M flows) loses to it."""
    notes: tuple[str, ...] = ()
    """What could not be measured, each with the reason, and what stood in for what."""
