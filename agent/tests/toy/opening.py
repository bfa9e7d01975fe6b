"""The driver as an agent's settings want it."""

from sextant_agent.contract.driver import Driver
from sextant_agent.settings import AgentSettings

from .driver import ToyDriver


def open_driver(settings: AgentSettings) -> Driver:
    """Nothing can be in its way."""
    return ToyDriver(settings.host_id)
