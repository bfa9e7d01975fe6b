"""The table of contents: help and version import no command, and every line of it is what the command itself says."""

import inspect
import subprocess
import sys

import pytest
import typer
from sextant_cli.contents import CONTENTS
from sextant_cli.lazy_group import load
from sextant_cli.main import app
from typer.testing import CliRunner

HEAVY = ("httpx", "pydantic", "jsonschema", "sextant_domain", "sextant_cli.commands")
"""What a command needs, and help does not."""


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_help_and_version_import_none_of_what_commands_need(argument: str) -> None:
    code = (
        "import sys\n"
        "from sextant_cli.main import app\n"
        "try:\n    app()\n"
        f"finally:\n    print('imported', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, argument], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "imported []"


@pytest.mark.parametrize("name", CONTENTS)
def test_a_line_of_the_list_is_the_first_line_of_the_command(name: str) -> None:
    command = load(name, CONTENTS[name])
    assert command.name == name
    assert inspect.cleandoc(command.help).split("\n")[0] == CONTENTS[name].help


def test_every_command_is_in_the_list() -> None:
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).stdout
    assert [line for line in CONTENTS if f" {line} " not in listed] == []
    assert len(typer.main.get_command(app).commands) == len(CONTENTS)


def test_a_name_that_nothing_has_names_the_nearest() -> None:
    said = CliRunner().invoke(app, ["chians"])
    assert said.exit_code == 2
    assert "Did you mean 'chains'?" in said.stderr
