"""What this user may do, of what OpenNetVM needs.

No capability is among it: huge pages, the runtime folder and a card's VFIO group belong to the user, and everybody
may pin threads of his own processes.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from sextant_agent.doctor.finding import DoctorFinding, ok, problem
from sextant_agent.drivers.opennetvm.doctor.world import ExaminedHost

_OWN = Path("/run/sextant-agent/dpdk")


def check_permissions(world: ExaminedHost) -> Iterator[DoctorFinding]:
    """The folder that processes of one prefix meet in."""
    folder, user = world.installation.runtime_dir, world.sight.user.uid
    there = world.sight.at(folder).is_dir()
    if world.sight.may(folder if there else folder.parent, os.W_OK | os.X_OK):
        yield ok("runtime folder", f"{folder}{'' if there else ', created by the first manager'}")
    else:
        what = (
            f"user {user} may not write to {folder}"
            if there
            else f"{folder} does not exist, and user {user} may not create it"
        )
        yield problem(
            "runtime folder", what,
            _give(folder, user),
        )  # fmt: skip


def _give(folder: Path, user: int) -> str:
    if folder.parent.name == "run":  # every user's of DPDK here, root included: a folder for this user alone
        return f'in opennetvm.toml: runtime_dir = "{_OWN}"; then {_give(_OWN, user)}'
    return f"as root: install -d -o {user} -m 0700 {folder} (at every boot: a line in tmpfiles.d)"
