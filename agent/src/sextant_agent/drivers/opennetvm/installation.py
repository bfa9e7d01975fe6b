"""`opennetvm.toml`: where OpenNetVM is on this host, which managers there are, and NFs of the operator's own."""

import re
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from sextant_domain.base import Name, own_words

from sextant_agent.drivers.opennetvm.eal_options import cards, refusal
from sextant_agent.drivers.opennetvm.limits import MAX_NF_CPU
from sextant_agent.machine.cpulist import MAX_CPUS, parse_cpulist

BUILD = "x86_64-native-linuxapp-gcc"
"""Folder that OpenNetVM's makefiles put binaries into, unless RTE_TARGET says otherwise."""
MAX_BYTES = 64 * 1024


class BadInstallation(Exception):
    """The field, what is wrong with it, and what it should be."""


def _cpus(value: Any) -> Any:
    return parse_cpulist(value) if isinstance(value, str) else value


def _absolute(path: Path) -> Path:
    if not path.is_absolute():
        raise ValueError(f"'{path}' is not an absolute path")
    return path


def _word(text: str) -> str:
    if "\0" in text:
        raise ValueError("holds a NUL, which ends a word of a command line")
    return text


Cpu = Annotated[int, Field(ge=0, lt=MAX_CPUS)]
Cpus = Annotated[tuple[Cpu, ...], BeforeValidator(_cpus)]
"""A list, or as the kernel writes it: `4-7,9`."""
Word = Annotated[str, AfterValidator(_word), Field(max_length=4096)]
AbsolutePath = Annotated[Path, AfterValidator(_absolute)]
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class _Closed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def prefix_of(manager: str) -> str:
    """File prefix of a manager's processes, by its name."""
    return f"sextant-{manager}"


class ManagerPlace(_Closed):
    """One `onvm_mgr`: its CPUs, its port and the CPUs that its NFs may have. One a socket with ports, as a rule."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]{0,11}$")]
    """Part of its file prefix, `sextant-west`."""
    cpus: Annotated[Cpus, Field(min_length=3, max_length=16)]
    """Of its own threads: the first has the master with its statistics and may be shared; RX and TX threads, and where
    `shared` the one that wakes NFs, poll on the others. A CPU may be named twice where there are few."""
    nf_cpus: Annotated[Cpus, Field(min_length=1)]
    way_out_cpu: Cpu | None = None
    """Of the NF that sends packets back to their port, where the last of a chain does not do it itself; default: the
    first of `cpus`."""
    port: Name
    """As the console names it. All of its packets enter one chain."""
    node: int = Field(ge=0)
    """The NUMA node of the port, where packet buffers and rings lie."""
    port_mask: int = Field(default=1, ge=1, le=0xFF)
    """Ports of this manager, as OpenNetVM's `-p` numbers them."""
    memory_mb: int = Field(default=2048, ge=128, le=1 << 20)
    shared: bool = False
    """OpenNetVM's `-c`: NFs sleep while they have no packets, and several may have one CPU. One manager of a host at
    most, since the names of its semaphores hold no prefix."""
    eal: tuple[Word, ...] = ()
    """More options for EAL: `-a 0000:3b:00.0`, `--vdev net_pcap0,...`."""

    @field_validator("eal", mode="after")
    @classmethod
    def _leaves_the_drivers(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        if why := refusal(words):
            raise ValueError(why)
        return words

    @model_validator(mode="after")
    def _fits(self) -> Self:
        beyond = [cpu for cpu in self.nf_cpus if cpu > MAX_NF_CPU]
        if beyond:
            raise ValueError(f"nf_cpus: OpenNetVM knows NF cores up to {MAX_NF_CPU}, not {beyond[0]}")
        if self.shared and len(self.cpus) < 4:
            raise ValueError("cpus: a shared manager needs four: master, RX, TX and the thread that wakes NFs")
        return self

    @property
    def prefix(self) -> str:
        """Of its shared files: never DPDK's default, which may be somebody else's."""
        return prefix_of(self.name)


class ProgramFile(_Closed):
    """An NF of the operator's own in place of the stock one, or of one that OpenNetVM has not."""

    path: AbsolutePath
    args: tuple[Word, ...] = ()
    """Its own arguments: `{next}` is the service that it hands packets to, `{config.NAME}` a property of the
    configuration."""
    sends_out: bool = False
    """It sends packets to a port itself, and so can only be the last of a chain."""

    @model_validator(mode="after")
    def _asks_for_what_there_is(self) -> Self:
        for name in (name for arg in self.args for name in PLACEHOLDER.findall(arg)):
            if name == "next" and self.sends_out:
                raise ValueError("args: '{next}': what sends packets out itself hands them to nobody")
            if name != "next" and not re.fullmatch(r"config\..+", name):
                raise ValueError(f"args: '{{{name}}}' is neither '{{next}}' nor '{{config.NAME}}'")
        return self


class OpenNetVmInstallation(_Closed):
    """The whole file."""

    home: AbsolutePath
    """OpenNetVM's folder, that with `onvm` and `examples`."""
    target: str = Field(default=BUILD, pattern=r"^[A-Za-z0-9_.-]{1,64}$")
    manager_binary: AbsolutePath | None = None
    """Default: `onvm/onvm_mgr/TARGET/onvm_mgr` in the home."""
    nf_dir: AbsolutePath | None = None
    """One folder with the binaries of all stock NFs; default: `examples/NAME/build/app/NAME` in the home."""
    huge_dir: AbsolutePath = Path("/dev/hugepages")
    runtime_dir: AbsolutePath = Path("/var/run/dpdk")
    """Where DPDK keeps what processes of one prefix share: they find each other only if all were given the same."""
    manager: tuple[ManagerPlace, ...] = Field(min_length=1, max_length=8)
    program: dict[Name, ProgramFile] = Field(default_factory=dict)
    """By NF type."""

    @field_validator("runtime_dir", mode="after")
    @classmethod
    def _is_dpdks(cls, path: Path) -> Path:
        if path.name != "dpdk":
            raise ValueError(f"'{path}' does not end in /dpdk, which DPDK puts behind its runtime folder")
        return path

    @model_validator(mode="after")
    def _managers_differ(self) -> Self:
        for field in ("name", "port"):
            name, number = Counter(getattr(place, field) for place in self.manager).most_common(1)[0]
            if number > 1:
                raise ValueError(f"manager: two have the {field} '{name}'")
        named: dict[str, str] = {}
        for place in self.manager:
            for card in dict.fromkeys(cards(place.eal)):
                if card in named:
                    raise ValueError(f"manager: '{named[card]}' and '{place.name}' both have the card {card}")
                named[card] = place.name
        held: dict[int, str] = {}
        for place in self.manager:
            for cpu in place.nf_cpus:
                if cpu in held:
                    raise ValueError(f"manager: '{held[cpu]}' and '{place.name}' both give NFs CPU {cpu}")
                held[cpu] = place.name
        if sum(place.shared for place in self.manager) > 1:
            raise ValueError("manager: only one may be shared: the names of OpenNetVM's semaphores hold no prefix")
        return self

    @property
    def environment(self) -> dict[str, str]:
        """DPDK heeds this variable before all others, and systemd sets it to what is the agent's own."""
        return {"RUNTIME_DIRECTORY": str(self.runtime_dir.parent)}

    @property
    def manager_path(self) -> Path:
        """The manager's binary."""
        return self.manager_binary or self.home / "onvm" / "onvm_mgr" / self.target / "onvm_mgr"

    def example(self, name: str) -> Path:
        """A stock NF's binary."""
        return self.nf_dir / name if self.nf_dir else self.home / "examples" / name / "build" / "app" / name


def read_installation(path: Path) -> OpenNetVmInstallation:
    """Raises BadInstallation naming the field."""
    try:
        found = path.stat()
        if not S_ISREG(found.st_mode):  # a pipe would be waited for, for ever
            raise BadInstallation(f"{path}: is no file")
        if found.st_size > MAX_BYTES:
            raise BadInstallation(f"{path}: larger than {MAX_BYTES} bytes, and so no description of an installation")
        text = path.read_text()
        return OpenNetVmInstallation.model_validate(tomllib.loads(text))
    except OSError as error:
        raise BadInstallation(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInstallation(f"{path}: {error}") from error
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        message = own_words(first["msg"])
        line = line_of(text, first["loc"])
        at = f"line {line}: " if line else ""
        raise BadInstallation(f"{path}: {at}{where + ': ' if where else ''}{message}") from error


def line_of(text: str, loc: Sequence[int | str]) -> int | None:
    """Of a field that is wrong: of its key, else of the table that it is in or is missing from; None where neither is
    written as such (`manager = [{...}]`). Of well-formed TOML."""
    words = list(loc)
    table, number = "", 0
    if words and words[0] in {"manager", "program"} and len(words) > 1:
        number = words[1] + 1 if isinstance(words[1], int) else 1
        table = "[[manager]]" if words[0] == "manager" else f"[program.{words[1]}]"
        words = words[2:]
    key = words[0] if words else None
    found, inside = None, not table
    for line, written in enumerate(text.splitlines(), 1):
        bare = written.split("#")[0].replace(" ", "").replace('"', "")
        if bare.startswith("["):
            if inside:
                break
            number -= bare == table
            inside = bare == table and number == 0
            found = line if inside else found
        elif inside and key is not None and bare.partition("=")[0] == key:
            return line
    return found
