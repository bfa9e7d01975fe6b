"""What an agent writes down of what it has started, so that a successor finds it again."""

from pydantic import BaseModel, ConfigDict

from sextant_agent.control.running import Running


class RecordEntry(BaseModel):
    """Fields of later versions are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class RecordedProcess(RecordEntry):
    """One process, known by pid and start time."""

    pid: int | None = None
    """None while it is being started, and where it could not be."""
    start_time: int = 0

    @property
    def running(self) -> Running | None:
        """Dead or alive."""
        return None if self.pid is None else Running(self.pid, self.start_time)

    @property
    def alive(self) -> bool:
        """Whether this very process lives."""
        return self.running is not None and self.running.alive
