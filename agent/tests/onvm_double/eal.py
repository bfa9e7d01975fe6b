"""DPDK's environment layer as far as OpenNetVM's processes meet it: its options, the files of a prefix, who may be the
primary process, and its refusals."""

import fcntl
import os
import re
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from .memory import MAGIC, MAX_LCORES, Memory, memory_file
from .settings import Settings

DEFAULT_PREFIX = "rte"
TSC_KHZ = 2_600_000
"""Of the time-stamp counter; EAL logs it where its log level is debug."""
_FLAGS = {"--no-pci", "--no-huge", "--in-memory", "--no-telemetry", "--legacy-mem", "--single-file-segments"}
_VALUES = {
    "--lcores", "-l", "-c", "-n", "-m", "--proc-type", "--file-prefix", "--huge-dir", "--base-virtaddr", "--vdev", "-a",
    "--allow", "-b", "--block", "--socket-mem", "--main-lcore", "--log-level", "--iova-mode", "-d",
}  # fmt: skip


class EalRefused(Exception):
    """`rte_eal_init` failed; everything was said."""


def says(text: str) -> None:
    """To standard error, at once."""
    print(text, file=sys.stderr, flush=True)


class Eal:
    """A process that has its place among those of a prefix."""

    def __init__(self, settings: Settings, options: "Options", folder: Path) -> None:
        self.settings, self.options, self.folder = settings, options, folder
        self.files: list[Path] = []
        """Of this process alone."""
        self.locks: list[int] = []
        self.epoch = ""
        """Of the configuration that it found."""

    def exit_failed(self, cause: str, code: int = 1) -> NoReturn:
        """`rte_exit`: takes its own files away, notifies nobody else."""
        says(f"EAL: Error - exiting with code: {code}\n  Cause: {cause}")
        for path in self.files:
            path.unlink(missing_ok=True)
        sys.stdout.flush()
        os._exit(code & 0xFF)

    def config_epoch(self) -> str:
        """Another than at the start: a manager that was refused has spoilt what its predecessor's NFs live on."""
        with suppress(OSError, IndexError):
            return (self.folder / "config").read_text().split("\n")[1]
        return ""


class Options:
    """Of a command line before its first `--`."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.lcores: dict[int, frozenset[int]] = {}
        """CPUs by lcore id, the main lcore first."""
        self.primary = True
        self.prefix = DEFAULT_PREFIX
        self.huge_dir = Path("/dev/hugepages")
        self.memory_mb = 0
        self.vdevs: list[str] = []
        self.debug = False

    @property
    def main_lcore(self) -> int:
        return next(iter(self.lcores))


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """Before and behind the first `--`."""
    if "--" not in words:
        return words, []
    return words[: words.index("--")], words[words.index("--") + 1 :]


def parse(binary: str, words: list[str]) -> Options:
    """Raises EalRefused."""
    says(f"EAL: Detected CPU lcores: {os.cpu_count()}\nEAL: Detected NUMA nodes: 1")
    options = Options(words)
    rest = list(words)
    while rest:
        word, equals, value = rest.pop(0).partition("=")
        if word in _FLAGS:
            continue
        if word not in _VALUES or (not equals and not rest):
            problem = "option '{}' requires an argument" if word in _VALUES else "unrecognized option '{}'"
            _refuse_usage(binary, f"{binary}: {problem.format(word)}")
        _take(options, binary, word, value if equals else rest.pop(0))
    if not options.lcores:
        options.lcores = {cpu: frozenset({cpu}) for cpu in sorted(os.sched_getaffinity(0))}
    return options


def _take(options: Options, binary: str, word: str, value: str) -> None:
    if word in {"--lcores", "-l"}:
        options.lcores = _lcores(binary, value)
    elif word == "--proc-type":
        options.primary = value == "primary"
    elif word == "--file-prefix":
        options.prefix = value
    elif word == "--huge-dir":
        options.huge_dir = Path(value)
    elif word == "-m":
        options.memory_mb = int(value)
    elif word == "--log-level":
        options.debug = value == "lib.eal:debug"
    elif word == "--vdev":
        if not re.match(r"net_(null|ring|pcap|tap|af_packet)", value):
            says(f"EAL: failed to parse device \"{value}\"\nEAL: Unable to parse device '{value}'")
            raise EalRefused
        options.vdevs.append(value)


def _lcores(binary: str, text: str) -> dict[int, frozenset[int]]:
    """`0,2-3,64@1`."""
    found: dict[int, frozenset[int]] = {}
    for part in text.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?(?:@(\d+))?", part)
        if match is None:
            _refuse_usage(binary, "EAL: invalid parameter for --lcores")
        first, last = int(match[1]), int(match[2] or match[1])
        for lcore in range(first, last + 1):
            cpu = int(match[3] or lcore)
            if lcore >= MAX_LCORES or cpu not in os.sched_getaffinity(0):
                says(f"EAL: core {cpu} unavailable")
                _refuse_usage(binary, "EAL: invalid parameter for --lcores")
            found[lcore] = frozenset({cpu})
    return found


def _refuse_usage(binary: str, text: str) -> NoReturn:
    says(text)
    print(f"\nUsage: {binary} [options]\n")
    raise EalRefused


def runtime_folder(settings: Settings, prefix: str) -> Path:
    """systemd's RUNTIME_DIRECTORY comes first, also for root."""
    if settings.runtime_dir is not None:
        return Path(settings.runtime_dir) / prefix
    root = "/var/run" if os.getuid() == 0 else os.environ.get("XDG_RUNTIME_DIR", "/tmp")
    return Path(os.environ.get("RUNTIME_DIRECTORY", root)) / "dpdk" / prefix


def start_primary(settings: Settings, options: Options) -> tuple[Eal, Memory]:
    """Raises EalRefused."""
    eal = Eal(settings, options, runtime_folder(settings, options.prefix))
    _make_runtime_folder(eal.folder)
    config = os.open(eal.folder / "config", os.O_RDWR | os.O_CREAT, 0o600)
    eal.locks.append(config)
    try:
        fcntl.lockf(config, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        says(f"EAL: Cannot create lock on '{eal.folder}/config'. Is another primary process running?")
        _fatal("Cannot init config", error)
    eal.epoch = os.urandom(8).hex()
    os.ftruncate(config, 0)
    os.write(config, f"DPDK {settings.dpdk}\n{eal.epoch}\n".encode())
    says("EAL: Detected shared linkage of DPDK")
    _listen(eal.folder / "mp_socket")
    says(f"EAL: Multi-process socket {eal.folder}/mp_socket\nEAL: Selected IOVA mode 'PA'")
    _take_memory(eal)
    if options.debug:
        says(f"EAL: TSC frequency is ~{TSC_KHZ} KHz")
    _clean(eal)
    memory = Memory(memory_file(options.huge_dir, options.prefix), create=True)
    says("TELEMETRY: No legacy callbacks, legacy socket not created")
    return eal, memory


def _make_runtime_folder(folder: Path) -> None:
    """`dpdk` and the prefix below it; what is above must be there."""
    for made in (folder.parent, folder):
        try:
            made.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            says(f"EAL: Error creating '{made}': {error.strerror}\nEAL: Cannot create runtime directory")
            _fatal("Invalid 'command line' arguments.", error)


def _take_memory(eal: Eal) -> None:
    asked, there = eal.options.memory_mb, eal.settings.hugepages_mb
    if not eal.options.huge_dir.is_dir():
        says(f"EAL: {there // 2} hugepages of size 2097152 reserved, but no mounted hugetlbfs found for that size")
        _fatal("Cannot get hugepage information.")
    if not there:
        says("EAL: No free 2048 kB hugepages reported on node 0")
        _fatal("Cannot get hugepage information.")
    zones = os.open(eal.folder / "fbarray_memzone", os.O_RDWR | os.O_CREAT, 0o600)
    eal.locks.append(zones)
    try:
        fcntl.flock(zones, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        says("EAL: Cannot allocate memzone list")
        _fatal("Cannot init memzone", error)
    fcntl.flock(zones, fcntl.LOCK_SH)
    if asked > there:
        says(f"EAL: Not enough memory available! Requested: {asked}MB, available: {there}MB")
        _fatal("Cannot init memory")


def _clean(eal: Eal) -> None:
    """Of processes that are gone; nobody else lives, or the lock would not be ours."""
    for path in (*eal.folder.glob("fbarray_memseg*_*"), *eal.folder.glob("mp_socket_*")):
        path.unlink(missing_ok=True)
    for number in range(4):
        (eal.folder / f"fbarray_memseg-2048k-0-{number}").touch(mode=0o600)
    (eal.folder / "hugepage_info").touch(mode=0o600)


def start_secondary(settings: Settings, options: Options) -> tuple[Eal, Memory]:
    """Raises EalRefused."""
    eal = Eal(settings, options, runtime_folder(settings, options.prefix))
    says("EAL: Detected shared linkage of DPDK")
    config = eal.folder / "config"
    try:
        version, eal.epoch = config.read_text().split("\n")[:2]
    except (OSError, ValueError) as error:
        says(f"EAL: Cannot open '{config}' for rte_mem_config")
        _fatal("Cannot init config", error)
    if version != f"DPDK {settings.dpdk}":
        says("EAL: Primary and secondary process DPDK version mismatch")
        _fatal("Cannot init config")
    own = eal.folder / f"mp_socket_{os.getpid()}_{os.urandom(6).hex()}"
    _listen(own)
    eal.files.append(own)
    for number in range(4):
        eal.files.append(eal.folder / f"fbarray_memseg-2048k-0-{number}_{os.getpid()}")
        eal.files[-1].touch(mode=0o600)
    says(f"EAL: Multi-process socket {own}")
    zones = os.open(eal.folder / "fbarray_memzone", os.O_RDWR)
    fcntl.flock(zones, fcntl.LOCK_SH)
    eal.locks.append(zones)
    if not _answers(eal.folder / "mp_socket"):
        says(f"EAL: Fail to send request {eal.folder}/mp_socket:bus_vdev_mp")
        says("vdev_scan(): Failed to request vdev from primary")
    says("EAL: Selected IOVA mode 'PA'")
    try:
        memory = Memory(memory_file(options.huge_dir, options.prefix), create=False)
    except (OSError, ValueError):
        eal.exit_failed("No NF Info mempool - bye")
    if memory.shared.magic != MAGIC:
        eal.exit_failed("No NF Info mempool - bye")
    return eal, memory


def _listen(path: Path) -> None:
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    with near(path) as name:
        listener.bind(name)
    _SOCKETS.append(listener)


_SOCKETS: list[socket.socket] = []
"""Open as long as the process lives."""


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking, suppress(OSError), near(path) as name:
        asking.connect(name)
        return True
    return False


class near:  # noqa: N801 - used as a function
    """A socket's name from within its folder: an address holds 107 bytes, and folders of tests are deep."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> str:
        self._folder = os.open(self._path.parent, os.O_RDONLY)
        return f"/proc/self/fd/{self._folder}/{self._path.name}"

    def __exit__(self, *_: object) -> None:
        os.close(self._folder)


def _fatal(text: str, cause: BaseException | None = None) -> NoReturn:
    says(f"EAL: FATAL: {text}\nEAL: {text}")
    raise EalRefused from cause
