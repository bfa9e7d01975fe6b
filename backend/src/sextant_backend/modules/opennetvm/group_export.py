"""Start commands as a group file for `examples/run_group.py`; pure.

`go.sh` cuts its words at every `--`, and so takes short options only: NFs of a group have DPDK's default prefix, one
manager, and a core each.
"""

import json
import shlex
from collections import Counter
from collections.abc import Sequence

from sextant_domain.opennetvm.launch import Shared, manager_options
from sextant_domain.opennetvm.programs import MAX_SERVICE
from sextant_domain.opennetvm.views import StartRefusal

from sextant_backend.modules.opennetvm.compatibility import ChainStart, ProgramStart
from sextant_backend.modules.opennetvm.group_file import GLOBALS, MARK
from sextant_backend.modules.opennetvm.shell_script import HUGE_DIR, MEMORY_MB, nf_cpus

DEFAULT_PREFIX = "rte"
"""DPDK's."""
LOGS = "sextant-logs"


class GroupText:
    """The file as it grows."""

    def __init__(self) -> None:
        self.files: dict[str, str] = {}
        self._entries: dict[str, list[dict[str, str]]] = {}
        self._marks: dict[str, str | None] = {}

    @property
    def services(self) -> int:
        """Given so far."""
        return len(self._marks)

    def add(self, start: ChainStart) -> None:
        """A chain, from its last NF to its first."""
        first = self.services + 1
        for place, step in enumerate(start.steps):
            self._marks[str(first + place)] = step.nf_id
        for place, step in reversed(list(enumerate(start.steps))):
            entry = {"parameters": self._parameters(step, first + place)}
            self._entries.setdefault(step.program.name, []).append(entry)

    def text(self) -> str:
        """JSON. Empty of chains where none was added."""
        head = {GLOBALS: [{"directory": LOGS}, {MARK: self._marks}]}
        return json.dumps({**head, **self._entries}, indent=2) + "\n"

    def _parameters(self, step: ProgramStart, service: int) -> str:
        own = [word.replace("{next}", str(service + 1)) for word in step.program.args]
        for name, text in step.program.files.items():
            renamed = f"{step.nf_id}.{name}"
            self.files[f"{step.program.name}/{renamed}"] = text
            own = [renamed if word == name else word for word in own]
        # -l4 in one word: run_group.py calls logs after the first word, and two of one name would overwrite each other
        return f"-l{step.cpu} -- -m -r {service} -s -- {shlex.join(own)}"


def write_group(starts: Sequence[ChainStart]) -> tuple[GroupText, list[StartRefusal], str]:
    """The file, what it cannot hold, and the command of its manager."""
    group, refused, written = GroupText(), [], list[ChainStart]()
    for start in starts:
        why = _why_not(start, group, written)
        if why is None:
            group.add(start)
            written.append(start)
        else:
            refused.append(StartRefusal(chain=start.chain, nf_id=None, field="nfs", message=why, group_only=True))
    return group, refused, _manager(written)


def _why_not(start: ChainStart, group: GroupText, written: Sequence[ChainStart]) -> str | None:
    twice = next((cpu for cpu, number in Counter(step.cpu for step in start.steps).items() if number > 1), None)
    if twice is not None:
        return f"two share core {twice}: go.sh cannot give them ids of their own"
    held = {step.cpu for other in written for step in other.steps}
    both = next((step.cpu for step in start.steps if step.cpu in held), None)
    if both is not None:
        return f"core {both} is that of another chain's NF: go.sh cannot give them ids of their own"
    services = group.services + len(start.steps)
    if services > MAX_SERVICE:
        return f"the group would have {services} services, with ways out: a manager has {MAX_SERVICE}"
    return None


def _manager(starts: Sequence[ChainStart]) -> str:
    if not starts:
        return ""
    cpus = sorted({cpu for start in starts for cpu in nf_cpus(start)})
    shared = Shared(DEFAULT_PREFIX, HUGE_DIR)
    options = manager_options(
        shared, starts[0].manager_cpus, cpus, memory_mb=MEMORY_MB, port_mask=1, shares_cores=False
    )
    return f"./onvm_mgr {shlex.join(options)}"
