"""The settings of console, fleet listener and worker: environment variables, validated at start.

The table is in docs/contracts/processes.md.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from pydantic import AliasChoices, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sextant_domain.base import own_words

from sextant_backend.settings.addresses import checked_networks, checked_origin, checked_server

_ADDRESSES = ("DATABASE_URL", "REDIS_URL")
"""They hold passwords: `<NAME>_FILE` may name a file that holds the address instead."""
_PREFIX = "SEXTANT_"
AGENT_NETWORKS = "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7"
"""This machine, and networks that are not routed on the Internet."""


class WrongSettings(Exception):
    """Says of each variable that does not fit why, and nothing of what is in it."""


class Settings(BaseSettings):
    """One typed class; `SEXTANT_<NAME>` sets a field, except for the two addresses. An empty variable sets nothing."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        populate_by_name=True,
        hide_input_in_errors=True,
    )

    database_url: str = Field(validation_alias=AliasChoices("DATABASE_URL", "database_url"), repr=False)
    redis_url: str = Field(validation_alias=AliasChoices("REDIS_URL", "redis_url"), repr=False)
    pki_dir: Path | None = None
    """Holds ca.crt, backend.crt, backend.key."""
    ca_key_file: Path | None = None
    """The authority's key, mode 0600; only the fleet listener needs it, to enrol and renew."""
    secrets_key_file: Path | None = None
    """Keys that secrets are sealed under, mode 0600; of console, worker and `migrate`, and kept apart from the
    database's backup."""
    audit_key_file: Path | None = None
    """The Ed25519 key that seals the audit log, mode 0600; of the worker of `operate` alone."""
    fleet_url: str | None = None
    """Where agents reach the fleet listener; without it no further host can be enrolled."""
    console_url: str | None = None
    """Where the console listens, for the other processes: no host may give this as its agent's address."""
    agent_networks: str = AGENT_NETWORKS
    """Networks, by commas, in which agents may be: orders are sent nowhere else."""
    frontend_dir: Path | None = None
    """Built files of the browser's console; None where it is served by something else."""
    migrations_dir: Path | None = None
    """Alembic's folder; None: the clone's."""
    trusted_proxies: str | None = Field(default=None, pattern=r"^[0-9a-fA-F.:/, ]{1,1000}$")
    """Addresses or networks, by commas, whose X-Forwarded-For and X-Forwarded-Proto the console believes."""
    stale_after_s: float = Field(default=3.0, gt=0)
    unreachable_after_s: float = Field(default=10.0, gt=0)
    session_hours: float = Field(default=12.0, gt=0, le=720)
    max_body_bytes: int = Field(default=1_048_576, ge=1024)
    max_snapshot_bytes: int = Field(default=67_108_864, ge=1024)
    """Body of POST /comparisons, which may hold a whole fleet."""
    comparison_retention_days: int = Field(default=30, ge=1)
    """Days a comparison is kept of which nothing was applied."""
    trust_band_percent: float = Field(default=5.0, gt=0, le=100)
    """Mean error of predicted throughput up to which a predictor is trusted."""
    outcome_retention_days: int = Field(default=90, ge=1)
    """Days an outcome of a prediction is kept."""
    audit_retention_days: int = Field(default=1095, ge=30)
    """Days an entry of the audit log is kept; whole sealed batches are removed, and their seals stay."""
    fit_retention_days: int = Field(default=90, ge=1)
    """Days a fit is kept of which no model was ever in use."""
    max_artefacts: int = Field(default=1000, ge=1)
    max_artefacts_bytes: int = Field(default=1_073_741_824, ge=1)
    """All artefacts together."""
    max_streams: int = Field(default=64, ge=1)
    """Event streams one console process serves at once."""
    telemetry_retention_days: int = Field(default=1, ge=1)
    """Whole days of raw samples kept before today."""
    history_10s_days: int = Field(default=7, ge=1, le=3660)
    """Whole days before today of which history keeps rows of ten seconds."""
    history_5min_days: int = Field(default=366, ge=1, le=3660)
    """The same of rows of five minutes, an hour and a day."""
    metrics_max_series: int = Field(default=150_000, ge=1000)
    """Of `/api/v1/metrics`; above it those of NFs are left out, then those of chains, then those of hosts."""
    metrics_kept_s: float = Field(default=5.0, ge=0, le=60)
    """How long an answer of `/api/v1/metrics` is given again before the database is read anew."""
    start_limit_s: float = Field(default=60.0, gt=0)
    """How long a process waits at its start for the servers it needs."""
    demo: bool = False
    """Whether somebody serves simulated hosts where an operator asks for a demonstration fleet: `make up` does."""
    fault_file: Path | None = None
    """Tests only."""
    traces_url: str | None = None
    """Where an OpenTelemetry collector takes traces (OTLP over HTTP); None: no traces."""
    traces_share: float = Field(default=1.0, ge=0, le=1)
    """Of all traces, which are kept or left out whole."""
    log_level: str = Field(default="info", pattern="^(debug|info|warning|error)$")

    @model_validator(mode="before")
    @classmethod
    def _read_files(cls, values: dict[str, Any]) -> dict[str, Any]:
        """An address in a file is as good as one in the environment, where every child process would see it."""
        for name in _ADDRESSES:
            file = os.environ.get(f"{name}_FILE")
            if not file or name.lower() in values:
                continue
            if name in values:
                raise ValueError(f"{name} and {name}_FILE are both set: unset one")
            try:
                values = {**values, name: Path(file).read_text(encoding="utf-8").strip()}
            except (OSError, UnicodeDecodeError) as error:
                raise ValueError(f"{name}_FILE: {file} cannot be read: {error}") from None
        return values

    @field_validator("database_url")
    @classmethod
    def _postgresql(cls, value: str) -> str:
        return checked_server(value, ("postgresql+psycopg",))

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: str) -> str:
        return checked_server(value, ("redis", "rediss", "unix", "redis+socket"))

    @field_validator("fleet_url")
    @classmethod
    def _https(cls, value: str | None) -> str | None:
        return None if value is None else checked_origin(value)

    @field_validator("console_url", "traces_url")
    @classmethod
    def _http(cls, value: str | None) -> str | None:
        return None if value is None else checked_server(value, ("http", "https"))

    @field_validator("agent_networks")
    @classmethod
    def _networks(cls, value: str) -> str:
        return checked_networks(value)

    @model_validator(mode="after")
    def _limits_rise(self) -> Self:
        if self.unreachable_after_s <= self.stale_after_s:
            raise ValueError("SEXTANT_UNREACHABLE_AFTER_S must be greater than SEXTANT_STALE_AFTER_S")
        if self.history_5min_days < self.history_10s_days:
            raise ValueError("SEXTANT_HISTORY_5MIN_DAYS must not be less than SEXTANT_HISTORY_10S_DAYS")
        return self


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process; raises pydantic.ValidationError naming what is missing or wrong."""
    return Settings()


def read_settings() -> Settings:
    """For whatever begins a process: its settings, or WrongSettings with a line for each that does not fit."""
    try:
        return get_settings()
    except ValidationError as error:
        lines = [_line(item["loc"], item["msg"]) for item in error.errors(include_url=False, include_input=False)]
    hint = "Settings are environment variables: see docs/contracts/processes.md"
    raise WrongSettings("\n".join(["The settings do not fit:", *lines, hint]))


def _line(where: tuple[int | str, ...], message: str) -> str:
    name = ".".join(map(str, where))
    variable = f"{_PREFIX}{name.upper()}" if name in Settings.model_fields else name
    cause = own_words(message)
    return f"  {variable}: {cause}" if variable else f"  {cause}"
