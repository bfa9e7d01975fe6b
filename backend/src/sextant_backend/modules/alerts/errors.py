"""What a request about alerts is refused with."""

from sextant_backend.kit.errors import SextantError


class AlertOver(SextantError):
    """Only what fires can be acknowledged."""

    kind, status, title = "alert-over", 409, "The alert does not fire"
