"""Every command that lists takes --sort and --filter, and hands them to the console as they are."""

from typing import Any
from unittest.mock import patch

import pytest
from sextant_cli.contents import CONTENTS
from sextant_cli.errors import CliError
from sextant_cli.lazy_group import load
from sextant_cli.list_options import listed
from sextant_cli.session import Session

LISTS = [
    "account sessions",
    "alerts list",
    "alerts rules",
    "alerts silences",
    "artefacts list",
    "audit list",
    "audit seals",
    "automation timeline",
    "chains list",
    "compare list",
    "history compliance",
    "hosts enrolments",
    "hosts show",
    "levels list",
    "maintenance list",
    "models fits",
    "models list",
    "nf-types list",
    "nfs",
    "notifications channels",
    "notifications deliveries",
    "coco hosts",
    "srv6 hosts",
    "numasfp hosts",
    "operations list",
    "outcomes",
    "plans list",
    "policy list",
    "profile jobs",
    "profile points 1",
    "profile records",
    "races list",
    "recommendations list",
    "sfc2cpu fits",
    "sfc2cpu networks",
    "sfc2cpu promotions",
    "shares list",
    "studies list",
    "tokens list",
    "users list",
]


class _AskedForPages(Exception):
    """With path and parameters, in the place of a console."""


class _Recorder:
    def pages(self, path: str, params: Any = None, most: int | None = None) -> Any:
        raise _AskedForPages(path, params)


@pytest.mark.parametrize("line", LISTS)
def test_a_list_hands_its_order_and_filters_on(line: str) -> None:
    name, *rest = line.split()
    command = load(name, CONTENTS[name])
    args = [*rest, "--sort", "-created_at", "--filter", "search=web", "--filter", "nf-type=firewall"]
    with patch.object(Session, "api", _Recorder()), pytest.raises(_AskedForPages) as asked:
        command.main(args, standalone_mode=False, obj=Session())
    params = {name: value for name, value in asked.value.args[1].items() if value is not None}
    assert params.items() >= {"sort": "-created_at", "search": "web", "nf_type": "firewall"}.items()


def _commands(command: Any, path: str) -> dict[str, Any]:
    inner = getattr(command, "commands", None)
    if not inner:
        return {path: command}
    return {key: value for name, one in inner.items() for key, value in _commands(one, f"{path} {name}").items()}


def test_no_other_command_lists() -> None:
    """Whatever is called 'list', and whatever shows at most so many, is a list; but faults of a host, which are few and
    come in one answer."""
    every = {path: one for name, entry in CONTENTS.items() for path, one in _commands(load(name, entry), name).items()}
    options = {path: {text for one in command.params for text in one.opts} for path, command in every.items()}
    takes = {path for path, known in options.items() if {"--sort", "--filter"} <= known}
    assert takes == {line.removesuffix(" 1") for line in LISTS}
    look_like_it = {path for path, known in options.items() if path.endswith(" list") or "--most" in known}
    assert look_like_it - takes == {"hosts fault list"}


@pytest.mark.parametrize("text", ["", "state", "=web", "state=", "limit=5", "after=x", "sort=id"])
def test_what_is_no_filter_is_refused(text: str) -> None:
    with pytest.raises(CliError) as refused:
        listed(None, [text])
    assert f"--filter {text}: " in refused.value.problem.detail


def test_a_filter_is_given_once() -> None:
    assert listed("-id", ["state=running", "label=zone=a"]) == {"state": "running", "label": "zone=a", "sort": "-id"}
    for filters, query in ((["state=running", "state=submitted"], None), (["state=running"], {"state": "submitted"})):
        with pytest.raises(CliError, match="asked for twice"):
            listed(None, filters, query)
    assert listed(None, ["state=running"], {"state": None}) == {"state": "running", "sort": None}
