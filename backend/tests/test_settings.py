"""Addresses of the servers may lie in files, which no child process and no listing of processes shows."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError
from sextant_backend.settings import Settings, WrongSettings, get_settings, read_settings

DATABASE, QUEUE = "postgresql+psycopg://sextant:hidden@db/sextant", "redis://:hidden@queue:6379/0"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, content in (("DATABASE_URL", DATABASE), ("REDIS_URL", QUEUE)):
        (tmp_path / name).write_text(f"{content}\n")
        monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv(f"{name}_FILE", str(tmp_path / name))
    return tmp_path


def test_addresses_are_read_from_files(files: Path) -> None:
    found = Settings()
    assert (found.database_url, found.redis_url) == (DATABASE, QUEUE)
    assert "hidden" not in repr(found)


def test_one_may_lie_in_a_file_and_one_in_the_environment(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REDIS_URL_FILE")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1/0")
    found = Settings()
    assert (found.database_url, found.redis_url) == (DATABASE, "redis://127.0.0.1:1/0")


def test_an_empty_variable_sets_nothing(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "SEXTANT_CA_KEY_FILE", "SEXTANT_TRUSTED_PROXIES"):
        monkeypatch.setenv(name, "")
    found = Settings()
    assert (found.database_url, found.ca_key_file, found.trusted_proxies) == (DATABASE, None, None)


def test_both_at_once_are_refused(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", QUEUE)
    with pytest.raises(ValidationError, match="REDIS_URL and REDIS_URL_FILE are both set"):
        Settings()


def test_a_file_that_is_not_there_is_named(files: Path) -> None:
    (files / "DATABASE_URL").unlink()
    with pytest.raises(ValidationError, match=r"DATABASE_URL_FILE: .*/DATABASE_URL cannot be read"):
        Settings()


@pytest.mark.parametrize("addresses", ["*", "proxy", "10.0.0.0/8;"])
def test_only_proxies_with_an_address_are_believed(
    files: Path, monkeypatch: pytest.MonkeyPatch, addresses: str
) -> None:
    monkeypatch.setenv("SEXTANT_TRUSTED_PROXIES", addresses)
    with pytest.raises(ValidationError, match="trusted_proxies"):
        Settings()


@pytest.mark.parametrize(
    ("name", "url", "cause"),
    [
        ("DATABASE_URL", "mysql://sextant:s3cret-tail@db/sextant", r"must begin with postgresql\+psycopg://"),
        ("DATABASE_URL", "postgresql://sextant:s3cret-tail@db/sextant", r"must begin with postgresql\+psycopg://"),
        ("DATABASE_URL", "postgresql+psycopg://sextant:s3/cret-tail@db/sextant", "its port is no number.*%2F"),
        ("REDIS_URL", "http://:s3cret-tail@queue:6379/0", "must begin with redis:// or rediss:// or unix://"),
        ("REDIS_URL", "redis://:s3/cret-tail@queue:6379/0", "its port is no number.*%2F"),
        ("REDIS_URL", "redis://:s3cret-tail@queue:638o/0", "its port is no number"),
    ],
)
def test_an_address_of_something_else_is_named_and_not_shown(
    files: Path, monkeypatch: pytest.MonkeyPatch, name: str, url: str, cause: str
) -> None:
    monkeypatch.delenv(f"{name}_FILE")
    monkeypatch.setenv(name, url)
    with pytest.raises(ValidationError, match=cause) as raised:
        Settings()
    assert name in str(raised.value) and "tail" not in str(raised.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://fleet.example.org:9443",
        "https://rack1:9443",
        "https://192.0.2.10",
        "https://[2001:db8::1]:9443",
    ],
)
def test_where_hosts_reach_the_fleet_listener(files: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SEXTANT_FLEET_URL", url)
    assert Settings().fleet_url == url


@pytest.mark.parametrize(
    "url",
    [
        "https://2001:db8::1:9443",  # an IPv6 address without brackets
        "https://192.0.2.10:9443:9443",
        "https://192.0.2.300:9443",
        "https://[192.0.2.10]:9443",
        "https://[2001:db8::1:9443",
        "https://fleet.example.org:0",
        "https://fleet.example.org:",
        "https://fleet..example.org:9443",
        "https://me@fleet.example.org:9443",
        "https://fleet.example.org:9443/x",
        "http://fleet.example.org:9443",
        "https://:9443",
    ],
)
def test_an_address_that_no_host_could_reach_is_refused(files: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("SEXTANT_FLEET_URL", url)
    with pytest.raises(ValidationError, match=r"must read https://HOST:PORT"):
        Settings()


@pytest.fixture
def wrong(files: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two settings that do not fit, one of which holds a password."""
    monkeypatch.delenv("REDIS_URL_FILE")
    monkeypatch.setenv("REDIS_URL", "http://:s3cret-tail@queue")
    monkeypatch.setenv("SEXTANT_FLEET_URL", "fleet")
    get_settings.cache_clear()
    yield
    monkeypatch.undo()
    get_settings.cache_clear()


def test_what_does_not_fit_is_listed_by_variable(wrong: None) -> None:
    with pytest.raises(WrongSettings) as raised:
        read_settings()
    first, *lines, last = str(raised.value).splitlines()
    assert (first, "processes.md" in last) == ("The settings do not fit:", True)
    assert lines == [
        "  REDIS_URL: must begin with redis:// or rediss:// or unix:// or redis+socket://",
        "  SEXTANT_FLEET_URL: must read https://HOST:PORT, where HOST is a name, an IPv4 address or an [IPv6 address]",
    ]


@pytest.mark.parametrize(
    "command",
    [
        ("sextant_backend", "migrate"),
        ("sextant_backend.check", "plan"),
        ("sextant_worker", "plan"),
        ("sextant_worker", "watch"),
    ],
)
def test_every_process_ends_with_that_list_alone(wrong: None, tmp_path: Path, command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "REDIS_URL: must begin with" in done.stderr and "SEXTANT_FLEET_URL: must read" in done.stderr
    assert "Traceback" not in done.stderr and "tail" not in done.stderr
