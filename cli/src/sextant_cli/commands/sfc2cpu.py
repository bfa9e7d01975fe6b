"""`sextant sfc2cpu`: cores that several NFs share."""

from typing import Annotated

import typer
from pydantic import ValidationError
from sextant_domain.laws.shared_cores_view import OfferedAssigner, SharingHost
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.host_cost import HostCostFit, fit_progress
from sextant_domain.refusals import cause_of
from sextant_domain.studies.networks import GATE_C, NetworkPromotion, TrainedNetwork
from sextant_domain.studies.school import LEAST_STEPS, MOST_CORES, MOST_STEPS, SchoolLength, scenario_toml

from sextant_cli.client import path_of
from sextant_cli.commands.studies import report
from sextant_cli.errors import Exit, error, refused
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, read, read_all, session_of
from sextant_cli.show_networks import (
    NETWORK_COLUMNS,
    PROMOTION_COLUMNS,
    network_row,
    promoted_text,
    promotion_row,
    reverted_text,
    short,
)
from sextant_cli.show_shared_cores import FIT_COLUMNS, assigner_text, cost_text, fit_row, show_shared_cores
from sextant_cli.waiting import wait_for_host_cost

NETWORKS = ("control", "sfc2cpu", "networks")
FITS = ("control", "sfc2cpu", "fits")
MOST_NETWORKS = 200
Cores = Annotated[int | None, typer.Option("--cores", min=1, help="Only those for so many cores.")]
Most = Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")]
Network = Annotated[
    str, typer.Argument(metavar="NETWORK", help="The first digits of its digest, as networks lists it.")
]

app = typer.Typer(
    cls=defaulting_to("show"), help="sfc2cpu: cores that several NFs share, and what their packets cost beside others."
)


@app.command()
def show(
    ctx: typer.Context,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    output: Output = Format.TABLE,
) -> None:
    """The cores of a host that hold more than one NF: load, cost of a packet beside others and alone, and shares."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("control", "sfc2cpu", "hosts", host)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_shared_cores(session.out, read(SharingHost, body))


@app.command()
def assigner(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """By which assigner chains that wait are best placed, and why: `sextant plans ask --algorithm`."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("control", "sfc2cpu", "assigner")).body
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(assigner_text(read(OfferedAssigner, body)))


@app.command("fit")
def fit_costs(
    ctx: typer.Context,
    *,
    host: Annotated[str, typer.Argument(metavar="HOST", help="The host's name.")],
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Whether to return when it has ended, or at once.")
    ] = True,
    timeout_s: Timeout = 300,
    output: Output = Format.TABLE,
) -> None:
    """Fit what packets cost on a host beside others, on what its NFs measured in the last six hours. While a fit of the
    host is under way a repeated command waits for that one."""
    session = session_of(ctx, output)
    answer = session.api.post(path_of(*FITS), {"host": host})
    fit = read(HostCostFit, answer.body)
    if wait:
        fit, answer = wait_for_host_cost(session.api, session.out, fit, timeout_s)
    if fit.error is not None:
        raise refused(fit.error)
    if session.out.is_json:
        session.out.json(answer.body)
    elif fit.cost is not None:
        session.out.line(cost_text(fit.cost))
    else:
        session.out.line(f"fit {fit.id} of {host}  {fit_progress(fit)}")
        session.out.progress(f"see it with: sextant sfc2cpu fits --host {host}")


@app.command()
def fits(
    ctx: typer.Context,
    *,
    host: Annotated[str | None, typer.Option("--host", help="Only of this host.")] = None,
    state: Annotated[FitState | None, typer.Option(help="Only those in this state.")] = None,
    most: Most = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Fits of hosts' costs that were asked for, newest first: how far they are, and what came of them."""
    session = session_of(ctx, output)
    query = {"host": host, "state": state.value if state else None}
    page = session.api.pages(path_of(*FITS), listed(sort, filters, query), most)
    if session.out.is_json:
        session.out.json(page)
        return
    rows = (fit_row(one) for one in read_all(HostCostFit, page))
    session.out.table(FIT_COLUMNS, rows, empty="none was asked for; fit costs with: sextant sfc2cpu fit HOST")


@app.command()
def networks(
    ctx: typer.Context,
    *,
    cores: Cores = None,
    most: Most = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Networks that were trained, newest first: what each served in its exams, beside round robin and LPT."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of(*NETWORKS), listed(sort, filters, {"cores": cores}), most)
    if session.out.is_json:
        session.out.json(page)
        return
    rows = (network_row(one) for one in read_all(TrainedNetwork, page))
    session.out.table(NETWORK_COLUMNS, rows, empty="no networks; train one with: sextant sfc2cpu train --cores N")


@app.command()
def promotions(
    ctx: typer.Context,
    *,
    cores: Cores = None,
    most: Most = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Networks that were put in force, how each does where it assigned cores, and why it ended; newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("control", "sfc2cpu", "promotions"), listed(sort, filters, {"cores": cores}), most)
    if session.out.is_json:
        session.out.json(page)
        return
    rows = (promotion_row(one) for one in read_all(NetworkPromotion, page))
    session.out.table(PROMOTION_COLUMNS, rows, empty="no network was ever promoted")


@app.command()
def train(
    ctx: typer.Context,
    *,
    cores: Annotated[int, typer.Option("--cores", min=2, max=MOST_CORES, help="How many cores it chooses from.")],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of its games and first weights.")] = 0,
    long: Annotated[bool, typer.Option("--long", help="As long as the paper's: most of an hour.")] = False,
    steps: Annotated[
        int | None, typer.Option("--steps", min=LEAST_STEPS, max=MOST_STEPS, help="In the place of the length's.")
    ] = None,
    cost_of: Annotated[
        str | None,
        typer.Option(
            "--cost-of",
            metavar="HOST",
            help="Games go by the fitted costs in force on a host, in the place of the ideal model.",
        ),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Return when it has ended, and print its exams.")] = False,
    timeout_s: Timeout = 86400,
    output: Output = Format.TABLE,
) -> None:
    """Train a network as a study: by default the short form, some minutes. It is stored when it is done, and assigns
    nothing before somebody promotes it."""
    session = session_of(ctx, output)
    toml = _scenario(cores, seed, "long" if long else "short", steps, cost_of)
    report(session, session.api.post(path_of("studies"), {"scenario_toml": toml}), wait=wait, timeout_s=timeout_s)


@app.command()
def promote(ctx: typer.Context, network: Network, output: Output = Format.TABLE) -> None:
    """Put a network in force for hosts of as many cores: newcomers there are assigned by it."""
    session = session_of(ctx, output)
    weights = _weights(session, network)
    body = session.api.put(path_of(*NETWORKS, weights, "promotion"), None).body
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(promoted_text(read(NetworkPromotion, body)))
        session.out.line(GATE_C)


@app.command()
def revert(ctx: typer.Context, network: Network, output: Output = Format.TABLE) -> None:
    """End a network's promotion: what was in force before is again."""
    session = session_of(ctx, output)
    body = session.api.delete(path_of(*NETWORKS, _weights(session, network), "promotion"), if_match=None).body
    if session.out.is_json:
        session.out.json(body)
    else:
        session.out.line(reverted_text(read(NetworkPromotion, body)))


def _scenario(cores: int, seed: int, length: SchoolLength, steps: int | None, cost_of: str | None) -> str:
    """The study's file. Raises CliError by option for what no training is."""
    try:
        return scenario_toml(cores, seed, length, steps, cost_of)
    except ValidationError as cause:
        first = cause.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][-1])
        why = f"--{'cost-of' if name == 'host' else name} {cause_of(first)}. Nothing was sent."
        raise error("bad-input", "The training cannot be asked for.", why, Exit.BAD_INPUT) from cause


def _weights(session: Session, network: str) -> str:
    """The digest that begins so. Raises CliError where none does, or several."""
    digits = network.removeprefix("sha256:").lower()
    found = session.api.pages(path_of(*NETWORKS), {}, MOST_NETWORKS)
    fitting = [one.weights for one in read_all(TrainedNetwork, found) if short(one.weights, None).startswith(digits)]
    if len(fitting) != 1 or not digits:
        why = "No network's digest begins" if not fitting else f"{len(fitting)} networks' digests begin"
        raise error(
            "no-such-network",
            "Which network?",
            f"{why} with '{network}'; `sextant sfc2cpu networks` lists them.",
            Exit.BAD_INPUT,
        )
    return fitting[0]
