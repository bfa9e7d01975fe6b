"""`sextant-agent twin`: serve simulated hosts."""

from typing import Annotated

import typer
from pydantic import ValidationError
from sextant_domain.loading import loading


def twin(
    hosts: Annotated[
        str | None,
        typer.Option(
            envvar="SEXTANT_AGENT_HOSTS",
            metavar="NAME[:COUNT][=MACHINE],...",
            help="The hosts: names, or patterns with a count such as demo-*:20, each with its machine.",
        ),
    ] = None,
    machines: Annotated[bool, typer.Option("--machines", help="List the machines that can be simulated.")] = False,
) -> None:
    """Serve simulated hosts in the foreground, with the settings of SEXTANT_AGENT_* (docs/contracts/processes.md).

    SIGTERM or Ctrl-C ends them; the next process brings them back to what they were ordered.
    """
    with loading():
        from sextant_twin.errors import BadTwinInput
        from sextant_twin.machines import SMT, load, names

        from sextant_agent.agent import StateFolderTaken
        from sextant_agent.commands.console import configure_log, fail
        from sextant_agent.identity.tls import CertificateProblem
        from sextant_agent.settings import settings_error
        from sextant_agent.simulated.server import run
        from sextant_agent.simulated.settings import SimulatedSettings

    if machines:
        for name in names():
            typer.echo(f"{name}: {load(name).summary}")
        typer.echo(f"Each is there with {SMT} behind its name, too: with two threads a physical core.")
        return
    try:
        settings = SimulatedSettings.model_validate({} if hosts is None else {"hosts": hosts})
    except ValidationError as error:
        fail(settings_error(error))
    configure_log(settings.log_level)
    try:
        run(settings)
    except (CertificateProblem, StateFolderTaken, BadTwinInput) as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or settings.listen}: {error.strerror or error}")
