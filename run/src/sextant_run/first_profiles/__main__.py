"""`python -m sextant_run.first_profiles [NF TYPE ...]`: measures on this machine what NF types carry alone.

It files ordinary profiling jobs, as an operator would, waits for them, and lets plans use their models. Whatever is
known, or was filed before, is not filed again; a job that gave up waiting for its cores at an earlier start goes on.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from sextant_domain.chains.nf import NfType
from sextant_domain.profiling.fit import FitState, FitView, ModelVersion
from sextant_domain.profiling.job import STANDING_JOB_STATES, JobAction, JobState, ProfilingJob

from sextant_run import installation
from sextant_run.console_client import ConsoleError, call, good
from sextant_run.errors import RunError
from sextant_run.first_profiles import rules
from sextant_run.layout import DataLayout
from sextant_run.log import log

LIMIT_S = 3600.0
"""For a host that does not report, and for jobs: then a person, or the next start, goes on."""
POLL_S = 1.0

T = TypeVar("T")


class FirstProfiles:
    """Of one host, by its installation's console."""

    def __init__(self, layout: DataLayout, host: str) -> None:
        self._layout = layout
        self._host = host

    def measure(self, only: Sequence[str]) -> None:
        """Raises ConsoleError where the console, the host or a job gives no answer for too long."""
        host_model = str(self._patiently(self._inventory, f"{self._host} does not report")["host_model"])
        nf_types = rules.in_order((NfType.model_validate(one) for one in self._items("/nf-types")), only)
        jobs = dict(self._jobs(rules.unknown(nf_types, self._models(host_model))))
        for group in (
            [name for name in jobs if name in rules.FIRST],
            [name for name in jobs if name not in rules.FIRST],
        ):
            ended = self._ended([jobs[name] for name in group])
            fits = [job.fit_id for job in ended if job.state is JobState.COMPLETED and job.fit_id is not None]
            if fits:
                self._promote(max(fits), host_model)

    def _inventory(self) -> dict[str, Any] | None:
        answer = call(self._layout, "GET", f"/hosts/{self._host}")
        up = answer.status == 200 and answer.body.get("status") == "up"
        return answer.body.get("inventory") if up else None

    def _models(self, host_model: str) -> list[ModelVersion]:
        """In use on hosts of that model."""
        asked = urlencode({"host_model": host_model, "state": "promoted"})
        return [ModelVersion.model_validate(one) for one in self._items(f"/models?{asked}")]

    def _jobs(self, nf_types: Sequence[NfType]) -> Iterator[tuple[str, int]]:
        """(NF type, job): filed now or before."""
        before = [ProfilingJob.model_validate(one) for one in self._items("/profiling/jobs")]
        for nf_type in nf_types:
            job = rules.own_job(nf_type, self._host, before) or self._file(nf_type)
            if job is not None and rules.paused_by_itself(job):
                good(call(self._layout, "POST", f"/profiling/jobs/{job.id}/actions", {"action": JobAction.RESUME}))
                log("a job goes on", job=job.id, nf_type=nf_type.name)
            if job is not None:
                yield nf_type.name, job.id

    def _file(self, nf_type: NfType) -> ProfilingJob | None:
        """None where this host cannot measure it."""
        ask = rules.ask_of(nf_type.name, self._host)
        try:
            job = ProfilingJob.model_validate(
                good(call(self._layout, "POST", "/profiling/jobs", ask.model_dump(mode="json")))
            )
        except ConsoleError as error:
            log("an NF type is not measured", nf_type=nf_type.name, cause=str(error)[-500:])
            return None
        log("an NF type is measured alone", nf_type=nf_type.name, job=job.id)
        return job

    def _ended(self, job_ids: Sequence[int]) -> list[ProfilingJob]:
        """Once no job of them goes on by itself."""

        def over() -> list[ProfilingJob] | None:
            paths = (f"/profiling/jobs/{job_id}" for job_id in job_ids)
            jobs = [ProfilingJob.model_validate(good(call(self._layout, "GET", path))) for path in paths]
            return jobs if all(job.state in STANDING_JOB_STATES for job in jobs) else None

        return self._patiently(over, "profiling jobs do not end")

    def _promote(self, fit_id: int, host_model: str) -> None:
        def made() -> FitView | None:
            fit = FitView.model_validate(good(call(self._layout, "GET", f"/fits/{fit_id}")))
            return None if fit.state is FitState.FITTING else fit

        view = self._patiently(made, f"fit {fit_id} is not made")
        fitted = () if view.fit is None else view.fit.models
        why_not = rules.why_not_promoted(fitted, self._models(host_model))
        if why_not is not None:
            log("a person decides on the fit", fit=fit_id, cause=why_not, next_step=f"sextant models fit {fit_id}")
            return
        good(call(self._layout, "POST", f"/fits/{fit_id}/promotion", {}, version=view.version))
        log("plans use the measured throughputs", fit=fit_id, nf_types=[model.nf_type for model in fitted])

    def _items(self, path: str) -> list[Any]:
        """Of a list, all of its pages."""
        found: list[Any] = []
        after: str | None = ""
        while after is not None:
            more = f"{'&' if '?' in path else '?'}{urlencode({'limit': 200, **({'after': after} if after else {})})}"
            page = good(call(self._layout, "GET", path + more))
            found += page["items"]
            after = page["next"]
        return found

    def _patiently(self, ask: Callable[[], T | None], cause: str) -> T:
        """The first answer that is one; a console that is restarted is waited for."""
        deadline = time.monotonic() + LIMIT_S
        while True:
            try:
                if (found := ask()) is not None:
                    return found
                last = cause
            except ConsoleError as error:
                last = f"{cause}: {error}"
            if time.monotonic() > deadline:
                raise ConsoleError(last)
            time.sleep(POLL_S)


def main() -> None:
    """Ends when all is measured, or waits for a person: the next `make up` goes on where it can."""
    layout = DataLayout.of_environment()
    present = installation.load(layout)
    if present is None:
        raise RunError(f"{layout.data} holds no installation", "make up")
    try:
        FirstProfiles(layout, present.host_id).measure(sys.argv[1:])
    except ConsoleError as error:
        log("not all NF types are measured", cause=str(error)[-500:], next_step="make down, then make up")
        raise SystemExit(1) from None
    log("what can be measured of NF types alone is measured, or waits: sextant profile jobs")


if __name__ == "__main__":
    main()
