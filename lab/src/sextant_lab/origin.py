"""What a result came from: versions, and hashes of all that decides its figures."""

import platform
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import sextant_engine._core
import sextant_twin._core
from sextant_domain.base import canonical_json
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.scenario import Scenario
from sextant_twin import calibration
from sextant_twin.machines import FOLDER as MACHINES
from sextant_twin.nfs import FOLDER as NFS

from sextant_lab import __version__


def origin_of(scenario: Scenario) -> Origin:
    """Of this installation and that scenario."""
    return Origin(
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
