"""The contract of the backend's layers leaves nothing out; import-linter itself holds the direction (`make lint`)."""

import re
import tomllib
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
import sextant_backend
import sextant_backend.modules
from sextant_backend.migrate import MIGRATIONS

LINTER: dict[str, Any] = tomllib.loads((MIGRATIONS.parent / "pyproject.toml").read_text())["tool"]["importlinter"]
CONTRACTS: dict[str, dict[str, Any]] = {one["name"]: one for one in LINTER["contracts"]}
LAYERS = CONTRACTS["Layers of the backend: every folder and module, downwards only"]["layers"]
INSIDE = next(one for name, one in CONTRACTS.items() if name.startswith("Inside a backend module"))["containers"]


def _children(package: Any) -> set[str]:
    return {f"{package.__name__}.{found.name}" for found in iter_modules(package.__path__)}


def test_every_folder_and_module_has_its_layer_and_one_only() -> None:
    named = [name for layer in LAYERS for name in re.split(r"\s*[|:]\s*", layer)]

    assert len(set(named)) == len(named)
    assert set(named) == (_children(sextant_backend) - {"sextant_backend.modules"}) | _children(sextant_backend.modules)


def test_the_order_inside_holds_for_every_module() -> None:
    assert sorted(INSIDE) == sorted(_children(sextant_backend.modules))


@pytest.mark.parametrize("name", CONTRACTS)
def test_no_contract_has_exceptions(name: str) -> None:
    exceptions = {"ignore_imports", "exclude_type_checking_imports", "allow_indirect_imports", "exhaustive_ignores"}
    assert not exceptions & (CONTRACTS[name].keys() | LINTER.keys())


def test_no_module_imports_the_backend_inside_a_function() -> None:
    """Such an import is in the contracts, but hides where who reads the file looks for it. Around the modules commands,
    listeners and the watch load what they need, and no more."""
    folder = Path(sextant_backend.modules.__file__).parent
    hidden = re.compile(r"^[ \t]+(from|import) sextant_backend\b", re.MULTILINE)

    assert [str(file.relative_to(folder)) for file in folder.rglob("*.py") if hidden.search(file.read_text())] == []


def test_the_picture_in_the_docs_is_the_contract() -> None:
    page = (MIGRATIONS.parent / "docs" / "architecture.md").read_text()
    picture = page.split("## Layers of the backend")[1].split("```text\n")[1].split("\n```")[0]
    drawn = [re.sub(r" \([^)]*\)", "", line).strip().split("  ")[0] for line in picture.split("\n")]

    held = [
        ", ".join(name.removeprefix("sextant_backend.").removeprefix("modules.") for name in layer.split(" | "))
        for layer in LAYERS
    ]
    assert drawn == held
