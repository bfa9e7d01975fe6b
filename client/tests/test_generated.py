"""The generated part: it is of the contract as it is, has every operation, and costs a program that does not use it
nothing."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from sextant_client import Client

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs" / "openapi.json").read_text())
BY_PATH = {"downloadArtefact", "streamEvents", "uploadArtefact", "beginSignIn", "finishSignIn"}
"""No JSON, or a browser's."""


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def test_every_operation_has_its_method_with_its_parameters() -> None:
    walked = 0
    for operations in DOCUMENT["paths"].values():
        for operation in operations.values():
            if operation["operationId"] in BY_PATH:
                continue
            taken = inspect.signature(getattr(Client, _snake(operation["operationId"]))).parameters
            given = {one["name"] for one in operation.get("parameters", []) if one["in"] in ("path", "query")}
            assert given <= {name.removesuffix("_") for name in taken}, operation["operationId"]
            assert ("body" in taken) == ("requestBody" in operation)
            tags = [one for one in operation.get("parameters", []) if one["name"] == "If-Match"]
            assert ("if_match" in taken) == bool(tags)
            walked += 1
    assert walked > 140


def test_a_stranger_s_program_is_checked_by_the_types(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from sextant_client import Client\n"
        "console = Client('http://127.0.0.1:8080', 'sxt_x')\n"
        "reveal_type(console.get_host('edge-1').body['status'])\n"
        "console.list_chains(state='flying')\n"
        "console.cordon_host('edge-1', {'because': 'new memory'})\n"
        "console.apply_plan(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT / "client" / "src"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line.split(":", 2)[1] for line in done.stdout.splitlines() if ": error:" in line]
    assert "Literal['up']" in done.stdout
    assert sorted(set(said)) == ["4", "5", "6"], done.stdout


def test_an_import_brings_no_types() -> None:
    code = (
        "import sys, sextant_client\n"
        "assert 'sextant_client.generated' not in sys.modules\n"
        "sextant_client.Client\n"
        "print(sorted(name for name in sys.modules if name.startswith(('sextant_', 'pydantic'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sextant_client.generated.operations" in done.stdout
    assert not {"pydantic", "sextant_domain", "sextant_client.generated.models"} & set(
        re.findall(r"'([^']+)'", done.stdout)
    )
