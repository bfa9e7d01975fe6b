"""Bodies of the NF types' endpoints."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints
from sextant_domain.base import Frozen, Name

ShortName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,6}[A-Za-z0-9])?$", max_length=8)]
Summary = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")
]


class NfTypeChange(Frozen):
    """A registered NF type as it shall be."""

    short_name: ShortName | None = None
    """For a heat-map cell; left out: the first 8 characters of the name."""
    summary: Summary | None = None
    """Left out: the implementation's."""
    config: dict[str, Any] = Field(default_factory=dict)
    """Defaults that differ from those of the implementation."""


class NfTypeNew(NfTypeChange):
    """An NF type to register."""

    name: Name
    implementation: Name
    """The built-in type whose program runs."""
