"""The keeper renews through the same command that `make up` uses, and comes again when the first certificate is due."""

import time

import pytest
from sextant_run import installation as installations
from sextant_run import keeper
from sextant_run.installation import Installation
from sextant_run.layout import DataLayout
from sextant_run.pki.store import Store

HOUR_S = 3600


def test_it_issues_what_is_missing_and_comes_again_after_8_hours(
    layout: DataLayout, installation: Installation, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEXTANT_DATA_DIR", str(layout.data))
    installations.save(layout, installation)
    again_at = keeper.renew_certificates()
    assert abs(again_at - time.time() - 8 * HOUR_S) < 60
    assert "urn:sextant:host:edge-1" in capfd.readouterr().err
    certificate = Store(layout.pki).host("edge-1").certificate_file
    serial = certificate.read_bytes()
    assert keeper.renew_certificates() == again_at
    assert certificate.read_bytes() == serial
    assert capfd.readouterr().err == ""


def test_a_failure_is_logged_with_its_cause_and_tried_again_soon(
    layout: DataLayout, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEXTANT_DATA_DIR", str(layout.data))
    assert keeper.renew_certificates() == 0.0  # no installation there: due at once
    assert "holds no installation" in capfd.readouterr().err
