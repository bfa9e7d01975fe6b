"""What can go wrong with an agent, as problems with a cause and a next step."""

from socket import gethostname

import httpx
from pydantic import ValidationError
from sextant_domain.problem import FieldError, NextAction, Problem, problem_type

from sextant_backend.agents.destinations import NEXT
from sextant_backend.agents.errors import AgentError

_LEDGER = {"older-generation", "generation-conflict", "bad-order"}
_SHOWN = 300
_CHECK = "python -m sextant_backend.check certificates"


def unreachable(host: str, cause: str, url: str | None = None) -> AgentError:
    """No answer: nothing is known of what the agent did."""
    where = f" at {url}" if url else ""
    return AgentError(
        Problem(
            type=problem_type("agent-unreachable"),
            title="The host's agent cannot be reached",
            status=503,
            detail=f"{host}: its agent{where} gave no answer: {cause}.",
            next_actions=(
                NextAction(label=f"Start the agent on {host}, or repair its network"),
                NextAction(label="See what is known of the host", command=f"sextant hosts {host}"),
            ),
        )
    )


def forbidden(host: str, cause: str, url: str) -> AgentError:
    """Nothing was sent, and nothing will be until somebody changes the address or what is allowed: trying again cannot
    help."""
    problem = Problem(
        type=problem_type("agent-address-forbidden"),
        title="The host's agent has an address that orders may not be sent to",
        status=409,
        detail=f"{host}: nothing was sent to its agent_url {url}: {cause}.",
        errors=(FieldError(field="agent_url", message=cause),),
        next_actions=NEXT,
    )
    return AgentError(problem, definitive=True)


def revoked(host: str, why: str) -> AgentError:
    """Nothing was sent: the host is not trusted."""
    return AgentError(
        Problem(
            type=problem_type("host-revoked"),
            title="The host is not trusted",
            status=503,
            detail=f"{host}: {why}. Nothing was sent to it.",
            next_actions=(NextAction(label="Enrol the host anew", command=f"sextant hosts enrol {host}"),),
        )
    )


def no_certificate(host: str, cause: str) -> AgentError:
    """Nothing was sent, for want of something here: the host is as it was."""
    return AgentError(
        Problem(
            type=problem_type("no-certificate"),
            title="This process has no certificate that agents accept",
            status=503,
            detail=f"{host}: nothing was sent to it from {gethostname()}: {cause}.",
            next_actions=(NextAction(label=f"See on {gethostname()} why", command=_CHECK),),
        )
    )


def cause_of(error: httpx.HTTPError | OSError) -> str:
    """A transport error in plain words."""
    text = str(error)[:_SHOWN]
    if "CERTIFICATE_VERIFY_FAILED" in text or "the certificate is of" in text or "Hostname mismatch" in text:
        return f"its certificate is refused ({text})"
    if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
        return f"no connection ({text or type(error).__name__})"
    if isinstance(error, httpx.TimeoutException):
        return "no answer in time"
    if isinstance(error, httpx.RemoteProtocolError) or "Connection reset" in text or "Broken pipe" in text:
        return "it closed the connection: it restarts, or it refuses this certificate"
    return text or type(error).__name__


def refused(host: str, status: int, answer: bytes) -> AgentError:
    """The agent answered with a problem."""
    try:
        given = Problem.model_validate_json(answer)
    except ValidationError:
        given = Problem(type="about:blank", title="", status=status, detail=f"status {status}")
    kind = given.type.rsplit(":", 1)[-1]
    problem = Problem(
        type=problem_type("agent-refused"),
        title="The host's agent refused",
        status=status,
        detail=f"{host} refused ({kind}): {given.detail[:_SHOWN]}",
        errors=given.errors,
        next_actions=_next(kind),
        difference=given.difference,
    )
    return AgentError(problem, definitive=kind in _LEDGER, claim_lost=kind == "stale-fence", refusal=kind)


def _next(kind: str) -> tuple[NextAction, ...]:
    if kind == "disk-full":
        return (NextAction(label="Free space on the host, then retry"),)
    if kind in _LEDGER:
        return (NextAction(label="Roll back or fail this operation, then plan again"),)
    if kind in {"faults-not-offered", "bad-fault"}:
        return (NextAction(label="See which hosts are simulated, and what runs there", command="sextant hosts"),)
    if kind == "peer-not-authorised":
        return (NextAction(label="See whether certificates are renewed", command=_CHECK),)
    return (NextAction(label="See the agent's log, then retry"),)


def unreadable(host: str, cause: str) -> AgentError:
    """The agent answered something else than its contract says."""
    return AgentError(
        Problem(
            type=problem_type("agent-refused"),
            title="The host's agent answered what cannot be read",
            status=502,
            detail=f"{host}: {cause}.",
            next_actions=(NextAction(label="Compare the versions of agent and backend"),),
        )
    )
