"""The NF programs: their own arguments, how they refuse them, and what they do with packets."""

import getopt
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Refused(Exception):
    """Arguments are wrong: the NF notifies the manager that it stops, and ends with status 1."""


class Died(Exception):
    """It ends with status 1 without a word to the manager: its id and core stay taken."""


class Program(NamedTuple):
    """One of OpenNetVM's examples."""

    tag: str
    options: str
    """As getopt takes them."""
    cost_ns: int
    without_next: str = ""
    """What it says without `-d`; empty where it has none."""
    needs: tuple[tuple[str, str], ...] = ()
    """More options that must be there, each with what it says otherwise."""
    sends_out: bool = False
    asks_for_table: bool = False
    """The manager makes it a table before it is ready."""
    read_file: Callable[[str | None], tuple[int, ...]] | None = None
    """Reads the file of `-f`; services that it hands on to, where the file names them. Raises Died."""


def parse(program: Program, words: list[str], says: Callable[[str], None]) -> tuple[int, ...]:
    """The services that it hands on to; `says` prints. Raises Refused, Died."""
    try:
        given, _ = getopt.getopt(words, program.options)
    except getopt.GetoptError as error:
        known = f"{error.opt}:" in program.options
        says(f"Option -{error.opt} requires an argument." if known else f"Unknown option `-{error.opt}'.")
        raise Refused from error
    options = dict(given)
    if program.without_next and "-d" not in options:
        says(program.without_next)
        raise Refused
    for option, otherwise in program.needs:
        if option not in options:
            says(otherwise)
            raise Refused
    nexts = (number(options["-d"]),) if "-d" in options else ()
    if program.read_file is not None:
        return program.read_file(options.get("-f")) or nexts
    return nexts


def number(text: str) -> int:
    """As C's strtoul: the digits it begins with, else 0."""
    digits = ""
    for sign in text.strip():
        if not sign.isdigit():
            break
        digits += sign
    return int(digits or "0") & 0xFFFF


def _firewall_rules(file: str | None) -> tuple[int, ...]:
    try:
        rules = json.loads(Path(file or "").read_text())
    except (OSError, ValueError) as error:
        raise Died(
            f"{file} file could not be parsed/not found. Assure rules file"
            " the directory to the rules file is being specified."
        ) from error
    for rule in rules.values():
        for key, otherwise in (("ip", "IP"), ("depth", "Depth"), ("action", "Action")):
            if key not in rule:
                raise Died(f"{otherwise} not found/invalid")
    return ()


def _routes(file: str | None) -> tuple[int, ...]:
    """`NF_COUNT n`, then lines of an address and a service."""
    try:
        words = Path(file or "").read_text().split()
    except OSError as error:
        raise Died(f"Error openning server '{file}' config") from error
    count = number(words[1]) if len(words) > 1 else 0
    if count <= 0:
        raise Died("Error parsing config, need at least one forward NF configuration")
    services = words[3 : 2 + 2 * count : 2]
    if len(services) < count:
        raise Died("Invalid backend config structure")
    return tuple(number(service) for service in services)


PROGRAMS = {
    "simple_forward": Program("simple_forward", "d:p:", 60, "Simple Forward NF requires destination flag -d."),
    "simple_fwd_tb": Program(
        "simple_fwd_tb", "d:p:D:R:", 80, "Simple Forward with Token Bucket NF requires destination flag -d."
    ),
    "bridge": Program("bridge", "p:", 50, sends_out=True),
    "basic_monitor": Program("basic_monitor", "p:", 60, sends_out=True),
    "flow_tracker": Program(
        "flow_tracker", "d:p:", 150, "Flow Tracker NF requires a destination NF service ID with the -d flag "
    ),
    "firewall": Program(
        "firewall", "d:f:p:b", 200, "Firewall NF requires a destination NF with the -d flag.",
        needs=(("-f", "Please specify a rules JSON file with -f FILE_NAME"),), asks_for_table=True,
        read_file=_firewall_rules,
    ),
    "payload_scan": Program(
        "payload_scan", "d:s:p:i", 900, "Payload NF requires a destination NF with the -d flag.",
        needs=(("-s", "Payload NF requires a search term string with the -s flag."),),
    ),
    "aes_encrypt": Program("aes_encrypt", "d:p:", 2500, "AES Encrypt NF requires destination flag -d."),
    "nf_router": Program("router", "f:p:", 120, read_file=_routes),
}  # fmt: skip
"""By the name of the binary. Costs are invented; who needs others sets `cost_ns`."""
