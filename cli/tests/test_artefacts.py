"""`sextant artefacts`, and chain files that name local files."""

import hashlib
import json
from pathlib import Path

import pytest
import yaml
from sextant_cli.local_files import put_digests
from sextant_domain.hosts.artefact import FileKind

ROUTES = b"10.0.0.0/8 1\n"
DIGEST = f"sha256:{hashlib.sha256(ROUTES).hexdigest()}"


@pytest.fixture
def routes(tmp_path: Path) -> Path:
    path = tmp_path / "edge.routes"
    path.write_bytes(ROUTES)
    return path


def chain_naming(folder: Path, name: str, setting: str = "routes_file", traffic: str = "") -> Path:
    path = folder / "edge.yaml"
    path.write_text(
        "apiVersion: sextant/v1\nkind: Chain\nname: edge\nnfs:\n  - type: router\n    config:\n"
        f"      {setting}: {name}\ntraffic: {{rate_mpps: 0.1, packet_bytes: 128{traffic}}}\n"
    )
    return path


def test_a_file_goes_up_and_comes_down(console, sextant, routes: Path, tmp_path: Path) -> None:
    up = sextant("artefacts", "upload", str(routes))
    assert up.exit_code == 0, up.output
    assert up.stdout == f"edge.routes version 1  {DIGEST}\n"
    again = sextant("artefacts", "upload", str(routes), "--name", "other", "--kind", "routes")
    assert "these bytes are stored already, as edge.routes version 1" in again.stderr

    for wanted in ("edge.routes", "edge.routes@1", DIGEST, DIGEST[:20], DIGEST[7:20]):
        shown = sextant("artefacts", "show", wanted)
        assert shown.exit_code == 0, shown.output
        assert DIGEST in shown.stdout and "used by no chain" in shown.stdout

    down = sextant("artefacts", "download", "edge.routes", "--to", str(tmp_path / "copy"))
    assert down.exit_code == 0, down.output
    assert (tmp_path / "copy").read_bytes() == ROUTES
    refused = sextant("artefacts", "download", "edge.routes")
    assert refused.exit_code == 2 and "edge.routes already exists" in refused.stderr
    assert sextant("artefacts", "download", "edge.routes", "--force").exit_code == 0
    assert sextant("artefacts", "download", "edge.routes", "--to", "-").stdout == ROUTES.decode()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_the_newest_version_is_meant_unless_another_is_said(console, sextant, routes: Path) -> None:
    sextant("artefacts", "upload", str(routes))
    routes.write_bytes(b"10.0.0.0/8 2\n")
    sextant("artefacts", "upload", str(routes))
    newest = json.loads(sextant("artefacts", "show", "edge.routes", "-o", "json").stdout)
    first = json.loads(sextant("artefacts", "show", "edge.routes@1", "-o", "json").stdout)
    assert (newest["version"], first["version"], first["digest"]) == (2, 1, DIGEST)
    listed = sextant("artefacts", "list", "--kind", "routes", "--search", "edge")
    assert [line.split()[:2] for line in listed.stdout.splitlines()[1:]] == [["edge.routes", "2"], ["edge.routes", "1"]]


def test_deleting_is_refused_with_the_chains_that_use_it(console, sextant, routes: Path) -> None:
    sextant("artefacts", "upload", str(routes))
    console.shelf.use(DIGEST, "web")
    refused = sextant("artefacts", "delete", "edge.routes")
    assert refused.exit_code == 4 and "named by web" in refused.stderr
    console.shelf.use(DIGEST)
    gone = sextant("artefacts", "delete", "edge.routes")
    assert gone.stdout == "edge.routes version 1 was deleted\n"
    assert "no artefacts; store one with" in sextant("artefacts", "list").stdout


def test_a_file_that_came_altered_is_not_kept(console, sextant, routes: Path, tmp_path: Path) -> None:
    sextant("artefacts", "upload", str(routes))
    console.shelf.damaged = True
    result = sextant("artefacts", "download", "edge.routes", "--to", str(tmp_path / "copy"))
    assert result.exit_code == 1 and "changed in transit" in result.stderr
    assert not (tmp_path / "copy").exists() and not (tmp_path / ".copy.part").exists()


@pytest.mark.parametrize(
    ("arguments", "cause"),
    [
        (["upload", "nowhere.routes"], "nowhere.routes is not there"),
        (["upload", "plain"], "add --kind, one of patterns, pcap, routes, rules"),
        (["upload", "plain", "--kind", "rules", "--name", "a/b"], "'a/b' cannot be a name"),
        (["upload", "with space.rules"], "'with space.rules' cannot be an artefact's name"),
        (["upload", "folder.rules"], "folder.rules is no regular file"),
        (["upload", "large.rules"], "large.rules has 16777217 bytes; a file of kind rules may have 16777216"),
        (["show", "nothing"], "there is no artefact nothing"),
    ],
)
def test_bad_input_is_reported_before_anything_is_sent(
    console, sextant, tmp_path: Path, arguments: list[str], cause: str
) -> None:
    (tmp_path / "plain").write_text("x")
    (tmp_path / "with space.rules").write_text("x")
    (tmp_path / "folder.rules").mkdir()
    with (tmp_path / "large.rules").open("wb") as large:
        large.truncate(16 * 2**20 + 1)
    result = sextant("artefacts", *arguments)
    assert result.exit_code == 2, result.output
    assert cause in result.stderr
    assert all(method == "GET" for method, _, _ in console.requests)


def test_a_chain_file_may_name_a_file_beside_it(console, sextant, routes: Path, tmp_path: Path) -> None:
    below = tmp_path / "below"
    below.mkdir()
    routes = routes.rename(below / "edge.routes")
    file = chain_naming(tmp_path, "./below/edge.routes")
    result = sextant("chains", "submit", str(file))
    assert result.exit_code == 0, result.output
    assert f"uploaded edge.routes (13 B): routes edge.routes version 1, {DIGEST}" in result.stderr
    assert console.chains["edge"].nfs[0].config == {"routes_file": DIGEST}
    console.chains.clear()
    result = sextant("chains", "submit", str(file))
    assert f"edge.routes is already stored: routes edge.routes version 1, {DIGEST}" in result.stderr
    assert [path for method, path, _ in console.requests if method == "POST"].count("/api/v1/artefacts") == 1


def test_a_digest_and_other_settings_stay_as_they_are(console, sextant, tmp_path: Path) -> None:
    file = chain_naming(tmp_path, DIGEST)
    assert sextant("chains", "submit", str(file)).exit_code == 0
    console.chains.clear()
    file = chain_naming(tmp_path, "./somewhere", setting="log_file")
    assert sextant("chains", "submit", str(file)).exit_code == 0
    assert console.chains["edge"].nfs[0].config == {"log_file": "./somewhere"}


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("/etc/hostname", "leads out of the chain file's folder"),
        ("../secret.routes", "leads out of the chain file's folder"),
        ("link.routes", "leads out of the chain file's folder"),
        ("missing.routes", "is not there"),
        ("'a b.routes'", "cannot be an artefact's name"),
        (".", "is no regular file"),
    ],
)
def test_a_chain_file_is_no_way_to_other_files(
    console, sextant, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, name: str, cause: str
) -> None:
    (tmp_path.parent / "secret.routes").write_text("key")
    (tmp_path / "link.routes").symlink_to(tmp_path.parent / "secret.routes")
    (tmp_path / "a b.routes").write_text("x")
    result = sextant("chains", "submit", str(chain_naming(tmp_path, name)))
    assert result.exit_code == 2, result.output
    assert "nfs.0.config.routes_file" in result.stderr and "line 7" in result.stderr
    assert cause in result.stderr
    assert console.requests == []


@pytest.mark.parametrize(
    ("written", "field"), [("./day.pcap", "traffic.pcap"), ("{file: day.pcap, timing: file}", "traffic.pcap.file")]
)
def test_a_trace_may_lie_beside_the_chain_file_too(tmp_path: Path, written: str, field: str) -> None:
    (tmp_path / "day.pcap").write_bytes(b"trace")
    content = yaml.safe_load(f"traffic: {{rate_mpps: 0.1, pcap: {written}}}")
    files, errors = put_digests(content, tmp_path)
    assert (errors, [(file.name, file.kind) for file in files]) == ([], [("day.pcap", FileKind.PCAP)])
    pcap = content["traffic"]["pcap"]
    assert (pcap["file"] if isinstance(pcap, dict) else pcap) == files[0].digest
    files, errors = put_digests(yaml.safe_load(f"traffic: {{pcap: {written}}}"), tmp_path / "elsewhere")
    assert [error.field for error in errors] == [field]


def test_stdin_names_no_local_files(console, sextant, routes: Path, tmp_path: Path) -> None:
    text = chain_naming(tmp_path, "edge.routes").read_text()
    result = sextant("chains", "submit", "-", stdin=text)
    assert result.exit_code == 2
    assert "a chain from stdin can name no local file" in result.stderr


def test_nothing_is_uploaded_for_a_chain_that_is_wrong_elsewhere(
    console, sextant, routes: Path, tmp_path: Path
) -> None:
    file = chain_naming(tmp_path, "edge.routes", traffic=", flows: -1")
    assert sextant("chains", "submit", str(file)).exit_code == 2
    assert console.requests == []
