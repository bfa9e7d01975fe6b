"""Start commands as a script for sh: each chain's manager, then its NFs from the last to the first; pure."""

import shlex
from collections.abc import Iterator, Sequence

from sextant_domain.opennetvm.launch import Shared, free_lcore, manager_options, nf_options

from sextant_backend.modules.opennetvm.compatibility import ChainStart, ProgramStart

MEMORY_MB = 2048
HUGE_DIR = "/dev/hugepages"

_HEAD = """\
#!/bin/sh
# {title}
# OpenNetVM v21.10, as root, on the host itself. Set before:
#   ONVM_HOME    OpenNetVM's folder, that with onvm and examples
#   RUN_DIR      where logs and statistics go
#   HUGE_DIR     where huge pages are mounted
#   PORTS_n      ports of the n-th manager, as OpenNetVM's -p: a mask in hexadecimal digits
#   EAL_n        more of its options for EAL: '-a 0000:3b:00.0'
# To end them: kill the NFs of $RUN_DIR/n/pids, then the manager of $RUN_DIR/n/manager.pid.
set -eu
: "${{ONVM_HOME:?is OpenNetVM\'s folder}}"
RUN_DIR=${{RUN_DIR:-/var/tmp/onvm-run}}
HUGE_DIR=${{HUGE_DIR:-/dev/hugepages}}
MANAGER=$ONVM_HOME/onvm/onvm_mgr/${{RTE_TARGET:-x86_64-native-linuxapp-gcc}}/onvm_mgr
"""
_FUNCTIONS = """
# begin FOLDER PIDFILE LOG PROGRAM ...: in the folder, in the background
begin() {
  folder=$1 pids=$2 log=$3
  shift 3
  mkdir -p "$folder"
  (cd "$folder" && exec nohup "$@" >"$log" 2>&1 </dev/null) &
  echo "$!" >>"$pids"
}
# until_there N PID COMMAND ...: wait until it holds, a minute at most
until_there() {
  number=$1 process=$2 tries=300
  shift 2
  until "$@" 2>/dev/null; do
    tries=$((tries - 1))
    if [ "$tries" = 0 ] || ! kill -0 "$process" 2>/dev/null; then
      echo "process $process did not come up: see the logs in $RUN_DIR/$number" >&2
      exit 1
    fi
    sleep 0.2
  done
}
# manages N: the manager writes its statistics
manages() { [ -s "$RUN_DIR/$1/onvm_web/onvm_json_stats.json" ]; }
# serves N SERVICE: they have an NF of that service
serves() {
  awk -F, -v s="$2" 'NF == 24 && $4 == s { found = 1 } END { exit !found }' "$RUN_DIR/$1/onvm_web/onvm_stats.txt"
}
# pin PID CPU: an NF's packet thread is the last it created
pin() {
  taskset -pc "$2" "$(ls "/proc/$1/task" | sort -n | tail -n 1)" >/dev/null
}
"""


def shell_script(title: str, starts: Sequence[ChainStart]) -> str:
    """Words of the placement are quoted, so that none of them is ever more than a word."""
    lines = [_HEAD.format(title=title).rstrip("\n")]
    if starts:
        lines.append(_FUNCTIONS.rstrip("\n"))
    for number, start in enumerate(starts, 1):
        lines += ["", *_chain(number, start)]
    return "\n".join(lines).rstrip("\n") + "\n"


def nf_cpus(start: ChainStart) -> list[int]:
    """CPUs that the manager may give to NFs, the way out among them."""
    return sorted({step.cpu for step in start.steps})


def _chain(number: int, start: ChainStart) -> Iterator[str]:
    shared = Shared(f"onvm-{number}", "$HUGE_DIR")
    yield f"# {number}: chain {start.chain}"
    yield f"PORTS_{number}=${{PORTS_{number}:-1}} EAL_{number}=${{EAL_{number}:-}}"
    yield f'mkdir -p "$RUN_DIR/{number}/onvm_web"'
    yield f'rm -f "$RUN_DIR/{number}/pids" "$RUN_DIR/{number}/manager.pid" "$RUN_DIR/{number}/onvm_web/"onvm_*'
    options = manager_options(
        shared, start.manager_cpus, nf_cpus(start),
        memory_mb=MEMORY_MB, port_mask=1, shares_cores=start.shares_cores, eal=["EAL"],
    )  # fmt: skip
    words = _joined(options)  # with nothing from outside in them
    words = words.replace(" EAL ", f" $EAL_{number} ").replace(" -p 1 ", f' -p "$PORTS_{number}" ')
    folder = f'"$RUN_DIR/{number}/manager" "$RUN_DIR/{number}/manager.pid"'
    yield f'begin {folder} log "$MANAGER" {words}'
    yield f'until_there {number} "$!" manages {number}'
    lcores = _lcores(start)
    for place in reversed(range(len(start.steps))):
        yield from _nf(number, place, start.steps[place], lcores[place], shared)


def _nf(number: int, place: int, step: ProgramStart, lcore: int, shared: Shared) -> Iterator[str]:
    service = place + 1
    folder = f'"$RUN_DIR/{number}/{service}"'
    yield f"# service {service}: {step.nf_id or 'way out'}"
    for name, text in step.program.files.items():
        yield f"mkdir -p {folder}"
        yield f"cat >\"$RUN_DIR/{number}/{service}/{name}\" <<'END'\n{text}END"
    own = [word.replace("{next}", str(service + 1)) for word in step.program.args]
    options = _joined(nf_options(shared, own, lcore=lcore, cpu=step.cpu, service=service))
    program = f'"$ONVM_HOME/examples/{step.program.name}/build/app/{step.program.name}"'
    yield f'begin {folder} "$RUN_DIR/{number}/pids" log {program} {options}'
    yield f'until_there {number} "$!" serves {number} {service}'
    if lcore != step.cpu:
        yield f'pin "$!" {step.cpu}'


def _joined(words: Sequence[str]) -> str:
    """Each quoted, and none expanded but what the head of the script sets."""
    return " ".join('"--huge-dir=$HUGE_DIR"' if word == "--huge-dir=$HUGE_DIR" else shlex.quote(word) for word in words)


def _lcores(start: ChainStart) -> list[int]:
    """Ids that no two processes share; the first on a CPU has its number."""
    taken: list[int] = []
    for step in start.steps:
        lcore = free_lcore(len(start.manager_cpus), step.cpu, taken)
        taken.append(step.cpu if lcore is None else lcore)
    return taken
