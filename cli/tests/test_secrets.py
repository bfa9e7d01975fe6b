"""`chains submit --secret`: from a file or the environment to the console, and never to the screen."""

from pathlib import Path

import pytest
from sextant_domain.chains.chain import NfSpec

CANARY = "deadbeefcafe" * 3 + "0042"


@pytest.fixture
def tunnel(tmp_path: Path) -> Path:
    path = tmp_path / "tunnel.yaml"
    path.write_text(
        "apiVersion: sextant/v1\nkind: Chain\nname: tunnel\nnfs: [router, {type: vpn, config: {mtu: 1400}}]\n"
        "traffic: {rate_mpps: 0.1, packet_bytes: 64}\n"
    )
    return path


@pytest.mark.parametrize("source", ["file", "environment"])
def test_a_secret_comes_from_outside_the_chain_file(
    console, sextant, tunnel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    (tmp_path / "tunnel.key").write_text(f"{CANARY}\n")
    monkeypatch.setenv("TUNNEL_KEY", CANARY)
    given = {"file": str(tmp_path / "tunnel.key"), "environment": "env:TUNNEL_KEY"}[source]
    result = sextant("chains", "submit", str(tunnel), "--secret", f"vpn.key={given}")
    assert result.exit_code == 0, result.output
    assert console.chains["tunnel"].nfs[1].config == {"mtu": 1400, "key": CANARY}
    assert CANARY not in result.output


@pytest.mark.parametrize(
    ("option", "cause"),
    [
        ("vpn.key", "write NF.SETTING=FILE"),
        ("vpn=tunnel.key", "write NF.SETTING=FILE"),
        ("dpn.key=tunnel.key", "tunnel has no NF 'dpn'; it has router, vpn"),
        ("vpn.key=missing.key", "missing.key cannot be read"),
        ("vpn.key=env:NOT_THERE", "the environment has no NOT_THERE"),
        ("vpn.key=empty.key", "empty.key is empty"),
        ("vpn.key=binary.key", "binary.key is no text"),
    ],
)
def test_what_is_wrong_is_reported_before_anything_is_sent(
    console, sextant, tunnel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, cause: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.key").write_text("\n")
    (tmp_path / "binary.key").write_bytes(b"\xff\xfe")
    result = sextant("chains", "submit", str(tunnel), "--secret", option)
    assert result.exit_code == 2 and cause in result.stderr
    assert console.requests == []


def test_a_key_in_a_wrong_file_is_not_repeated(console, sextant, tunnel: Path) -> None:
    tunnel.write_text(tunnel.read_text().replace("{mtu: 1400}", f"{{key: {CANARY}}}").replace("0.1", "-1"))
    result = sextant("chains", "submit", str(tunnel))
    assert result.exit_code == 2 and CANARY not in result.output


def test_show_says_that_one_is_set(console, sextant, tunnel: Path) -> None:
    sextant("chains", "submit", str(tunnel))
    spec = console.chains["tunnel"]
    named = NfSpec(type="vpn", name="vpn", config={"key": f"secret:{'0a' * 16}"})
    console.chains["tunnel"] = spec.model_copy(update={"nfs": (spec.nfs[0], named)})
    result = sextant("chains", "show", "tunnel")
    assert result.exit_code == 0, result.output
    assert "vpn.key: secret, set" in result.stdout and "secret:" not in result.stdout
