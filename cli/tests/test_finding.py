"""Finding the console, reporting why it cannot be reached or refuses, and `doctor`."""

import json
import socket
from pathlib import Path

import pytest
from sextant_cli.main import app
from sextant_cli.settings import find_target
from typer.testing import CliRunner


@pytest.fixture
def data(console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder in a clone, and this process in a folder below."""
    for name in ("SEXTANT_URL", "SEXTANT_TOKEN", "SEXTANT_DATA_DIR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "clone" / ".data"
    folder.mkdir(parents=True)
    (folder / "cli.json").write_text(json.dumps({"url": console.url, "token": "sxt_good"}))
    (folder / "cli.json").chmod(0o600)
    below = tmp_path / "clone" / "docs" / "guides"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    return folder


def test_the_nearest_data_folder_above_is_used(data: Path, console) -> None:
    assert find_target(None, None).url == console.url
    assert CliRunner().invoke(app, ["hosts"]).exit_code == 0


def test_a_named_data_folder_comes_before_the_nearest(data: Path, tmp_path: Path, monkeypatch) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "cli.json").write_text('{"url": "http://127.0.0.1:9/", "token": "t"}')
    monkeypatch.setenv("SEXTANT_DATA_DIR", str(other))
    assert find_target(None, None).url == "http://127.0.0.1:9"


def test_the_stored_token_goes_to_the_stored_address_only(data: Path) -> None:
    assert find_target("http://192.0.2.1:80", None).token is None


def test_the_token_is_in_no_repr(data: Path) -> None:
    assert "sxt_good" not in repr(find_target(None, None))


@pytest.mark.parametrize("content", ["", "[]", '{"url": 7}', '{"token": "t"}', '{"url": "u", "token": 7}'])
def test_a_damaged_file_says_which(data: Path, content: str) -> None:
    (data / "cli.json").write_text(content)
    result = CliRunner().invoke(app, ["hosts"])
    assert result.exit_code == 3
    assert str(data / "cli.json") in result.stderr


def test_no_console_known_says_how_to_get_one(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["hosts"], env={"SEXTANT_URL": None, "SEXTANT_DATA_DIR": None})
    assert result.exit_code == 3
    assert "make up" in result.stderr


def test_a_console_that_is_away_is_status_3(tmp_path: Path, monkeypatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    result = CliRunner().invoke(app, ["--url", f"http://127.0.0.1:{port}", "--token", "t", "hosts"])
    assert result.exit_code == 3
    assert "Connection refused" in result.stderr


def test_a_wrong_token_is_status_4(sextant) -> None:
    result = sextant("hosts", token="sxt_bad")
    assert result.exit_code == 4
    assert "the token is not known" in result.stderr


def test_errors_are_json_for_programs(sextant) -> None:
    result = sextant("chains", "show", "nobody", "-o", "json")
    assert json.loads(result.stderr)["type"] == "urn:sextant:problem:not-found"


def test_doctor_finds_everything_well(data: Path) -> None:
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["ok"] * 6


def test_doctor_says_why_this_machine_is_no_host(data: Path) -> None:
    """As `make up` noted it where there is no DPDK; the fleet of simulated hosts is well all the same."""
    known = json.loads((data / "cli.json").read_text())
    remark = "edge-1 is not in the fleet: libdpdk-dev missing; next: apt-get install libdpdk-dev, then make up"
    (data / "cli.json").write_text(json.dumps({**known, "this_machine": remark}))
    result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0, result.output
    assert f"this machine    {remark}" in result.stdout


def test_doctor_says_what_is_wrong_and_the_next_step(data: Path, console) -> None:
    console.ready = False
    (data / "cli.json").chmod(0o644)
    result = CliRunner().invoke(app, ["doctor", "-o", "json"])
    assert result.exit_code == 1
    wrong = {finding["check"]: finding for finding in json.loads(result.stdout) if not finding["ok"]}
    assert set(wrong) == {"data folder", "workers"}
    assert wrong["data folder"]["next"] == f"chmod 600 {data / 'cli.json'}"
    assert wrong["workers"]["detail"] == "none answers"


def test_doctor_stops_where_the_console_is_away(sextant) -> None:
    result = CliRunner().invoke(app, ["--url", "http://127.0.0.1:1", "--token", "t", "doctor"])
    assert result.exit_code == 1
    assert "The console does not answer" in result.stdout


def test_help_names_the_exit_statuses_where_the_reference_is_and_completion_is_there() -> None:
    text = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).stdout.split())
    assert "3 the console cannot be reached" in text
    assert "address followed by /docs" in text
    assert "--install-completion" in text
