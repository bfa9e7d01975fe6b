"""Why costs cannot be fitted."""

from sextant_backend.kit.errors import SextantError


class CostsNotFitted(SextantError):
    """What ran on the host does not suffice, or what it takes alone is not known."""

    kind, status, title = "costs-not-fitted", 409, "The costs cannot be fitted"
