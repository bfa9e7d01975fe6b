"""What was fitted on published rows: `data/calibration.toml`, written by `make bench-validation BENCH=--calibrate`."""

import hashlib
from functools import cache
from typing import Any

from pydantic import Field
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
