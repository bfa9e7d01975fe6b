"""Completion of names in a real bash, against a console that answers, is slow, refuses, or is not there."""

import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sextant_cli import completing
from sextant_cli.contents import CONTENTS
from sextant_cli.lazy_group import load

BASH = shutil.which("bash") or "bash"
SEXTANT = Path(sys.executable).parent / "sextant"
HOSTILE = ["$(touch hacked)", "`id`", "a b", "*", "-rf", "web'", "x;y", "web\nedge"]


class _Console(http.server.BaseHTTPRequestHandler):
    """Answers each list with what the test put there."""

    lists: dict[str, list[dict[str, Any]]]
    asked: list[str]
    hangs: threading.Event | None = None

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.headers["Authorization"] != "Bearer sxt_good":
            self.send_response(401)
            self.end_headers()
            return
        items = self.lists.get(self.path.partition("?")[0].removeprefix("/api/v1/"), [])
        content = json.dumps({"items": items, "next": None}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.hangs is not None:
            # A byte now and then: no timeout of a read ever passes.
            for byte in content:
                self.wfile.write(bytes([byte]))
                if self.hangs.wait(0.1):
                    return
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""


@pytest.fixture
def names() -> Iterator[tuple[str, type[_Console]]]:
    """Address and handler of a console with two chains, and hostile ones among them."""
    chains = ["edge", "edge-2", "voice", *HOSTILE]
    handler = type(
        "Console",
        (_Console,),
        {
            "asked": [],
            "lists": {
                "chains": [{"spec": {"name": name}, "state": "running"} for name in chains],
                "hosts": [{"host_id": "sim-1", "status": "up"}, {"host_id": "core", "status": "up"}],
                "plans": [{"id": 12, "subject": "$(touch hacked)"}, {"id": 7, "subject": "edge"}],
                "nfs": [{"nf_id": "edge.router", "nf_type": "router"}],
                "users": [{"username": "ada", "role": "admin"}],
                "operations": [{"id": 3, "title": "Place edge"}],
                "nf-types": [{"name": "firewall", "summary": "Filters"}],
            },
        },
    )
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", handler
    if handler.hangs is not None:
        handler.hangs.set()
    server.shutdown()
    server.server_close()
    thread.join()


PATIENT = {"SEXTANT_COMPLETION_SECONDS": "30"}
"""On a machine that is busy with other tests, too."""


OPERATORS_LINE = 'eval "$(sextant completion bash)"'
"""What operators are told to write into what their shell reads at its start."""


@cache
def _printed() -> str:
    """What that line runs: once, since it takes a process of the command beside that of Tab."""
    return subprocess.run([SEXTANT, "completion", "bash"], capture_output=True, text=True, check=True).stdout


def _in_bash(line: str, folder: Path, set_up: str = 'eval "$PRINTED"', **environment: str) -> tuple[list[str], str]:
    """What bash offers once Tab is pressed at the end of a line, and whatever else came out."""
    *before, _last = words = line.split(" ")
    script = (
        f"{set_up}\n"
        "complete -p sextant >/dev/null || exit 9\n"
        f"COMP_WORDS=({' '.join(repr(word) for word in words)})\nCOMP_CWORD={len(before)}\n"
        "_sextant_completion sextant\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        [BASH, "--norc", "-c", script],
        cwd=folder,
        env={
            "PATH": f"{SEXTANT.parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "PRINTED": _printed(),
            **environment,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [word for word in done.stdout.split("\n") if word], done.stderr


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sextant cha", ["chains"]),
        ("sextant chains sh", ["show"]),
        ("sextant chains show e", ["edge", "edge-2"]),
        ("sextant chains show ", ["edge", "edge-2", "voice"]),
        ("sextant hosts show s", ["sim-1"]),
        ("sextant hosts drain s", ["sim-1"]),
        ("sextant plans apply 1", ["12"]),
        ("sextant operations show ", ["3"]),
        ("sextant nf-types show f", ["firewall"]),
        ("sextant migrate edge.", ["edge.router"]),
        ("sextant users role a", ["ada"]),
        ("sextant nfs --host s", ["sim-1"]),
        ("sextant nfs --ch", ["--chain"]),
        ("sextant chains show z", []),
    ],
)
def test_bash_offers_what_there_is(
    names: tuple[str, type[_Console]], tmp_path: Path, line: str, offered: list[str]
) -> None:
    url, _ = names
    found, said = _in_bash(line, tmp_path, SEXTANT_URL=url, SEXTANT_TOKEN="sxt_good", **PATIENT)
    assert (found, said) == (offered, "")
    assert list(tmp_path.iterdir()) == [], "nothing that a name says was run"


def test_a_part_of_the_name_is_asked_for_and_the_chain_of_an_nf(
    names: tuple[str, type[_Console]], tmp_path: Path
) -> None:
    url, console = names
    _in_bash("sextant chains show ed", tmp_path, OPERATORS_LINE, SEXTANT_URL=url, SEXTANT_TOKEN="sxt_good", **PATIENT)
    _in_bash("sextant migrate edge.r", tmp_path, SEXTANT_URL=url, SEXTANT_TOKEN="sxt_good", **PATIENT)
    assert console.asked == ["/api/v1/chains?limit=200&search=ed", "/api/v1/nfs?limit=200&chain=edge"]


@pytest.mark.parametrize("token", ["", "sxt_bad"])
def test_who_is_not_signed_in_hears_nothing(names: tuple[str, type[_Console]], tmp_path: Path, token: str) -> None:
    url, _ = names
    assert _in_bash("sextant chains show e", tmp_path, SEXTANT_URL=url, SEXTANT_TOKEN=token) == ([], "")
    assert _in_bash("sextant chains show e", tmp_path) == ([], "")


def test_a_console_that_is_away_or_slow_holds_no_shell_up(names: tuple[str, type[_Console]], tmp_path: Path) -> None:
    url, console = names
    nowhere = {"SEXTANT_URL": "http://127.0.0.1:1", "SEXTANT_TOKEN": "sxt_good"}
    assert _in_bash("sextant chains show e", tmp_path, **nowhere) == ([], "")
    console.hangs = threading.Event()
    context = type("Context", (), {"find_root": lambda self: self, "params": {"url": url, "token": "sxt_good"}})()
    assert completing.names(completing.CHAINS, context, "e") == []
    # Who waited to the end would have the names: the answer comes, a byte each 0.1 s. Whoever asks goes on by itself,
    # and on a busy machine has not asked yet when the shell has it back.
    deadline = time.monotonic() + 30
    while not console.asked and time.monotonic() < deadline:
        time.sleep(0.01)
    assert console.asked[-1].startswith("/api/v1/chains")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(sextant, shell: str) -> None:
    result = sextant("completion", shell)
    assert result.exit_code == 0
    assert "_SEXTANT_COMPLETE=complete_" + shell in result.stdout


@pytest.mark.parametrize(
    ("said", "waits_s"), [("2.5", 2.5), ("", 0.4), ("soon", 0.4), ("-1", 0.4), ("nan", 0.4), ("1e9", 0.4)]
)
def test_how_long_a_shell_waits(monkeypatch: pytest.MonkeyPatch, said: str, waits_s: float) -> None:
    monkeypatch.setenv("SEXTANT_COMPLETION_SECONDS", said)
    assert completing.patience_s() == waits_s


def test_another_shell_is_refused(sextant) -> None:
    result = sextant("completion", "cmd.exe")
    assert result.exit_code == 2 and "bash" in result.stderr


def _parameters(command: Any) -> Iterator[Any]:
    yield from command.params
    for inner in getattr(command, "commands", {}).values():
        yield from _parameters(inner)


def test_everything_that_help_calls_a_name_of_the_console_is_completed() -> None:
    """A metavar that the table lacks names nothing of the console: texts, numbers, files, secrets."""
    others = {
        *(
            "ADDRESS",
            "AFTER",
            "BEFORE",
            "BYTES",
            "FIELD",
            "FIELD=VALUE",
            "FILE",
            "FOLDER",
            "GBPS",
            "GROUP=ROLE",
            "GROUP[:SCOPE",
        ),
        *("KIND=NAME", "MOMENT"),
        "HEX",
        *(
            "HOST_MODEL",
            "ID",
            "LAW",
            "LEAST:MOST[:LAW",
            "LIST",
            "MPPS",
            "NAME",
            "N|default",
            "NETWORK",
            "NF.SETTING=FILE",
            "NF.SETTING=JSON",
            "NFS",
        ),
        *(
            "NAME=VALUE",
            "NF=SHARE[:QUOTA",
            "NF=TIE",
            "NUMBER:DIGEST",
            "P95_US:LEAST:MOST[:ways=LEAST-MOST][:bandwidth=LEAST",
            "PERCENT",
            "SECONDS",
            "SETTING=VALUE",
            "SHELL",
            "TIME",
            "TOKEN",
            "URL",
            "WEIGHTS",
        ),
        "HOST.]CHAIN.NF.RESOURCE=VALUE",
        *("CHAIN.NF=CORE", "CHAIN,CHAIN", "CHAIN=WAYS,PERCENT"),
    }
    called = {
        one.metavar.strip("[].")
        for name, entry in CONTENTS.items()
        for one in _parameters(load(name, entry))
        if one.metavar
    }
    assert called - others == set(completing.BY_METAVAR)


def test_what_operators_write_means_nothing_to_a_shell() -> None:
    assert completing._shown("Place `edge`; $(rm) \"x\" 'y'\n\t&|<") == "Place edge rm x y"
