"""The one error that a person sees: cause, then next step."""

from pathlib import Path


class RunError(Exception):
    """Something that `make up` and its siblings cannot fix by themselves."""

    def __init__(self, cause: str, next_step: str = "", log: Path | None = None) -> None:
        super().__init__(cause)
        self.cause = cause
        self.next_step = next_step
        self.log = log

    def text(self, tail_lines: int = 20) -> str:
        """Cause, the last lines of the log, next step."""
        parts = [self.cause]
        if self.log is not None and self.log.exists():
            lines = self.log.read_text(errors="replace").splitlines()[-tail_lines:]
            parts.append(f"Last lines of {self.log}:")
            parts.extend(f"    {line}" for line in lines)
        if self.next_step:
            parts.append(f"Next: {self.next_step}")
        return "\n".join(parts)
