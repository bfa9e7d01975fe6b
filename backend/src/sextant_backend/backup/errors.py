"""Why a backup was not made, or not restored."""


class BackupError(Exception):
    """Cause and next step, for whoever gave the command."""

    def __init__(self, cause: str, next_step: str = "") -> None:
        super().__init__(cause + (f" Next: {next_step}." if next_step else ""))
