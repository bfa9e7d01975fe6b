"""Every table there is, imported so that the metadata is whole: for migrations and for tests of them."""

from importlib import import_module
from importlib.util import find_spec

from sqlalchemy import MetaData

from sextant_backend.kit.db import Base

_OWNERS = (
    "sextant_backend.kit.idempotency",
    "sextant_backend.kit.leases.fences",
    "sextant_backend.kit.leases.leader",
    "sextant_backend.laws.coco.models",
    "sextant_backend.laws.numasfp.models",
    "sextant_backend.laws.srv6.models",
    *(
        f"sextant_backend.modules.{module}.models"
        for module in (
            "auth",
            "identity",
            "audit",
            "hosts",
            "host_costs",
            "networks",
            "enrolments",
            "certificates",
            "telemetry",
            "history",
            "chains",
            "nfs",
            "artefacts",
            "secrets",
            "snapshots",
            "plans",
            "operations",
            "profiling",
            "records",
            "models",
            "levels",
            "shares",
            "outcomes",
            "predictions",
            "maintenance",
            "control",
            "alerts",
            "notifications",
            "races",
            "studies",
            "demo",
        )
    ),
)


def metadata() -> MetaData:
    """The metadata with all modules' tables in it."""
    for name in _OWNERS:
        if find_spec(name) is not None:
            import_module(name)
    return Base.metadata
