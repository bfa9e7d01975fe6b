"""The agent's commands."""

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError
from sextant_domain.loading import loading

from sextant_agent.commands.console import configure_log, fail
from sextant_agent.commands.doctor import doctor
from sextant_agent.commands.simulated import twin
from sextant_agent.commands.take_over import take_over
from sextant_agent.measuring.commands import app as measure_app

app = typer.Typer(
    help="Sextant's host agent: keeps this host at what it was ordered to run.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


app.add_typer(measure_app, name="measure")
app.command()(twin)
app.command()(doctor)
app.command()(take_over)


@app.callback()
def _main() -> None:
    """Sextant's host agent: keeps this host at what it was ordered to run."""


@app.command()
def serve() -> None:
    """Run the agent in the foreground, with the settings of SEXTANT_AGENT_* (docs/contracts/processes.md).

    SIGTERM or Ctrl-C ends the agent; the runner and the NFs go on, and the next agent adopts them.
    """
    from sextant_agent.settings import AgentSettings, settings_error

    try:
        settings = AgentSettings()
    except ValidationError as error:
        fail(settings_error(error))
    configure_log(settings.log_level)
    with loading():
        from sextant_agent.agent import StateFolderTaken
        from sextant_agent.contract.errors import DriverError
        from sextant_agent.identity.tls import CertificateProblem
        from sextant_agent.server import run

    try:
        run(settings)
    except (CertificateProblem, StateFolderTaken, DriverError) as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or settings.listen}: {error.strerror or error}")


@app.command()
def enrol(
    *,
    console: Annotated[str, typer.Option(metavar="URL", help="The fleet listener, https://ADDRESS:PORT.")],
    token_file: Annotated[
        Path, typer.Option(metavar="FILE", help="The token of `sextant hosts enrol`; - reads standard input.")
    ],
    pki_dir: Annotated[
        Path, typer.Option(envvar="SEXTANT_AGENT_PKI_DIR", help="Where key and certificates are written.")
    ] = Path("/var/lib/sextant-agent/pki"),
    listen: Annotated[
        str | None,
        typer.Option(
            envvar="SEXTANT_AGENT_LISTEN",
            metavar="ADDRESS:PORT",
            help="Where the agent will listen; default: port 9443 of the address that the console is reached from.",
        ),
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(envvar="SEXTANT_AGENT_URL", help="Where the console reaches it; default: as it listens."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an identity that is still valid.")] = False,
) -> None:
    """Get this host's certificates for a token, which is good once; nothing is sent to a console it does not name.

    A token for several hosts gets those of a process that serves simulated ones.
    """
    from sextant_domain.hosts.enrolment import FLEET_TOKEN

    from sextant_agent.identity.enrolment import EnrolmentFailed, EnrolmentTarget
    from sextant_agent.identity.enrolment import enrol as ask
    from sextant_agent.simulated.enrolment import enrol_fleet

    place = EnrolmentTarget(pki_dir.absolute(), listen, url, replace)
    start = f"SEXTANT_AGENT_PKI_DIR={place.pki_dir} SEXTANT_AGENT_STATE_DIR={place.pki_dir.parent / 'state'}"
    try:
        token = (sys.stdin.read(4096) if str(token_file) == "-" else token_file.read_text()).strip()
        if token.startswith(FLEET_TOKEN):
            fleet = enrol_fleet(place, console, token)
            first, last, until = fleet.host_ids[0], fleet.host_ids[-1], fleet.not_after
            typer.echo(f"{len(fleet.host_ids)} hosts, {first} to {last}; certificates are good until {_utc(until)}.")
            typer.echo(f"Simulate them: {start} sextant-agent twin")
        else:
            done = ask(place, console, token)
            typer.echo(f"This host is {done.host_id}; its certificate is good until {_utc(done.not_after)}.")
            driver = os.environ.get("SEXTANT_AGENT_DRIVER", "testbed")
            other = " (with OpenNetVM: SEXTANT_AGENT_DRIVER=opennetvm)" if driver == "testbed" else ""
            typer.echo(f"Start its agent: {start} SEXTANT_AGENT_DRIVER={driver} sextant-agent serve{other}")
    except EnrolmentFailed as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or token_file}: {error.strerror or error}")


def _utc(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


@app.command("stop-runner")
def stop_runner(
    state_dir: Annotated[Path, typer.Option(help="The agent's state folder (SEXTANT_AGENT_STATE_DIR).")],
) -> None:
    """End the runner recorded in a state folder, and every NF under it.

    End the agent first: it would start the runner again.
    """
    from sextant_agent.contract.errors import DriverError
    from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner

    configure_log("warning")
    try:
        typer.echo(stop_recorded_runner(state_dir.absolute()))
    except DriverError as error:
        fail(str(error))
