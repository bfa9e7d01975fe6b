"""`chains import`, `hosts start-commands` and `plans start-commands`."""

import json
from pathlib import Path

import pytest

from .shelf_of_opennetvm import IN_GROUP, REFUSED


@pytest.fixture
def group_file(tmp_path: Path) -> Path:
    path = tmp_path / "group.json"
    path.write_text('{"simple_forward": [{"parameters": "1 -d 2"}]}')
    return path


def test_a_dry_run_shows_chains_and_notes_and_submits_none(console, sextant, group_file: Path) -> None:
    result = sextant("chains", "import", str(group_file), "--dry-run", "--prefix", "web", "--rate", "0.2")
    assert result.exit_code == 0, result.output
    assert "web-1" in result.stdout and "3 -> 4" in result.stdout
    assert "router.0.parameters: -l 5: planning chooses cores" in result.stderr
    assert console.chains == {}
    asked = console.opennetvm.asked
    assert asked["text"] == group_file.read_text()
    assert (asked["name_prefix"], asked["traffic"]) == ("web", {"rate_mpps": 0.2, "packet_bytes": 64})


def test_files_that_nfs_read_are_sent_by_their_names(console, sextant, group_file: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text("{}")
    result = sextant("chains", "import", str(group_file), "--dry-run", "--with", "rules.json", "-o", "json")
    assert console.opennetvm.asked["files"] == {"rules.json": "{}"}
    assert [chain["spec"]["name"] for chain in json.loads(result.stdout)["chains"]] == ["imported-1", "imported-2"]


def test_all_chains_are_submitted_and_once_more_goes_on_where_it_stopped(console, sextant, group_file: Path) -> None:
    assert sextant("chains", "import", str(group_file)).exit_code == 0
    assert sorted(console.chains) == ["imported-1", "imported-2"]
    del console.chains["imported-2"]
    result = sextant("chains", "import", str(group_file))
    assert result.exit_code == 0, result.output
    assert "chain imported-1 already exists with this specification" in result.stderr
    assert sorted(console.chains) == ["imported-1", "imported-2"]


def test_another_chain_of_that_name_is_a_conflict(console, sextant, group_file: Path) -> None:
    assert sextant("chains", "import", str(group_file)).exit_code == 0
    result = sextant("chains", "import", str(group_file), "--rate", "0.3")
    assert result.exit_code == 4
    assert sorted(console.chains) == ["imported-1", "imported-2"]


def test_apply_places_one_after_the_other(console, sextant, group_file: Path) -> None:
    result = sextant("chains", "import", str(group_file), "--apply", "--wait")
    assert result.exit_code == 0, result.output
    assert "operation 1  COMPLETED" in result.stdout and "operation 2  COMPLETED" in result.stdout


@pytest.mark.parametrize(
    ("content", "message"), [(None, "does not exist or is not a regular file"), (b"\xff", "is not UTF-8 text")]
)
def test_a_file_that_is_none_is_refused(sextant, tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "bad.json").write_bytes(content)
    result = sextant("chains", "import", "bad.json")
    assert result.exit_code == 2 and message in " ".join(result.stderr.split())


def test_a_file_that_is_too_large_is_refused(sextant, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_bytes(b" " * (256 * 1024 + 1))
    result = sextant("chains", "import", "bad.json")
    assert result.exit_code == 2 and "has more than 262144 bytes" in result.stderr


def test_dry_run_and_apply_contradict_each_other(sextant, group_file: Path) -> None:
    assert sextant("chains", "import", str(group_file), "--dry-run", "--apply").exit_code == 2


@pytest.mark.parametrize("words", [("hosts", "start-commands", "edge-1"), ("plans", "start-commands", "7")])
def test_the_script_goes_to_stdout_without_control_characters(sextant, words: tuple[str, ...]) -> None:
    result = sextant(*words)
    assert (result.exit_code, result.stdout) == (0, "#!/bin/sh\nbegin  [31mred\n")
    assert "web.m: is written as flow_tracker" in result.stderr
    assert sextant(*words, "--group").stdout == '{\n  "globals": []\n}\n'
    assert json.loads(sextant(*words, "-o", "json").stdout)["host"] == "edge-1"


def test_a_chain_that_is_left_out_is_reported_with_status_1(console, sextant) -> None:
    console.opennetvm.refusing(REFUSED)
    result = sextant("hosts", "start-commands", "edge-1")
    assert result.exit_code == 1 and result.stdout.startswith("#!/bin/sh")
    assert "chain web is left out: web.r: type OpenNetVM has no NF like 'router'" in result.stderr
    console.opennetvm.refusing(IN_GROUP)
    assert sextant("hosts", "start-commands", "edge-1").exit_code == 0
    result = sextant("hosts", "start-commands", "edge-1", "--group")
    assert result.exit_code == 1 and "chain shop is left out of the group file" in result.stderr


def test_saving_writes_the_script_the_group_and_its_files(sextant, tmp_path: Path) -> None:
    result = sextant("hosts", "start-commands", "edge-1", "--save", "out")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out" / "start.sh").read_text().startswith("#!/bin/sh")
    assert (tmp_path / "out" / "firewall" / "web.fw.rules.json").read_text() == "{}\n"
    assert json.loads((tmp_path / "out" / "group.json").read_text()) == {"globals": []}


def test_a_console_cannot_make_it_write_elsewhere(console, sextant, tmp_path: Path) -> None:
    console.opennetvm.refusing(group_files={"../stolen": "x"})
    result = sextant("hosts", "start-commands", "edge-1", "--save", "out")
    assert result.exit_code == 3 and not (tmp_path / "stolen").exists()
