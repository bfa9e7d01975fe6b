"""What a change of users is refused with."""

from sextant_backend.kit.errors import SextantError


class NotLocal(SextantError):
    """The account is the identity provider's: its password, and the groups that give its role, are there."""

    kind, status, title = "not-local-account", 409, "The user signs in by an identity provider"


class LastAdmin(SextantError):
    """Without an active administrator nobody could make one."""

    kind, status, title = "last-admin", 409, "The last active administrator stays"
