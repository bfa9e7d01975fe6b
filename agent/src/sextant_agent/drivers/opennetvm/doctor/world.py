"""An OpenNetVM installation as the doctor meets it: its description, what the agent wrote down, and what is found."""

import json
from dataclasses import dataclass
from pathlib import Path

from sextant_agent.doctor.sight import Process, Sight
from sextant_agent.drivers.opennetvm.installation import ManagerPlace, OpenNetVmInstallation
from sextant_agent.drivers.opennetvm.process_registry import ProcessRegistry, registry_path


@dataclass(frozen=True, slots=True)
class ExaminedHost:
    """What every check of an OpenNetVM host is given."""

    sight: Sight
    installation: OpenNetVmInstallation
    """With the paths of the machine, for messages."""
    state_dir: Path
    """Of the driver: process registry and folders of the managers."""

    @property
    def rooted(self) -> OpenNetVmInstallation:
        """The same with its paths below the root, for looking."""
        given = self.installation
        paths = ("home", "manager_binary", "nf_dir", "huge_dir", "runtime_dir")
        moved = {name: self.sight.at(path) for name in paths if (path := getattr(given, name)) is not None}
        own = {name: program.model_copy(update={"path": self.sight.at(program.path)})
               for name, program in given.program.items()}  # fmt: skip
        return given.model_copy(update={**moved, "program": own})

    def agent(self) -> Process | None:
        """That of the state folder; None where none runs, or its note may not be read."""
        try:
            noted = json.loads(self.sight.at(self.state_dir.parent / "agent.json").read_text())
            process = self.sight.processes.get(int(noted["pid"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        ours = process is not None and any("sextant" in word for word in process.arguments)
        return process if ours else None

    def registry(self) -> ProcessRegistry:
        """What the agent has started. Raises RegistryUnreadable, RegistryDamaged: then there are no strangers."""
        return ProcessRegistry(registry_path(self.sight.at(self.state_dir)))

    def running(self, place: ManagerPlace) -> list[Process]:
        """Managers and NFs of this prefix, whoever started them."""
        argument = f"--file-prefix={place.prefix}"
        return [process for process in self.sight.processes.values() if argument in process.arguments]

    def manager_runs(self, place: ManagerPlace) -> bool:
        """A primary process of its prefix lives, and holds its memory."""
        return any("--proc-type=primary" in process.arguments for process in self.running(place))
