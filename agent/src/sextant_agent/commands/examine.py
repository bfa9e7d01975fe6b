"""All that the doctor looks at on this host."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError, model_validator
from sextant_domain.base import Name

from sextant_agent.contract.names import DriverName
from sextant_agent.doctor.finding import DoctorFinding, ok, problem
from sextant_agent.doctor.sight import read_sight
from sextant_agent.drivers.registry import DRIVERS
from sextant_agent.settings import AgentSettings, settings_error

SETTINGS = Path("/etc/sextant/agent.env")
"""Where the unit in deploy/agent reads the agent's settings."""


class ExaminedSettings(AgentSettings):
    """The agent's, of which the doctor can do without some."""

    state_dir: Path = Path("/var/lib/sextant-agent/state")
    host_id: Name = "this-host"

    @model_validator(mode="before")
    @classmethod
    def _where_enrolment_writes(cls, values: Any) -> Any:
        """By itself, so that what was noted there is read."""
        return {"pki_dir": "/var/lib/sextant-agent/pki", **values} if isinstance(values, dict) else values


class BadSettings(Exception):
    """What is wrong of them, and what to do."""

    def __init__(self, message: str, do: str) -> None:
        super().__init__(message)
        self.do = do


def settings_for(driver: DriverName | None, env_file: Path | None) -> ExaminedSettings:
    """As the agent has them, for commands beside it: of the environment, and of the unit's file. Raises BadSettings."""
    file = env_file or SETTINGS
    if env_file is not None and not os.access(env_file, os.R_OK):
        raise BadSettings(f"{env_file} cannot be read", "name a file of SEXTANT_AGENT_* settings")
    given: dict[str, Any] = {} if driver is None else {"driver": driver}
    try:
        return ExaminedSettings(_env_file=file if os.access(file, os.R_OK) else None, **given)
    except ValidationError as error:
        do = "correct it; docs/contracts/processes.md lists every setting"
        raise BadSettings(settings_error(error), do) from error


def examine(driver: DriverName | None, env_file: Path | None) -> Iterator[DoctorFinding]:
    """Settings first; everything else goes by them."""
    try:
        settings = settings_for(driver, env_file)
    except BadSettings as bad:
        yield problem("settings", str(bad), bad.do)
        return
    yield ok("settings", f"driver {settings.driver}, state folder {settings.state_dir}")
    yield from DRIVERS[settings.driver].examine(read_sight(Path("/")), settings)
