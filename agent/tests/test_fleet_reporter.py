"""What all hosts of one process measured, reported in few requests: no host waits for ever behind another."""

import json
from functools import partial
from pathlib import Path

from sextant_agent.identity.fleet_client import FleetClient
from sextant_agent.machine.inventory import build_inventory
from sextant_agent.machine.machine import read_machine
from sextant_agent.simulated.reporter import REGISTRATIONS_A_ROUND, FleetReporter

from .test_reporter import batch
from .waiting import wait_for


class SlowListener(FleetClient):
    """Needs longer for a second's telemetry than until the next second is there."""

    def __init__(self) -> None:
        self.registered: list[str] = []
        self.seconds = 0
        self.reporter: FleetReporter

    def post(self, path: str, body: bytes) -> bytes:
        if path.endswith("/registrations"):
            self.registered += [one["inventory"]["host_id"] for one in json.loads(body)["registrations"]]
            return b'{"refused": {}}'
        self.seconds += 1
        self.reporter.deliver([batch(self.seconds)])
        return b'{"refused": {}}'

    def reset(self) -> None:
        pass


def test_all_hosts_register_although_telemetry_always_waits() -> None:
    """Three rounds register 2 x 20 + 1 hosts; each sends one second, and finds the next one waiting."""
    names = [f"demo-{number}" for number in range(2 * REGISTRATIONS_A_ROUND + 1)]
    machine = read_machine(Path("/"))
    hosts = {name: partial(build_inventory, machine, name, "twin") for name in names}
    listener = SlowListener()
    reporter = listener.reporter = FleetReporter(listener, hosts, "https://127.0.0.1:1")
    reporter.deliver([batch(0)])
    reporter.start()
    try:
        wait_for("all have registered", lambda: listener.registered == names)
        assert listener.seconds >= 2
    finally:
        reporter.stop()
