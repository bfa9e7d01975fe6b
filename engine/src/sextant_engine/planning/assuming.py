"""The fleet as it would be under what a plan assumes: a snapshot with the hosts, chains and wishes changed so."""

from collections.abc import Sequence

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.assumptions import Assumption, AssumptionKind
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot


def assuming(snapshot: FleetSnapshot, intent: PlaceIntent) -> FleetSnapshot:
    """What is assumed of hosts or chains that are not there changes nothing."""
    removed = _named(intent.assume, AssumptionKind.REMOVED)
    return snapshot.model_copy(
        update={
            "hosts": tuple(_host(host, intent.assume, removed) for host in snapshot.hosts),
            "chains": tuple(
                _chain(spec, intent.assume) if spec.name in intent.chains else spec
                for spec in snapshot.chains
                if spec.name not in removed
            ),
        }
    )


def _named(assume: Sequence[Assumption], kind: AssumptionKind) -> list[str]:
    return [one.name for one in assume if one.kind is kind]


def _host(host: HostSnapshot, assume: Sequence[Assumption], removed: Sequence[str]) -> HostSnapshot:
    name = host.inventory.host_id
    changed: dict[str, object] = {}
    if name in _named(assume, AssumptionKind.UP):
        changed["status"] = HostStatus.UP
    if name in _named(assume, AssumptionKind.UNCORDONED):
        changed["cordoned"] = None
    kept = tuple(chain for chain in host.content.chains if chain.chain not in removed)
    if len(kept) < len(host.content.chains):
        changed["content"] = host.content.model_copy(update={"chains": kept})
    return host.model_copy(update=changed) if changed else host


def _chain(spec: ChainSpec, assume: Sequence[Assumption]) -> ChainSpec:
    for name in _named(assume, AssumptionKind.ENTRY):
        ends = {"ingress": spec.ingress, "egress": spec.egress}
        spec = spec.model_copy(update={end: value.model_copy(update={"host": name}) for end, value in ends.items()})
    if spec.anti_affinity is not None and spec.anti_affinity.group in _named(assume, AssumptionKind.TOGETHER):
        spec = spec.model_copy(update={"anti_affinity": None})
    without = _named(assume, AssumptionKind.WITHOUT)
    if "pause" in without:
        spec = spec.model_copy(update={"paused": False})
    if "run-to-completion" in without:
        spec = spec.model_copy(update={"execution": "isolated"})
    if "cpu-share" in without:
        free = {"cpu_share": None, "cpu_quota_percent": None}
        spec = spec.model_copy(update={"nfs": tuple(nf.model_copy(update=free) for nf in spec.nfs)})
    return spec
