"""The lab's errors, beside BadScenario."""


class Cancelled(Exception):
    """Nobody wants the study any more."""
