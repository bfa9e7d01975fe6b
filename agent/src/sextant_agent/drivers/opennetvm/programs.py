"""Which program runs for an NF of an order: one of OpenNetVM's, or one of opennetvm.toml; pure.

An NF that fails after it was given an id poisons that id, so that arguments are checked before anything is started.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.opennetvm.programs import STOCK, STOCK_NAMES, WAY_OUT, NoStockProgram, StockProgram, stock_program

from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.opennetvm.installation import PLACEHOLDER, OpenNetVmInstallation, ProgramFile

NEGATIVE = re.compile(r"-[0-9.]+(e[+-]?[0-9]+)?")
MAX_ARGUMENT = 4096
"""Characters; the kernel's own limit is 32 times that."""


class NotRunnable(DriverError):
    """The NF cannot run as ordered here: its field, the reason, and what would."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=True)


@dataclass(frozen=True, slots=True)
class NfProgram:
    """What to start for an NF."""

    binary: Path
    args: tuple[str, ...]
    """Its own; `{next}` stands for the service that it hands packets to."""
    sends_out: bool = False
    """It sends packets to their port itself, and hands none on."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Written into its folder before it starts."""

    def arguments(self, next_service: int | None) -> list[str]:
        """For one place in a chain."""
        return [arg.replace("{next}", str(next_service)) for arg in self.args]


def runnable_types(installation: OpenNetVmInstallation) -> frozenset[str]:
    """NF types whose program is there."""
    stock = {name for name, binary in STOCK.items() if installation.example(binary).is_file()}
    own = {name for name, program in installation.program.items() if program.path.is_file()}
    return frozenset((stock - installation.program.keys()) | own)


def programs(installation: OpenNetVmInstallation) -> tuple[Path, ...]:
    """Every binary that an NF may run."""
    stock = (installation.example(name) for name in STOCK_NAMES)
    return (*stock, *(program.path for program in installation.program.values()))


def program_of(nf: DesiredNf, installation: OpenNetVmInstallation, *, last: bool) -> NfProgram:
    """Raises NotRunnable."""
    own = installation.program.get(nf.runs)
    program = _own(nf, own, last=last) if own is not None else _stock(nf, installation, last=last)
    if not program.binary.is_file():
        raise NotRunnable(
            f"{nf.nf_id}: there is no program at {program.binary}: build it, or name another in opennetvm.toml"
        )
    return program


def way_out(installation: OpenNetVmInstallation) -> NfProgram:
    """What sends packets back to their port behind a last NF that only hands on."""
    return _installed(WAY_OUT, installation)


def _own(nf: DesiredNf, own: ProgramFile, *, last: bool) -> NfProgram:
    if own.sends_out and not last:
        raise NotRunnable(f"{nf.nf_id}: {own.path.name} sends packets out itself, and so must be the last of its chain")
    return NfProgram(own.path, tuple(_filled(nf, arg) for arg in own.args), sends_out=own.sends_out)


def _filled(nf: DesiredNf, arg: str) -> str:
    """Raises NotRunnable, also where a value would be read as another option than opennetvm.toml has in its place."""

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if name == "next":
            return "{next}"
        key = name.removeprefix("config.")
        if key not in nf.config:
            raise NotRunnable(f"{nf.nf_id}: opennetvm.toml asks for '{{{name}}}', which its configuration has not")
        given = nf.config[key]
        if not isinstance(given, str | int | float):
            raise NotRunnable(f"{nf.nf_id}: {key} is no single value, which '{{{name}}}' in opennetvm.toml asks for")
        return _checked(nf, key, str(given))

    filled = PLACEHOLDER.sub(value, arg)
    if filled.startswith("-") and not arg.startswith("-") and not NEGATIVE.fullmatch(filled):
        raise NotRunnable(f"{nf.nf_id}: its configuration makes '{filled[:40]}' of '{arg}', an option to its program")
    return filled


def _checked(nf: DesiredNf, key: str, text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise NotRunnable(f"{nf.nf_id}: {key} holds what is no text: half of a character") from error
    if "\0" in text or len(text) > MAX_ARGUMENT:
        what = "holds a NUL" if "\0" in text else f"has more than {MAX_ARGUMENT} characters"
        raise NotRunnable(f"{nf.nf_id}: {key} {what}, which no argument of a program may")
    return text


def _stock(nf: DesiredNf, installation: OpenNetVmInstallation, *, last: bool) -> NfProgram:
    try:
        return _installed(stock_program(nf.runs, nf.config, last=last), installation)
    except NoStockProgram as no:
        help_with = "" if no.at else "; name a program of your own for it in opennetvm.toml"
        raise NotRunnable(f"{nf.nf_id}: {no}{help_with}") from no


def _installed(stock: StockProgram, installation: OpenNetVmInstallation) -> NfProgram:
    return NfProgram(installation.example(stock.name), stock.args, stock.sends_out, stock.files)
