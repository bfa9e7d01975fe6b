"""Why shares cannot be put in use, or taken out of it."""

from sextant_backend.kit.errors import SextantError


class SharesNotPromotable(SextantError):
    """They are in use already, are stale, or are on no line."""

    kind, status, title = "not-promotable", 409, "The shares cannot be promoted"


class SharesNotInUse(SextantError):
    """Only what is in use can be retired."""

    kind, status, title = "action-not-allowed", 409, "The shares cannot be retired"
