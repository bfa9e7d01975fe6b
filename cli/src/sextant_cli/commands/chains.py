"""`sextant chains`: predict, submit, import, list, show, adjust, anti-affinity, relocate, scale, capture, delete."""

from typing import Annotated

import typer
from sextant_domain.base import Frozen
from sextant_domain.chains.chain import ChainSpec, NfSettings
from sextant_domain.console.views import ChainView, NfView
from sextant_domain.plans.intents import PlaceIntent

from sextant_cli import utilisation
from sextant_cli.applying import carry_out, end_if_no_room, made_plan, report, request_plan
from sextant_cli.chain_file import load_chain
from sextant_cli.client import path_of
from sextant_cli.commands.adjust import adjust
from sextant_cli.commands.anti_affinity import OfGroup, anti_affinity, said, with_group
from sextant_cli.commands.capture import capture
from sextant_cli.commands.chain_imports import import_chains
from sextant_cli.commands.predict import predict
from sextant_cli.commands.relocate import relocate
from sextant_cli.commands.scale import scale
from sextant_cli.errors import CliError
from sextant_cli.figures import ago, marked, micros, mpps, or_none
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format, Printer
from sextant_cli.secrets import Secrets, secrets_set, with_secrets
from sextant_cli.session import Apply, Output, Session, Timeout, Wait, read, read_all, session_of
from sextant_cli.show_lanes import lanes_of, show_lanes
from sextant_cli.show_parts import parts_of, show_parts
from sextant_cli.show_path import show_path, show_ways
from sextant_cli.show_plan import seat_text, show_plan
from sextant_cli.show_quotas import show_quotas
from sextant_cli.show_rules import show_rules
from sextant_cli.show_traffic import show_traffic
from sextant_cli.solving import Chosen, MaxMoves, Seed, SolvingFields, TimeLimit, patience, solving_fields
from sextant_cli.ties import Ties, ties_said, with_ties
from sextant_cli.uploading import bring
from sextant_cli.versions import as_it_is
from sextant_cli.waiting import until_free

app = typer.Typer(no_args_is_help=True, help="Service function chains.")
app.command()(adjust)
app.command("anti-affinity")(anti_affinity)
app.command()(capture)
app.command("import")(import_chains)
app.command()(predict)
app.command()(relocate)
app.command()(scale)

Name = Annotated[str, typer.Argument(metavar="CHAIN", help="The chain's name.")]


class Submitted(Frozen):
    """Answer to POST /chains."""

    chain: ChainView
    plan_id: int


class SubmittedTogether(Frozen):
    """Answer to POST /chains/batches."""

    chains: tuple[str, ...]
    plan_id: int


@app.command()
def submit(
    ctx: typer.Context,
    *,
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Chain files in YAML; '-' reads stdin.")],
    algorithm: Chosen = None,
    time_limit_s: TimeLimit = None,
    max_moves: MaxMoves = None,
    seed: Seed = None,
    secrets: Secrets = None,
    group: OfGroup = None,
    tied: Ties = None,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Submit a chain and show the plan for it, or apply that plan at once. Several files: all of them or none, and one
    plan.

    Files beside it that it names (`patterns_file: web.patterns`) are uploaded first, and named by their digests. A
    secret, such as a VPN's key, comes by --secret rather than in the file; the console shows it to nobody.
    With --apply the chain is planned again, up to three times in all, if another plan is applied first.
    """
    session = session_of(ctx, output)
    if secrets and len(files) > 1:
        raise typer.BadParameter("--secret names an NF of one chain; submit that chain by itself")
    if tied and len(files) > 1:
        raise typer.BadParameter(
            "--tied names an NF of one chain; submit that chain by itself, or write it in its file"
        )
    specs = [with_group(spec, group) for spec in with_secrets(_brought(session, files), secrets or [])]
    specs = with_ties(specs, tied or [])
    if len(specs) == 1:
        answer = session.api.post(path_of("chains"), specs[0].model_dump(mode="json"))
        plan_id = read(Submitted, answer.body).plan_id
    else:
        together = {"chains": [spec.model_dump(mode="json") for spec in specs]}
        answer = session.api.post(path_of("chains", "batches"), together)
        plan_id = read(SubmittedTogether, answer.body).plan_id
    first, *more = (spec.name for spec in specs)
    intent = PlaceIntent(chain=first, more=tuple(more))
    solving = solving_fields(algorithm, time_limit_s, max_moves, seed)
    if solving:
        plan_id = _asked_instead(session, plan_id, intent, solving)
    timeout_s = patience(timeout_s, time_limit_s)
    if apply:
        carry_out(session, intent, plan_id, wait=wait, timeout_s=timeout_s, solving=solving)
        return
    plan, _ = made_plan(session, plan_id, timeout_s)
    if session.out.is_json:
        session.out.json({**answer.body, "plan_id": plan_id})
    else:
        show_plan(session.out, plan)
    end_if_no_room(plan)


def _brought(session: Session, files: list[str]) -> list[ChainSpec]:
    """The chains of these files, once all can be read; what they name is uploaded."""
    loaded = [load_chain(file) for file in files]
    for _, named in loaded:
        for local in named:
            bring(session, local)
    return [spec for lanes, _ in loaded for spec in lanes]


def _asked_instead(session: Session, plan_id: int, intent: PlaceIntent, solving: SolvingFields) -> int:
    """A chain comes with a plan that the console chose how to find: cancel it, and ask for one as `solving` says."""
    try:
        session.api.post(path_of("plans", plan_id, "reject"))
    except CliError as cause:
        if cause.kind != "plan-not-applicable":  # it has failed already, which is as good
            raise
    return request_plan(session, intent, solving)


@app.command("list")
def list_chains(
    ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE
) -> None:
    """All chains with their latest measurements."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("chains"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    _table(session.out, read_all(ChainView, page))


@app.command()
def show(ctx: typer.Context, name: Name, output: Output = Format.TABLE) -> None:
    """One chain: its traffic, the placement of its NFs and its measurements."""
    session = session_of(ctx, output)
    answer = session.api.get(path_of("chains", name))
    if session.out.is_json:
        session.out.json(answer.body)
        return
    chain = read(ChainView, answer.body)
    _table(session.out, [chain])
    show_traffic(session.out, chain)
    if lane := chain.spec.traffic.lane:
        show_lanes(session.out, lanes_of(session, lane.of))
    parts = [] if chain.spec.part is None else parts_of(session, chain.spec.part.of)
    if parts:
        show_parts(session.out, parts)
    if group := said(chain):
        session.out.line(group)
    whole = [part for part, _ in parts] or [chain]
    show_path(session.out, whole)
    show_ways(session.out, whole)
    nfs = {nf.nf_id: nf for nf in read_all(NfView, session.api.pages(path_of("nfs"), {"chain": name}))}
    session.out.table(
        ("NF", "TYPE", "SEAT", "UTILISED>", "HEADROOM Mpps>", "CPU"),
        (
            (
                placed.nf_id,
                placed.nf_type,
                seat_text(placed.seat),
                *_load(nfs.get(placed.nf_id)),
                _cpu(chain.spec.nfs[placed.position]),
            )
            for placed in chain.placement
        ),
        empty="none of its NFs is placed" + (f"; see: sextant plans show {chain.plan_id}" if chain.plan_id else ""),
    )
    show_rules(session.out, chain.spec, nfs)
    show_quotas(session.out, chain)
    for line in ties_said(chain):
        session.out.line(line)
    for setting in secrets_set(chain.spec):
        session.out.line(f"{setting}: secret, set")


@app.command()
def delete(
    ctx: typer.Context,
    *,
    name: Name,
    lanes: Annotated[bool, typer.Option("--lanes", help="With all its further lanes, in one operation.")] = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Stop a chain, free its slots and delete it. Further lanes stay, and with them their part of the flows, unless
    --lanes; to keep the chain and take its further lanes away: sextant chains scale CHAIN --lanes 1."""
    session = session_of(ctx, output)
    path, params = path_of("chains", name), {"lanes": "true"} if lanes else None
    answer = until_free(
        lambda: as_it_is(session, path, lambda found: session.api.delete(path, params, if_match=found.etag)), timeout_s
    )
    if answer.body is None:
        _say_gone(session, name)
        return
    report(session, answer, wait=wait, timeout_s=timeout_s)


def _say_gone(session: Session, name: str) -> None:
    if not session.out.is_json:
        session.out.line(f"chain {name} was deleted; none of its NFs was placed")


def _table(out: Printer, chains: list[ChainView]) -> None:
    out.table(
        ("CHAIN", "STATE", "NFS", "OFFERED Mpps>", "MEASURED Mpps>", "DROPS Mpps>", "P95>", "SLO", "SAMPLED"),
        (_row(chain) for chain in chains),
        empty="no chains; submit one with: sextant chains submit FILE --apply --wait",
    )


def _row(chain: ChainView) -> tuple[str, ...]:
    sample = chain.sample
    verdicts = [state.value for state in (chain.throughput_slo, chain.latency_slo) if state is not None]
    return (
        chain.spec.name,
        _state(chain),
        " -> ".join(nf.name for nf in chain.spec.nfs),
        mpps(sample.offered_mpps if sample else None),
        marked(mpps(sample.delivered_mpps if sample else None), chain),
        mpps(sample.drop_mpps if sample else None),
        micros(sample.p95_us if sample else None),
        or_none(", ".join(dict.fromkeys(verdicts)) or None),
        ago(chain.sampled_at),
    )


def _state(chain: ChainView) -> str:
    """A pause is the operator's own doing: who sees 0 Mpps must see it, too. So must who trusts that replicas stand
    apart."""
    state = f"{chain.state.value}, paused" if chain.spec.paused else chain.state.value
    return f"{state}, breaks anti-affinity" if chain.stands_with else state


def _load(nf: NfView | None) -> tuple[str, str]:
    """Share of its core's time that goes into packets, and what it could take more."""
    sample = nf.sample if nf else None
    return utilisation.text(utilisation.of_nf(sample)), mpps(sample.headroom_mpps if sample else None)


def _cpu(nf: NfSettings) -> str:
    quota = None if nf.cpu_quota_percent is None else f"at most {nf.cpu_quota_percent:g} %"
    share = None if nf.cpu_share is None else f"share {nf.cpu_share}"
    return or_none(", ".join(part for part in (share, quota) if part) or None)
