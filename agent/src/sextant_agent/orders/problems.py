"""Refusals of the agent's API, each with its problem type; `api.py` writes them as problem+json."""

from typing import Any

from sextant_domain.problem import FieldError, NextAction, Problem, problem_type


class AgentProblem(Exception):
    """A refusal with a status and a stable kind; subclasses name them."""

    status = 500
    kind = "internal"
    title = "The agent met an error of its own"

    def __init__(
        self,
        detail: str,
        *,
        errors: tuple[FieldError, ...] = (),
        next_actions: tuple[NextAction, ...] = (),
        difference: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = errors
        self.next_actions = next_actions
        self.difference = difference

    def problem(self, instance: str | None = None, request_id: str | None = None) -> Problem:
        """The value that goes on the wire."""
        return Problem(
            type=problem_type(self.kind),
            title=self.title,
            status=self.status,
            detail=self.detail,
            instance=instance,
            errors=self.errors,
            next_actions=self.next_actions,
            request_id=request_id,
            difference=self.difference,
        )


class CallerNotAuthorised(AgentProblem):
    """The caller did not show the backend's certificate."""

    status, kind, title = 403, "peer-not-authorised", "The caller is not the backend of this fleet"


class BadOrder(AgentProblem):
    """The order contradicts itself or this host."""

    status, kind, title = 422, "bad-order", "The order cannot be carried out on this host"


class NoSuchHost(AgentProblem):
    """The connection is for no host of this process."""

    status, kind, title = 421, "no-such-host", "This process does not serve the host"


class HostWithoutPower(AgentProblem):
    """A simulated host that was ordered to fail."""

    status, kind, title = 503, "host-without-power", "The simulated host has no power"


class FaultsNotOffered(AgentProblem):
    """Faults are for simulated hosts."""

    status, kind, title = 409, "faults-not-offered", "This host takes no ordered faults"


class BadFault(AgentProblem):
    """The fault names something that this host does not have."""

    status, kind, title = 422, "bad-fault", "The fault cannot be made on this host"

    @classmethod
    def at(cls, field: str, message: str) -> "BadFault":
        """Of one field."""
        return cls(f"{field}: {message}. Nothing changed.", errors=(FieldError(field=field, message=message),))


class CapturesNotOffered(AgentProblem):
    """Packets of this data plane bear no measurements."""

    status, kind, title = 409, "captures-not-offered", "Packets of this host measure nothing of themselves"


class NotCaptured(AgentProblem):
    """Its packets leave elsewhere, or nobody could look at them."""

    status, kind, title = 409, "not-captured", "Packets of the chain could not be captured here"


class OlderGeneration(AgentProblem):
    """The ledger holds a newer order."""

    status, kind, title = 409, "older-generation", "The ledger holds a newer order"


class GenerationConflict(AgentProblem):
    """The ledger holds another order of the same number."""

    status, kind, title = 409, "generation-conflict", "The ledger holds another order of this generation"


class StaleFence(AgentProblem):
    """The sender lost its claim to a successor."""

    status, kind, title = 409, "stale-fence", "A later claim has already sent an order"


class LedgerDamaged(AgentProblem):
    """The ledger's file cannot be trusted, so nothing is accepted over it."""

    status, kind, title = 503, "ledger-damaged", "The ledger's file is damaged"


class LedgerNotWritten(AgentProblem):
    """The order could not be made durable, so it was not taken."""

    status, kind, title = 503, "ledger-not-written", "The ledger could not be written"


class ArtefactMissing(AgentProblem):
    """The order names files that were not sent."""

    status, kind, title = 409, "artefact-missing", "The host lacks files that the order names"


class WrongDigest(AgentProblem):
    """The bytes that came are not those that were announced."""

    status, kind, title = 422, "wrong-digest", "The file is not the one it was announced as"


class DiskFull(AgentProblem):
    """No room for a file."""

    status, kind, title = 507, "disk-full", "The host's disk is full"


class ArtefactNotWritten(AgentProblem):
    """The file could not be made durable."""

    status, kind, title = 503, "artefact-not-written", "The file could not be written"


class ProfileBusy(AgentProblem):
    """One measurement at a time: a second would be measured with the first."""

    status, kind, title = 409, "profile-busy", "Another measurement runs on this host"


class ProfileConflict(AgentProblem):
    """A key stands for one request."""

    status, kind, title = 409, "profile-conflict", "The key stands for another measurement"


class NoSuchProfile(AgentProblem):
    """Never ordered, or before this agent was started, or too many came after it."""

    status, kind, title = 404, "no-such-profile", "The measurement is not known here"


class RequestTooLarge(AgentProblem):
    """More bytes than any order, or any file, needs."""

    status, kind, title = 413, "body-too-large", "The request's body is too large"
