"""Why levels cannot be put in use, or taken out of it."""

from sextant_backend.kit.errors import SextantError


class LevelsNotPromotable(SextantError):
    """They are in use already, are stale, or hold no level."""

    kind, status, title = "not-promotable", 409, "The levels cannot be promoted"


class LevelsNotInUse(SextantError):
    """Only what is in use can be retired."""

    kind, status, title = "action-not-allowed", 409, "The levels cannot be retired"
