"""Where packets of a chain are dropped that a later NF has no room for: `backpressure` of the twin's chains."""

from enum import StrEnum


class Backpressure(StrEnum):
    """Three ways, so that they can be compared."""

    NONE = "none"
    """At the ring that is full, after the NFs before it have worked on them."""
    WATERMARKS = "watermarks"
    """Before the first NF, from 80 % of a ring on until it is below 60 %, as by NFVnice; what is in rings by then goes
    on, and is dropped where it finds one full."""
    STRICT = "strict"
    """Before the first NF: none takes more than all rings behind it have room for."""
