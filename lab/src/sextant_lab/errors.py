"""The lab's errors."""


class BadScenario(ValueError):
    """A study that cannot be read or run. `field` is a path of dots and indices, `message` says what would be right."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.message = message


class Cancelled(Exception):
    """Nobody wants the study any more."""
