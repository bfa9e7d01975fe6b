"""The driver as an agent's settings want it."""

from sextant_agent.contract.driver import Driver
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.settings import AgentSettings


def open_driver(settings: AgentSettings) -> Driver:
    """Raises DriverError."""
    return TestbedDriver(
        settings.host_id,
        settings.state_dir,
        settings.runner,
        cores=settings.cores,
        sharing=settings.shared_cores,
        socket_dir=settings.socket_dir,
        helper_socket=settings.helper_socket,
    )
