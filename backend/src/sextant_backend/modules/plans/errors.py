"""Why a plan cannot be applied."""

from collections.abc import Mapping, Sequence

from sextant_domain.chains.anti_affinity import AntiAffinity, Together
from sextant_domain.naming import few
from sextant_domain.plans.loss import LossPreview
from sextant_domain.problem import NextAction

from sextant_backend.kit.errors import SextantError
from sextant_backend.modules.plans.put_policy import NfOnReserved


class PlanNotApplicable(SextantError):
    """It is not proposed, or there is nothing to do."""

    kind, status, title = "plan-not-applicable", 409, "The plan cannot be applied"


class StalePlan(SextantError):
    """A host has moved on since the plan was made; that it is superseded stays, although applying it is refused."""

    kind, status, title = "stale-plan", 409, "The plan is stale"
    keeps = True

    def __init__(self, plan_id: int, difference: dict[str, object], adjusted: str | None = None) -> None:
        """`difference`: by host that has moved on. `adjusted`: a chain whose settings have changed."""
        if adjusted:
            what = f"the settings of {adjusted} have been changed"
        elif difference:
            what = f"{', '.join(difference)} {'has' if len(difference) == 1 else 'have'} been ordered anew"
        else:
            what = "what it was made for has changed: its chain, that chain's settings, or the models it rests on"
        super().__init__(
            f"Plan {plan_id} is superseded: since it was made, {what}. Nothing was changed.",
            difference=difference,
            next_actions=[NextAction(label="Plan again and review the new plan")],
        )


class PlanInterrupts(SextantError):
    """Hosts exchange chains, none has room for both meanwhile, and nobody has said that it may cost so much."""

    kind, status, title = "plan-interrupts", 409, "The plan interrupts chains"

    def __init__(self, plan_id: int, loss: LossPreview, exceeds: str | None) -> None:
        """`exceeds`: what of it is more than was allowed; None where nothing was."""
        names = few([one.chain for one in loss.chains])
        cost = exceeds or f"{loss.packets} packets lost, {loss.pause_ms:g} ms without a packet"
        super().__init__(
            f"Plan {plan_id}: {names} would stop before they run on their new hosts: {loss.basis}. Expected is {cost}. "
            "Nothing was changed.",
            next_actions=[
                NextAction(label="Make room for one of them on either host, then plan again"),
                NextAction(
                    label="Or allow the loss",
                    command=f"sextant plans apply {plan_id} --most-lost-packets {loss.packets} --most-pause-ms "
                    f"{loss.pause_ms:g}",
                ),
            ],
        )


class HostCordoned(SextantError):
    """The plan would put NFs on a host that takes none at present."""

    kind, status, title = "host-cordoned", 409, "A host of the plan is cordoned"

    def __init__(self, plan_id: int, put: Mapping[str, Sequence[str]], reasons: Mapping[str, str]) -> None:
        """`put`: the NFs that would start or move there, by host; `reasons`: why each is cordoned."""
        hosts = "; ".join(f"{host} is cordoned ({reasons[host]}) and would get {few(nfs)}" for host, nfs in put.items())
        super().__init__(
            f"Plan {plan_id}: {hosts}. Nothing was changed.",
            next_actions=[
                NextAction(label="Plan again: other hosts are chosen where there is room"),
                *(
                    NextAction(label=f"Uncordon {host}, then apply", command=f"sextant hosts uncordon {host}")
                    for host in put
                ),
            ],
        )


class CoresReserved(SextantError):
    """The plan would put NFs on cores that have been reserved since it was made."""

    kind, status, title = "cores-reserved", 409, "A core of the plan is reserved"

    def __init__(self, plan_id: int, put: Mapping[str, Sequence[NfOnReserved]]) -> None:
        """`put`: by host, the NFs that would start or move to a reserved core."""
        nfs = [f"{one.nf_id} (on {host}, {one.why})" for host, found in put.items() for one in found]
        own = {host: cores for host, found in put.items() if (cores := sorted({one.core for one in found if one.ours}))}
        super().__init__(
            f"Plan {plan_id} would put NFs on reserved cores: {few(nfs)}. Nothing was changed.",
            next_actions=[
                NextAction(label="Plan again: other cores are chosen where there is room"),
                *(
                    NextAction(
                        label=f"Let NFs have {'core' if len(cores) == 1 else 'cores'} {_numbers(cores)} of {host} "
                        "again, then apply",
                        command=f"sextant hosts unreserve {host} --cores {_numbers(cores)}",
                    )
                    for host, cores in own.items()
                ),
            ],
        )


class SlotsGone(SextantError):
    """The plan would put NFs into slots that operators have taken away since it was made."""

    kind, status, title = "slots-gone", 409, "A slot of the plan is not there any more"

    def __init__(self, plan_id: int, put: Mapping[str, Sequence[str]]) -> None:
        """`put`: by host, the NFs that would have no slot, and why."""
        nfs = [f"{one} (on {host})" for host, found in put.items() for one in found]
        super().__init__(
            f"Plan {plan_id} would put NFs into slots that are not there any more: {few(nfs)}. Nothing was changed.",
            next_actions=[
                NextAction(label="Plan again: other cores are chosen where there is room"),
                *(
                    NextAction(
                        label=f"Let more NFs share a core of {host}, then apply",
                        command=f"sextant hosts slots {host} N --reason '...'",
                    )
                    for host in put
                ),
            ],
        )


class NetworkMissing(SextantError):
    """A plan is asked to go by a network, and none is promoted for the host's number of cores."""

    kind, status, title = "network-missing", 409, "No network is promoted for so many cores"

    def __init__(self, host: str, cores: int) -> None:
        super().__init__(
            f"NFs of {host} may share {cores} cores, and no network for as many is promoted. Nothing is planned.",
            next_actions=[
                NextAction(label="See which were trained", command="sextant sfc2cpu networks"),
                NextAction(label="Or ask for min_max, which goes by loads alone"),
            ],
        )


class ChainsTogether(SextantError):
    """The plan would put chains together whose anti-affinity group was given or changed since it was made."""

    kind, status, title = "chains-together", 409, "Chains of one anti-affinity group would stand together"

    def __init__(self, plan_id: int, put: Mapping[str, Sequence[Together]], groups: Mapping[str, AntiAffinity]) -> None:
        """`put`: by host, what would stand together there; `groups`: by chain."""
        pairs = [
            f"{one} and {other} (group {groups[one].group}) on {host if node is None else f'node {node} of {host}'}"
            for host, found in put.items()
            for one, other, node in found
        ]
        super().__init__(
            f"Plan {plan_id} would put chains together that are kept apart: {few(pairs)}. Nothing was changed.",
            next_actions=[NextAction(label="Plan again: other hosts are chosen where there is room")],
        )


def _numbers(cores: Sequence[int]) -> str:
    return ",".join(map(str, cores))
