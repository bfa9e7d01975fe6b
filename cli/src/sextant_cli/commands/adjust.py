"""`sextant chains adjust`: change traffic, pause, execution, CPU and configuration of a chain while it runs."""

import json
import re
from enum import StrEnum
from typing import Annotated, Any, NoReturn, get_args

import typer
from sextant_domain.chains.cpu_bounds import ShareLaw
from sextant_domain.console.views import ChainView
from sextant_domain.plans.settings_prediction import SettingsPrediction
from sextant_domain.problem import NextAction

from sextant_cli.applying import report
from sextant_cli.client import Answer, path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.output import Format
from sextant_cli.quota_bounds_option import QuotaBounds
from sextant_cli.quota_bounds_option import quota_bounds as read_quota_bounds
from sextant_cli.session import Output, Session, Timeout, Wait, read, session_of
from sextant_cli.show_consequences import report_prediction, show_settings_prediction
from sextant_cli.versions import as_it_is
from sextant_cli.waiting import until_free

TAKEN_AWAY = "none"
CPU_FORM = "NF=SHARE[:QUOTA], as router=300, router=300:40 or router=:40"


class HowItRuns(StrEnum):
    """Values of --execution."""

    ISOLATED = "isolated"
    RUN_TO_COMPLETION = "run-to-completion"


Rate = Annotated[float | None, typer.Option("--rate-mpps", min=0, metavar="MPPS", help="Offered rate.")]
Bytes = Annotated[int | None, typer.Option("--packet-bytes", min=64, max=1518, help="Packet size.")]
Flows = Annotated[int | None, typer.Option("--flows", min=1, help="Distinct 5-tuples.")]
Pause = Annotated[
    bool | None, typer.Option("--pause/--resume", help="Stop its traffic and let its NFs sleep, or resume.")
]
Runs = Annotated[
    HowItRuns | None, typer.Option("--execution", help="One process per NF, or one per group of neighbours on a core.")
]
Cpu = Annotated[
    list[str] | None,
    typer.Option(
        "--cpu",
        metavar="NF=SHARE[:QUOTA]",
        help="CPU share (1 to 10000) and quota in percent of the core: router=300, router=300:40, router=:40; "
        "'none' removes one: router=none:none. Repeatable.",
    ),
]

BOUNDS_FORM = f"LEAST:MOST[:LAW], in percent of the core, as 5:80; laws are {', '.join(get_args(ShareLaw))}"
Bounds = Annotated[
    str | None,
    typer.Option(
        "--share-bounds",
        metavar="LEAST:MOST[:LAW]",
        help="Let the host set CPU shares of its NFs by itself, ten times a second, by what arrives for them: each has "
        "LEAST to MOST percent of its core (5:80). LAW says how: queue-matching, as where it is left out, or "
        "rate-cost, by the median of what packets cost (5:80:rate-cost). Every NF on the core needs bounds of one law. "
        "'none' takes them away.",
    ),
]

Config = Annotated[
    list[str] | None,
    typer.Option(
        "--config",
        metavar="NF.SETTING=JSON",
        help="A setting that an NF can change while it runs: "
        """load-balancer.backends='[{"address": "10.200.0.1", "weight": 2}]', """
        """or nft-firewall.default_action='"deny"'; 'none' restores the type's default. """
        "Repeatable.",
    ),
]

Predict = Annotated[
    bool,
    typer.Option(
        "--predict",
        help="Only say what the chain would carry and which chains it would slow down; changes nothing, so there is "
        "nothing to --wait for. Ends with status 1 where the change cannot be applied.",
    ),
]


def adjust(
    ctx: typer.Context,
    *,
    name: Annotated[str, typer.Argument(metavar="CHAIN", help="The chain's name.")],
    rate_mpps: Rate = None,
    packet_bytes: Bytes = None,
    flows: Flows = None,
    pause: Pause = None,
    execution: Runs = None,
    cpu: Cpu = None,
    share_bounds: Bounds = None,
    quota_bounds: QuotaBounds = None,
    config: Config = None,
    predict: Predict = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Change settings of a running chain. Nothing is restarted or moved, and the change is applied at once.

    All parts of a chain over several hosts get its traffic and its pause together; the rest is each part's own. If the
    chain is not running, only its specification changes, and it is planned again.
    """
    session = session_of(ctx, output)
    traffic = {"rate_mpps": rate_mpps, "packet_bytes": packet_bytes, "flows": flows}
    given = {field: value for field, value in traffic.items() if value is not None}
    change: dict[str, Any] = {}
    if pause is not None:
        change["paused"] = pause
    if execution is not None:
        change["execution"] = execution.value
    if share_bounds is not None:
        change["share_bounds"] = _share_bounds(share_bounds)
    if quota_bounds is not None:
        change["quota_bounds"] = read_quota_bounds(quota_bounds)
    if cpu or config:
        change["nfs"] = _of_nfs(cpu or [], config or [])
    if not change and not given:
        raise _nothing(name)
    if predict and wait:
        raise _nothing_to_wait_for()
    if predict:
        _predict(session, name, change, given)
        return
    answer = until_free(lambda: _send(session, name, change, given), timeout_s)
    if answer.status == 202:
        report(session, answer, wait=wait, timeout_s=timeout_s)
    elif session.out.is_json:
        session.out.json(answer.body)
    else:
        _say_unordered(session, read(ChainView, answer.body))


def _send(session: Session, name: str, change: dict[str, Any], traffic: dict[str, Any]) -> Answer:
    def send(found: Answer) -> Answer:
        body = _whole(found, change, traffic)
        return session.api.patch(path_of("chains", name, "settings"), body, if_match=found.etag)

    return as_it_is(session, path_of("chains", name), send)


def _predict(session: Session, name: str, change: dict[str, Any], traffic: dict[str, Any]) -> None:
    found = session.api.get(path_of("chains", name))
    answer = session.api.post(path_of("chains", name, "settings", "predictions"), _whole(found, change, traffic))
    report_prediction(session.out, answer.body, SettingsPrediction, show_settings_prediction)


def _whole(found: Answer, change: dict[str, Any], traffic: dict[str, Any]) -> dict[str, Any]:
    """Traffic goes as a whole, so what was read of it is sent again."""
    whole = {"traffic": {**found.body["spec"]["traffic"], **traffic}} if traffic else {}
    return {**change, **whole}


def _of_nfs(cpu: list[str], config: list[str]) -> dict[str, dict[str, Any]]:
    """Of each NF that is named, CPU settings and settings of its configuration together."""
    nfs: dict[str, dict[str, Any]] = {}
    for nf, settings in map(_cpu_settings, cpu):
        nfs.setdefault(nf, {}).update(settings)
    for nf, setting, value in map(_setting, config):
        nfs.setdefault(nf, {}).setdefault("config", {})[setting] = value
    return nfs


def _setting(text: str) -> tuple[str, str, Any]:
    """`balancer.backends=[]` as ('balancer', 'backends', [])."""
    path, equals, value = text.partition("=")
    nf, dot, setting = path.partition(".")
    if not equals or not nf or not dot or not setting:
        raise _unreadable(
            "--config", text, 'NF.SETTING=JSON, as load-balancer.backends=\'[{"address": "10.200.0.1"}]\''
        )
    if value == TAKEN_AWAY:
        return nf, setting, None
    try:
        return nf, setting, json.loads(value, parse_constant=_no_json)
    except ValueError as cause:
        raise _unreadable("--config", text, f"NF.SETTING=JSON: {cause}") from None


def _no_json(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _cpu_settings(text: str) -> tuple[str, dict[str, float | None]]:
    """`router=300:40` as ('router', {'cpu_share': 300, 'cpu_quota_percent': 40})."""
    nf, equals, values = text.partition("=")
    share, colon, quota = values.partition(":")
    if not nf or not equals or not (share or quota) or (colon and not quota):
        raise _unreadable("--cpu", text, CPU_FORM)
    settings: dict[str, float | None] = {}
    if share:
        settings["cpu_share"] = _number(share, text, whole=True)
    if quota:
        settings["cpu_quota_percent"] = _number(quota, text, whole=False)
    return nf, settings


def _share_bounds(text: str) -> dict[str, int | str] | None:
    """`5:80` as {'least_percent': 5, 'most_percent': 80}; a law after them is `law`."""
    if text == TAKEN_AWAY:
        return None
    form = re.fullmatch(rf"([0-9]+):([0-9]+)(?::({'|'.join(get_args(ShareLaw))}))?", text)
    if form is None:
        raise _unreadable("--share-bounds", text, BOUNDS_FORM)
    least, most, law = form.groups()
    named: dict[str, int | str] = {"law": law} if law else {}
    return {"least_percent": int(least), "most_percent": int(most), **named}


def _number(value: str, text: str, *, whole: bool) -> float | None:
    if value == TAKEN_AWAY:
        return None
    try:
        return int(value) if whole else float(value)
    except ValueError:
        raise _unreadable("--cpu", text, CPU_FORM) from None


def _unreadable(option: str, text: str, form: str) -> CliError:
    return error("bad-option", f"{option} cannot be read", f"'{text}' is not {form}", Exit.BAD_INPUT)


def _nothing(name: str) -> CliError:
    return error(
        "bad-option",
        "Nothing to change was given",
        f"give at least one setting of {name} to change",
        Exit.BAD_INPUT,
        next_actions=(NextAction(label="See them all", command="sextant chains adjust --help"),),
    )


def _nothing_to_wait_for() -> CliError:
    return error(
        "bad-option",
        "--predict and --wait exclude each other",
        "a prediction changes nothing, so there is no operation to wait for; leave out one of the two",
        Exit.BAD_INPUT,
    )


def _say_unordered(session: Session, chain: ChainView) -> None:
    if chain.placement:
        session.out.line(f"chain {chain.spec.name} already has these settings; no host received an order")
        return
    session.out.line(f"chain {chain.spec.name} was changed; it is not running, so no host received an order")
    session.out.progress(f"it is planned again: sextant plans show {chain.plan_id}")
