"""A chain as a file has it: the specification in an envelope, with lanes or a path over several hosts in short."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from sextant_domain.base import Frozen, Name
from sextant_domain.chains.chain import ChainSpec, NfSpec, with_names
from sextant_domain.chains.lane import MAX_LANES, LanePlace, lane_name
from sextant_domain.chains.part import MAX_PARTS, part_name, wrong_path
from sextant_domain.chains.scaling import scaled
from sextant_domain.chains.traffic_kinds import at_most, bounds


class PathPart(Frozen):
    """What of a chain over several hosts stands on one of them."""

    nfs: Annotated[tuple[NfSpec, ...], Field(min_length=1)]
    host: Name

    @model_validator(mode="before")
    @classmethod
    def _expand_short_nfs(cls, data: Any) -> Any:
        return with_names(data)


class ChainFile(Frozen):
    """The envelope of a chain file (`sextant chains submit FILE`); the rest are ChainSpec's fields."""

    model_config = ConfigDict(extra="allow")

    apiVersion: Literal["sextant/v1"]  # noqa: N815 - the spelling that operators know from other tools
    kind: Literal["Chain"]
    lanes: Annotated[tuple[LanePlace, ...], at_most(MAX_LANES), Field(json_schema_extra=bounds(MAX_LANES))] = (
        LanePlace(weight=1),
    )
    """It runs as so many chains, each for its share of the flows. `3` is short for three of equal weight, `[3, 1]` for
    two of these weights that run where the engine chooses."""

    @field_validator("lanes", mode="before")
    @classmethod
    def _expand_short_lanes(cls, lanes: Any) -> Any:
        if isinstance(lanes, int) and not isinstance(lanes, bool):
            if not 1 <= lanes <= MAX_LANES:
                raise ValueError(f"a chain has 1 to {MAX_LANES} lanes, not {lanes}")
            return ({"weight": 1},) * lanes
        if isinstance(lanes, list | tuple):
            return [lane if isinstance(lane, dict | LanePlace) else {"weight": lane} for lane in lanes]
        return lanes

    path: Annotated[tuple[PathPart, ...], at_most(MAX_PARTS)] = ()
    """It runs over several hosts: NFs in the order in which packets pass, by host. Then `nfs` is left out. Of several
    lanes the first goes this way, and each of the others has all NFs on one host."""

    @model_validator(mode="after")
    def _each_lane_has_one_host(self) -> Self:
        """Packets of a lane enter and leave where it runs."""
        for end in ("ingress", "egress"):
            named = (self.model_extra or {}).get(end)
            if any(lane.host for lane in self.lanes) and isinstance(named, dict) and named.get("host") is not None:
                raise ValueError(f"{end}.host: the lanes name hosts of their own; leave this one out")
        return self

    @model_validator(mode="after")
    def _its_path_is_one(self) -> Self:
        if "path" not in self.model_fields_set:
            return self
        rest = self.model_extra or {}
        for field in ("nfs", "part"):
            if field in rest:
                raise ValueError(f"{field}: the path names its NFs by host; leave this one out")
        for end in ("ingress", "egress"):
            if isinstance(rest.get(end), dict) and rest[end].get("host") is not None:
                raise ValueError(f"{end}.host: the path names its hosts; leave this one out")
        if self.lanes[0].host is not None:
            raise ValueError("lanes.0.host: the first lane goes along the path; leave this one out")
        wrong = wrong_path([(part.host, len(part.nfs)) for part in self.path])
        if wrong is not None:
            raise ValueError(f"path{wrong}")
        return self

    def specs(self) -> tuple[ChainSpec, ...]:
        """The chain without its envelope, a spec a lane or a part; raises pydantic.ValidationError naming the field."""
        if self.path:
            parts = _in_parts(self.model_extra or {}, self.path)
            hosts = {lane_name(parts[0].name, at): lane.host for at, lane in enumerate(self.lanes, 1) if lane.host}
            return scaled(parts, tuple(lane.weight for lane in self.lanes), hosts)
        spec = ChainSpec.model_validate(self.model_extra or {})
        return spec.in_lanes([lane.weight for lane in self.lanes], [lane.host for lane in self.lanes])


def _in_parts(asked: Mapping[str, Any], path: Sequence[PathPart]) -> tuple[ChainSpec, ...]:
    """A chain a part, each as the whole is but for its NFs and its host."""
    name = asked.get("name")
    return tuple(
        ChainSpec.model_validate({
            **asked,
            "name": part_name(name, number) if isinstance(name, str) else name,
            "nfs": [nf.model_dump() for nf in part.nfs],
            "ingress": {**(asked.get("ingress") or {}), "host": part.host},
            "slo": _slo_of(asked.get("slo"), leaves=number == len(path)),
            "part": {"of": name, "number": number, "count": len(path)},
        })
        for number, part in enumerate(path, start=1)
    )  # fmt: skip


def _slo_of(asked: Any, *, leaves: bool) -> Any:
    """How long packets took is known where they leave."""
    if leaves or not isinstance(asked, dict):
        return asked or {}
    return {**asked, "max_p95_ms": None}
