"""What the agent imports leaves nothing for a search for cycles, and the searches go on behind it."""

import subprocess
import sys

SERVE = """
import gc, sys
from sextant_agent.__main__ import app
print(gc.isenabled(), gc.get_freeze_count() > 10_000, "rich" in sys.modules)
"""


def test_the_agents_modules_are_not_searched_for_cycles_and_what_comes_after_is() -> None:
    done = subprocess.run([sys.executable, "-c", SERVE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True", "False"], "no Rich among them either"
