"""The agent's memory of what it was ordered: one file, written durably before anything is acknowledged.

It refuses an older generation, the same generation with another digest, and a fence lower than one seen
(after omicron's sled-agent ledger). A damaged file is reported and refused, never emptied in silence.
"""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError
from sextant_domain.base import Digest, Frozen, digest_of
from sextant_domain.chains.secret import SecretValues
from sextant_domain.hosts.desired import DesiredHostConfig, DesiredStateOrder, HostContent
from sextant_domain.problem import FieldError, NextAction

from sextant_agent.kit.files import write_durably
from sextant_agent.orders.problems import (
    BadOrder,
    GenerationConflict,
    LedgerDamaged,
    LedgerNotWritten,
    OlderGeneration,
    StaleFence,
)


class LedgerContent(Frozen):
    """The newest order, and the highest fence seen with any."""

    order: DesiredStateOrder
    highest_fence: int = Field(ge=0)


class LedgerFile(Frozen):
    """What stands in the file."""

    format: Literal[1] = 1
    digest: Digest
    """Over `held`: any damage shows."""
    held: LedgerContent


class Ledger:
    """The newest accepted order of one host. Safe to use from several threads."""

    def __init__(self, path: Path, host_id: str) -> None:
        """Reads `path`; a file that is missing means the empty host, generation 0."""
        self._path = path
        self._host_id = host_id
        self._lock = threading.Lock()
        self._empty = DesiredHostConfig.of(0, HostContent(host_id=host_id))
        self.damage: str | None = None
        """Why the file cannot be trusted; None while it can."""
        self._held: LedgerContent | None = None
        try:
            self._held = self._read()
        except (OSError, ValueError) as error:
            self.damage = f"{path} cannot be trusted ({_first_line(error)})"

    @property
    def desired(self) -> DesiredHostConfig:
        """The order in force. Raises LedgerDamaged."""
        self._refuse_damaged()
        held = self._held
        return held.order.desired if held else self._empty

    def in_force(self) -> tuple[DesiredHostConfig, SecretValues]:
        """That order and the secrets it names, of one moment. Raises LedgerDamaged."""
        self._refuse_damaged()
        held = self._held
        return (held.order.desired, held.order.secrets) if held else (self.desired, {})

    @property
    def fence(self) -> int:
        """The highest fence seen; 0 before the first order."""
        return self._held.highest_fence if self._held else 0

    def accept(self, order: DesiredStateOrder, check: Callable[[HostContent], None] | None = None) -> bool:
        """Store an order; True if it is new, False if the same one is already held.

        `check` says whether a new order is possible here, by raising; a repeat was checked when it was new.

        Raises a problem that says why not: LedgerDamaged, BadOrder, StaleFence, OlderGeneration,
        GenerationConflict, LedgerNotWritten. When it returns, the order survives a power cut.
        """
        with self._lock:
            held = self.desired
            self._check_self_consistent(order)
            self._check_secrets(order)
            self.check_fence(order.fence)
            self._check_succeeds(order.desired, held)
            same = order.desired.digest == held.digest and order.desired.generation == held.generation
            if same and self._held is not None and order.fence == self.fence:
                return False
            if not same and check:
                check(order.desired.content)
            self._write(LedgerContent(order=order, highest_fence=order.fence))
            return not same

    def check_fence(self, fence: int) -> None:
        """Raises LedgerDamaged, or StaleFence for a claim that a later one has overtaken."""
        self._refuse_damaged()
        if fence < self.fence:
            raise StaleFence(
                f"It carries fence {fence}, but {self.fence} was seen already: a later claim of the operation took "
                "over. Nothing changed.",
                difference={"fence": {"sent": fence, "seen": self.fence}},
            )

    def _refuse_damaged(self) -> None:
        if self.damage:
            raise LedgerDamaged(
                f"{self.damage}: nothing was accepted or changed, and what runs goes on running.",
                next_actions=(
                    NextAction(label="Move the file away and restart the agent; then apply a plan for this host again"),
                ),
            )

    def _check_self_consistent(self, order: DesiredStateOrder) -> None:
        content = order.desired.content
        if content.host_id != self._host_id:
            raise _bad(
                "desired.content.host_id", f"the order is for '{content.host_id}', this host is '{self._host_id}'"
            )
        digest = digest_of(content)
        if order.desired.digest != digest:
            raise _bad("desired.digest", f"the content's digest is {digest}; the order was altered on its way")

    @staticmethod
    def _check_secrets(order: DesiredStateOrder) -> None:
        """Here they are kept through a power cut; nothing that is not needed is."""
        named = order.desired.content.secrets
        for reference in sorted(named - order.secrets.keys()):
            raise _bad("secrets", f"the order names {reference} and does not bring it")
        for reference in sorted(order.secrets.keys() - named):
            raise _bad("secrets", f"the order brings {reference} and does not name it")

    @staticmethod
    def _check_succeeds(new: DesiredHostConfig, held: DesiredHostConfig) -> None:
        generations = {"generation": {"sent": new.generation, "held": held.generation}}
        if new.generation < held.generation:
            raise OlderGeneration(
                f"The order is generation {new.generation}; the ledger holds {held.generation}. Nothing changed.",
                difference=generations,
            )
        if new.generation == held.generation and new.digest != held.digest:
            raise GenerationConflict(
                f"The ledger already holds a generation {held.generation} with other content. Nothing changed; "
                f"send the next number.",
                difference=generations | {"digest": {"sent": new.digest, "held": held.digest}},
            )

    def _read(self) -> LedgerContent | None:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return None
        file = LedgerFile.model_validate_json(data)
        held, desired = file.held, file.held.order.desired
        if desired.content.host_id != self._host_id:
            raise ValueError(f"it belongs to host '{desired.content.host_id}', this host is '{self._host_id}'")
        if digest_of(held) != file.digest or digest_of(desired.content) != desired.digest:
            raise ValueError("its content does not have the digest that stands beside it")
        return held

    def _write(self, held: LedgerContent) -> None:
        try:
            file = LedgerFile(digest=digest_of(held), held=held)
            write_durably(self._path, file.model_dump_json(indent=1).encode())
        except OSError as error:
            raise LedgerNotWritten(
                f"{self._path}: {error.strerror or error}. The order was not taken and nothing changed; "
                "free space or fix the folder, then send it again."
            ) from error
        self._held = held


def _bad(field: str, message: str) -> BadOrder:
    return BadOrder(f"{field}: {message}.", errors=(FieldError(field=field, message=message),))


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        return f"{place}: {first['msg']}" if place else str(first["msg"])
    return str(error).splitlines()[0]
