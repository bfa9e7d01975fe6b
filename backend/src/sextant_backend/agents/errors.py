"""The one way in which asking an agent fails."""

from sextant_domain.problem import Problem


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
