"""`sextant metrics`."""

from .conftest import Sextant
from .console import FakeConsole

TEXT = b"""# HELP sextant_hosts Enrolled hosts
# TYPE sextant_hosts gauge
sextant_hosts{provenance="measured",status="up"} 3.0
# HELP sextant_nfs NFs that hosts were ordered to run
# TYPE sextant_nfs gauge
sextant_nfs 12.0
"""


def test_metrics_are_printed_as_the_console_gives_them(sextant: Sextant, console: FakeConsole) -> None:
    console.metrics = TEXT
    assert sextant("metrics").stdout == TEXT.decode()


def test_only_names_are_matched_and_their_help_comes_with_them(sextant: Sextant, console: FakeConsole) -> None:
    """`up` is in a label of the first metric, `hosts` in the help of the second: neither is in a name."""
    console.metrics = TEXT
    assert sextant("metrics", "--match", "up").stdout == ""
    assert sextant("metrics", "--match", "host").stdout.splitlines() == TEXT.decode().splitlines()[:3]
