"""The built console: the page for every path of its own, files for ever, nothing from outside its folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sextant_backend.app import console_app
from sextant_backend.settings import Settings

PAGE = "<!doctype html><title>Sextant</title>"


@pytest.fixture
def pages(clean: Settings, tmp_path: Path) -> Iterator[TestClient]:
    """A console with a built front end."""
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "icon.svg").write_text("<svg/>")
    (folder / "assets" / "index-4f3a.js").write_text("export {}")
    (tmp_path / "secret.txt").write_text("canary-7")
    (folder / "link").symlink_to(tmp_path / "secret.txt")
    with TestClient(console_app(clean.model_copy(update={"frontend_dir": folder}))) as client:
        yield client


@pytest.mark.parametrize("path", ["/", "/fleet", "/plans/12", "/index.html", "/chains?x=1"])
def test_page_answers_every_path_of_its_own(pages: TestClient, path: str) -> None:
    answer = pages.get(path)
    assert (answer.status_code, answer.text) == (200, PAGE)
    assert answer.headers["Cache-Control"] == "no-store"


def test_assets_are_kept_for_ever(pages: TestClient) -> None:
    answer = pages.get("/assets/index-4f3a.js")
    assert answer.status_code == 200 and "immutable" in answer.headers["Cache-Control"]
    assert "javascript" in answer.headers["content-type"]
    assert pages.get("/icon.svg").headers["Cache-Control"] == "no-cache"


def test_pages_are_sent_compressed_to_who_can_read_that(pages: TestClient, tmp_path: Path) -> None:
    (tmp_path / "dist" / "assets" / "index-77aa.js").write_text("export const a = 1;" * 1000)
    plain = pages.get("/assets/index-77aa.js", headers={"Accept-Encoding": "identity"})
    packed = pages.get("/assets/index-77aa.js")
    assert ("Content-Encoding" in plain.headers, packed.headers["Content-Encoding"]) == (False, "gzip")
    assert packed.text == plain.text and len(plain.content) == 19_000
    assert packed.num_bytes_downloaded < 1000 and "Accept-Encoding" in packed.headers["Vary"]


def test_asset_that_is_gone_is_not_the_page(pages: TestClient) -> None:
    answer = pages.get("/assets/index-old.js")
    assert answer.status_code == 404 and answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/..%2fsecret.txt", "/assets/..%2f..%2fsecret.txt", "/link", "/%00", "/" + "a" * 5000]
)
def test_nothing_from_outside_the_folder(pages: TestClient, path: str) -> None:
    answer = pages.get(path)
    assert "canary-7" not in answer.text and answer.status_code in (200, 404)


def test_security_headers_are_on_everything(pages: TestClient) -> None:
    for path in ("/", "/assets/index-4f3a.js", "/api/v1/hosts", "/healthz"):
        headers = pages.get(path).headers
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"


def test_unbuilt_console_says_so(app_client: TestClient) -> None:
    answer = app_client.get("/")
    assert answer.status_code == 404 and "make setup" in answer.json()["detail"]


def test_health_needs_no_sign_in(app_client: TestClient, clean: Settings) -> None:
    assert app_client.get("/healthz").json()["status"] == "ok"
    ready = app_client.get("/readyz")
    assert ready.status_code == 503
    checks = ready.json()["checks"]
    assert (checks["database"]["ok"], checks["queue"]["ok"], checks["workers"]["ok"]) == (True, True, False)
    metrics = app_client.get("/metrics").text
    assert "sextant_http_requests_total" in metrics
    assert 'sextant_ready{check="queue"} 1.0' in metrics and 'sextant_ready{check="workers"} 0.0' in metrics
