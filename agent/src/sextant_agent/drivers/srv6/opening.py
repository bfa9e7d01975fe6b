"""The driver as an agent's settings want it."""

from sextant_agent.contract.driver import Driver
from sextant_agent.contract.errors import DriverError
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_agent.drivers.srv6.place import BadPlace, read_place
from sextant_agent.settings import AgentSettings


def open_driver(settings: AgentSettings) -> Driver:
    """By srv6.toml. Raises DriverError."""
    try:
        place = read_place(settings.srv6)
    except BadPlace as error:
        raise DriverError(str(error), permanent=True) from error
    return Srv6Driver(
        settings.host_id, settings.state_dir, place, cores=settings.cores, sharing=settings.shared_cores,
        socket_dir=settings.socket_dir, helper_socket=settings.helper_socket,
    )  # fmt: skip
