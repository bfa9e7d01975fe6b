"""The drivers that the agent of a host can have, by the name that its settings give; simulated hosts are served by a
process of their own (`sextant_agent.simulated`)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sextant_agent.contract.driver import Driver
from sextant_agent.contract.names import DriverName
from sextant_agent.doctor.finding import DoctorFinding
from sextant_agent.doctor.sight import Sight
from sextant_agent.drivers.opennetvm import opening as opennetvm
from sextant_agent.drivers.opennetvm.doctor.examine import examine_opennetvm
from sextant_agent.drivers.srv6 import opening as srv6
from sextant_agent.drivers.srv6.doctor import examine_srv6
from sextant_agent.drivers.testbed import opening as testbed
from sextant_agent.drivers.testbed.doctor import examine_testbed
from sextant_agent.settings import AgentSettings


@dataclass(frozen=True, slots=True)
class Registered:
    """What is different from driver to driver outside its folder."""

    open: Callable[[AgentSettings], Driver]
    """Raises DriverError."""
    examine: Callable[[Sight, AgentSettings], Iterator[DoctorFinding]]
    """What the doctor says of its hosts."""


DRIVERS: Mapping[DriverName, Registered] = {
    "testbed": Registered(testbed.open_driver, examine_testbed),
    "opennetvm": Registered(opennetvm.open_driver, examine_opennetvm),
    "srv6": Registered(srv6.open_driver, examine_srv6),
}
