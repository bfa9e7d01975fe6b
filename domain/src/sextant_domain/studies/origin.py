"""What the figures of a study came from."""

from pydantic import Field

from sextant_domain.base import Frozen


class Origin(Frozen):
    """Equal origins and scenarios give equal figures."""

    lab: str
    python: str
    numpy: str
    scipy: str
    engine_core: str
    """SHA-256 of the solver's native core, 16 digits; so of the twin's."""
    twin_core: str
    calibration: str
    data: str
    """Of the twin's machines and NFs."""
    scenario: str
    jax: str | None = Field(default=None, exclude_if=lambda jax: jax is None)
    """Where it trained a network."""
