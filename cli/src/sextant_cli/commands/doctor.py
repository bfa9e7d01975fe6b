"""`sextant doctor`: what works, what does not, and what to do about it."""

import importlib.metadata
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import httpx
import typer
from sextant_domain.console.views import HostView
from sextant_domain.hosts.host import HostStatus

from sextant_cli.client import Api, path_of
from sextant_cli.errors import CliError, Exit
from sextant_cli.output import Format, Printer
from sextant_cli.session import Output, Session, read_all, session_of
from sextant_cli.settings import FILE, data_dir, permission_fault


@dataclass(frozen=True)
class Finding:
    """One thing looked at; `next` says what to do where it is wrong."""

    check: str
    ok: bool
    detail: str
    next: str | None = None


def doctor(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """Check the data folder, console, database, queue, worker, token and every host.

    Exit status 0 if all is well, else 1.
    """
    session = session_of(ctx, output)
    findings = list(_findings(session))
    if session.out.is_json:
        session.out.json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            _show(session.out, finding)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(int(Exit.FAILED))


def _show(out: Printer, finding: Finding) -> None:
    mark, style = ("ok   ", "") if finding.ok else ("WRONG", "red")
    out.line(f"{mark}  {finding.check:<14}  {finding.detail}", style=style)
    if finding.next and not finding.ok:
        out.line(f"       next: {finding.next}", style="cyan")


def _findings(session: Session) -> Iterator[Finding]:
    """Each check only where the ones it rests on went well."""
    yield _data_folder(session)
    try:
        api = session.api
        health = api.probe("/healthz")
    except CliError as cause:
        yield _from_problem("console", cause)
        return
    yield _console(api, health)
    if not health.is_success:
        return
    yield _version(health)
    yield from _readiness(api)
    try:
        hosts = read_all(HostView, api.pages(path_of("hosts")))
    except CliError as cause:
        yield _from_problem("token", cause)
        return
    yield Finding("token", True, f"accepted; found in {api.target.found_in}")
    if api.target.this_machine is not None:
        yield Finding("this machine", True, api.target.this_machine)
    yield from _hosts(hosts)


def _data_folder(session: Session) -> Finding:
    folder = data_dir()
    if folder is None:
        given = session.url is not None
        detail = "none; not needed, since an address was given" if given else "none found in this folder or above"
        return Finding(
            "data folder", given, detail, "run `make up` in the clone, or set SEXTANT_DATA_DIR or SEXTANT_URL"
        )
    file = folder / FILE
    if not file.is_file():
        return Finding("data folder", False, f"{folder} has no {FILE}", "run `make up`, which writes it")
    fault = permission_fault(file)
    if fault is not None:
        return Finding("data folder", False, fault, f"chmod 600 {file}")
    return Finding("data folder", True, str(folder))


def _from_problem(check: str, cause: CliError) -> Finding:
    steps = [action.command or action.label for action in cause.problem.next_actions]
    if cause.problem.status == 401:
        steps = ["run `make up` again, which writes a new token, or pass --token"]
    return Finding(check, False, f"{cause.problem.title}: {cause.problem.detail}", "; ".join(steps) or None)


def _console(api: Api, health: httpx.Response) -> Finding:
    if health.is_success:
        return Finding("console", True, api.target.url)
    detail = f"{api.target.url}/healthz answered {health.status_code}"
    return Finding("console", False, detail, "see the console's log in the data folder's log/")


def _version(health: httpx.Response) -> Finding:
    ours = importlib.metadata.version("sextant-cli")
    theirs = _object(health).get("version", "unknown")
    detail = f"console {theirs}, command {ours}"
    return Finding(
        "versions", theirs == ours, detail, "run `make setup` and `make up` so that both have the same version"
    )


_REMEDIES = {
    "database": "see log/postgres in the data folder; `make up` starts it again",
    "queue": "see log/valkey in the data folder; `make up` starts it again",
    "workers": "see log/worker in the data folder; `make up` starts it again",
}


def _readiness(api: Api) -> Iterator[Finding]:
    try:
        checks = _object(api.probe("/readyz")).get("checks")
    except CliError as cause:
        yield _from_problem("readiness", cause)
        return
    if not isinstance(checks, dict) or not checks:
        yield Finding("readiness", False, "/readyz names no checks", "check whether another program is listening there")
        return
    for name, check in checks.items():
        good = isinstance(check, dict) and check.get("ok") is True
        detail = str(check.get("detail", "")) if isinstance(check, dict) else str(check)
        yield Finding(str(name), good, detail, _REMEDIES.get(name))


def _hosts(hosts: list[HostView]) -> Iterator[Finding]:
    if not hosts:
        yield Finding("hosts", False, "no host is enrolled", "run `make up`, which enrols this machine")
    for host in hosts:
        good = host.status is HostStatus.UP and host.inventory is not None
        behind = host.applied_generation != host.desired_generation
        detail = f"{host.status.value}, {host.status_reason}, generation {host.applied_generation}"
        if behind:
            detail += f" of {host.desired_generation}"
        if host.applied_generation > host.desired_generation:
            yield Finding(
                f"host {host.host_id}",
                False,
                f"{detail}: it runs a newer order than this console knows",
                f"if a backup was restored: sextant hosts renumber {host.host_id}",
            )
            continue
        yield Finding(
            f"host {host.host_id}", good, detail, "see its agent's log; `make up` starts this machine's agent again"
        )


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}
