"""The command `sextant-agent doctor`."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from sextant_agent.contract.names import DriverName
from sextant_agent.doctor.finding import DoctorFinding, State

_MARKS: dict[State, tuple[str, str | None]] = {
    "ok": ("ok     ", None),
    "warning": ("WARNING", typer.colors.YELLOW),
    "problem": ("PROBLEM", typer.colors.RED),
}


def doctor(
    *,
    driver: Annotated[
        DriverName | None,
        typer.Option(help="Of this host; default: SEXTANT_AGENT_DRIVER, else testbed."),
    ] = None,
    env_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings beside those of the environment; default: /etc/sextant/agent.env."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A list of findings: check, state, what, do.")] = False,
) -> None:
    """Check that this host has what its driver needs, and say how to fix what is missing. Changes nothing.

    Run it as the agent's user: permissions are checked for the user who runs it. The exit status is 1 if there is a
    problem."""
    from sextant_agent.commands.examine import examine

    findings = list(examine(driver, env_file))
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], indent=1))
    else:
        _show(findings)
    if any(finding.state == "problem" for finding in findings):
        raise typer.Exit(1)


def _show(findings: Iterable[DoctorFinding]) -> None:
    for finding in findings:
        mark, colour = _MARKS[finding.state]
        typer.secho(f"{mark}  {finding.check:<18}  {finding.what}", fg=colour)
        if finding.do is not None:
            typer.secho(f"         do: {finding.do}", fg=typer.colors.CYAN)
