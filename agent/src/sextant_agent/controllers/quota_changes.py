"""Quotas that the agent changed by itself, kept over its restarts for people to read."""

from typing import Literal

import structlog
from pydantic import Field
from sextant_domain.base import Frozen
from sextant_domain.hosts.bounded_quotas import MOST_CHANGES, QuotaChange

log = structlog.get_logger()


class KeptChanges(Frozen):
    """What stands in the file, whose loss is harmless: the kernel has the quotas."""

    format: Literal[1] = 1
    changes: tuple[QuotaChange, ...] = Field(default=(), max_length=MOST_CHANGES)
    """The latest, oldest first."""
