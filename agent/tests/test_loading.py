"""Imports leave nothing for a search for cycles, and the searches go on behind them."""

import subprocess
import sys

FAILS = """
import gc
from sextant_agent.kit.loading import loading
try:
    with loading():
        import nothing_of_this_name
except ImportError:
    print(gc.isenabled())
"""
SERVE = """
import gc
from sextant_agent.__main__ import app
print(gc.isenabled(), gc.get_freeze_count() > 10_000)
"""


def test_the_agents_modules_are_not_searched_for_cycles_and_what_comes_after_is() -> None:
    done = subprocess.run([sys.executable, "-c", SERVE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


def test_an_import_that_fails_leaves_the_searches_on() -> None:
    done = subprocess.run([sys.executable, "-c", FAILS], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
