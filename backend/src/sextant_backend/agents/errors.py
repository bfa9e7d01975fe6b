"""The one way in which asking an agent fails, and how a request that waited for the answer says so."""

from sextant_domain.problem import Problem

from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.logging import current_request_id


class AgentError(Exception):
    """A request to an agent that came to nothing."""

    def __init__(
        self, problem: Problem, *, definitive: bool = False, claim_lost: bool = False, refusal: str | None = None
    ) -> None:
        super().__init__(problem.detail)
        self.problem = problem
        self.refusal = refusal
        """Kind of the problem that the agent answered with: `busy`; None where it gave no answer that can be read."""
        self.definitive = definitive
        """True where another try cannot help: the agent refused, or its address is forbidden."""
        self.claim_lost = claim_lost
        """True where the agent has seen a newer claim: somebody else goes on with this operation."""


class AgentFailed(SextantError):
    """The agent refused, or cannot be reached: its own problem, or the one of the way to it."""

    kind, status, title = "agent-refused", 502, "The host's agent refused"

    def __init__(self, error: AgentError) -> None:
        super().__init__(error.problem.detail)
        self._problem = error.problem

    def problem(self, instance: str | None = None) -> Problem:
        """As the agent reported it."""
        return self._problem.model_copy(update={"instance": instance, "request_id": current_request_id()})
