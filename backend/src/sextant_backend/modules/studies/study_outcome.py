"""What became of a study that ran, and how its end is read. Pure but for the file that it left."""

import signal
from dataclasses import dataclass

from pydantic import ValidationError
from sextant_domain.studies.school import SchoolReport, SchoolResult, SchoolSummary
from sextant_domain.studies.study import StudyRefusal
from sextant_domain.studies.summary import StudyFound
from sextant_engine.errors import BadEngineInput

from sextant_backend.modules.networks import contents
from sextant_backend.modules.studies.child import Child
from sextant_backend.modules.studies.compression import pack
from sextant_backend.modules.studies.limits import CPU_S, MAX_RESULT_BYTES, MEMORY_BYTES

REFUSED, CANCELLED = 2, 3
"""Exit statuses of the lab."""


@dataclass(frozen=True)
class StudyDone:
    """It is done."""

    result: bytes
    """StudyResult as JSON, compressed."""
    found: StudyFound
    network: tuple[bytes, SchoolReport] | None = None
    """Of a training: the document with its weights, which the engine has taken, and how they came to be."""


@dataclass(frozen=True)
class ScenarioRefused:
    """It cannot be run as it is written."""

    field: str
    message: str
    remedy: str | None = None
    """Command that helps where the scenario is right."""


@dataclass(frozen=True)
class StudyFailed:
    """It ended without a result."""

    cause: str
    next_step: str


@dataclass(frozen=True)
class CancelledByOperator:
    """Somebody asked for it."""


@dataclass(frozen=True)
class StudyLeft:
    """Its worker ends: another one begins again."""


@dataclass(frozen=True)
class StudyInterrupted:
    """The process of a training was killed: it goes on from what it has kept."""


StudyOutcome = StudyDone | ScenarioRefused | StudyFailed | CancelledByOperator | StudyLeft | StudyInterrupted
_NO_MEMORY = ("MemoryError", "Cannot allocate memory", "Memory allocation", "failed to map segment")
"""As Python, the system, OpenBLAS and the loader say it."""
_SMALLER = "ask for fewer seeds, draws or placements, or fewer NF types"
_REPORT = "run it by `python -m sextant_lab run`, which says more, and report it"


def finding_of(status: int, child: Child, *, goes_on: bool = False) -> StudyOutcome:
    """Of a child that ended by itself. `goes_on`: what was killed can go on."""
    if goes_on and status == -signal.SIGKILL:
        return StudyInterrupted()
    if status == 0:
        return _found(child)
    if status == REFUSED:
        refusal = child.refusal or StudyRefusal(refused="", message=child.complaint())
        return ScenarioRefused(refusal.refused, refusal.message, refusal.remedy)
    return _failed(status, child.complaint())


def _found(child: Child) -> StudyDone | StudyFailed:
    """The result itself, which is large, is not read here."""
    try:
        found = StudyFound.model_validate_json(child.found.read_bytes())
        raw = child.result.read_bytes()
        return StudyDone(pack(raw), found, _network(raw, found))
    except BadEngineInput as error:
        return StudyFailed(f"the weights that it left are refused: {error}", _REPORT)
    except (OSError, ValidationError) as error:
        return StudyFailed(f"what it found cannot be read: {type(error).__name__}: {str(error)[:300]}", _REPORT)


def _network(raw: bytes, found: StudyFound) -> tuple[bytes, SchoolReport] | None:
    """Read as from a stranger. Raises BadEngineInput where it is not what the engine computes by, or another network
    than the result says."""
    if not isinstance(found.summary, SchoolSummary):
        return None
    result = SchoolResult.model_validate_json(raw)
    document = result.trained.encode()
    contents.read(document, result.report.cores, result.weights)
    return document, result.report


def _failed(status: int, complaint: str) -> StudyFailed:
    last = complaint.splitlines()[-1] if complaint else "it gave no reason"
    if status == CANCELLED:
        return StudyFailed("somebody ended its process", "start it again")
    if status == -signal.SIGXCPU:
        return StudyFailed(f"it took more than {CPU_S // 3600} hours of a processor", _SMALLER)
    if any(sign in complaint for sign in _NO_MEMORY):
        return StudyFailed(f"it needs more than {MEMORY_BYTES // 2**30} GiB of memory", _SMALLER)
    if "File too large" in complaint:
        return StudyFailed(f"its result has more than {MAX_RESULT_BYTES} bytes", _SMALLER)
    if status < 0:
        name = signal.Signals(-status).name
        return StudyFailed(f"its process was ended by {name}: for lack of memory, if nobody did it", "start it again")
    return StudyFailed(f"the lab ended with {status}: {last[:300]}", _REPORT)
