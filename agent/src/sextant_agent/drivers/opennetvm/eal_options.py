"""Options of DPDK's EAL that opennetvm.toml adds to a manager's: which it may not, and which cards they name; pure."""

import re
from collections.abc import Iterator, Sequence

_ADDRESS = re.compile(r"(?:([0-9a-fA-F]{4}):)?([0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])(?:,.*)?")
_ALLOW = ("-a", "--allow", "-w", "--pci-whitelist")
"""The latter two until DPDK 20.08."""
_OF_THE_DRIVER = {
    "--file-prefix": "the prefix identifies the owner of a process",
    "--huge-dir": "set huge_dir",
    "--base-virtaddr": "manager and NFs must meet at one address",
    "--proc-type": "a manager is the primary process",
    "--lcores": "set cpus",
    "--main-lcore": "set cpus: the first is the master's",
    "--master-lcore": "set cpus: the first is the master's",
    "--socket-mem": "set memory_mb",
    "--no-huge": "NFs share the manager's huge pages",
    "--in-memory": "NFs find the manager by its files",
    "--no-shconf": "NFs find the manager by its files",
    "--huge-unlink": "NFs find the manager by its files",
    "-l": "set cpus",
    "-c": "set cpus",
    "-s": "set cpus",
    "-S": "set cpus",
    "-m": "set memory_mb",
}
"""What the driver itself gives, or what would undo it: why, or what to set instead."""


def refusal(words: Sequence[str]) -> str | None:
    """Why a manager may not be given these; None where it may. EAL takes a long option by any beginning of its name,
    and a short one with its value in one word."""
    for word in words:
        if word == "--":
            return "'--' ends EAL's options, and what follows would be the manager's own"
        name = word.partition("=")[0]
        for option, why in _OF_THE_DRIVER.items():
            long = option.startswith("--")
            if (long and len(name) > 2 and option.startswith(name)) or (not long and word.startswith(option)):
                return f"'{word}' is not for `eal`: {why}"
    return None


def cards(words: Sequence[str]) -> list[str]:
    """PCI addresses that are allowed, with their domain."""
    found = (_ADDRESS.fullmatch(value) for value in _allowed(words))
    return [f"{address[1] or '0000'}:{address[2]}".lower() for address in found if address]


def _allowed(words: Sequence[str]) -> Iterator[str]:
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name in _ALLOW:
            yield value if equals else next(iter(words[number + 1 :]), "")
        elif word[:2] in {"-a", "-w"} and not word.startswith("--"):
            yield word[2:]
