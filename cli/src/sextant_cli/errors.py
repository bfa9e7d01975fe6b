"""What can go wrong, as a problem and an exit status."""

from enum import IntEnum

from sextant_domain.problem import FieldError, NextAction, Problem, problem_type


class Exit(IntEnum):
    """Exit statuses, the same for every command."""

    OK = 0
    FAILED = 1
    BAD_INPUT = 2
    UNREACHABLE = 3
    REFUSED = 4


class CliError(Exception):
    """Ends the command: the problem is shown on stderr and the status returned."""

    def __init__(self, problem: Problem, status: Exit) -> None:
        super().__init__(problem.detail)
        self.problem = problem
        self.status = status

    @property
    def kind(self) -> str:
        """The last part of the problem's type: `stale-plan`."""
        return self.problem.type.rpartition(":")[2]


def error(
    kind: str,
    title: str,
    detail: str,
    status: Exit,
    *,
    fields: tuple[FieldError, ...] = (),
    next_actions: tuple[NextAction, ...] = (),
) -> CliError:
    """A problem found on this side of the wire; HTTP status 0 says that no console was involved."""
    problem = Problem(
        type=problem_type(kind), title=title, status=0, detail=detail, errors=fields, next_actions=next_actions
    )
    return CliError(problem, status)


def refused(problem: Problem) -> CliError:
    """A problem the console answered with, and the exit status that goes with it."""
    return CliError(problem, _status_of(problem.status))


def _status_of(http_status: int) -> Exit:
    if http_status in {400, 404, 405, 413, 415, 422}:
        return Exit.BAD_INPUT
    if http_status in {502, 503, 504}:
        return Exit.UNREACHABLE
    return Exit.FAILED if http_status >= 500 else Exit.REFUSED
