"""Settings of a process that serves simulated hosts: environment variables `SEXTANT_AGENT_*`, checked at start."""

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import NoDecode
from sextant_domain.base import Frozen, Name, own_words
from sextant_domain.hosts.enrolment import MOST_HOSTS, EnrolmentRequest
from sextant_twin import machines
from sextant_twin.backpressure import Backpressure

from sextant_agent.settings import ServingSettings
from sextant_agent.simulated.identity import HOSTS

DEFAULT_MACHINE = "xeon-gold-6126"
BIG_FLEET = 200
"""From so many hosts on time passes in steps of a second."""

_ON = {"true", "t", "yes", "y", "on", "1"}
_OFF = {"false", "f", "no", "n", "off", "0"}
_SPEC = re.compile(r"(?P<host>[a-z0-9*-]+)(?::(?P<count>[0-9]{1,4}))?(?:=(?P<machine>[a-z0-9-]+))?")


class SimulatedHost(Frozen):
    """One host of the fleet."""

    host_id: Name
    machine: Name
    """A machine that the twin has data of."""


class SimulatedSettings(ServingSettings):
    """Raises pydantic.ValidationError naming the setting."""

    hosts: Annotated[tuple[SimulatedHost, ...], NoDecode, Field(min_length=1, max_length=MOST_HOSTS)]
    """`edge-7=epyc-7301,demo-*:20`: names, or patterns with a count as enrolment has them, each with its machine.
    Default: every host that was enrolled into `pki_dir`, on the default machine."""
    seed: int = Field(default=1, ge=0, lt=2**32)
    """Equal seeds and equal orders at equal times: equal figures."""
    steps_per_second: int | None = Field(default=None, ge=1, le=100)
    """Default: 10, and 1 for a fleet of 200 hosts or more."""

    backpressure: Backpressure = Backpressure.NONE
    """Of all hosts. As it was once on or off: true is `strict`, false is `none`."""

    @model_validator(mode="before")
    @classmethod
    def _all_enrolled(cls, values: Any) -> Any:
        if not isinstance(values, dict) or values.get("hosts") or not values.get("pki_dir"):
            return values
        found = sorted((Path(values["pki_dir"]).expanduser() / HOSTS).glob("*.crt"))
        return {**values, "hosts": ",".join(path.stem for path in found)} if found else values

    @field_validator("hosts", mode="before")
    @classmethod
    def _hosts(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        found = [host for spec in value.split(",") if spec.strip() for host in _hosts_of(spec.strip())]
        names = [host.host_id for host in found]
        twice = next((name for name in names if names.count(name) > 1), None) if len(names) != len(set(names)) else None
        if twice:
            raise ValueError(f"'{twice}' stands twice")
        return tuple(found)

    @field_validator("backpressure", mode="before")
    @classmethod
    def _on_or_off(cls, value: Any) -> Any:
        word = str(value).strip().lower()
        return Backpressure.STRICT if word in _ON else Backpressure.NONE if word in _OFF else word

    @property
    def period_s(self) -> float:
        """Of a step of time."""
        steps = self.steps_per_second or (1 if len(self.hosts) >= BIG_FLEET else 10)
        return 1 / steps


def _hosts_of(spec: str) -> list[SimulatedHost]:
    match = _SPEC.fullmatch(spec)
    if match is None:
        raise ValueError(f"'{spec}' is not NAME, NAME=MACHINE, or PATTERN:COUNT=MACHINE such as demo-*:20=epyc-7301")
    machine, count = match["machine"] or DEFAULT_MACHINE, match["count"]
    if not machines.is_known(machine):
        known = f"{', '.join(machines.names())}, and of each with {machines.SMT} behind its name"
        raise ValueError(f"there is no data of a machine '{machine}'; there is of {known}")
    try:
        names = EnrolmentRequest(host=match["host"], count=None if count is None else int(count)).names
    except ValidationError as error:
        reason = own_words(error.errors(include_url=False, include_input=False)[0]["msg"])
        raise ValueError(f"'{spec}' {reason}") from None
    return [SimulatedHost(host_id=name, machine=machine) for name in names]
