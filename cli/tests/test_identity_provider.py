"""Sign-in by an identity provider, set up, changed in part and removed."""

import json
from pathlib import Path

import pytest

from .shelf_of_accounts import REFERENCE

FIRST = (
    *("identity-provider", "set", "--name", "Example ID", "--issuer", "https://id.example"),
    *("--console-url", "https://console.example", "--client-id", "sextant", "--group", "cn=ops,dc=example=operator"),
)


def test_without_one_the_command_says_how_to_set_it_up(sextant) -> None:
    done = sextant("identity-provider")
    assert done.exit_code != 0
    assert "there is no identity-provider" in done.stderr


def test_the_secret_comes_from_a_file_or_the_environment_and_is_not_printed(
    sextant, console, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "client.secret").write_text("hush\n")
    done = sextant(*FIRST, "--client-secret", "client.secret")
    assert done.exit_code == 0, done.stderr
    assert "https://console.example/api/v1/auth/oidc/callback" in done.stdout and "with a secret" in done.stdout
    monkeypatch.setenv("ANOTHER", "hush hush")
    assert sextant("identity-provider", "set", "--client-secret", "env:ANOTHER").exit_code == 0
    assert console.accounts.secrets == ["hush", "hush hush"]
    assert "hush" not in done.stdout + done.stderr
    refused = sextant("identity-provider", "set", "--client-secret", "env:NOTHING_THERE")
    assert refused.exit_code != 0 and "the environment has no NOTHING_THERE" in refused.stderr


def test_what_no_option_names_stays(sextant, console, tmp_path: Path) -> None:
    (tmp_path / "client.secret").write_text("hush")
    sextant(*FIRST, "--client-secret", "client.secret")
    done = sextant("identity-provider", "set", "--groups-claim", "realm_access.roles", "-o", "json")
    stored = json.loads(done.stdout)
    assert (stored["issuer"], stored["groups_claim"], stored["version"]) == (
        "https://id.example",
        "realm_access.roles",
        2,
    )
    assert stored["roles"] == {"cn=ops,dc=example": "operator"}
    assert (stored["client_secret"], console.accounts.secrets) == (REFERENCE, ["hush"])
    without = json.loads(sextant("identity-provider", "set", "--client-secret", "none", "-o", "json").stdout)
    assert without["client_secret"] is None


@pytest.mark.parametrize("group", ["netops", "netops=root", "=admin"])
def test_a_group_without_a_role_is_refused_before_anything_is_sent(sextant, console, group: str) -> None:
    done = sextant("identity-provider", "set", "--group", group)
    assert done.exit_code != 0
    assert f"'{group}': write GROUP=ROLE, with one of viewer, operator, admin" in done.stderr
    assert console.requests == []


def test_it_is_removed(sextant, console) -> None:
    sextant(*FIRST)
    done = sextant("identity-provider", "remove")
    assert done.stdout == "the identity provider was removed\n"
    assert console.accounts.provider is None
