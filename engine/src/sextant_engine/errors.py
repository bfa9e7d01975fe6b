"""The engine's errors; its native core raises these classes too."""


class BadEngineInput(ValueError):
    """Input that breaks a rule of the problem format.

    `field` is a path of dots and indices (`chains.2.nfs.0`), `message` says what is wrong and what would be right.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


class PlanningCancelled(Exception):
    """Nobody wants the plan any more: there is none."""


class EngineDefect(RuntimeError):
    """The native core broke a rule of its own: a bug of ours, whatever the input."""
