"""What a request may say, field by field."""

import json
import re
from typing import NoReturn

from sextant_agent.helper import arithmetic
from sextant_agent.helper.refusal import HelperRefusal

NF_ID = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
"""As `sextant_domain.base.NfId`, written out: the helper imports nothing but the standard library."""
CHAIN = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)
"""As `sextant_domain.base.Name`: no dot, so that no chain is called as an NF is."""
MOST_PID = 1 << 22
"""The kernel's own bound (PID_MAX_LIMIT)."""
MOST_ID = (1 << 53) - 1
MOST_CACHE = 4095
MOST_WAYS = 64

Request = dict[str, object]


def parse(line: bytes) -> Request:
    """One JSON object. Raises HelperRefusal, as all here."""
    try:
        request = json.loads(line.decode(), parse_constant=_no_constant, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        raise HelperRefusal("bad-request", None, "the line is not one JSON object") from error
    if not isinstance(request, dict):
        raise HelperRefusal("bad-request", None, "the line is not one JSON object")
    return request


def _no_constant(text: str) -> NoReturn:
    raise ValueError(text)  # NaN and Infinity are not JSON


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field stands twice")
    return fields


def has_exactly(request: Request, fields: frozenset[str]) -> None:
    """These fields and no other."""
    for strange in sorted(request.keys() - fields):
        raise HelperRefusal("bad-request", strange[:40], "this verb has no such field")
    for missing in sorted(fields - request.keys()):
        raise HelperRefusal("bad-request", missing, "is missing")


def nf_id(request: Request) -> str:
    """Whose group."""
    value = request["nf_id"]
    if not isinstance(value, str) or len(value) > 127 or not NF_ID.fullmatch(value):
        raise HelperRefusal(
            "bad-request", "nf_id", "is not an NF id: <chain>.<nf>, each lower case, digits and hyphens"
        )
    return value


def chain(request: Request) -> str:
    """Whose group."""
    value = request["chain"]
    if not isinstance(value, str) or not CHAIN.fullmatch(value):
        raise HelperRefusal("bad-request", "chain", "is not a chain's name: lower case, digits and hyphens, 63 at most")
    return value


def quota(request: Request) -> float | None:
    """Percent of a core; None: no limit."""
    value = request["quota_percent"]
    least, most = arithmetic.LEAST_QUOTA_PERCENT, arithmetic.MOST_QUOTA_PERCENT
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise HelperRefusal("bad-request", "quota_percent", f"is neither null nor a number from {least:g} to {most:g}")
    return float(value)


def within(request: Request, field: str, least: int, most: int) -> int:
    """A whole number."""
    value = request.get(field)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise HelperRefusal("bad-request", field, f"is not a whole number from {least} to {most}")
    return value


def within_or_none(request: Request, field: str, least: int, most: int) -> int | None:
    """A whole number, or null."""
    return None if request[field] is None else within(request, field, least, most)


def entries(request: Request, field: str, names: frozenset[str], most: int) -> list[Request]:
    """Objects of exactly these fields."""
    value = request[field]
    if not isinstance(value, list) or not 1 <= len(value) <= most:
        raise HelperRefusal("bad-request", field, f"is not a list of 1 to {most} entries")
    for one in value:
        if not isinstance(one, dict):
            raise HelperRefusal("bad-request", field, "has an entry that is no object")
        has_exactly(one, names)
    return value
