"""Alerts about the installation itself: certificates, disks, control laws, and predictors that are distrusted."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alert_world import a_round, alerts, set_rule
from fastapi.testclient import TestClient
from outcome_world import API
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.alerts.kinds import trust_lost
from sextant_backend.modules.alerts.kinds.disk_filling import GIB, is_low
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.pki.authority import Authority, certificate_pem
from sextant_backend.settings import get_settings
from sextant_domain.console.alerts import AlertState
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.trust import Trust, TrustVerdict
from sextant_run.pki.store import Store
from sqlalchemy import text

pytestmark = pytest.mark.as_admin


def end_alerts() -> None:
    with session_scope() as session:
        session.execute(text("DELETE FROM alerts"))


@pytest.fixture
def pki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clean: object) -> Path:
    """An authority and a backend's certificate, as `make up` makes them."""
    store = Store(tmp_path / "pki")
    store.renew(())
    monkeypatch.setenv("SEXTANT_PKI_DIR", str(store.backend.folder))
    get_settings.cache_clear()
    return store.backend.folder


def test_certificates_that_are_renewed_in_time_are_well(client: TestClient, pki: Path) -> None:
    a_round()
    assert alerts(client, kind="certificate_expiring") == []


def test_a_certificate_near_its_end_fires_and_one_that_cannot_be_read_is_unknown(client: TestClient, pki: Path) -> None:
    """The backend's lasts a day: with less than 24 h asked for, it is near its end at once."""
    set_rule(client, "certificate_expiring", parameters={"backend_hours": 24})
    a_round()
    [alert] = alerts(client, kind="certificate_expiring")
    assert (alert.object_name, alert.state) == ("backend", AlertState.FIRING)
    assert alert.summary.startswith("The certificate of backend ends in 2")
    (pki / "backend.crt").write_text("no certificate")
    a_round(after_s=3600)
    [alert] = alerts(client, kind="certificate_expiring")
    assert (alert.state, alert.unknown_since is None) == (AlertState.FIRING, False)


def test_an_agent_that_does_not_renew_is_named_before_it_falls_silent(client: TestClient, edge: HostInventory) -> None:
    """Half a day is left when it renews; with three hours left it should have, four hours before the end it is said."""
    for left, wanted in ((5, None), (3, "The certificate of edge-1's agent ends in 3 h"), (-1, "has ended")):
        with session_scope() as session:
            hosts.certified(session, ["edge-1"], datetime.now(UTC) + timedelta(hours=left))
        end_alerts()
        a_round()
        found = [(one.object_name, one.summary) for one in alerts(client, kind="certificate_expiring", state="firing")]
        assert [name for name, _ in found] == ([] if wanted is None else ["agent@edge-1"])
        assert all(str(wanted) in summary for _, summary in found)


def test_a_revoked_host_is_not_to_renew(client: TestClient, edge: HostInventory) -> None:
    with session_scope() as session:
        hosts.certified(session, ["edge-1"], datetime.now(UTC) + timedelta(hours=3))
        session.execute(text("UPDATE hosts SET revoked_at = now()"))
    a_round()
    assert alerts(client, kind="certificate_expiring") == []


def test_the_authoritys_certificate_has_a_threshold_of_its_own(client: TestClient, pki: Path) -> None:
    """It was made so long ago that ten days are left of it, of the thirty that the rule wants."""
    now = datetime.now(UTC)
    lasts = Authority.make(now).certificate.not_valid_after_utc - now
    old = Authority.make(now - lasts + timedelta(days=10))
    (pki / "ca.crt").write_bytes(certificate_pem(old.certificate))
    a_round()
    [alert] = alerts(client, kind="certificate_expiring")
    assert (alert.object_name, alert.summary) == ("authority", "The authority's certificate ends in 240 h")


@pytest.mark.parametrize(
    ("free_gib", "size_gib", "low"), [(4, 100, True), (4, 20, False), (6, 100, False), (0, 100, True)]
)
def test_a_volume_is_low_when_both_share_and_space_are(free_gib: int, size_gib: int, low: bool) -> None:
    """4 of 100 GiB: 4 %, below 10 %, and below 5 GiB. 4 of 20 GiB are 20 %; 6 GiB are enough whatever the share."""
    assert is_low(free_gib * GIB, size_gib * GIB, 10.0, 5.0) is low


def test_the_volume_of_the_database_is_looked_at(client: TestClient, pki: Path) -> None:
    """With 99 % and 100,000 GiB asked for, every volume of a test machine is low."""
    set_rule(
        client,
        "disk_filling",
        fire_after_s=0,
        parameters={"least_free_percent": 99, "least_free_gib": 100_000},
    )
    a_round()
    found = {alert.object_name: alert for alert in alerts(client, kind="disk_filling")}
    assert set(found) == {"database", "data-folder"}
    assert "GiB left" in found["database"].summary


def test_laws_that_are_stopped_and_forgotten_are_an_alert_after_ten_minutes(client: TestClient) -> None:
    with session_scope() as session:
        session.execute(text("UPDATE control_laws SET evaluated_at = now()"))
    stopped = client.get(f"{API}/automation")
    client.put(f"{API}/automation", json={"stopped": True}, headers={"If-Match": stopped.headers["ETag"]})
    a_round()
    assert alerts(client, kind="law_stopped") == []
    a_round(after_s=600)
    [alert] = alerts(client, kind="law_stopped")
    assert (alert.kind.value, alert.object_name, alert.next_step) == ("law_stopped", "all", "sextant automation resume")
    assert "ada has stopped them" in alert.cause
    with session_scope() as session:
        session.execute(text("UPDATE control SET stopped = false"))
        session.execute(text("UPDATE control_laws SET evaluated_at = now()"))
    a_round()
    assert [alert.state for alert in alerts(client, kind="law_stopped")] == [AlertState.RESOLVED]


def test_a_law_that_nobody_evaluates_is_an_alert(client: TestClient) -> None:
    """It is due every 15 s: late after 3 x 15 s + 5 min = 345 s."""
    client.get(f"{API}/automation")
    for seconds, expected in ((340, 0), (350, 1)):
        with session_scope() as session:
            changed = "UPDATE control_laws SET evaluated_at = now() - make_interval(secs => :s)"
            session.execute(text(changed), {"s": seconds})
        a_round()
        assert len(alerts(client, state="pending", kind="law_stopped")) == expected


def test_a_predictor_that_is_distrusted_fires_until_its_model_is_replaced(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    known: list[Trust] = []
    monkeypatch.setattr(trust_lost.outcomes, "trust", lambda *_: tuple(known))

    def verdict(verdict: TrustVerdict) -> Trust:
        return Trust(
            nf_type="firewall",
            host_model="xeon 2x16",
            predictor="octans",
            version="3",
            informative=6,
            uninformative=0,
            error_percent=20.0,
            bias_percent=-20.0,
            coverage_percent=None,
            band_percent=5.0,
            verdict=verdict,
            why="mean error 20.0 %, the band is 5 %",
            last=None,
        )

    known[:] = [verdict(TrustVerdict.DISTRUSTED)]
    a_round()
    [alert] = alerts(client)
    assert (alert.object_name, alert.state) == ("firewall/octans@xeon_2x16", AlertState.FIRING)
    assert alert.summary == "octans is distrusted for firewall on xeon 2x16"
    known[:] = [verdict(TrustVerdict.UNTESTED)]
    a_round()
    assert [alert.state for alert in alerts(client)] == [AlertState.RESOLVED]
