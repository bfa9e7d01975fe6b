"""The lab's errors, beside BadScenario."""


class StudyCancelled(Exception):
    """Nobody wants the study any more."""
