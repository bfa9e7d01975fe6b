"""What a study found, with all that is needed to repeat it."""

import platform
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal, Self

import sextant_engine._core
import sextant_twin._core
from sextant_domain.base import Frozen, canonical_json
from sextant_domain.evidence import Algorithm
from sextant_twin import calibration
from sextant_twin.machines import FOLDER as MACHINES
from sextant_twin.nfs import FOLDER as NFS

from sextant_lab import __version__
from sextant_lab.scenario import Scenario

Draw = int | Literal["centre"]


class Origin(Frozen):
    """Equal origins and scenarios give equal figures."""

    lab: str
    python: str
    numpy: str
    scipy: str
    engine_core: str
    """SHA-256 of the solver's native core, 16 digits; so of the twin's."""
    twin_core: str
    calibration: str
    data: str
    """Of the twin's machines and NFs."""
    scenario: str

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """Of this installation and that scenario."""
        return cls(
            lab=__version__,
            python=platform.python_version(),
            numpy=_version("numpy"),
            scipy=_version("scipy"),
            engine_core=_digest(Path(sextant_engine._core.__file__ or "")),
            twin_core=_digest(Path(sextant_twin._core.__file__ or "")),
            calibration=calibration.digest()[:16],
            data=_digest(*sorted(MACHINES.glob("*.toml")), *sorted(NFS.glob("*.toml"))),
            scenario=sha256(canonical_json(scenario)).hexdigest()[:16],
        )


class Placed(Frozen):
    """One set, placed by one algorithm."""

    draw: Draw
    seed: int
    set: str
    algorithm: Algorithm
    nodes: tuple[tuple[int, ...], ...]
    """Of each NF of each chain."""
    promised_mpps: float
    """By the models, altogether."""
    carried_mpps: tuple[float, ...]
    """On the twin, by chain."""
    by_second_mpps: tuple[float, ...] = ()
    """On the twin, altogether, where time passes."""

    @property
    def total_mpps(self) -> float:
        """Of all chains."""
        return sum(self.carried_mpps)


class Foretold(Frozen):
    """One chain of one random placement."""

    draw: Draw
    seed: int
    set: str
    number: int
    chain: int
    nodes: tuple[int, ...]
    carried_mpps: float
    """On the twin."""
    ideal_mpps: float
    """Of its slowest NF, alone on the node where it stands, as profiled."""
    predicted_mpps: dict[str, float | None]
    """By predictor; None: it knows nothing of an NF type."""

    @property
    def drop(self) -> float:
        """What it lost, as a share of its ideal throughput."""
        return 1 - self.carried_mpps / self.ideal_mpps

    def predicted_drop(self, predictor: str) -> float | None:
        """The same, predicted."""
        mpps = self.predicted_mpps.get(predictor)
        return None if mpps is None else 1 - mpps / self.ideal_mpps


class FitNote(Frozen):
    """What one fit of a run was made with, and what was refused."""

    draw: Draw
    seed: int
    points: int
    metric: str
    qualifies: bool
    scale: float
    refusals: dict[str, tuple[str, ...]]
    """By NF type of which no model can be promoted."""


class Result(Frozen):
    """A whole study."""

    scenario: Scenario
    origin: Origin
    fits: tuple[FitNote, ...]
    placed: tuple[Placed, ...] = ()
    foretold: tuple[Foretold, ...] = ()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _digest(*paths: Path) -> str:
    total = sha256()
    for path in paths:
        total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:16]
