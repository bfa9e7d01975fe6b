"""LLC ways and memory bandwidth that a host would not give an NF of late: they are not asked for again at once, since a
look is hundredths of a second, and what refuses (another program's groups, no class of service left) lasts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sextant_engine.control.srv6.resources import Resource

FIRST_REST_NS = 2_000_000_000
LONGEST_REST_NS = 64_000_000_000


@dataclass(frozen=True, slots=True)
class _Refusal:
    why: str
    until_ns: int
    rest_ns: int
    """Twice as long the next time."""


class RefusedMemory:
    """Of one host, by NF and resource."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, Resource], _Refusal] = {}

    def of(self, nf_id: str, now_ns: int) -> Mapping[Resource, str]:
        """What is not asked for now, and why."""
        return {
            resource: one.why for (name, resource), one in self._of.items() if name == nf_id and now_ns < one.until_ns
        }

    def keep(self, names: Collection[str]) -> None:
        """NFs that there are."""
        self._of = {key: one for key, one in self._of.items() if key[0] in names}

    def heard(self, nf_id: str, resource: Resource, why: str | None, now_ns: int) -> None:
        """What became of it; None: it was given."""
        before = self._of.pop((nf_id, resource), None)
        if why is not None:
            rest_ns = FIRST_REST_NS if before is None else min(LONGEST_REST_NS, 2 * before.rest_ns)
            self._of[nf_id, resource] = _Refusal(why, now_ns + rest_ns, rest_ns)
