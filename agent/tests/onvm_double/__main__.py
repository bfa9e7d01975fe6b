"""A home for tests that are not in Python: `python -m onvm_double FOLDER SETTINGS`, in the folder above this one.

SETTINGS are those of `double.json`, as JSON. Prints `ready` when the home is there and this caller may have a shared
manager, and holds that turn until its standard input ends.
"""

import json
import sys
from pathlib import Path

from .home import Home
from .turn import turn

with turn():
    Home(Path(sys.argv[1]), **json.loads(sys.argv[2]))
    print("ready", flush=True)
    sys.stdin.read()
