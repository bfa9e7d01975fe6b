"""What a person may choose is checked before anything starts, and refused by the variable's name."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from sextant_backend.kit.files import write_private
from sextant_run import installation as installations
from sextant_run.errors import RunError
from sextant_run.identity import ProcessIdentity
from sextant_run.installation import Installation, exclusive, own_host_id
from sextant_run.layout import DataLayout
from sextant_run.programs import programs
from sextant_run.settings import RunSettings
from sextant_run.setup.stamp import files_in, hash_of
from sextant_run.status import uptime_text
from sextant_run.supervisor_client import ProcessInfo
from sextant_run.watch import change


@pytest.mark.parametrize(("text", "port"), [("", None), ("0", 0), ("8090", 8090), ("65535", 65535)])
def test_a_port_is_a_number_or_nothing(monkeypatch: pytest.MonkeyPatch, text: str, port: int | None) -> None:
    monkeypatch.setenv("SEXTANT_PORT", text)
    assert RunSettings.of_environment().port == port


@pytest.mark.parametrize("text", ["http", "-1", "65536", "80.5", "²", "8080 "])
def test_what_is_no_port_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SEXTANT_PORT", text)
    with pytest.raises(RunError, match=r"SEXTANT_PORT: .* is not a port"):
        RunSettings.of_environment()


@pytest.mark.parametrize(("name", "value"), [("DATABASE_URL", "mysql://x/y"), ("REDIS_URL", "localhost:6379")])
def test_an_address_of_another_kind_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(RunError, match=name):
        RunSettings.of_environment()


@pytest.mark.parametrize(("text", "address"), [("", "127.0.0.1"), ("127.0.0.2", "127.0.0.2")])
def test_hosts_reach_the_fleet_listener_where_it_is_said(
    monkeypatch: pytest.MonkeyPatch, text: str, address: str
) -> None:
    monkeypatch.setenv("SEXTANT_FLEET_ADDRESS", text)
    assert RunSettings.of_environment().fleet_address == address


@pytest.mark.parametrize("text", ["0.0.0.0", "::1", "edge", "192.0.2.1", "127.0.0.1:80"])
def test_an_address_that_this_machine_has_not_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SEXTANT_FLEET_ADDRESS", text)
    with pytest.raises(RunError, match="SEXTANT_FLEET_ADDRESS"):
        RunSettings.of_environment()


def test_only_the_fleet_listener_knows_where_the_authoritys_key_is(
    layout: DataLayout, installation: Installation
) -> None:
    knowing = [one.name for one in programs(layout, installation) if "SEXTANT_CA_KEY_FILE" in one.environment]
    assert knowing == ["fleet"]


def test_a_host_id_is_a_dns_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_HOST_ID", "edge-1")
    assert own_host_id() == "edge-1"
    monkeypatch.setenv("SEXTANT_HOST_ID", "Edge 1")
    with pytest.raises(RunError, match="SEXTANT_HOST_ID"):
        own_host_id()
    monkeypatch.delenv("SEXTANT_HOST_ID")
    monkeypatch.setattr("socket.gethostname", lambda: "My_Machine.example.net")
    assert own_host_id() == "my-machine"


def test_a_relative_data_folder_is_meant_from_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEXTANT_DATA_DIR", "a/../data")
    assert DataLayout.of_environment().data == tmp_path / "data"


def test_a_data_folder_that_no_configuration_can_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEXTANT_DATA_DIR", '/tmp/a"b')
    with pytest.raises(RunError, match="SEXTANT_DATA_DIR"):
        DataLayout.of_environment()


@pytest.mark.parametrize("name", ["x" * 120, "with space"])
def test_sockets_go_to_a_short_folder_where_the_path_would_not_do(tmp_path: Path, name: str) -> None:
    layout = DataLayout(root=tmp_path, data=tmp_path / name)
    assert layout.sockets.parent == Path("/tmp")
    assert layout.sockets != DataLayout(root=tmp_path, data=tmp_path / f"{name}2").sockets
    assert DataLayout(root=tmp_path, data=Path("/srv/sextant")).sockets == Path("/srv/sextant/sockets")


def test_the_data_folder_is_private(layout: DataLayout) -> None:
    assert stat.S_IMODE(layout.data.stat().st_mode) == 0o700


def test_run_json_is_read_back_and_a_damaged_one_is_none(layout: DataLayout, installation: Installation) -> None:
    installations.save(layout, installation)
    assert installations.load(layout) == installation
    assert stat.S_IMODE(layout.run_file.stat().st_mode) == 0o600
    layout.run_file.write_text("{half")
    assert installations.load(layout) is None


def test_fields_of_another_version_do_not_cost_an_installation_its_ports(
    layout: DataLayout, installation: Installation
) -> None:
    installations.save(layout, installation)
    written = json.loads(layout.run_file.read_text())
    assert "lab_ports" not in written  # as by default: a version of before, which refuses it, reads this file
    layout.run_file.write_text(json.dumps(written | {"of_a_later_version": 1}))
    assert installations.load(layout) == installation


def test_a_copied_data_folder_is_another_installation(
    layout: DataLayout, installation: Installation, tmp_path: Path
) -> None:
    installations.save(layout, installation.model_copy(update={"supervisor": ProcessIdentity.of(os.getpid())}))
    copied = DataLayout(root=layout.root, data=tmp_path / "copy")
    shutil.copytree(layout.data, copied.data)
    found = installations.load(copied)
    assert found is not None
    assert found.id != installation.id
    assert not found.up
    assert found.host_id == installation.host_id


def test_only_one_works_on_a_data_folder(layout: DataLayout) -> None:
    with exclusive(layout), pytest.raises(RunError, match="Another `make up`"), exclusive(layout):
        pass


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    write_private(path, "old")
    reader = path.open()
    write_private(path, "new")
    assert (reader.read(), path.read_text()) == ("old", "new")
    reader.close()
    with pytest.raises(TypeError):
        write_private(path, None)  # type: ignore[arg-type]
    assert [entry.name for entry in tmp_path.iterdir()] == ["secret"]


def test_a_stamp_follows_names_contents_and_missing_files(tmp_path: Path) -> None:
    source = tmp_path / "src" / "a.ts"
    source.parent.mkdir()
    source.write_text("1")
    (tmp_path / "dist").mkdir()
    first = hash_of(files_in(tmp_path, without=frozenset({"dist"})))
    (tmp_path / "dist" / "out.js").write_text("x")
    assert hash_of(files_in(tmp_path, without=frozenset({"dist"}))) == first
    source.write_text("2")
    assert hash_of(files_in(tmp_path, without=frozenset({"dist"}))) != first
    source.write_text("1")
    os.utime(source, (0, 0))
    assert hash_of(files_in(tmp_path, without=frozenset({"dist"}))) == first
    assert hash_of([tmp_path / "none"]) != hash_of([])


@pytest.mark.parametrize(
    ("seconds", "text"), [(41.6, "42 s"), (720, "12 min"), (12_000, "3 h 20 min"), (439_200, "5 d 2 h"), (None, "")]
)
def test_uptimes_read_well(seconds: float | None, text: str) -> None:
    assert uptime_text(seconds) == text


def _process(state: str, pid: int) -> ProcessInfo:
    return ProcessInfo(name="worker", group="sextant", state=state, pid=pid, detail="Exited too quickly", up_s=0)


def test_the_foreground_tells_what_ended_and_what_runs_again() -> None:
    assert change(_process("RUNNING", 7), _process("STARTING", 8)) == "worker ended and was started again (pid 8)"
    assert "trying again" in change(_process("STARTING", 7), _process("BACKOFF", 0))
    assert change(_process("BACKOFF", 0), _process("STARTING", 9)) == "worker runs again (pid 9)"
    assert change(_process("STARTING", 9), _process("RUNNING", 9)) == ""
    assert change(None, _process("RUNNING", 9)) == ""


def test_an_error_shows_cause_log_and_next_step(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("\n".join(str(number) for number in range(100)))
    text = RunError("ninja failed", "fix it", log).text(tail_lines=2)
    assert text == f"ninja failed\nLast lines of {log}:\n    98\n    99\nNext: fix it"
