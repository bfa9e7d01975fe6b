"""What an operator asks for: a service function chain with its traffic and objectives."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Self

from pydantic import Field, StrictBool, field_validator, model_validator

from sextant_domain.base import Frozen, Name, StrictFloat, StrictInt
from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.chains.cpu_bounds import (
    ONE_OF_TWO,
    QUEUE_MATCHING,
    QUOTA_BOUNDS,
    RATE_COST_CAPABILITY,
    QuotaBounds,
    ShareBounds,
)
from sextant_domain.chains.lane import LANES, Lane, lane_name
from sextant_domain.chains.match import IPV6, Match
from sextant_domain.chains.nf import changeable_of
from sextant_domain.chains.part import MAX_PATH_NFS, OVER_HOSTS, Part, part_name
from sextant_domain.chains.traffic import MAX_RATE_MPPS, Traffic
from sextant_domain.chains.traffic_kinds import MatchPayload

MAX_NFS = 32
MAX_CPU_SHARE = 10_000
OF_WHOLE = ("traffic", "paused")
"""Settings that all parts of a chain over several hosts have alike."""
SHARED_PROCESS = "NFs that share a process share its CPU time; ask for it in an isolated chain"


Execution = Literal["isolated", "run-to-completion"]
"""`isolated`: every NF is a process of its own. `run-to-completion`: neighbours of a chain on one core share one."""


class NfSettings(Frozen):
    """What may change of an NF while it runs."""

    cpu_share: StrictInt | None = Field(default=None, ge=1, le=MAX_CPU_SHARE)
    """Weight against whatever else wants its core; None: 100."""
    cpu_quota_percent: StrictFloat | None = Field(default=None, ge=1, le=100)
    """The most of its core it may use, whoever else wants it; None: all."""
    config: dict[str, Any] = Field(default_factory=dict, exclude_if=lambda config: not config)
    """The part of its configuration that can change while it runs: the backends of a load balancer, the rules of a
    filter in the kernel."""


class NfSpec(NfSettings):
    """One network function of a chain."""

    type: Name
    name: Name
    """Unique in its chain; the type's name unless the operator gives another."""
    config: dict[str, Any] = Field(default_factory=dict)
    """Overrides of the type's default configuration."""
    tied: Name | None = Field(default=None, exclude_if=lambda tied: tied is None)
    """It is one element with all NFs of this tie, which are of its type and of other chains: those on one host stand on
    one core. Left out of the digest where there is none."""

    @model_validator(mode="before")
    @classmethod
    def _has_no_host_of_its_own(cls, data: Any) -> Any:
        if isinstance(data, dict) and "host" in data:
            raise ValueError(
                "host: all NFs of a chain run on one host, so one of them cannot be pinned; pin the chain by "
                "ingress.host, each of its lanes by lanes.N.host, or lead it over several hosts (path)"
            )
        return data

    @property
    def settings(self) -> NfSettings:
        """What may change while it runs; of its configuration only what it overrides."""
        return NfSettings(
            cpu_share=self.cpu_share,
            cpu_quota_percent=self.cpu_quota_percent,
            config=changeable_of(self.type, self.config),
        )


class Ingress(Frozen):
    """Where packets enter. An empty host lets the engine choose."""

    host: Name | None = None
    port: Name | None = None
    match: Match = Match()


class Egress(Frozen):
    """Where packets leave."""

    host: Name | None = None
    port: Name | None = None


class Slo(Frozen):
    """Service-level objectives; an absent one is not judged."""

    min_throughput_mpps: StrictFloat | None = Field(default=None, gt=0, le=MAX_RATE_MPPS)
    max_p95_ms: StrictFloat | None = Field(default=None, gt=0, le=60_000)
    """95th percentile of the time from ingress to egress."""

    def of_share(self, part: float) -> "Slo":
        """Of so many times the flows: the throughput in proportion."""
        if self.min_throughput_mpps is None or part == 1:
            return self
        return self.model_copy(update={"min_throughput_mpps": self.min_throughput_mpps * part})


DEFAULT_CPU_SHARE = 100


def _needs(chain: "ChainSettings | ChainSpec", nfs: Mapping[str, NfSettings]) -> dict[str, tuple[str, object]]:
    """Setting -> the capability that a host must have for it, and its value."""
    found: dict[str, tuple[str, object]] = {}
    if chain.traffic.lane is not None:
        found["traffic.lane"] = (LANES, True)
    if chain.execution != "isolated":
        found["execution"] = (chain.execution, chain.execution)
    if chain.paused:
        found["paused"] = ("pause", chain.paused)
    if chain.share_bounds is not None:
        found["share_bounds"] = ("cpu-share", chain.share_bounds)
        if chain.share_bounds.law != QUEUE_MATCHING:
            found["share_bounds.law"] = (RATE_COST_CAPABILITY, chain.share_bounds.law)
    if chain.quota_bounds is not None:
        found["quota_bounds"] = (QUOTA_BOUNDS, chain.quota_bounds)
    for name, nf in nfs.items():
        if nf.cpu_share not in {None, DEFAULT_CPU_SHARE}:
            found[f"nfs.{name}.cpu_share"] = ("cpu-share", nf.cpu_share)
        if nf.cpu_quota_percent is not None:
            found[f"nfs.{name}.cpu_quota_percent"] = ("cpu-share", nf.cpu_quota_percent)
    return found


class ChainSettings(Frozen):
    """What may change of a chain while it runs, complete: nothing is left to whoever reads it."""

    traffic: Traffic
    execution: Execution = "isolated"
    paused: StrictBool = False
    """Nothing is offered and its NFs sleep; they keep their state and their places."""
    share_bounds: ShareBounds | None = Field(default=None, exclude_if=lambda bounds: bounds is None)
    """Within which its host divides cores that its NFs share. None: it leaves CPU shares as they are ordered."""
    quota_bounds: QuotaBounds | None = Field(default=None, exclude_if=lambda bounds: bounds is None)
    """Within which its host sets CPU quotas of its NFs by their latency. None: it leaves them as they are ordered."""
    nfs: dict[Name, NfSettings] = Field(max_length=MAX_NFS)
    """Every NF of the chain, by name."""

    @classmethod
    def of(cls, chain: Frozen, nfs: Mapping[str, NfSettings]) -> Self:
        """Those of a chain, as it was submitted or ordered, and of its NFs by name."""
        held = {field: getattr(chain, field) for field in cls.model_fields if field != "nfs"}
        return cls(**held, nfs=dict(nfs))

    def needs_beyond(self, before: "ChainSettings") -> dict[str, str]:
        """Setting -> the capability that a host must have to change `before` into this."""
        now, then = _needs(self, self.nfs), _needs(before, before.nfs)
        found = {field: need[0] for field, need in now.items() if then.get(field) != need}
        changed = [name for name, nf in self.nfs.items() if name in before.nfs and nf.config != before.nfs[name].config]
        return found | {f"nfs.{name}.config": "configure" for name in changed}

    def of_whole(self, first: "ChainSettings") -> "ChainSettings":
        """Those of a part, with what all parts of a chain over several hosts have as its first one has it: what enters
        there passes all of them."""
        return self.model_copy(update={field: getattr(first, field) for field in OF_WHOLE})

    def agrees_with(self, ordered: "ChainSettings") -> bool:
        """Whether an order is as these settings say: what they leave out of a configuration is the type's default."""
        nfs = {
            name: nf.model_copy(update={"config": {**ordered.nfs.get(name, nf).config, **nf.config}})
            for name, nf in self.nfs.items()
        }
        return ordered == self.model_copy(update={"nfs": nfs})


class ChainSpec(Frozen):
    """A service function chain as asked for. Its settings may change while it runs, and the host that it names as it is
    moved to another; the rest means another chain."""

    name: Name
    nfs: tuple[NfSpec, ...] = Field(json_schema_extra={"minItems": 1, "maxItems": MAX_NFS})
    ingress: Ingress = Ingress()
    egress: Egress = Egress()
    traffic: Traffic
    execution: Execution = "isolated"
    paused: StrictBool = False
    """Nothing is offered and its NFs sleep; they keep their state and their places."""
    share_bounds: ShareBounds | None = Field(default=None, exclude_if=lambda bounds: bounds is None)
    """Within which its host divides cores that its NFs share. None: it leaves CPU shares as they are ordered."""
    quota_bounds: QuotaBounds | None = Field(default=None, exclude_if=lambda bounds: bounds is None)
    """Within which its host sets CPU quotas of its NFs by their latency. None: it leaves them as they are ordered."""
    slo: Slo = Slo()
    value: StrictFloat = Field(default=1.0, gt=0, le=1_000_000)
    """What the engine maximises is the sum of value x throughput."""
    anti_affinity: AntiAffinity | None = Field(default=None, exclude_if=lambda group: group is None)
    """Chains that it must not stand with. Left out of the digest where there are none."""
    part: Part | None = Field(default=None, exclude_if=lambda part: part is None)
    """Which part it is, of the chains that carry one chain over several hosts. Left out of the digest where it is all
    of one."""

    @model_validator(mode="before")
    @classmethod
    def _expand_short_nfs(cls, data: Any) -> Any:
        """`router` is short for `{type: router, name: router}`; a second one becomes `router-2`."""
        return with_names(data)

    @field_validator("nfs", mode="before")
    @classmethod
    def _has_a_fair_number(cls, nfs: Any) -> Any:
        """Before the items are looked at: one error, not one for each of ten thousand."""
        if isinstance(nfs, list | tuple) and not 1 <= len(nfs) <= MAX_NFS:
            raise ValueError(f"a chain has 1 to {MAX_NFS} NFs, not {len(nfs)}")
        return nfs

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        names = [nf.name for nf in self.nfs]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise ValueError(f"nfs.{index}.name: '{name}' is used twice in this chain")
        return self

    @model_validator(mode="after")
    def _ties_are_to_other_chains(self) -> Self:
        """An element occurs once in a chain (CoCo, Sec. III-A)."""
        ties = [nf.tied for nf in self.nfs]
        for index, tie in enumerate(ties):
            if tie is not None and tie in ties[:index]:
                raise ValueError(
                    f"nfs.{index}.tied: two NFs of this chain name '{tie}'; a tie joins NFs of other chains"
                )
        return self

    @model_validator(mode="after")
    def _processes_have_wishes_of_their_own(self) -> Self:
        if self.execution == "isolated":
            return self
        for field in ("share_bounds", "quota_bounds"):
            if getattr(self, field) is not None:
                raise ValueError(f"{field}: {SHARED_PROCESS}")
        for index, nf in enumerate(self.nfs):
            for field in ("cpu_share", "cpu_quota_percent"):
                if getattr(nf, field) is not None:
                    raise ValueError(f"nfs.{index}.{field}: {SHARED_PROCESS}")
        return self

    @model_validator(mode="after")
    def _one_law_sets_cpu_time(self) -> Self:
        if self.share_bounds is not None and self.quota_bounds is not None:
            raise ValueError(f"quota_bounds: {ONE_OF_TWO}")
        return self

    @model_validator(mode="after")
    def _packets_hold_their_headers(self) -> Self:
        """Of the smallest packet; a capture holds packets of its own."""
        smallest, match = self.traffic.smallest_packet_bytes, self.ingress.match
        if self.traffic.pcap is None and smallest < match.header_bytes:
            field = "packet_bytes" if self.traffic.sizes is None else "sizes"
            raise ValueError(
                f"traffic.{field}: {match.protocol} over IPv{match.version} has {match.header_bytes} bytes of headers, "
                f"and the smallest packet {smallest}; send packets of {match.header_bytes} bytes or more"
            )
        return self

    @model_validator(mode="after")
    def _strings_fit_into_the_packets(self) -> Self:
        payload, match = self.traffic.payload, self.ingress.match
        if not isinstance(payload, MatchPayload):
            return self
        smallest = self.traffic.smallest_packet_bytes
        for index, text in enumerate(payload.strings):
            if len(text.encode()) > smallest - match.header_bytes:
                raise ValueError(
                    f"traffic.payload.strings.{index}: its {len(text.encode())} bytes do not fit into the payload of a "
                    f"{smallest}-byte {match.protocol} packet ({smallest - match.header_bytes} bytes); shorten it or "
                    "send larger packets"
                )
        return self

    @model_validator(mode="after")
    def _is_a_part_of_one_host(self) -> Self:
        if self.part is None:
            return self
        if self.name != part_name(self.part.of, self.part.number):
            wanted = part_name(self.part.of, self.part.number)
            raise ValueError(f"part.of: {self.part.text} is called {wanted}, and this chain {self.name}")
        if self.ingress.host is None or self.egress.host not in {None, self.ingress.host}:
            raise ValueError(f"ingress.host: each part of {self.part.of} names the one host that it stands on")
        lane = self.traffic.lane
        if lane is not None and (lane.of, lane.number) != (self.part.of, 1):
            raise ValueError(
                f"traffic.lane: parts of {self.part.of} are its first lane; a further lane has all its NFs on one host"
            )
        if len(self.nfs) > MAX_PATH_NFS:
            raise ValueError(f"nfs: all parts have {MAX_PATH_NFS} NFs at most, and this one has {len(self.nfs)}")
        return self

    @property
    def settings(self) -> ChainSettings:
        """What may change while it runs."""
        return ChainSettings.of(self, {nf.name: nf.settings for nf in self.nfs})

    @property
    def needs(self) -> dict[str, str]:
        """Setting -> the capability that a host must have to run it."""
        of_match = {"ingress.match": IPV6} if self.ingress.match.version == 6 else {}
        of_part = {} if self.part is None else {"part": OVER_HOSTS}
        found = _needs(self, {nf.name: nf for nf in self.nfs})
        return of_match | of_part | {field: need[0] for field, need in found.items()}

    def with_settings(self, settings: ChainSettings) -> "ChainSpec":
        """The same chain with other settings; pydantic.ValidationError where they do not fit each other. Its throughput
        objective follows its part of the flows where it becomes another lane."""
        nfs = [_with(nf, settings.nfs[nf.name]) for nf in self.nfs]
        bounds = {"share_bounds": settings.share_bounds, "quota_bounds": settings.quota_bounds}
        rest = settings.model_dump(exclude={"nfs"}) | bounds
        slo = self.slo.of_share(settings.traffic.share / self.traffic.share)
        return ChainSpec.model_validate({**self.model_dump(), **rest, "nfs": nfs, "slo": slo.model_dump()})

    def moved_to(self, host: str) -> "ChainSpec":
        """The same chain, which names this host where it names one."""
        ingress = self.ingress.model_copy(update={"host": self.ingress.host and host})
        egress = self.egress.model_copy(update={"host": self.egress.host and host})
        return self.model_copy(update={"ingress": ingress, "egress": egress})

    def in_lanes(self, weights: Sequence[int], hosts: Sequence[str | None] = ()) -> "tuple[ChainSpec, ...]":
        """The chains that carry it in lanes of these weights, each pinned to its host of `hosts` (none: as the chain
        is): rate and throughput objective divided by weight, all else as here. The first keeps its name, so a chain
        that gets lanes later stays what it is. One weight: itself.

        Raises pydantic.ValidationError where there cannot be such a lane (too long a name, a capture)."""
        places = hosts or [None] * len(weights)
        if len(weights) == 1:
            return (self._pinned_to(places[0]),)
        lanes = (Lane(of=self.name, number=number, weights=tuple(weights)) for number in range(1, len(weights) + 1))
        return tuple(self._as_lane(lane)._pinned_to(host) for lane, host in zip(lanes, places, strict=True))

    def _pinned_to(self, host: str | None) -> "ChainSpec":
        if host is None:
            return self
        return self.model_copy(update={"ingress": self.ingress.model_copy(update={"host": host})}).moved_to(host)

    def _as_lane(self, lane: Lane) -> "ChainSpec":
        asked = self.model_dump()
        asked["traffic"] |= {"rate_mpps": self.traffic.rate_mpps * lane.share, "lane": lane.model_dump()}
        asked["slo"] = self.slo.of_share(lane.share).model_dump()
        asked["name"] = lane_name(self.name, lane.number)
        return ChainSpec.model_validate(asked)

    @property
    def ties(self) -> dict[str, str]:
        """NF id -> its tie, of those that have one."""
        return {self.nf_id(at): nf.tied for at, nf in enumerate(self.nfs) if nf.tied is not None}

    def nf_id(self, position: int) -> str:
        """The fleet-wide id of the NF at `position` (from 0)."""
        return f"{self.name}.{self.nfs[position].name}"


def _with(nf: NfSpec, settings: NfSettings) -> dict[str, Any]:
    return {**nf.model_dump(), **settings.model_dump(), "config": {**nf.config, **settings.config}}


def with_names(data: Any) -> Any:
    """Raw NFs (`nfs`) with the names that those without one get."""
    if not isinstance(data, dict) or not isinstance(data.get("nfs"), list | tuple):
        return data
    if len(data["nfs"]) > MAX_NFS:
        return data  # refused later: do not work through ten thousand of them first
    taken = {nf["name"] for nf in data["nfs"] if isinstance(nf, dict) and isinstance(nf.get("name"), str)}
    nfs: list[Any] = []
    for nf in data["nfs"]:
        expanded = {"type": nf} if isinstance(nf, str) else nf
        if isinstance(expanded, dict) and "name" not in expanded and isinstance(expanded.get("type"), str):
            expanded = {**expanded, "name": free_name(expanded["type"], taken)}
            taken.add(expanded["name"])
        nfs.append(expanded)
    return {**data, "nfs": nfs}


def free_name(stem: str, taken: Collection[str]) -> str:
    """The name itself, or the first `name-2`, `name-3` ... that nobody has."""
    if stem not in taken:
        return stem
    number = 2
    while f"{stem}-{number}" in taken:
        number += 1
    return f"{stem}-{number}"
