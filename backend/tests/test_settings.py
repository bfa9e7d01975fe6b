"""Addresses of the servers may lie in files, which no child process and no listing of processes shows."""

from pathlib import Path

import pytest
from pydantic import ValidationError
from sextant_backend.settings import Settings

DATABASE, QUEUE = "postgresql+psycopg://sextant:secret@db/sextant", "redis://:secret@queue:6379/0"


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
    assert "secret" not in repr(found)


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
