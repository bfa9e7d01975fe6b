"""What a change of users is refused with."""

from sextant_backend.kit.errors import SextantError


class LastAdmin(SextantError):
    """Without an active administrator nobody could make one."""

    kind, status, title = "last-admin", 409, "The last active administrator stays"
