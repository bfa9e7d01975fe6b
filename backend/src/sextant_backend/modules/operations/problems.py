"""What the steps find wrong on a host, as problems for a person."""

from sextant_domain.hosts.desired import ActualState, DesiredHostConfig
from sextant_domain.naming import few
from sextant_domain.plans.operation import MoveOutcome, StepName
from sextant_domain.plans.plan import HostBase
from sextant_domain.problem import NextAction, Problem, problem_type

_SHOWN = 3


def ledger_differs(host: str, base: HostBase, ledger: DesiredHostConfig) -> Problem:
    """The agent holds an order that this plan was not made on."""
    return Problem(
        type=problem_type("agent-refused"),
        title="The host's ledger holds another order",
        status=409,
        detail=f"{host}: the plan was made on generation {base.generation}, the agent's ledger holds generation "
        f"{ledger.generation}" + (" with other content." if ledger.generation == base.generation else "."),
        next_actions=(_ahead if ledger.generation > base.generation else _other)(host),
        difference={
            host: {
                "expected": {"generation": base.generation, "digest": base.digest},
                "actual": {"generation": ledger.generation, "digest": ledger.digest},
            }
        },
    )


def _other(_host: str) -> tuple[NextAction, ...]:
    return (NextAction(label="Fail the operation, then find out who else orders this host"),)


def _ahead(host: str) -> tuple[NextAction, ...]:
    label = "Fail the operation; if a backup was restored here, give this console's order a higher number"
    return (NextAction(label=label, command=f"sextant hosts renumber {host}"), *_other(host))


def made_worse(host: str, outcome: MoveOutcome) -> Problem:
    """What was ordered runs, and its chains carry less, or more was lost on the way than was allowed."""
    return Problem(
        type=problem_type("moves-made-worse"),
        title="The moves were undone: they made it worse"
        if outcome.worse
        else "The moves were undone: they lost too much",
        status=409,
        detail=f"{host}: {outcome.text}. It goes back to what it ran before.",
        next_actions=(NextAction(label="See its chains before and after in the step 'measure'"),),
    )


def artefact_gone(host: str, digest: str) -> Problem:
    """The order names a file that is not stored."""
    return Problem(
        type=problem_type("artefact-gone"),
        title="A file that the order names is not stored",
        status=409,
        detail=f"{host}: the order names {digest}, which is not stored any more. Nothing was ordered.",
        next_actions=(
            NextAction(label="Upload the file again, then retry", command="sextant artefacts upload FILE"),
            NextAction(label="Or fail this operation, and submit the chain with another file"),
        ),
    )


def secret_closed(host: str, cause: str) -> Problem:
    """The order names a secret that this worker cannot send."""
    return Problem(
        type=problem_type("secret-closed"),
        title="A secret that the order names cannot be read",
        status=409,
        detail=f"{host}: {cause}. Nothing was ordered.",
        next_actions=(
            NextAction(label="Give the workers the key file that secrets are sealed under, then retry"),
            NextAction(label="Or fail this operation, and submit the chain with its secret again"),
        ),
    )


def hangs(host: str, step: StepName, limit_s: float) -> Problem:
    """This process did not come back from a step; nothing is known of what the agent did."""
    return Problem(
        type=problem_type("step-hangs"),
        title="A step did not come back",
        status=500,
        detail=f"{host}: step '{step.value}' did not come back within {limit_s:.0f} s.",
        next_actions=(NextAction(label="Look up the operation in the worker's log: it names the place"),),
    )


def blocked(host: str, actual: ActualState) -> Problem:
    """The agent says that it cannot converge without help."""
    return _not_converged(host, f"{host} cannot go on: {actual.detail}")


def not_converged(host: str, wanted: DesiredHostConfig, actual: ActualState, detail: str) -> Problem:
    """It is under way and comes no nearer."""
    return _not_converged(
        host, f"{host} has not reached generation {wanted.generation}: {detail}; the agent says '{actual.detail}'"
    )


def not_as_ordered(host: str, wanted: DesiredHostConfig, faults: list[str]) -> Problem:
    """It says 'converged' and is not."""
    shown = few(faults, _SHOWN, between="; ")
    return _not_converged(host, f"{host} differs from generation {wanted.generation}: {shown}")


def _not_converged(host: str, detail: str) -> Problem:
    return Problem(
        type=problem_type("not-converged"),
        title="The host did not reach what was ordered",
        status=500,
        detail=detail,
        next_actions=(
            NextAction(label="Retry once the cause is fixed, or roll back"),
            NextAction(label="See what the host says", command=f"sextant hosts {host}"),
        ),
    )
