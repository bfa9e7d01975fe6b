"""Answers of the chains' endpoints."""

from sextant_domain.base import Frozen
from sextant_domain.views import ChainView


class ChainSubmitted(Frozen):
    """A stored chain, and the plan that is being made for it."""

    chain: ChainView
    plan_id: int
