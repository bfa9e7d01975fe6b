"""Maintenance windows: times in which no control law acts, in the fleet or on one host."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints

from sextant_domain.base import Frozen, Name

MOST_DAYS = 30
"""A window is over one day: what shall rest for longer has its policy set to manual."""
Reason = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class WindowRequest(Frozen):
    """A window to be."""

    host: Name | None = None
    """None: the whole fleet."""
    starts_at: datetime | None = None
    """With a time zone; None: now."""
    ends_at: datetime
    reason: Reason = Field(description="Shown wherever a law rests, and recorded in the audit log.")


class MaintenanceWindow(Frozen):
    """A time in which no control law observes, recommends or applies anything in the fleet, or on one host."""

    id: int
    host: Name | None
    """None: the whole fleet."""
    starts_at: datetime
    ends_at: datetime
    """As planned, or when somebody ended it."""
    reason: str
    created_by: str
    created_at: datetime
    ended_by: str | None
    """Who ended it before its time."""
    active: bool
    """When this was read."""
