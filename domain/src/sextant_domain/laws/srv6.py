"""SRv6-INT's global loop, chains that need more than their hosts can give: its parameters."""

from typing import Annotated, Literal

from pydantic import Field

from sextant_domain.base import Frozen, StrictFloat
from sextant_domain.laws.frame import LawName

SRV6: LawName = "srv6"


class Srv6Parameters(Frozen):
    """What is chosen for it, beside the policy that every law has."""

    law: Literal["srv6"] = "srv6"
    hold_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 1.0
    """An NF must have been above what its bounds tolerate, on a host that has no more for it, for so long (SRv6-INT,
    Algorithm 4: t-hat, there 4 s)."""
    load_percent: Annotated[StrictFloat, Field(ge=10, le=100)] = 80.0
    """Of the highest rate at which a lane was well, so much is planned for each."""
    other_work_percent: Annotated[StrictFloat, Field(ge=0, le=100)] = 100.0
    """Of the time that other programs use of a host's cores, so much counts where a lane looks for room. The rest is
    taken to give way to NFs, as batch work of low priority does: only who runs a host knows."""
    surplus_s: Annotated[StrictFloat, Field(ge=1, le=86_400)] = 30.0
    """A lane less must have done for so long before one goes."""
    rest_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 5.0
    """After lanes were changed nothing is changed of that host's chains for so long."""
    late_s: Annotated[StrictFloat, Field(ge=0, le=3600)] = 2.5
    """Older measurements are not acted on."""
