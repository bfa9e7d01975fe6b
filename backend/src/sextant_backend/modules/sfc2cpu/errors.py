"""Why costs cannot be fitted, and networks not promoted or reverted."""

from sextant_backend.kit.errors import SextantError


class CostsNotFitted(SextantError):
    """What ran on the host does not suffice, or what it takes alone is not known."""

    kind, status, title = "costs-not-fitted", 409, "The costs cannot be fitted"


class NetworksRest(SextantError):
    """One was found worse not long ago."""

    kind, status, title = "networks-rest", 409, "No network is promoted for a while"


class NetworkRefused(SextantError):
    """Its weights are not what was stored."""

    kind, status, title = "network-refused", 409, "The network cannot be used"


class NetworkNotInForce(SextantError):
    """There is nothing to revert."""

    kind, status, title = "network-not-in-force", 409, "The network is not in force"
