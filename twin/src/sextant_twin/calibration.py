"""What was fitted on published rows: `data/calibration.toml`, written by `make bench-validation BENCH=--calibrate`."""

import hashlib
import random
from collections.abc import Mapping
from functools import cache
from math import exp
from typing import Any, Self

from pydantic import Field, model_validator
from sextant_domain.base import Frozen

from sextant_twin import document

FILE = document.DATA / "calibration.toml"


class Curve(Frozen):
    """L(rho) = L0 (1 + a rho) + b rho^p / (1 - rho + eps): latency under load (docs/twin-model.md, equation 4)."""

    a: float = Field(ge=0)
    b_ns: float = Field(ge=0)
    p: float = Field(ge=1)
    eps: float = Field(gt=0)

    def core(self) -> dict[str, float]:
        """In base units."""
        return {"a": self.a, "b_s": self.b_ns * 1e-9, "p": self.p, "eps": self.eps}


class MemoryFit(Frozen):
    """What memory controllers carry, and how late they answer."""

    efficiency: dict[str, float]
    """By generation: what it carries of channels x transfer rate."""
    curve: dict[str, Curve]
    """By generation, or by the machine of which one was published."""


class LinkFit(Frozen):
    """Between sockets."""

    efficiency: float = Field(gt=0, le=1)
    """What it carries of lanes x transfer rate."""
    curve: Curve


class CacheFit(Frozen):
    """Last-level caches."""

    spread: float = Field(ge=0)
    """Unevenness of sets, d."""


class HandoffFit(Frozen):
    """Packets that change cores."""

    mlp: float = Field(ge=1)
    """Reads of another core's lines that are under way at once."""


class FittedState(Frozen):
    """An NF's first stream, as fitted on its own row."""

    size: float = Field(ge=0)
    size_per_flow: float = Field(ge=0)
    """Bytes."""
    mlp: float = Field(ge=1)
    hot_lines_share: float = Field(default=0.0, ge=0, lt=1)
    """Of its lines, those of the first of two classes; 0: as its data file has it."""


class FitSpread(Frozen):
    """How far values that were fitted together may be from what they are: normal in their logarithms."""

    of: tuple[str, ...] = Field(min_length=1)
    """Paths of the values, as "nfs.resq-lpm.mlp"."""
    least: tuple[float, ...]
    most: tuple[float, ...]
    """Where each may lie, as in the fit."""
    root: tuple[tuple[float, ...], ...]
    """The covariance's lower triangular root, a row a value, zeros left out."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        count = len(self.of)
        if not len(self.least) == len(self.most) == count or [len(row) for row in self.root] != [*range(1, count + 1)]:
            raise ValueError("of: least, most and root need an entry for each of them, root a triangle")
        return self

    def drawn(self, centre: Mapping[str, float], generator: random.Random) -> dict[str, float]:
        """By path, a draw around `centre`."""
        steps = [generator.gauss(0.0, 1.0) for _ in self.of]
        moved = [sum(part * step for part, step in zip(row, steps, strict=False)) for row in self.root]
        spans = zip(self.of, moved, self.least, self.most, strict=True)
        return {path: min(max(centre[path] * exp(by), least), most) for path, by, least, most in spans}


class TwinCalibration(Frozen):
    """All fitted values, and how well they fit."""

    memory: MemoryFit
    link: LinkFit
    llc: CacheFit
    handoff: HandoffFit
    nfs: dict[str, FittedState] = Field(default_factory=dict)
    """Of the NFs whose own rows were calibrated on."""
    residuals: dict[str, float] = Field(default_factory=dict)
    """By row: the largest distance from what was published, in the row's unit."""
    spreads: tuple[FitSpread, ...] = ()
    """How well the rows that they were fitted on know them."""

    def value(self, path: str) -> float:
        """A fitted value by its path."""
        at: Any = self.model_dump(exclude={"spreads"})
        for part in path.split("."):
            at = at[part]
        value: float = at
        return value

    def replaced(self, values: Mapping[str, float]) -> "TwinCalibration":
        """The same with other values at some paths. A link follows Skylake's curve: none was published of a link."""
        tree = self.model_dump()
        for path, value in values.items():
            *parents, last = path.split(".")
            at = tree
            for part in parents:
                at = at[part]
            at[last] = value
        tree["link"]["curve"] = tree["memory"]["curve"]["skylake"]
        return of_values(tree)

    def drawn(self, generator: random.Random) -> "TwinCalibration":
        """The same with every fitted value as far off as its rows leave open; equal generators give equal draws."""
        values: dict[str, float] = {}
        for spread in self.spreads:
            values |= spread.drawn({path: self.value(path) for path in spread.of}, generator)
        return self.replaced(values) if values else self


@cache
def load() -> TwinCalibration:
    """What is shipped. Raises BadTwinInput."""
    return of_values(document.plain(FILE))


def of_values(values: Any) -> TwinCalibration:
    """A calibration from a tree. Raises BadTwinInput."""
    return document.checked(TwinCalibration, values)


def digest() -> str:
    """SHA-256 of the shipped file."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()
