"""How the helper says no."""


class HelperRefusal(Exception):
    """A request that is not carried out: a code for programs, the field at fault, and words for a person."""

    def __init__(self, code: str, field: str | None, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.field = field
        self.message = message


class Unusable(Exception):
    """What keeps the helper from setting anything at all on this machine: the cause, then the next step."""


class HeldByAnotherHelper(Unusable):
    """Another helper works on the same groups."""
