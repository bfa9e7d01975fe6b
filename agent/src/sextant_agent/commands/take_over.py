"""The command `sextant-agent take-over`: a chain of an OpenNetVM host that runs by an older opennetvm.toml."""

import os
from pathlib import Path
from typing import Annotated, NoReturn

import typer


def take_over(
    *,
    chain: Annotated[str, typer.Argument(metavar="CHAIN", help="A chain of this host.")],
    env_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings beside those of the environment; default: /etc/sextant/agent.env."),
    ] = None,
) -> None:
    """Restart a chain of an OpenNetVM host with the present settings of opennetvm.toml.

    A chain keeps the settings it was started with. This asks the agent to drain the chain, to stop it and its manager,
    and to start both again; packets are lost for some seconds. Run it as the agent's user.
    """
    from sextant_agent.commands.examine import BadSettings, settings_for
    from sextant_agent.drivers.opennetvm.installation import BadInstallation, read_installation

    try:
        settings = settings_for("opennetvm", env_file)
        installation = read_installation(settings.opennetvm.absolute())
    except BadSettings as bad:
        _refuse(f"{bad}: {bad.do}")
    except BadInstallation as bad:
        _refuse(f"{bad}: fix it first")
    from sextant_agent.contract.errors import DataPlaneDown
    from sextant_agent.drivers.opennetvm.process_registry import ProcessRegistry, registry_path
    from sextant_agent.drivers.opennetvm.start_settings import changes_of, hash_of
    from sextant_agent.drivers.opennetvm.take_over import TakeOver

    folder = settings.state_dir / "opennetvm"
    path = registry_path(folder)
    if not os.access(path, os.R_OK | os.W_OK):
        _refuse(f"{path} cannot be read: run this as the agent's user, with the agent's settings")
    try:
        registry = ProcessRegistry(path)
    except DataPlaneDown as unreadable:
        _refuse(str(unreadable))
    entry = registry.chains.get(chain)
    if entry is None:
        _refuse(f"there is no chain '{chain}' here (there are: {', '.join(sorted(registry.chains)) or 'none'})")
    if registry.description != hash_of(installation):
        _refuse(
            f"the agent has not read {settings.opennetvm} since it was changed: `systemctl restart sextant-agent`"
            " (this ends nothing that runs), then ask again"
        )
    changed = changes_of(entry, registry, installation)
    if not changed:
        typer.echo(f"{chain} runs with the present settings of {settings.opennetvm}: nothing to do.")
        return
    try:
        TakeOver(folder).ask(chain)
    except OSError as error:
        _refuse(f"{error.filename}: {error.strerror}")
    typer.echo(
        f"Asked: the agent drains {chain} and restarts it by {settings.opennetvm} ({', '.join(changed)})."
        " The console shows the progress. If the chain cannot run by that file, it keeps running as it is, and the"
        " agent says why."
    )


def _refuse(message: str) -> NoReturn:
    typer.echo(f"{message}. Nothing was asked for.", err=True)
    raise typer.Exit(1)
