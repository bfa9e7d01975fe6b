"""Rules about chains: complete, once, in order, on the right host, with valid configurations."""

import json

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.cpu_bounds import QUOTA_BOUNDS
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.match import IPV6
from sextant_domain.chains.part import OVER_HOSTS
from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredNf
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import AlignIntent, LaneIntent, PlaceIntent

from sextant_engine.checks.view import View


def every_nf_once(view: View) -> list[str]:
    """Every chain that ran or was asked for is there once, whole, on one host; no NF id occurs twice."""
    wrong: list[str] = []
    intent = view.body.intent
    asked = set(intent.chains) if isinstance(intent, PlaceIntent) else set()
    if intent.kind == "replace" and intent.host is None:
        asked = set(view.specs)
    gone = set(intent.chains) if intent.kind == "remove" else set()
    if isinstance(intent, LaneIntent):
        gone = lanes_beyond(view, intent)
    if intent.kind == "restore":  # what the operation started waits again
        gone = {chain.chain for one in view.snapshot.former for chain in one.after.chains}
        gone -= {chain.chain for one in view.snapshot.former for chain in one.before.chains}
    if isinstance(intent, AlignIntent) and intent.accepted is not None:  # what does not run there waits again
        kept = {chain.chain for chain in intent.accepted.chains}
        gone = {name for name, copies in view.chains_before.items() if {host for host, _ in copies} == {intent.host}}
        gone -= kept
    for name in sorted({*asked, *view.chains_before} - gone):
        copies = view.chains_after.get(name, [])
        before = len(view.chains_before.get(name, []))
        if not copies and (before or name not in view.rejected):
            wrong.append(f"{name} is neither placed nor rejected")
        if len(copies) > max(1, before):
            wrong.append(f"{name} is placed on {', '.join(sorted(host for host, _ in copies))} at once")
    seen: set[str] = set()
    for target in view.body.target:
        for chain in target.content.chains:
            for nf in chain.nfs:
                if nf.nf_id in seen:
                    wrong.append(f"{nf.nf_id} is placed twice")
                seen.add(nf.nf_id)
    return wrong


def lanes_beyond(view: View, intent: LaneIntent) -> set[str]:
    """Lanes of the chain of a higher number than there shall be."""
    lanes = {name: copies[0][1].traffic.lane for name, copies in view.chains_before.items()}
    most = len(intent.weights)
    return {name for name, lane in lanes.items() if lane and lane.of == intent.chain and lane.number > most}


def order_kept(view: View) -> list[str]:
    """A new chain has the NFs of its specification in their order; one that ran keeps its own."""
    wrong: list[str] = []
    new = {(host, chain.chain) for host, chain in view.new_chains}
    for target in view.body.target:
        host = target.content.host_id
        for chain in target.content.chains:
            if (host, chain.chain) in new:
                expected = _expected(view.specs.get(chain.chain))
            else:
                then = next(copy for at, copy in view.chains_before[chain.chain] if at == host)
                expected = [(nf.nf_id, nf.nf_type) for nf in then.nfs]
            if [(nf.nf_id, nf.nf_type) for nf in chain.nfs] != expected:
                wrong.append(f"{chain.chain}: NFs are not those of the chain, in its order")
    return wrong


def _expected(spec: ChainSpec | None) -> list[tuple[str, str]]:
    return [(spec.nf_id(position), nf.type) for position, nf in enumerate(spec.nfs)] if spec else []


def nf_types_known(view: View) -> list[str]:
    """Every NF that starts is of a type, and a version, of the catalogue, and runs that type's program."""
    wrong: list[str] = []
    for _, nf in _starting(view):
        nf_type = view.nf_types.get(nf.nf_type)
        if nf_type is None:
            wrong.append(f"{nf.nf_id}: '{nf.nf_type}' is not in the catalogue")
        elif nf.nf_version != nf_type.version:
            wrong.append(f"{nf.nf_id}: version {nf.nf_version}, the catalogue has {nf_type.version}")
        elif nf.runs != nf_type.runs:
            wrong.append(f"{nf.nf_id}: runs {nf.runs}, but {nf_type.name} runs {nf_type.runs}")
    return wrong


def configs_valid(view: View) -> list[str]:
    """Every NF that starts has defaults and overrides merged, valid by its type's schema."""
    wrong: list[str] = []
    judged: dict[str, tuple[str, ...]] = {}
    for chain, nf in _starting(view):
        nf_type = view.nf_types.get(nf.nf_type)
        if nf_type is None:
            continue
        key = json.dumps([nf.nf_type, nf.config], sort_keys=True)
        if key not in judged:
            judged[key] = tuple(f"{e.field}: {e.message}" for e in nf_type.config_errors(nf.config, at="config"))
        wrong += [f"{nf.nf_id}: {text}" for text in judged[key]]
        spec = view.specs.get(chain.chain)
        asked = next((want.config for p, want in enumerate(spec.nfs) if spec.nf_id(p) == nf.nf_id), {}) if spec else {}
        if nf.config != {**nf_type.default_config(), **asked}:
            wrong.append(f"{nf.nf_id}: config is not the type's defaults with the chain's overrides")
    return wrong


def _starting(view: View) -> list[tuple[DesiredChain, DesiredNf]]:
    return [(chain, nf) for _, chain in view.new_chains for nf in chain.nfs]


def entry_and_exit(view: View) -> list[str]:
    """A new chain enters and leaves where its specification says, by ports that its host has and that are not full, and
    the host has programs for its NFs."""
    wrong: list[str] = []
    for host, chain in view.new_chains:
        spec, inventory = view.specs.get(chain.chain), view.inventory(host)
        if spec is None or inventory is None:
            wrong.append(f"{chain.chain}: no such chain or host")
            continue
        ports = {port.name for port in inventory.ports}
        for end, wanted, got in (("ingress", spec.ingress, chain.ingress), ("egress", spec.egress, chain.egress)):
            if got.host != host or (wanted.host is not None and wanted.host != host):
                wrong.append(f"{chain.chain}: {end} host is {wanted.host or host}, but it is placed on {host}")
            if wanted.port is not None and wanted.port != got.port:
                wrong.append(f"{chain.chain}: {end} port is {wanted.port}, the plan says {got.port}")
            if got.port is not None and got.port not in ports:
                wrong.append(f"{chain.chain}: {host} has no port {got.port}")
        if chain.ingress.match != spec.ingress.match:
            wrong.append(f"{chain.chain}: match differs from the specification")
        runs = [nf.runs for nf in chain.nfs]
        wrong += [f"{chain.chain}: {host} cannot run {name}" for name in runs if inventory.cannot_run(name)]
    return wrong + _crowded(view)


def _crowded(view: View) -> list[str]:
    """A port that takes so many chains gets no more by the plan."""
    wrong: list[str] = []
    for host in sorted({host for host, _ in view.new_chains}):
        inventory = view.inventory(host)
        target = next(one.content for one in view.body.target if one.content.host_id == host)
        for port in inventory.ports if inventory else ():
            entering = [chain.chain for chain in target.chains if chain.ingress.port == port.name]
            if port.chains is not None and len(entering) > port.chains:
                wrong.append(f"port {port.name} of {host} takes {port.chains} chain, the plan gives it {entering}")
    return wrong


def hosts_up(view: View) -> list[str]:
    """NFs start and move only on hosts that are up."""
    return [
        f"{nf.nf_id} is put on {host}, which is {view.hosts[host].status}"
        for host, nf in view.newly_seated
        if host in view.hosts and view.hosts[host].status is not HostStatus.UP
    ]


def none_on_cordoned(view: View) -> list[str]:
    """On a cordoned host NFs stay where they stand, or leave."""
    return [
        f"{nf.nf_id} is put on {host}, which is cordoned ({view.hosts[host].cordoned})"
        for host, nf in view.newly_seated
        if host in view.hosts and view.hosts[host].cordoned is not None
    ]


def hosts_able(view: View) -> list[str]:
    """A new chain, and a setting that is new to a chain, goes only to a host that says it can do it."""
    wrong: list[str] = []
    new = {(host, chain.chain) for host, chain in view.new_chains}
    for target in view.body.target:
        host, inventory = target.content.host_id, view.inventory(target.content.host_id)
        able = {one.name for one in inventory.capabilities if one.available} if inventory else set()
        for chain in target.content.chains:
            then = None if (host, chain.chain) in new else _copy_on(host, view.chains_before[chain.chain])
            wants = _wants(chain) - (_wants(then) if then else set())
            wrong += [f"{chain.chain} wants {want} of {host}, which does not offer it" for want in sorted(wants - able)]
    return wrong


def _copy_on(host: str, copies: list[tuple[str, DesiredChain]]) -> DesiredChain | None:
    return next((copy for at, copy in copies if at == host), None)


def _wants(chain: DesiredChain) -> set[str]:
    """Capabilities, by what stands in the order."""
    wants = {"pause"} if chain.paused else set()
    if chain.traffic.lane is not None:
        wants.add(LANES)
    if chain.path is not None:
        wants.add(OVER_HOSTS)
    if chain.ingress.match.version == 6:
        wants.add(IPV6)
    if chain.execution == "run-to-completion":
        wants.add("run-to-completion")
    if chain.quota_bounds is not None:
        wants.add(QUOTA_BOUNDS)
    if any(nf.cpu_share not in {None, 100} or nf.cpu_quota_percent is not None for nf in chain.nfs):
        wants.add("cpu-share")
    shared = chain.resources or ChainResources()
    if shared.llc_ways is not None or any(nf.llc_ways is not None for nf in chain.nfs):
        wants.add("resctrl-cat")
    limits = (shared.memory_bandwidth_percent, *(nf.memory_bandwidth_percent for nf in chain.nfs))
    if any(percent is not None for percent in limits):
        wants.add("resctrl-mba")
    return wants


def rejections_explained(view: View) -> list[str]:
    """A rejected chain is not started all the same, and its reason is not empty."""
    started = {chain.chain for _, chain in view.new_chains}
    wrong = [f"{name} is rejected and placed" for name in sorted(started & view.rejected)]
    return wrong + [
        f"{rejection.chain}: rejected without a reason" for rejection in view.body.rejected if not rejection.reason
    ]
