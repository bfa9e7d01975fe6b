"""What is measured after a start: which NF types, which jobs go on, and which fits wait for a person."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from sextant_domain.base import Provenance
from sextant_domain.chains.nf import NfType
from sextant_domain.chains.traffic import Traffic
from sextant_domain.problem import Problem
from sextant_domain.profiling.fit import Fit, FitState, FitView, MetricSelection, ModelState, ModelVersion
from sextant_domain.profiling.job import STANDING_JOB_STATES, JobState, ProfilingJob
from sextant_run.commands import _of_hosts
from sextant_run.first_profiles import rules
from sextant_run.first_profiles.__main__ import FirstProfiles
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.programs import programs
from sextant_run.settings import RunSettings

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
HOST_MODEL = "test-cpu 1x2"


def a_type(name: str, version: int = 1, implementation: str | None = None) -> NfType:
    more = {"summary": "", "library": "", "config_schema": {"type": "object"}}
    return NfType.model_validate(
        {"name": name, "version": version, "short_name": name[:8], "implementation": implementation, **more}
    )


def a_model(nf_type: str, state: ModelState, version: int = 1, method: str = "solo") -> ModelVersion:
    nothing: dict[str, Any] = {"model": None, "curves": None, "sides": (), "scores": (), "held_out": ()}
    fields = {"id": 1, "fit_id": 1, "host_model": HOST_MODEL, "samples": 3, "basis": Provenance.MEASURED}
    decided = {"validated": True, "created_at": NOW, "decided_at": None, "decided_by": None}
    asked = {"nf_type": nf_type, "nf_version": version, "state": state, "method": method}
    return ModelVersion.model_validate({**nothing, **fields, **decided, **asked})


def a_job(number: int, nf_type: str, state: JobState = JobState.COMPLETED, **changes: Any) -> ProfilingJob:
    fields = {
        "id": number,
        "state": state,
        "ask": rules.ask_of(nf_type, "edge-1"),
        "nf_version": 1,
        "host_model": HOST_MODEL,
        "points": 1,
        "done": 1,
        "failed": 0,
        "created_at": NOW,
        "created_by": "admin",
        "started_at": NOW,
        "finished_at": NOW,
        "version": 1,
    }
    return ProfilingJob.model_validate({**fields, **changes})


# ---- rules ----


def test_types_are_measured_with_as_many_flows_as_a_chain_has_that_names_none() -> None:
    assert rules.ask_of("router", "edge-1").flows == Traffic(rate_mpps=0.1, packet_bytes=64).flows


def test_built_in_types_are_measured_those_of_the_first_chain_before_the_others() -> None:
    """And none that is in the kernel, where nobody can."""
    types = [
        *map(a_type, ("basic-monitor", "dpi", "firewall", "nft-firewall", "router")),
        a_type("guard", implementation="firewall"),
    ]
    assert [one.name for one in rules.in_order(types)] == ["router", "firewall", "basic-monitor", "dpi"]
    assert [one.name for one in rules.in_order(types, ["dpi", "firewall"])] == ["firewall", "dpi"]


def test_what_is_known_at_its_present_version_is_not_measured_again() -> None:
    types = [a_type("router", 2), a_type("firewall", 3), a_type("nat")]
    models = [
        a_model("router", ModelState.PROMOTED, 2),
        a_model("firewall", ModelState.PROMOTED, 2),  # of an earlier version
        a_model("nat", ModelState.CANDIDATE),  # not in use
    ]
    assert [one.name for one in rules.unknown(types, models)] == ["firewall", "nat"]


def test_a_job_is_not_filed_again_whatever_became_of_it() -> None:
    """Nor is a job that a person asked for otherwise taken for it."""
    router = a_type("router")
    cancelled = a_job(4, "router", JobState.CANCELLED)
    others = [a_job(5, "router", ask=rules.ask_of("router", "edge-2")), a_job(6, "router", nf_version=2)]
    longer = a_job(7, "router", ask=rules.ask_of("router", "edge-1").model_copy(update={"seconds": 9.0}))
    assert rules.own_job(router, "edge-1", [a_job(3, "router"), cancelled, *others, longer]) == cancelled
    assert rules.own_job(router, "edge-1", [*others, longer]) is None


def test_only_what_gave_up_by_itself_goes_on_at_the_next_start() -> None:
    busy = a_job(1, "router", JobState.PAUSED, note="core 1 runs edge.router. Paused after 10 min")
    by_a_person = a_job(2, "router", JobState.PAUSED)
    assert [rules.paused_by_itself(job) for job in (busy, by_a_person, a_job(3, "router"))] == [True, False, False]
    waits = a_job(4, "router", JobState.QUEUED)
    assert [job.state in STANDING_JOB_STATES for job in (busy, by_a_person, a_job(3, "router"), waits)] == [
        True,
        True,
        True,
        False,
    ]


def test_plans_use_at_once_what_was_measured_alone_beside_nothing_else() -> None:
    """Where a model of drops is in the fit or in use, replacing it is for a person to decide."""
    alone, refused = a_model("router", ModelState.CANDIDATE), a_model("vpn", ModelState.REFUSED, method="one-node")
    used = a_model("firewall", ModelState.PROMOTED)
    of_drops = a_model("nat", ModelState.PROMOTED, method="one-node")
    former = a_model("nids", ModelState.RETIRED, method="one-node")
    assert rules.why_not_promoted([alone, refused], [used, former]) is None
    assert rules.why_not_promoted([alone], [used, of_drops]) == "nat was measured beside others"
    beside = a_model("dpi", ModelState.CANDIDATE, method="one-node")
    assert rules.why_not_promoted([alone, beside], [of_drops]) == "dpi, nat was measured beside others"
    assert rules.why_not_promoted([refused], []) == "it has no model that could be used"


# ---- the way, by HTTP ----


class Console:
    """A console of one host: jobs are completed when they are looked at for the second time, with a fit of all."""

    def __init__(self) -> None:
        self.types = [a_type("router"), a_type("nat"), a_type("vpn")]
        self.jobs: dict[int, ProfilingJob] = {}
        self.promoted: list[str] = []
        self.changes: list[tuple[str, str, str | None]] = []
        """Path, body and If-Match of each."""

    def get(self, path: str) -> tuple[int, Any]:
        last = path.rsplit("/", 1)[-1]
        match path.split("/")[1:2]:
            case ["hosts"]:
                return 200, {"status": "up", "inventory": {"host_model": HOST_MODEL}}
            case ["nf-types"]:
                return 200, {"items": [one.model_dump(mode="json") for one in self.types], "next": None}
            case ["models"]:
                models = [a_model(name, ModelState.PROMOTED) for name in self.promoted]
                return 200, {"items": [one.model_dump(mode="json") for one in models], "next": None}
            case ["profiling"] if last == "jobs":
                return 200, {"items": [one.model_dump(mode="json") for one in self.jobs.values()], "next": None}
            case ["profiling"]:
                found = self.jobs[int(last)]
                if found.state is JobState.QUEUED:
                    done = {"state": JobState.COMPLETED, "fit_id": found.id}
                    self.jobs[found.id] = found.model_copy(update=done)
                return 200, found.model_dump(mode="json")
            case _:
                return 200, self._fit(int(last)).model_dump(mode="json")

    def post(self, path: str, body: str, if_match: str | None) -> tuple[int, Any]:
        self.changes.append((path, body, if_match))
        if path.endswith("/promotion"):
            self.promoted = [job.ask.nf_type for job in self.jobs.values() if job.state is JobState.COMPLETED]
            return 200, {}
        nf_type = json.loads(body)["nf_type"]
        if nf_type == "vpn":
            return 409, Problem(type="x", title="x", status=409, detail="it lacks a key").model_dump(mode="json")
        job = a_job(len(self.jobs) + 1, nf_type, JobState.QUEUED)
        self.jobs[job.id] = job
        return 202, job.model_dump(mode="json")

    def _fit(self, number: int) -> FitView:
        names = [job.ask.nf_type for job in self.jobs.values() if job.id <= number]
        nothing: dict[str, Any] = {"scores": (), "stability": (), "alone": ()}
        metric = MetricSelection(host_model=HOST_MODEL, chosen=None, used="llc-references", **nothing)
        common = {"id": number, "host_model": HOST_MODEL, "job_id": number, "samples": 1, "created_at": NOW}
        models = tuple(a_model(name, ModelState.CANDIDATE) for name in names)
        more = {"metric": metric, "scale": 1.0, "models": models, "scores": (), "seconds": 0.1, "basis": "measured"}
        fit = Fit.model_validate({**common, **more})
        brief = {"state": FitState.DONE, "nf_types": names, "promoted": (), "metric": "x", "basis": "measured"}
        return FitView.model_validate(
            {**common, **brief, "fit": fit, "error": None, "created_by": "system", "version": 7}
        )


@pytest.fixture
def console(layout: DataLayout, monkeypatch: pytest.MonkeyPatch) -> Iterator[Console]:
    """Is what `cli.json` names."""
    found = Console()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(*found.get(urlsplit(self.path).path.removeprefix("/api/v1")))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(*found.post(self.path.removeprefix("/api/v1"), body, self.headers["If-Match"]))

        def _answer(self, status: int, body: Any) -> None:
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    monkeypatch.setattr("sextant_run.first_profiles.__main__.POLL_S", 0.01)
    monkeypatch.setattr("sextant_run.first_profiles.__main__.LIMIT_S", 30.0)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    layout.cli_file.write_text(json.dumps({"url": f"http://127.0.0.1:{server.server_address[1]}", "token": "sxt_1"}))
    yield found
    server.shutdown()
    server.server_close()


def test_types_are_measured_and_promoted_and_at_the_next_start_nothing_is_left(
    layout: DataLayout, console: Console, capfd: pytest.CaptureFixture[str]
) -> None:
    """The router first, of the first chain; then nat; the vpn is refused, which holds up nobody."""
    FirstProfiles(layout, "edge-1").measure(())
    assert [(path, tag) for path, _, tag in console.changes] == [
        *[("/profiling/jobs", None)] * 3,
        ("/fits/1/promotion", '"7"'),
        ("/fits/2/promotion", '"7"'),
    ]
    assert console.promoted == ["router", "nat"]
    assert "it lacks a key" in capfd.readouterr().err
    console.changes.clear()
    FirstProfiles(layout, "edge-1").measure(("router", "nat"))
    assert console.changes == []


def test_a_start_that_was_ended_before_it_promoted_is_made_up_for(layout: DataLayout, console: Console) -> None:
    console.jobs[1] = a_job(1, "router", fit_id=1)
    FirstProfiles(layout, "edge-1").measure(("router",))
    assert [path for path, _, _ in console.changes] == ["/fits/1/promotion"]


# ---- the choice ----


@pytest.mark.parametrize(("text", "wanted"), [("", True), ("1", True), ("0", False)])
def test_it_is_a_choice(monkeypatch: pytest.MonkeyPatch, text: str, wanted: bool) -> None:
    monkeypatch.setenv("SEXTANT_FIRST_PROFILES", text)
    assert RunSettings.of_environment().first_profiles is wanted


def test_its_process_ends_by_itself_and_needs_a_data_plane(layout: DataLayout, installation: Installation) -> None:
    def found(**changes: Any) -> list[bool]:
        present = installation.model_copy(update=changes)
        return [one.once for one in programs(layout, present) if one.name == "first-profiles"]

    assert found() == []
    assert found(first_profiles=True) == [True]
    assert found(first_profiles=True, no_dataplane="libdpdk-dev missing") == []
    assert "sextant profile jobs" in _of_hosts(installation.model_copy(update={"first_profiles": True}))
