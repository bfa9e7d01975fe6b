"""Control laws run in an agent, too: loading them loads nothing else of the engine."""

import subprocess
import sys
import tomllib
from pathlib import Path
from pkgutil import iter_modules

import pytest
import sextant_engine

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("law", ["numasfp.law", "numasfp.allocation", "octans.law"])
def test_a_process_that_loads_a_law_has_neither_the_core_nor_numpy(law):
    program = f"import sys, sextant_engine.control.{law}; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert [name for name in loaded if name.split(".")[0] in ("numpy", "scipy")] == []
    of_engine = {name for name in loaded if name.startswith("sextant_engine.")}
    assert {name for name in of_engine if not name.startswith("sextant_engine.control")} == set()


@pytest.mark.parametrize(
    "name",
    [
        "Agent imports domain, twin and control laws only",
        "Control laws are pure: they import the domain only, no NumPy, no Rust core",
    ],
)
def test_its_contracts_name_all_the_rest_of_the_engine(name):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [contract] = [one for one in contracts if one["name"] == name]
    rest = {f"sextant_engine.{found.name}" for found in iter_modules(sextant_engine.__path__)}
    named = {one for one in contract["forbidden_modules"] if one.startswith("sextant_engine.")}
    assert named == rest - {"sextant_engine.control", "sextant_engine._core"}  # no Python file: `native` imports it
