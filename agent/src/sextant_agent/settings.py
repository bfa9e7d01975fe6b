"""Settings of the agent: environment variables `SEXTANT_AGENT_*`, checked at start."""

import shutil
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from sextant_domain.base import Name, own_words

from sextant_agent.contract.names import DriverName
from sextant_agent.identity.identity import noted
from sextant_agent.machine.cpulist import parse_cpulist
from sextant_agent.machine.inventory import CoreSharing


class ServingSettings(BaseSettings):
    """What every agent process needs, whatever hosts it serves."""

    model_config = SettingsConfigDict(env_prefix="SEXTANT_AGENT_", frozen=True, extra="ignore")

    state_dir: Path
    """Ledgers and what else is kept; created with mode 0700."""
    pki_dir: Path
    """Keys and certificates; read again when they change."""
    listen: str = "127.0.0.1:0"
    """Address and port of the API; port 0 picks a free one."""
    url: str | None = None
    """What the agent reports to the backend as its address; default: from the listener."""
    fleet_url: str | None = None
    """The backend's fleet listener; without it nothing is reported."""
    traces_url: str | None = Field(default=None, validation_alias="SEXTANT_TRACES_URL")
    """Where an OpenTelemetry collector takes traces (OTLP over HTTP); None: no traces."""
    traces_share: float = Field(default=1.0, ge=0, le=1, validation_alias="SEXTANT_TRACES_SHARE")
    """As the backend's: a trace is kept whole, or not at all."""
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", validation_alias="SEXTANT_LOG_LEVEL"
    )

    @model_validator(mode="before")
    @classmethod
    def _as_enrolled(cls, values: Any) -> Any:
        """What `sextant-agent enrol` noted beside the certificate stands in for what the environment does not say."""
        if not isinstance(values, dict) or not values.get("pki_dir"):
            return values
        known = {name: value for name, value in noted(Path(values["pki_dir"]).expanduser()).items() if value}
        return {**known, **{name: value for name, value in values.items() if value != ""}}

    @field_validator("state_dir", "pki_dir", mode="after")
    @classmethod
    def _absolute(cls, path: Path) -> Path:
        return path.expanduser().absolute()

    @field_validator("listen", mode="after")
    @classmethod
    def _listen(cls, value: str) -> str:
        host, colon, port = value.rpartition(":")
        if not colon or not host or not port.isdecimal() or int(port) > 65535:
            raise ValueError(f"'{value}' is not ADDRESS:PORT, such as 127.0.0.1:0")
        return value

    @field_validator("url", "fleet_url", mode="after")
    @classmethod
    def _https(cls, value: str | None) -> str | None:
        if value is None or value == "":
            return None
        parts = urlsplit(value)
        if parts.scheme != "https" or not parts.hostname:
            raise ValueError(f"'{value}' is not an https:// address; agent and backend speak mutual TLS only")
        return value.rstrip("/")

    @field_validator("traces_url", mode="after")
    @classmethod
    def _http(cls, value: str | None) -> str | None:
        if value and (urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).hostname):
            raise ValueError("is no http:// or https:// address")
        return value or None

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.url is None and self.listen_address[0] in {"0.0.0.0", "::", "[::]"}:  # noqa: S104 - refused, not bound
            raise ValueError(
                "SEXTANT_AGENT_LISTEN takes every address: set SEXTANT_AGENT_URL to the one the backend uses"
            )
        return self

    @property
    def listen_address(self) -> tuple[str, int]:
        """Host and port to bind."""
        host, _, port = self.listen.rpartition(":")
        return host.strip("[]"), int(port)


class AgentSettings(ServingSettings):
    """One agent on one host. Raises pydantic.ValidationError naming the setting."""

    host_id: Name
    driver: DriverName = "testbed"
    runner: Path = Path("sextant-runner")
    """The runner's binary: a path, or a name on PATH."""
    cores: Annotated[tuple[int, ...] | None, NoDecode] = None
    """CPUs to offer, `0,2-5`; default: all that this process's affinity allows."""
    shared_cores: CoreSharing = "small-hosts"
    """Of the driver `testbed`: whether NFs share cores on a host of fewer than 8 CPUs. Others never share them."""
    socket_dir: Path | None = None
    """Folder of the runner's socket; default: the state folder, or a short one under /tmp where that is too long."""
    helper_socket: Path | None = None
    """Where the root helper listens; default: `helper.sock` beside the runner's socket."""
    opennetvm: Path = Path("/etc/sextant/opennetvm.toml")
    """Of the driver `opennetvm`: which managers there are, and what OpenNetVM has on this host."""
    srv6: Path = Path("/etc/sextant/srv6.toml")
    """Of the driver `srv6`: which prefix this host's segments are of, and where daemon and programs are."""

    @field_validator("socket_dir", "helper_socket", mode="after")
    @classmethod
    def _absolute_or_none(cls, path: Path | None) -> Path | None:
        return None if path is None else path.expanduser().absolute()

    @field_validator("cores", mode="before")
    @classmethod
    def _cores(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return parse_cpulist(value) or None

    @field_validator("runner", mode="after")
    @classmethod
    def _runner(cls, path: Path, info: ValidationInfo) -> Path:
        if info.data.get("driver") != "testbed":
            return path
        found = shutil.which(path) if path.parent == Path() else str(path.absolute())
        if found is None or not Path(found).is_file():
            raise ValueError(f"there is no runner at '{path}': build it ('make setup') or set SEXTANT_AGENT_RUNNER")
        return Path(found)


def settings_error(error: ValidationError) -> str:
    """The error for a person: one line a setting, by the variable's name."""
    lines = []
    for item in error.errors(include_url=False, include_input=False):
        name = str(item["loc"][0]) if item["loc"] else "settings"
        variable = name if name.startswith("SEXTANT_") else f"SEXTANT_AGENT_{name.upper()}"
        message = "is not set" if item["type"] == "missing" else own_words(item["msg"])
        lines.append(f"{variable}: {message}" if item["loc"] else message)
    return "\n".join(lines)
