"""Start the root helper: python -I -m sextant_agent.helper --help."""

import argparse
import hashlib
import json
import os
import pwd
import re
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from sextant_agent.helper import resctrl_files, rights, server
from sextant_agent.helper.cpu_files import cpu_files
from sextant_agent.helper.groups import CpuGroups
from sextant_agent.helper.hierarchy import find_hierarchy
from sextant_agent.helper.refusal import HeldByAnotherHelper, HelperRefusal, Unusable
from sextant_agent.helper.resctrl_groups import ResctrlGroups
from sextant_agent.helper.verbs import Verbs

HOST_ID = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
STOPS = frozenset({signal.SIGTERM, signal.SIGINT})
LEAST_PERCENT, MOST_PERCENT = 1.0, 100_000.0
PATIENCE_S = 5.0
"""For a helper that is just ending."""


def main() -> None:
    """Serve until SIGTERM, or with --clean remove this installation's empty groups and end."""
    if os.geteuid() != 0 and not {"-h", "--help"} & {*sys.argv}:
        sys.exit("the helper does what needs root: start it as root")
    chosen = _arguments()
    try:
        if chosen.clean:
            _clean(chosen)
        else:
            _serve(chosen)
    except (Unusable, HelperRefusal) as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"{error.filename or chosen.socket}: {error.strerror or error}")


def subtree_name(host_id: str, path: Path) -> str:
    """Two installations on one machine may have the same host id, but never the same socket."""
    return f"{host_id}.{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"


def _serve(chosen: argparse.Namespace) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # of every thread that comes: who waits for them misses none
    groups, version, why_not = _open_groups(chosen)
    resctrl = ResctrlGroups(subtree_name(chosen.host_id, chosen.socket))
    _clean_resctrl(resctrl)
    listener = server.listen(chosen.socket, chosen.agent_uid, _group_of(chosen.agent_uid))
    # A mounted resctrl is writable by nobody, and may be mounted later.
    override = (groups is not None and groups.needs_override) or resctrl_files.FEATURE.is_dir()
    kept = rights.drop({rights.CAP_SYS_PTRACE} | ({rights.CAP_DAC_OVERRIDE} if override else set()))
    programs = frozenset(map(str, chosen.program))
    verbs = Verbs(groups, why_not, resctrl, cgroup=version, programs=programs, uid=chosen.agent_uid)
    threading.Thread(target=_shut_down_at_signals, args=(listener,), daemon=True).start()
    no_ways, no_bandwidth = resctrl.cannot()
    _log(
        "helper serves", socket=str(chosen.socket), cgroup=version, cannot=why_not, no_ways=no_ways,
        no_bandwidth=no_bandwidth, rights_kept=kept,
    )  # fmt: skip
    server.HelperServer(listener, chosen.agent_uid, verbs.answer, _log).serve()
    verbs.close()
    _log("helper ended")


def _shut_down_at_signals(listener: socket.socket) -> None:
    """A handler would be run by the thread that accepts, and not before its next connection where the signal comes just
    as it begins to wait."""
    signal.sigwait(STOPS)
    listener.shutdown(socket.SHUT_RDWR)


def _open_groups(chosen: argparse.Namespace) -> tuple[CpuGroups | None, int | None, str | None]:
    """The groups and the cgroup version, or why there are none: a helper that can do nothing still reports that."""
    version = None
    try:
        version, groups = _groups(chosen)
        groups.open(patience_s=PATIENCE_S)
        removed = [*groups.clean(), *groups.remove_abandoned()]
    except HeldByAnotherHelper:
        raise
    except Unusable as error:
        return None, version, str(error)
    except OSError as error:
        return None, version, f"{error.filename}: {error.strerror}"
    if removed:
        _log("removed what no process is in", removed=removed)
    return groups, version, None


def _clean_resctrl(resctrl: ResctrlGroups) -> None:
    """What an earlier helper left without threads, or half done; where the kernel refuses, refusals say why."""
    try:
        removed = resctrl.clean()
    except (OSError, HelperRefusal) as error:
        _log("resctrl could not be cleaned", cause=str(error))
    else:
        if removed:
            _log("removed groups of resctrl that no thread is in", removed=removed)


def _clean(chosen: argparse.Namespace) -> None:
    left: set[str] = set()
    with suppress(Unusable):  # then no groups can ever have been made
        _, groups = _groups(chosen)
        if groups.is_there():
            groups.open(patience_s=PATIENCE_S)
            groups.clean()
            groups.remove_abandoned()
            if not groups.remove_subtree():
                left.update(groups.nf_ids())
    resctrl = ResctrlGroups(subtree_name(chosen.host_id, chosen.socket))
    resctrl.clean()
    with suppress(HelperRefusal):  # there is no resctrl
        left.update(one.owner for one in resctrl.read())
    if left:
        raise Unusable(f"processes run in the groups of {', '.join(sorted(left))}: end them first")


def _groups(chosen: argparse.Namespace) -> tuple[int, CpuGroups]:
    found = find_hierarchy(Path("/proc/self/mountinfo").read_text())
    name = subtree_name(chosen.host_id, chosen.socket)
    return found.version, CpuGroups(cpu_files(found), name, chosen.cpu_percent)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -I -m sextant_agent.helper", description=__doc__)
    parser.add_argument("--socket", type=_socket, required=True, help="where the agent looks for it")
    parser.add_argument("--host-id", type=_host_id, required=True, help="the agent's host id")
    parser.add_argument(
        "--program", type=_absolute, action="append", default=[], metavar="PATH",
        help="a program that NFs run: only its processes are placed; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--agent-uid", type=_user, help="the user the agent runs as, number or name: only this one may ask"
    )
    parser.add_argument(
        "--cpu-percent", type=_percent, metavar="P", help="what all NFs together may use, of a core (no limit)"
    )
    parser.add_argument("--clean", action="store_true", help="remove what no process is in, and end")
    chosen = parser.parse_args()
    if not chosen.clean and (not chosen.program or chosen.agent_uid is None):
        parser.error("--program and --agent-uid are needed to serve")
    return chosen


def _absolute(text: str) -> Path:
    path = Path(text)
    if not path.is_absolute():
        raise argparse.ArgumentTypeError("is not an absolute path")
    return path.resolve()


def _socket(text: str) -> Path:
    """Its folder's links are followed; its own name is not, for it could be a link to any file."""
    path = Path(text)
    return _absolute(str(path.parent)) / path.name


def _host_id(text: str) -> str:
    if not HOST_ID.fullmatch(text):
        raise argparse.ArgumentTypeError("is not a host id: lower case, digits and hyphens")
    return text


def _percent(text: str) -> float:
    """Of one core: 150 is one and a half."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not LEAST_PERCENT <= found <= MOST_PERCENT:
        raise argparse.ArgumentTypeError(f"is not a number from {LEAST_PERCENT:g} to {MOST_PERCENT:g}")
    return found


def _user(text: str) -> int:
    try:
        return int(text) if text.isdecimal() else pwd.getpwnam(text).pw_uid
    except KeyError:
        raise argparse.ArgumentTypeError("is no user of this machine") from None


def _group_of(uid: int) -> int:
    """The user's own group, by the user list; a user that is not in it has the group of its number."""
    try:
        return pwd.getpwuid(uid).pw_gid
    except KeyError:
        return uid


def _log(event: str, **more: object) -> None:
    """A JSON line on stderr, as everywhere."""
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    print(json.dumps({"event": event, "timestamp": moment, "process": "helper", **more}), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
