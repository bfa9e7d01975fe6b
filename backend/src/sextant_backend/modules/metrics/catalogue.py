"""Every metric of a console as docs/guides/metrics.md lists it.

`python -m sextant_backend.modules.metrics.catalogue` prints the tables.
"""

from collections.abc import Sequence

from sextant_backend.modules.metrics.frame import Family, Group
from sextant_backend.modules.metrics.registry import FAMILIES

_BY_REQUEST = ("listener", "method", "route", "status_class")
PROCESS: tuple[Family, ...] = (
    Family("sextant_build_info", "1", ("process", "version"), "Always 1: what the process is", Group.FLEET),
    Family(
        "sextant_ready", "0 or 1", ("check",), "1 while what the console needs is there, as /readyz says", Group.FLEET
    ),
    Family(
        "sextant_http_requests_total",
        "requests",
        _BY_REQUEST,
        "Requests that the process has answered; `route` is the template of a path, or `none`",
        Group.FLEET,
        "counter",
    ),
    Family(
        "sextant_http_request_duration_seconds",
        "s",
        _BY_REQUEST,
        "From a request's arrival to the beginning of its answer",
        Group.FLEET,
        "histogram",
    ),
)
"""At `/metrics`, of each console process by itself; beside them Python's own and the process's (`process_*`)."""

_HEADINGS = {
    Group.FLEET: "Of the fleet",
    Group.HOST: "Of each host",
    Group.CHAIN: "Of each chain",
    Group.NF: "Of each NF",
}


def as_markdown() -> str:
    """The tables."""
    parts = [_table("Of each console process, at `/metrics`", PROCESS)]
    parts += [_table(f"{title}", [one for one in FAMILIES if one.group is group]) for group, title in _HEADINGS.items()]
    return "\n\n".join(parts)


def _table(title: str, families: Sequence[Family]) -> str:
    lines = [f"### {title}", "", "| metric | type | labels | unit | meaning |", "|---|---|---|---|---|"]
    return "\n".join([*lines, *map(_row, families)])


def _row(family: Family) -> str:
    labels = ", ".join(f"`{label}`" for label in family.labels)
    return f"| `{family.name}` | {family.kind} | {labels} | {family.unit} | {family.meaning} |"


if __name__ == "__main__":
    print(as_markdown())
