"""Which runner is ours: written down before it is started, so that a successor of this agent finds it again."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sextant_agent.contract.errors import DataPlaneDown
from sextant_agent.kit.files import write_atomically
from sextant_agent.machine.proc import find_by_argument, is_alive, read_stat

FILE_NAME = "runner.json"


class RunnerIdentity(BaseModel):
    """The runner that belongs to this state folder."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    nonce: str = Field(pattern=r"^[0-9a-f]{32}$")
    socket: Path
    pid: int | None = None
    """None between the moment the start was decided and the moment the process was known."""
    start_time: int | None = None
    note: str | None = None
    """Why it was started in place of another one, for a person."""

    def find(self) -> "RunnerIdentity | None":
        """Itself with its pid known, if that very process is alive; else None."""
        if self.pid is not None and self.start_time is not None:
            return self if is_alive(self.pid, self.start_time) else None
        # The agent died between start and note: the nonce on the command line still says which one is ours.
        pid = find_by_argument(self.nonce)
        found = read_stat(pid) if pid is not None else None
        return self.model_copy(update={"pid": found.pid, "start_time": found.start_time}) if found else None


def load_identity(state_dir: Path) -> RunnerIdentity | None:
    """None where no runner was ever started. Raises DataPlaneDown where the file is damaged."""
    path = state_dir / FILE_NAME
    try:
        return RunnerIdentity.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise DataPlaneDown(
            f"{path} cannot be read, so it is not known which runner is this agent's; "
            "end the runner by hand and remove the file",
            permanent=True,
        ) from error


def save_identity(state_dir: Path, identity: RunnerIdentity) -> None:
    """Written before the runner starts, and again once its pid is known. Raises DataPlaneDown."""
    path = state_dir / FILE_NAME
    try:
        write_atomically(path, identity.model_dump_json(indent=1).encode())
    except OSError as error:
        raise DataPlaneDown(
            f"{path}: {error.strerror or error}, and a runner that is not written down would be lost; "
            "free space or fix the folder"
        ) from error
