"""Bodies of the endpoints of shared cores."""

from sextant_domain.base import Frozen, Name


class HostCostFitRequest(Frozen):
    """Whose costs shall be fitted."""

    host: Name
