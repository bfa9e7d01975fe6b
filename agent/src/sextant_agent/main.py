"""The agent's commands."""

import logging
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, TextIO, cast

import structlog
import typer
from pydantic import ValidationError

from sextant_agent.measuring.commands import app as measure_app

app = typer.Typer(
    help="Sextant's host agent: keeps this host at what it was ordered to run.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


app.add_typer(measure_app, name="measure")


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
        _fail(settings_error(error))
    configure_log(settings.log_level)
    from sextant_agent.agent import StateFolderTaken
    from sextant_agent.driver import DriverError
    from sextant_agent.server import run
    from sextant_agent.tls import CertificateProblem

    try:
        run(settings)
    except (CertificateProblem, StateFolderTaken, DriverError) as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or settings.listen}: {error.strerror or error}")


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
    """Get this host's certificates for a token, which is good once; nothing is sent to a console it does not name."""
    from sextant_agent.enrolment import EnrolmentFailed, Place
    from sextant_agent.enrolment import enrol as ask

    try:
        token = (sys.stdin.read(4096) if str(token_file) == "-" else token_file.read_text()).strip()
        done = ask(Place(pki_dir.absolute(), listen, url, replace), console, token)
    except EnrolmentFailed as error:
        _fail(str(error))
    except OSError as error:
        _fail(f"{error.filename or token_file}: {error.strerror or error}")
    else:
        state = pki_dir.absolute().parent / "state"
        typer.echo(f"This host is {done.host_id}; its certificate is good until {done.not_after:%Y-%m-%d %H:%M} UTC.")
        typer.echo(
            f"Start its agent: SEXTANT_AGENT_PKI_DIR={pki_dir.absolute()} SEXTANT_AGENT_STATE_DIR={state} "
            "sextant-agent serve"
        )


@app.command("stop-runner")
def stop_runner(
    state_dir: Annotated[Path, typer.Option(help="The agent's state folder (SEXTANT_AGENT_STATE_DIR).")],
) -> None:
    """End the runner recorded in a state folder, and every NF under it.

    End the agent first: it would start the runner again.
    """
    from sextant_agent.driver import DriverError
    from sextant_agent.drivers.runner_stop import stop_recorded_runner

    configure_log("warning")
    try:
        typer.echo(stop_recorded_runner(state_dir.absolute()))
    except DriverError as error:
        _fail(str(error))


class _Log:
    """Stderr, whose full disk or vanished reader must not end the threads that have something to tell."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            return sys.stderr.write(text)
        return 0

    def flush(self) -> None:
        with suppress(OSError):
            sys.stderr.flush()


def configure_log(level: str) -> None:
    """JSON lines on stderr."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(file=cast("TextIO", _Log())),
        cache_logger_on_first_use=True,
    )


def _fail(message: str) -> None:
    typer.echo(message, err=True)
    raise typer.Exit(1)
