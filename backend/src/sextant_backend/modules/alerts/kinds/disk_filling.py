"""A volume that the installation writes to is nearly full: PostgreSQL stops at a full disk, and all else with it."""

import os
from collections.abc import Iterator
from pathlib import Path

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look, Parameter
from sextant_backend.settings import get_settings

GIB = 2**30
_DATA_DIRECTORY = text("SELECT setting FROM pg_settings WHERE name = 'data_directory'")
"""No row where this user may not read it."""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def observe(session: Session, look: Look) -> Findings:
    """The volume of a database on another machine cannot be seen from here: nothing is said of it."""
    bad: dict[str, Condition] = {}
    seen: set[str] = set()
    for name, folder in _volumes(session):
        try:
            stat = os.statvfs(folder)
        except OSError:
            continue
        seen.add(name)
        free, size = stat.f_bavail * stat.f_frsize, stat.f_blocks * stat.f_frsize
        if is_low(free, size, look.parameters["least_free_percent"], look.parameters["least_free_gib"]):
            bad[name] = Condition(
                f"The volume of the {name} has {free / GIB:.1f} GiB left",
                f"{folder} is on a volume of {size / GIB:.1f} GiB, {100 * free / max(size, 1):.0f} % of it free. "
                "A database stops when it is full.",
                "Free space there, or keep less: SEXTANT_TELEMETRY_RETENTION_DAYS",
            )
    return Findings(bad, frozenset(look.tracked) - seen)


def is_low(free: int, size: int, least_percent: float, least_gib: float) -> bool:
    """Both must be undercut: ten per cent of a large volume are plenty, and one GiB of a small one is."""
    return free < least_gib * GIB and free * 100 < least_percent * size


def _volumes(session: Session) -> Iterator[tuple[str, Path]]:
    settings = get_settings()
    host = make_url(settings.database_url).host
    if host is None or host in _LOOPBACK or host.startswith("/"):
        found = session.execute(_DATA_DIRECTORY).scalar_one_or_none()
        if found is not None:
            yield "database", Path(found)
    if settings.pki_dir is not None:
        yield "data-folder", settings.pki_dir


SPEC = KindSpec(
    kind=AlertKind.DISK_FILLING,
    title="Disk nearly full",
    summary="The volume of the database or of the data folder is nearly full",
    object_kind=AlertObjectKind.VOLUME,
    severity=AlertSeverity.CRITICAL,
    fire_after_s=60.0,
    resolve_after_s=60.0,
    observe=observe,
    every_s=30.0,
    parameters=(
        Parameter("least_free_percent", "Least free share", "%", default=10.0, least=0.0, most=99.0),
        Parameter("least_free_gib", "Least free space", "GiB", default=5.0, least=0.0, most=100_000.0),
    ),
)
