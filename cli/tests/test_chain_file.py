"""Chain files from anywhere: whatever is wrong is named with its line, and nothing is sent."""

import io
from pathlib import Path

import pytest
from sextant_cli.chain_file import MAX_BYTES, load_chain
from sextant_cli.errors import CliError, Exit

HEAD = "apiVersion: sextant/v1\nkind: Chain\n"
GOOD = HEAD + "name: edge\nnfs: [router]\ntraffic: {rate_mpps: 0.1, packet_bytes: 64}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "is empty", id="empty"),
        pytest.param("- 1", ":1: must be a mapping", id="list"),
        pytest.param("a: [1, 2\nb: }", ":2: not valid YAML", id="syntax"),
        pytest.param("a: &x 1\nb: *x", ":2: YAML aliases", id="alias"),
        pytest.param("a: 1\nb: 2\na: 3", ":3: 'a' appears twice", id="duplicate"),
        pytest.param("[" * 5000, "nested deeper", id="deep"),
        pytest.param("a: !!python/object/apply:os.system [id]", ":1: not valid YAML", id="python"),
        pytest.param("a: 1\n---\nb: 2", ":2: not valid YAML", id="two documents"),
        pytest.param("? [a]\n: 1", ":1: not valid YAML", id="key that is a list"),
        pytest.param("a: 2020-99-99", "cannot be read", id="no such day"),
        pytest.param("a: \x00", "not valid YAML", id="control character"),
    ],
)
def test_what_is_no_chain_file_is_refused_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "chain.yaml"
    path.write_text(text)
    with pytest.raises(CliError) as raised:
        load_chain(str(path))
    assert expected in raised.value.problem.detail
    assert raised.value.status is Exit.BAD_INPUT


@pytest.mark.parametrize(
    ("text", "field", "line"),
    [
        pytest.param(GOOD.replace("edge", "Web_Edge"), "name", 3, id="name"),
        pytest.param(GOOD.replace("0.1", "-1"), "traffic.rate_mpps", 5, id="negative rate"),
        pytest.param(GOOD.replace("0.1", ".nan"), "traffic.rate_mpps", 5, id="rate that is no number"),
        pytest.param(GOOD.replace("0.1", '"0.1"'), "traffic.rate_mpps", 5, id="rate as text"),
        pytest.param(GOOD.replace("name: edge\n", ""), "name", 1, id="missing name"),
        pytest.param(
            GOOD.replace("packet_bytes: 64", "sizes: [[64, 7], [63, 1]]"), "traffic.sizes.entries.1.bytes", 5, id="size"
        ),
        pytest.param(
            GOOD.replace("packet_bytes: 64}", "packet_bytes: 64, arrivals: pareto}"), "traffic.arrivals", 5, id="kind"
        ),
        pytest.param(
            GOOD + "ingress: {match: {src_prefix: '2001:db8::/32'}}\n",
            "ingress.match.dst_prefix",
            6,
            id="prefixes of two families",
        ),
        pytest.param(
            GOOD + "ingress:\n  match:\n    src_prefix: fe80::/64\n    dst_prefix: 2001:db8::/32\n",
            "ingress.match.src_prefix",
            8,
            id="link-local addresses",
        ),
        pytest.param(GOOD + "colour: red\n", "colour", 6, id="unknown field"),
        pytest.param(GOOD + "1: 2\n", "1", 6, id="key that is no text"),
        pytest.param(GOOD.replace("[router]", "[router, 7]"), "nfs.1", 4, id="NF that is a number"),
        pytest.param(GOOD.replace("Chain", "Chaim"), "kind", 2, id="other kind"),
        pytest.param(GOOD.replace("[router]", "[" + "router, " * 10_000 + "router]"), "nfs", 4, id="10,001 NFs"),
    ],
)
def test_a_wrong_field_is_named_with_its_line(tmp_path: Path, text: str, field: str, line: int) -> None:
    path = tmp_path / "chain.yaml"
    path.write_text(text)
    with pytest.raises(CliError) as raised:
        load_chain(str(path))
    (error,) = raised.value.problem.errors
    assert error.field == field
    assert f"line {line})" in error.message


def test_a_file_of_more_than_a_mebibyte_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "chain.yaml"
    path.write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(CliError, match="larger than 1 MiB"):
        load_chain(str(path))


def test_a_missing_file_says_so(sextant) -> None:
    result = sextant("chains", "submit", "nowhere.yaml")
    assert result.exit_code == 2
    assert "nowhere.yaml: cannot be read: No such file or directory" in result.stderr


def test_a_bad_file_reaches_no_console(console, sextant, chain_file: Path) -> None:
    chain_file.write_text(GOOD.replace("0.1", "-1"))
    assert sextant("chains", "submit", str(chain_file)).exit_code == 2
    assert console.requests == []


def test_stdin_is_named_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"- 1")))
    with pytest.raises(CliError, match="<stdin>:1"):
        load_chain("-")
