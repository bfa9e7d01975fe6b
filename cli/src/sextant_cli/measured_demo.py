"""A demonstration on hosts whose packets measure themselves: a chain over two of them, and one whose CPU quota follows
its packets and that runs in lanes once its host has no more. Whatever is there already is left as it is."""

from collections.abc import Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.chains.lane import lane_name
from sextant_domain.console.views import ChainState, ChainView, HostView
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.problem import NextAction

from sextant_cli.applying import carry_out, request_plan
from sextant_cli.chain_states import chain_states
from sextant_cli.client import path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.session import Session, read_all

PATH, LANES = "demo-path", "demo-lanes"
_FILE = {"apiVersion": "sextant/v1", "kind": "Chain"}
_BESIDE = {"packet_bytes": 600, "flows": 100}
_DEAR = {"type": "simple-forward", "config": {"loops": 100_000}}
"""Some 40 us of a core a packet: a few thousand packets a second are more than the bounds allow its host to give."""


def chains_on(hosts: Sequence[str]) -> tuple[tuple[ChainSpec, ...], ...]:
    """Its chains, each as its parts: from the first of these hosts to the last, and on the first."""
    parts = [{"nfs": ["router", "firewall"], "host": hosts[0]}, {"nfs": ["nids"], "host": hosts[-1]}]
    path = {"name": PATH, "path": parts, "traffic": {"rate_mpps": 0.005, **_BESIDE}}
    lanes = {
        "name": LANES,
        "nfs": [_DEAR],
        "ingress": {"host": hosts[0]},
        "traffic": {"rate_mpps": 0.001, **_BESIDE},
        "quota_bounds": {"max_p95_us": 20_000, "least_percent": 5, "most_percent": 15},
    }
    return tuple(ChainFile.model_validate({**_FILE, **chain}).specs() for chain in (path, lanes))


def of_measured_demo(chain: ChainView) -> bool:
    """Whether a request for its deletion is due; the parts of a chain go with the first."""
    lane = chain.spec.traffic.lane
    return chain.spec.name in {PATH, LANES} or (lane is not None and chain.spec.name == lane_name(LANES, lane.number))


def place(session: Session, timeout_s: float) -> None:
    """Have its chains run. CliError where no two such hosts are up."""
    hosts = _measured_hosts(session)
    if len(hosts) < 2:
        raise _no_hosts(hosts)
    for specs in chains_on(hosts):
        state = chain_states(session).get(specs[0].name)
        if state not in {None, ChainState.SUBMITTED}:
            session.out.progress(f"{specs[0].name} is there already: {state}")
            continue
        first, *more = (spec.name for spec in specs)
        intent = PlaceIntent(chain=first, more=tuple(more))
        plan_id = _submit(session, specs) if state is None else request_plan(session, intent)
        carry_out(session, intent, plan_id, wait=True, timeout_s=timeout_s)
    adjust = f"sextant chains adjust {LANES} --wait --rate-mpps"
    for what, commands in (
        ("each hop's time", f"sextant chains show {PATH}, or its page"),
        ("a quota that follows", f"{adjust} 0.002; sextant chains show {LANES}"),
        ("one that runs out", f"{adjust} 0.006; sextant srv6 show {hosts[0]}"),
        ("the end", "sextant demo --remove"),
    ):
        session.out.line(f"{what + ':':<22}{commands}")


def _measured_hosts(session: Session) -> list[str]:
    found = read_all(HostView, session.api.pages(path_of("hosts")))
    return sorted(
        host.host_id
        for host in found
        if host.status is HostStatus.UP and host.inventory is not None and host.inventory.path_place is not None
    )


def _submit(session: Session, specs: Sequence[ChainSpec]) -> int:
    body = {"chains": [spec.model_dump(mode="json") for spec in specs]}
    return int(session.api.post(path_of("chains", "batches"), body).body["plan_id"])


def _no_hosts(found: Sequence[str]) -> CliError:
    there = f"only {found[0]} is up" if found else "none is up"
    return error(
        "no-measured-hosts",
        "The demonstration wants two hosts whose packets measure themselves",
        f"{there}; on this machine hosts in namespaces will do (docs/guides/measured-packets.md)",
        Exit.REFUSED,
        next_actions=(NextAction(label="Start them, as root", command="make up SEXTANT_LAB_HOSTS=4"),),
    )
