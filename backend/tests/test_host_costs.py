"""What packets cost beside others, fitted on what a host measured: of the four firewalls of web each takes .25 us alone
and .8 times the load of the others of its core more."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from coco_world import CALM, HOST, NF_TYPE, placed, report
from fastapi.testclient import TestClient
from fleet_world import API
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.host_costs import repository
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.sfc2cpu import fitting
from sextant_backend.modules.telemetry.models import LatestHost, nf_samples
from sextant_domain.profiling.host_cost import HostCost, HostCostFit
from sqlalchemy import Integer, cast, func, insert, select, update
from test_shared_cores_view import promoted, shown

ALONE_US, HURT = 0.25, 0.8
NFS = ("web.a", "web.b", "web.c", "web.d")
FITS = f"{API}/control/sfc2cpu/fits"


def known() -> None:
    """The host with its chain; alone 4 Mpps fill a core."""
    placed()
    promoted(4.0, nf_version=BY_NAME[NF_TYPE].version)
    report(CALM)


def measured(windows: int, noise: float = 0.0) -> None:
    """Three samples in each span of ten seconds, in which the NFs stood and the rate was as drawn."""
    dice = random.Random(3)
    with session_scope() as session:
        begin = session.scalars(select(LatestHost.taken_at)).one()
        assert begin is not None
        rows = []
        for window in range(windows):
            cores = {nf: dice.randrange(2) for nf in NFS}
            rate = dice.uniform(0.3, 1.0)
            for nf, core in cores.items():
                others = sum(cores[other] == core for other in NFS) - 1
                cost = ALONE_US * (1 + HURT * others * ALONE_US * rate) * dice.gauss(1, noise)
                for second in (2, 5, 8):
                    at = begin.replace(microsecond=0) + timedelta(seconds=10 * window - begin.second % 10 + second)
                    rows.append({
                        "ts": at, "host_id": HOST, "nf_id": nf, "core": core, "rx_mpps": rate, "tx_mpps": rate,
                        "drop_mpps": 0.0, "filtered_mpps": 0.0, "cpu_percent": 100 * rate * cost,
                        "utilisation_percent": 100 * rate * cost, "simulated": True,
                    })  # fmt: skip
        session.execute(insert(nf_samples), rows)


def asked(client: TestClient, host: str = HOST) -> HostCostFit:
    answer = client.post(FITS, json={"host": host})
    assert answer.status_code == 202, answer.text
    fit = HostCostFit.model_validate_json(answer.content)
    assert answer.headers["Location"] == f"{FITS}/{fit.id}"
    return fit


def fit_of(client: TestClient, fit_id: int) -> HostCostFit:
    return HostCostFit.model_validate_json(client.get(f"{FITS}/{fit_id}").content)


def fitted(client: TestClient, host: str = HOST) -> HostCost:
    """As a worker does it."""
    fit = asked(client, host)
    fitting.make(fit.id)
    made = fit_of(client, fit.id)
    assert made.cost is not None, made.error
    return made.cost


def refusal(client: TestClient) -> str:
    """Why there are none."""
    fit = asked(client)
    fitting.make(fit.id)
    made = fit_of(client, fit.id)
    assert made.error is not None and made.error.type.endswith(":costs-not-fitted")
    return made.error.detail


def test_what_ran_says_what_others_cost_and_how_sure_that_is(client: TestClient) -> None:
    known()
    measured(40)
    cost = fitted(client)
    assert (cost.version, cost.windows, cost.nf_types, cost.weight) == (1, 40, (NF_TYPE,), "load")
    assert cost.until - cost.since == timedelta(seconds=390)
    assert 1 < cost.placements <= 16
    assert cost.left_out_error < 1e-4
    assert cost.held_out_error is None, "one type says nothing of others"
    assert cost.provenance == "simulated"
    with session_scope() as session:
        row = repository.newest(session, HOST)
        assert row is not None
        assert row.model["core"][0][0] == pytest.approx(HURT, rel=1e-3)
        assert row.model["socket"][0][0] == pytest.approx(0, abs=1e-3)
    assert shown(client).cost == cost


def test_a_second_in_which_the_machine_was_disturbed_changes_nothing(client: TestClient) -> None:
    """All packets took twice as long in one of the three seconds of every other span."""
    known()
    measured(40)
    with session_scope() as session:
        disturbed = func.mod(cast(func.extract("epoch", nf_samples.c.ts), Integer), 20) == 8
        used = nf_samples.c.utilisation_percent
        session.execute(update(nf_samples).where(disturbed).values(utilisation_percent=2 * used))
    cost = fitted(client)
    assert cost.windows == 40
    assert cost.left_out_error < 1e-4


def test_what_a_packet_should_take_stands_beside_what_it_takes(client: TestClient) -> None:
    """a and b share core 0 at 1 Mpps each, so .25 of it alone: .25 x (1 + .8 x .25) = .3 us is expected of each. a
    takes .4, a third more than was fitted; b .3."""
    known()
    assert {nf.expected_us for core in shown(client).cores for nf in core.nfs} == {None}
    measured(40)
    fitted(client)
    a, b = shown(client).cores[0].nfs
    assert (a.expected_us, a.cost_us) == (pytest.approx(0.3, rel=1e-3), pytest.approx(0.4))
    assert (b.expected_us, b.cost_us) == (pytest.approx(0.3, rel=1e-3), pytest.approx(0.3))
    assert (a.expected_low_us, a.expected_high_us) == (pytest.approx(0.3, rel=1e-3), pytest.approx(0.3, rel=1e-3))
    assert not a.expected_guessed


def test_an_interval_is_by_the_error_of_the_version_and_none_once_it_was_left(client: TestClient) -> None:
    """.3 us, 20 % off in nine of ten: .3 / 1.2 = .25 to .3 / .8 = .375."""
    known()
    measured(40)
    fitted(client)

    def change(**values: object) -> tuple[float | None, float | None]:
        with session_scope() as session:
            row = repository.newest(session, HOST)
            assert row is not None
            for name, value in values.items():
                setattr(row, name, value)
        one = shown(client).cores[0].nfs[0]
        return one.expected_low_us, one.expected_high_us

    with session_scope() as session:
        row = repository.newest(session, HOST)
        assert row is not None
        kept = {name: value for name, value in row.cost.items() if name != "held_out_error"}  # as rows of before
    assert change(cost={**kept, "left_out_error": 0.2}) == pytest.approx((0.25, 0.375), rel=1e-3)
    assert change(cost={**kept, "left_out_error": 1.0}) == (pytest.approx(0.15, rel=1e-3), None)
    assert change(drifted_at=datetime.now(UTC), drift_nf="web.a", drift_error=0.5) == (None, None)


def test_a_new_version_counts_and_says_that_figures_scatter(client: TestClient) -> None:
    known()
    assert shown(client).cost is None
    measured(35, noise=0.1)
    first, repeated = (fitted(client) for _ in range(2))
    measured(40, noise=0.1)
    second = fitted(client)
    assert repeated == first
    assert (first.version, second.version) == (1, 2)
    assert 0.05 < second.left_out_error < 0.4
    found = shown(client).cost
    assert found is not None and found.version == 2
    [latest, *_] = client.get(f"{API}/audit").json()["items"]
    assert (latest["action"], latest["subject"]) == ("host.fit_costs", f"host/{HOST}")


def test_too_little_was_measured(client: TestClient) -> None:
    known()
    measured(29)
    assert "in 29 spans of ten seconds within 6 h, and a fit wants 30" in refusal(client)
    assert shown(client).cost is None


def test_what_a_type_takes_alone_has_to_be_known(client: TestClient) -> None:
    placed()
    report(CALM)
    measured(40)
    answer = client.post(FITS, json={"host": HOST})
    assert answer.status_code == 409
    assert "alone is not known of firewall" in answer.json()["detail"]
    assert answer.json()["next_actions"][0]["command"] == f"sextant profile start {NF_TYPE} --host {HOST}"


def test_an_unknown_host_is_not_found(client: TestClient) -> None:
    assert client.post(FITS, json={"host": "nowhere"}).status_code == 404
