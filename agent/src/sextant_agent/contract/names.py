"""What `SEXTANT_AGENT_DRIVER` may say: the keys of `registry`, apart from it because a command that prints its help
loads no driver."""

from typing import Literal

DriverName = Literal["testbed", "opennetvm", "srv6"]
