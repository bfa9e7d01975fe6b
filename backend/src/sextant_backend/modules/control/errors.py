"""Refusals."""

from sextant_backend.kit.errors import SextantError


class RecommendationDecided(SextantError):
    """It is not open any more."""

    kind, status, title = "recommendation-decided", 409, "The recommendation is not open any more"


class NotTrusted(SextantError):
    """Nothing is applied by itself on figures that have not held."""

    kind, status, title = "not-trusted", 409, "A predictor in use is distrusted"


class PolicyChanged(SextantError):
    """All laws were stopped, a policy of the law was changed, or maintenance has begun, since it was decided to apply
    it."""

    kind, status, title = "policy-changed", 409, "Nothing is applied by itself under a former policy"
