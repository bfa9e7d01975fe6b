"""The agent's side of the root helper's socket (docs/contracts/helper.md): typed questions, checked answers."""

import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from sextant_agent.kit.line_client import (
    Answer,
    LineAnswer,
    LineClient,
    LineError,
    LineGone,
    LineRefused,
    LineSilent,
)

TIMEOUT_S = 2.0
REST_S = 5.0
"""A helper that did not answer in time is left alone for this long: sampling must not wait for it every second."""

UNKNOWN = "unknown-op"
"""Code of the refusal of a verb that the helper does not have."""
EARLIER = "the root helper is of an earlier version than the agent: start it again"

Count = Annotated[int, Field(ge=0)]


class HelperError(Exception):
    """The helper cannot be asked: cause, in words."""


class HelperRefused(HelperError):
    """The helper said no."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class HelperHello(LineAnswer):
    """What the helper can do on this machine."""

    version: Count
    cgroup: int | None
    reason: str | None = Field(max_length=500)
    """Why CPU weights and quotas cannot be set; None where they can."""
    controllers: tuple[str, ...] = Field(max_length=16)
    subtree: str | None = Field(max_length=200)
    period_us: Count
    budget_percent: float | None = None
    """What all NFs together may use, of a core; None: no limit."""
    llc_reason: str | None = Field(default=EARLIER, max_length=500)
    """Why ways of the last-level cache are not handed out; None where they are."""
    memory_bandwidth_reason: str | None = Field(default=EARLIER, max_length=500)


class NfGroup(LineAnswer):
    """One NF's group as the kernel shows it."""

    nf_id: str = Field(max_length=127)
    pids: tuple[Count, ...] = Field(max_length=65536)
    weight: int
    quota_percent: float | None
    cpu_ns: Count | None
    periods: Count
    throttled_periods: Count
    throttled_ns: Count


class Listing(LineAnswer):
    """Answer to `list`."""

    nfs: tuple[NfGroup, ...] = Field(max_length=4096)


class ResourceGroup(LineAnswer):
    """One NF's, or one chain's, group of resctrl as the kernel shows it."""

    tids: tuple[Count, ...] = Field(max_length=65536)
    llc_ways: dict[int, Count] = Field(max_length=4096)
    """Masks of ways of its own, by cache id; of other caches it shares what all share."""
    memory_bandwidth_percent: dict[int, Count] = Field(max_length=4096)
    """By cache id; empty where it is not handed out."""


class NfResourceGroup(ResourceGroup):
    """Of one NF."""

    nf_id: str = Field(max_length=127)


class ChainResourceGroup(ResourceGroup):
    """Of all NFs of a chain."""

    chain: str = Field(max_length=63)


class ResourceListing(LineAnswer):
    """Answer to `list_resources`."""

    nfs: tuple[NfResourceGroup, ...] = Field(max_length=4096)
    chains: tuple[ChainResourceGroup, ...] = Field(default=(), max_length=4096)
    """None of a helper of before chains had resources."""


class GivenWays(LineAnswer):
    """Answer to `set_resources`."""

    mask: Count | None
    nic_ways: Count
    """How many of them the NIC writes into by itself."""


class HelperClient:
    """One connection, opened when first needed and again after a failure. Safe for several threads."""

    def __init__(self, path: Path, helper_uid: int = 0) -> None:
        """`helper_uid`: whoever else listens there is not asked anything."""
        self._path = path
        self._client = LineClient(path, "the root helper", helper_uid)
        self._lock = threading.Lock()
        self._rest_until = 0.0

    @property
    def path(self) -> Path:
        """Where the helper is looked for."""
        return self._path

    def hello(self) -> HelperHello:
        """Raises HelperError."""
        return self._ask(HelperHello, "hello", {})

    def groups(self) -> Mapping[str, NfGroup]:
        """Every NF that has a group, by id. Raises HelperError."""
        return {nf.nf_id: nf for nf in self._ask(Listing, "list", {}).nfs}

    def set_cpu(self, nf_id: str, weight: int, quota_percent: float | None) -> None:
        """Raises HelperError."""
        self._ask(LineAnswer, "set_cpu", {"nf_id": nf_id, "weight": weight, "quota_percent": quota_percent})

    def place(self, nf_id: str, pid: int) -> None:
        """Raises HelperError."""
        self._ask(LineAnswer, "place", {"nf_id": nf_id, "pid": pid})

    def resource_groups(self) -> Mapping[str, ResourceGroup]:
        """Every NF that has a group of resctrl, by id, and every chain that has one, by name. Raises HelperError."""
        found = self._ask(ResourceListing, "list_resources", {})
        return {nf.nf_id: nf for nf in found.nfs} | {chain.chain: chain for chain in found.chains}

    def set_resources(
        self, nf_id: str, cache: int, llc_ways: int | None, memory_bandwidth_percent: int | None
    ) -> GivenWays:
        """Of one last-level cache, by its id; where both are None the group is removed. Raises HelperError."""
        request = {"llc_ways": llc_ways, "memory_bandwidth_percent": memory_bandwidth_percent}
        return self._ask(GivenWays, "set_resources", {"nf_id": nf_id, "cache": cache, **request})

    def place_thread(self, nf_id: str, pid: int, tid: int) -> None:
        """Of process `pid`. Raises HelperError."""
        self._ask(LineAnswer, "place_thread", {"nf_id": nf_id, "pid": pid, "tid": tid})

    def set_chain_resources(
        self, chain: str, cache: int, llc_ways: int | None, memory_bandwidth_percent: int | None
    ) -> GivenWays:
        """As `set_resources`, of what all NFs of a chain have together. Raises HelperError."""
        request = {"llc_ways": llc_ways, "memory_bandwidth_percent": memory_bandwidth_percent}
        return self._ask(GivenWays, "set_chain_resources", {"chain": chain, "cache": cache, **request})

    def set_resources_of_chains(self, shall: Mapping[str, tuple[int, int | None, int | None]]) -> None:
        """By chain that has a group: a cache, ways and percent, not both None. All of them or none. Raises HelperError;
        HelperRefused with UNKNOWN of a helper that is of before this verb."""
        names = ("cache", "llc_ways", "memory_bandwidth_percent")
        chains = [{"chain": chain, **dict(zip(names, given, strict=True))} for chain, given in shall.items()]
        self._ask(LineAnswer, "set_resources_of_chains", {"chains": chains})

    def place_chain_thread(self, chain: str, pid: int, tid: int) -> None:
        """As `place_thread`, into the group of a chain. Raises HelperError."""
        self._ask(LineAnswer, "place_chain_thread", {"chain": chain, "pid": pid, "tid": tid})

    def clean(self) -> None:
        """Remove the groups of NFs that have ended. Raises HelperError."""
        self._ask(LineAnswer, "clean", {})

    def close(self) -> None:
        """The next question opens the connection again."""
        self._client.close()

    def _ask(self, answer: type[Answer], op: str, fields: Mapping[str, object]) -> Answer:
        with self._lock:
            if time.monotonic() < self._rest_until:
                raise HelperError(f"the root helper at {self._path} did not answer in time; it is asked again soon")
            try:
                return self._client.ask(answer, op, TIMEOUT_S, **fields)
            except LineRefused as error:
                raise HelperRefused(error.code, EARLIER if error.code == UNKNOWN else f"{op}: {error.why}") from error
            except LineSilent as error:
                self._rest_until = time.monotonic() + REST_S
                raise HelperError(f"the root helper at {self._path} did not answer {op} in time") from error
            except LineGone as error:
                raise HelperError(f"no root helper answers at {self._path}: {error.why}") from error
            except LineError as error:
                raise HelperError(f"the answer of {self._path} to {op} is not as agreed: {error.why}") from error
