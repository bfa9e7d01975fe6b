"""Why an NF or a manager did not start, by what it printed: every failure has exit status 1."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

TAIL_BYTES = 16 * 1024
MAX_REPORTED = 200


@dataclass(frozen=True, slots=True)
class StartFailure:
    """Cause and next step."""

    message: str
    permanent: bool
    """Only another order, or somebody at this host, fixes it."""
    manager_suspect: bool = False
    """The manager may be in disorder: it is started again before the next try."""
    quotes: bool = False
    """What DPDK said before it gave up is quoted as well."""


_TEXTS: tuple[tuple[str, StartFailure], ...] = (
    ("Requested core is not enabled or not in range", StartFailure(
        "OpenNetVM does not give NFs this core: see nf_cpus in opennetvm.toml", permanent=True)),
    ("Requested core is busy", StartFailure(
        "OpenNetVM holds this core for another NF; the manager is started again", permanent=False,
        manager_suspect=True)),
    ("There is no space to assign a dedicated core", StartFailure(
        "another NF has this core; the manager is started again", permanent=False, manager_suspect=True)),
    ("There are no cores available for this NF", StartFailure(
        "OpenNetVM has no core left for NFs: see nf_cpus in opennetvm.toml", permanent=True)),
    ("Selected ID already in use", StartFailure(
        "OpenNetVM holds the instance id for another NF; the next try takes another", permanent=False)),
    ("There are no ids available for this NF", StartFailure(
        "OpenNetVM has no instance ids left; the manager is started again", permanent=False, manager_suspect=True)),
    ("Maximum amount of NF's per service spawned", StartFailure(
        "OpenNetVM holds 32 instances of this service; the manager is started again", permanent=False,
        manager_suspect=True)),
    ("Service ID must be less than", StartFailure(
        "OpenNetVM took the service id for too large, which it also says where `-r` is missing", permanent=True)),
    ("Cannot get lpm region for firewall", StartFailure(
        "the manager has no memory for the firewall's table: raise memory_mb in opennetvm.toml", permanent=True)),
    ("Invalid command-line arguments", StartFailure(
        "the NF refused its arguments: is it of OpenNetVM v21.10?", permanent=True)),
    ("process DPDK version mismatch", StartFailure(
        "the NF and the manager were built against different versions of DPDK: build both again", permanent=True)),
    ("for rte_mem_config", StartFailure(
        "the NF found no manager of its prefix; the manager is started again", permanent=False, manager_suspect=True)),
    ("Fail to send request", StartFailure(
        "the NF's manager does not answer; the manager is started again", permanent=False, manager_suspect=True)),
    ("Is another primary process running?", StartFailure(
        "another DPDK process has this file prefix: end it, or name the manager otherwise in opennetvm.toml",
        permanent=False)),
    ("Cannot init memzone", StartFailure(
        "NFs of an earlier manager with this prefix still live: end them", permanent=False)),
    ("no mounted hugetlbfs found", StartFailure(
        "huge pages are not mounted at huge_dir of opennetvm.toml: `mount -t hugetlbfs none DIR`", permanent=False)),
    ("hugepages reported on node", StartFailure(
        "there are no free huge pages: reserve memory_mb of them (`sextant-agent doctor` says how)", permanent=False)),
    ("Not enough memory available", StartFailure(
        "there are fewer free huge pages than memory_mb of opennetvm.toml asks for", permanent=False)),
    ("Cannot get hugepage information", StartFailure(
        "huge pages cannot be used: `sextant-agent doctor` says why", permanent=False)),
    ("invalid parameter for --lcores", StartFailure(
        "a CPU of opennetvm.toml is not there, or this process may not use it", permanent=True)),
    ("Not enough cores to enabled shared core support", StartFailure(
        "a shared manager needs four CPUs in opennetvm.toml", permanent=True)),
    ("No Ethernet ports", StartFailure(
        "the manager found no port: bind the card to vfio-pci, and name it in `eal` of opennetvm.toml",
        permanent=False)),
    ("Cannot initialise port", StartFailure(
        "the manager cannot set up its port: is its card one that OpenNetVM can drive? It wants a TX queue for each of"
        " `cpus` behind the first two", permanent=False, quotes=True)),
    ("Cannot create runtime directory", StartFailure(
        "DPDK's runtime folder cannot be made: see runtime_dir in opennetvm.toml", permanent=False)),
    ("socket binding, path too long", StartFailure(
        "sockets in DPDK's runtime folder have paths of over 107 bytes: give runtime_dir in opennetvm.toml a shorter"
        " path",
        permanent=True)),
    ("unrecognized option", StartFailure(
        "EAL does not know an option in `eal` of opennetvm.toml", permanent=True)),
    ("Cannot create mbuf pool", StartFailure(
        "the manager's packet buffers do not fit: raise memory_mb in opennetvm.toml", permanent=True)),
    ("Permission denied", StartFailure(
        "a permission is missing (`sextant-agent doctor` says which)", permanent=False)),
    ("No space left on device", StartFailure("the disk is full: free space", permanent=False)),
)  # fmt: skip
_NOISE = re.compile(r"^(EAL: (Detected|Selected|Multi-process|No (free|available) \d|VFIO|Probe)|TELEMETRY:)")
_PROGRESS = re.compile(r"^(Port \d+ |Creating )")
"""What the manager prints on its way."""


def failure_text(output: str, code: int | None) -> StartFailure:
    """What the output says; else its last line, or how the process ended."""
    for text, failure in _TEXTS:
        if text in output:
            quoted = _said_before_the_end(output) if failure.quotes else None
            return (
                failure if quoted is None else replace(failure, message=f"{failure.message}; DPDK said: {_end(quoted)}")
            )
    said = [line.strip() for line in output.splitlines() if line.strip() and not _NOISE.match(line)]
    how = "it did not end" if code is None else f"killed by signal {-code}" if code < 0 else f"exit status {code}"
    return StartFailure(f"{how}; it said: {_end(said[-1])}" if said else how, permanent=False)


def _said_before_the_end(output: str) -> str | None:
    """The line before EAL's last word: DPDK's functions say there why they refuse."""
    before, found, _ = output.partition("EAL: Error - exiting with code")
    lines = [line.strip() for line in before.splitlines() if line.strip()]
    return lines[-1] if found and lines and not _PROGRESS.match(lines[-1]) else None


def _end(line: str) -> str:
    """The cause is at the end, behind paths of any length."""
    return line if len(line) <= MAX_REPORTED else f"...{line[3 - MAX_REPORTED :]}"


def has_failed(output: str) -> bool:
    """Some failures leave a process that lives and does nothing."""
    return any(text in output for text, failure in _TEXTS if failure.permanent)


def tail(path: Path) -> str:
    """The end of a log; empty where it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
