"""A request to fit a host's costs, from when it is asked for to what came of it: made by a worker, once, and told."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

import pytest
from coco_world import HOST
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_factory, session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.modules.host_costs import repository
from sextant_backend.modules.host_costs.models import HostCostFitRow
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.sfc2cpu import fitting
from sextant_backend.modules.telemetry.models import nf_samples
from sextant_backend.sweep import due, sweep
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.host_cost import HostCostFit, fit_progress
from sextant_engine import modelling
from sextant_engine.modelling import host_cost
from sqlalchemy import delete, func, select, text, update
from test_host_costs import FITS, asked, fit_of, fitted, known, measured
from test_shared_cores_view import shown

FIT_HOST = "sextant_engine.modelling.host_cost.fit_host"


@pytest.fixture
def host(client: TestClient) -> None:
    known()
    measured(40)


def test_it_waits_for_a_worker_and_whoever_asks_meanwhile_gets_the_same(client: TestClient, host: None) -> None:
    fit = asked(client)
    assert (fit.host, fit.state, fit.began_at, fit.ended_at, fit.cost) == (HOST, FitState.FITTING, None, None, None)
    assert fit_progress(fit) == "waits for a worker"
    assert asked(client) == fit == fit_of(client, fit.id) == shown(client).fit
    assert repository_counts() == 1


def repository_counts() -> int:
    with session_scope() as session:
        return len(repository.fit_page(session, repository.FIT_ORDER.first(100), HOST, None).rows)


def test_while_a_worker_is_at_it_it_says_of_how_much_it_is_made_and_is_asked_for_no_second_time(
    client: TestClient, host: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[HostCostFit] = []
    whole = host_cost.fit_host

    def watched(*args: object) -> object:
        seen.append(asked(client))
        fitting.make(seen[0].id)  # another worker, which was rung as well
        return whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(FIT_HOST, watched)
    fit = asked(client)
    fitting.make(fit.id)
    [meanwhile] = seen
    assert (meanwhile.id, meanwhile.windows, meanwhile.state) == (fit.id, 40, FitState.FITTING)
    assert fit_progress(meanwhile) == "is made of 40 spans of ten seconds"
    made = fit_of(client, fit.id)
    assert (made.state, made.error) == (FitState.DONE, None)
    assert made.cost == shown(client).cost and made.cost is not None and made.cost.version == 1
    assert asked(client).id > fit.id, "what was measured since is another fit's"


def test_what_fits_is_loaded_in_no_transaction(client: TestClient, host: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy and SciPy took longer than a transaction may be silent where NFs filled the console's cores."""
    monkeypatch.setattr(claims, "HEARTBEAT_S", 60.0)  # which has a connection of its own
    loading = Loading("sextant_engine.modelling.host_cost")
    monkeypatch.setattr(modelling, "host_cost", host_cost)  # so that afterwards its package has this one again
    monkeypatch.delitem(sys.modules, loading.name)
    monkeypatch.setattr(sys, "meta_path", [loading, *sys.meta_path])
    fitted(client)
    assert loading.in_use == [0]


class Loading(MetaPathFinder):
    """How many connections this process had in use when a module was loaded."""

    def __init__(self, name: str) -> None:
        self.name, self.in_use = name, list[int]()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if name == self.name:
            self.in_use.append(session_factory().kw["bind"].pool.checkedout())


def test_one_that_no_worker_took_is_rung_for_again(client: TestClient, host: None) -> None:
    fit = asked(client)
    with session_scope() as session:
        assert due(session).sweep
        assert sweep(session) >= 1
        assert fitting.to_ring(session) == [], "it was rung for a moment ago"
    fitting.make(fit.id)
    with session_scope() as session:
        assert not session.scalar(select(fitting.any_to_ring()))


def test_what_goes_wrong_is_its_error_and_the_version_before_counts(
    client: TestClient, host: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fitted(client)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("of course")

    monkeypatch.setattr(FIT_HOST, broken)
    fit = asked(client)
    fitting.make(fit.id)
    failed = fit_of(client, fit.id)
    assert failed.state is FitState.FAILED and failed.error is not None
    assert "ZeroDivisionError: of course" in failed.error.detail
    assert (shown(client).cost, shown(client).fit) == (before, failed)
    monkeypatch.undo()
    assert fitted(client) == before, "a failure is in nobody's way"


def test_one_that_kills_its_workers_is_given_up(client: TestClient, host: None) -> None:
    fit = asked(client)
    with session_scope() as session:
        row = repository.fit(session, fit.id, lock=True)
        assert row is not None
        row.tries = fitting.MAX_TRIES
    fitting.make(fit.id)
    failed = fit_of(client, fit.id)
    assert failed.error is not None and "3 workers died" in failed.error.detail


def test_a_worker_that_was_taken_over_stores_nothing(
    client: TestClient, host: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = host_cost.fit_host

    def taken_over(*args: object) -> object:
        with session_scope() as session:
            session.execute(update(HostCostFitRow).values(claim_token="another"))
        return whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(FIT_HOST, taken_over)
    fit = asked(client)
    fitting.make(fit.id)
    assert fit_of(client, fit.id).state is FitState.FITTING
    assert shown(client).cost is None


def test_a_host_that_leaves_meanwhile_takes_its_fit_along(
    client: TestClient, host: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = host_cost.fit_host

    def leaves(*args: object) -> object:
        with session_scope() as session:
            session.execute(delete(Host).where(Host.host_id == HOST))
        return whole(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(FIT_HOST, leaves)
    fit = asked(client)
    fitting.make(fit.id)
    assert client.get(f"{FITS}/{fit.id}").status_code == 404


def test_those_that_are_kept_are_listed_newest_first(
    client: TestClient, host: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "FITS_KEPT", 2)
    costs = [fitted(client) for _ in range(4)]
    waiting = asked(client)
    page = client.get(f"{FITS}?host={HOST}").json()["items"]
    assert [one["id"] for one in page] == [waiting.id, waiting.id - 1]
    assert HostCostFit.model_validate(page[1]).cost == costs[-1]
    assert client.get(f"{FITS}?state=done").json()["items"] == page[1:]
    assert client.get(f"{FITS}?host=nowhere").json()["items"] == []


def test_spans_in_which_nothing_came_or_was_measured_count_for_nothing(client: TestClient, host: None) -> None:
    """Gaps of telemetry, NFs at rest, and costs that are none: what is left says what all of it said."""
    before = fitted(client)
    for column, value in (("utilisation_percent", None), ("utilisation_percent", 0.0), ("rx_mpps", 0.0)):
        with session_scope() as session:
            at = func.date_bin(text("interval '10 s'"), nf_samples.c.ts, text("timestamptz 'epoch'"))
            last = session.execute(select(func.max(at)).where(nf_samples.c.utilisation_percent > 0)).scalar_one()
            session.execute(update(nf_samples).where(at == last).values({column: value}))
    with session_scope() as session:
        at = func.date_bin(text("interval '10 s'"), nf_samples.c.ts, text("timestamptz 'epoch'"))
        first = session.scalar(select(func.min(at)))
        session.execute(delete(nf_samples).where(at == first))
    after = fitted(client)
    assert (before.windows, after.windows) == (40, 36)
    assert after.left_out_error < 1e-4
