"""Bodies of the endpoints of fits."""

from pydantic import Field
from sextant_domain.base import Frozen, Name

MAX_HOST_MODEL = 200


class FitRequest(Frozen):
    """Whose profiles shall be fitted."""

    host_model: str = Field(min_length=1, max_length=MAX_HOST_MODEL)


class PromotionRequest(Frozen):
    """Which models of a fit plans shall use from now on."""

    nf_types: tuple[Name, ...] | None = Field(default=None, min_length=1, max_length=200)
    """None: the fit as a whole, without those of its models that cannot be promoted."""
