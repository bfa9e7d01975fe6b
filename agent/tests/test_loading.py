"""Imports leave nothing for a search for cycles, and the searches go on behind them; what comes after is as ever."""

import subprocess
import sys

FAILS = """
import gc
from sextant_agent.kit.loading import loading
from pydantic import BaseModel
try:
    with loading():
        import nothing_of_this_name
except ImportError:
    import rich
    class Behind(BaseModel): ...
    print(gc.isenabled(), Behind.__pydantic_complete__)
"""
SERVE = """
import gc, sys
from sextant_agent.__main__ import app
print(gc.isenabled(), gc.get_freeze_count() > 10_000, "rich" in sys.modules)
"""


def test_the_agents_modules_are_not_searched_for_cycles_and_what_comes_after_is() -> None:
    done = subprocess.run([sys.executable, "-c", SERVE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False"], "no Rich among them either"


def test_after_an_import_that_fails_all_is_as_before() -> None:
    done = subprocess.run([sys.executable, "-c", FAILS], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
