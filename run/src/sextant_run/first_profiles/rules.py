"""Which NF types are measured at a start, which jobs go on, and which models plans may use without a person. Pure."""

from collections.abc import Iterable, Sequence

from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.chains.nf import NfType
from sextant_domain.profiling.fit import ModelState, ModelVersion
from sextant_domain.profiling.job import JobState, ProfilingAsk, ProfilingJob

FIRST = ("router", "firewall", "basic-monitor")
"""Of the chain that the README begins with: measured before the others."""
FLOWS = 1000
"""As many as a chain has that names none. Of the 100,000 that other jobs play, because NFs then press on each other,
basic-monitor's table holds 65,536: a packet of any other flow took 5 us, and the first plan was wrong by that."""


def ask_of(nf_type: str, host: str) -> ProfilingAsk:
    """Alone, and as narrow as a prediction for a shared core needs: seconds on a quiet machine."""
    return ProfilingAsk(
        nf_type=nf_type,
        host=host,
        flows=FLOWS,
        most_competitors=0,
        seconds=0.5,
        half_width_percent=3.0,
        max_samples=6,
    )


def in_order(nf_types: Iterable[NfType], only: Sequence[str] = ()) -> tuple[NfType, ...]:
    """Built-in NF types that can be measured, those of `only` where that names some, in the order in which they are."""
    built_in = (one for one in nf_types if one.implementation is None and one.name not in IN_KERNEL)
    found = [one for one in built_in if not only or one.name in only]
    return tuple(sorted(found, key=lambda one: (FIRST.index(one.name) if one.name in FIRST else len(FIRST), one.name)))


def unknown(nf_types: Iterable[NfType], models: Iterable[ModelVersion]) -> tuple[NfType, ...]:
    """Those of which no model of their present version is in use. `models`: of one host model."""
    used = {(model.nf_type, model.nf_version) for model in models if model.state is ModelState.PROMOTED}
    return tuple(one for one in nf_types if (one.name, one.version) not in used)


def own_job(nf_type: NfType, host: str, jobs: Iterable[ProfilingJob]) -> ProfilingJob | None:
    """The newest job that a start of this installation filed of the type's present version: it isn't filed again,
    whatever became of it."""
    ask = ask_of(nf_type.name, host)
    own = (job for job in jobs if job.ask == ask and job.nf_version == nf_type.version)
    return max(own, key=lambda job: job.id, default=None)


def paused_by_itself(job: ProfilingJob) -> bool:
    """Its cores were busy for too long; where a person pauses a job, nothing is noted."""
    return job.state is JobState.PAUSED and job.note is not None


def why_not_promoted(fitted: Iterable[ModelVersion], models: Iterable[ModelVersion]) -> str | None:
    """Why a person has to decide on a fit; None where plans may use it at once.

    They may where every model in it that can be used, and every one in use, is of an NF type that was measured alone:
    then assumed throughputs become measured ones, and drops stay assumed. `models`: of the host model.
    """
    new = [model for model in fitted if model.state is not ModelState.REFUSED]
    if not new:
        return "it has no model that could be used"
    used = [model for model in models if model.state is ModelState.PROMOTED]
    beside = sorted({model.nf_type for model in (*new, *used) if model.method != "solo"})
    return f"{', '.join(beside)} was measured beside others" if beside else None
