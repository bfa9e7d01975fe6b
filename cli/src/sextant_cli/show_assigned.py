"""What a plan by an assigner of sfc2cpu asks of shared cores, as text."""

from sextant_domain.plans.assigned import AssignedEvidence, CostUsed, NetworkUsed
from sextant_domain.plans.evidence import HostEvidence

from sextant_cli.figures import mpps, percent
from sextant_cli.output import Printer
from sextant_cli.show_networks import short


def show_assigned(out: Printer, host: HostEvidence, assigned: AssignedEvidence) -> None:
    """What cores are asked for before and after, what an ideal host serves, and the engine's own choice beside it."""
    who = "an ideal host serves" if assigned.cost is None else "by fitted costs it serves"
    out.line(
        f"shared cores of {host.host}: the fullest is asked for {percent(assigned.fullest_percent)}"
        f"{_proved(host, assigned)}; {who} {mpps(assigned.served_mpps)} of "
        f"{mpps(assigned.offered_mpps)} Mpps; {_moved(assigned)}"
    )
    if assigned.cost is not None:
        out.line(cost_used_text(assigned.cost))
    if assigned.network is not None:
        out.line(network_used_text(assigned.network))
    out.table(
        (
            "CORE>",
            "NODE>",
            "NFS ASKED FOR>",
            "NFS WILL ASK FOR>",
            "ALL ELSE>",
            f"OF {percent(assigned.usable_percent)}>",
        ),
        (
            (
                str(core.core),
                str(core.node),
                percent(core.before_percent),
                percent(core.nfs_percent),
                percent(core.others_percent),
                percent(core.nfs_percent + core.others_percent),
            )
            for core in assigned.cores
        ),
        empty="",
    )
    out.table(
        ("CHAIN", "PREDICTED Mpps>", "BY THE ENGINE'S OWN CHOICE Mpps>"),
        ((one.chain, mpps(one.mpps), mpps(one.automatic_mpps)) for one in assigned.chains),
        empty="",
    )


def network_used_text(network: NetworkUsed) -> str:
    """'by network 664f30a36add, trained for 60,000 steps, which chose among 4 cores'."""
    trained = f"trained for {network.steps:,} steps"
    return f"by network {short(network.weights)}, {trained}, which chose among {network.cores} cores"


def cost_used_text(cost: CostUsed) -> str:
    """'by fitted costs, version 3, 2 h old when the plan was made; up to 5.4 % off in nine of ten of what the fit did
    not use'."""
    minutes = cost.age_s / 60
    age = f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.0f} h"
    guess = f"; it does not know {', '.join(cost.guessed)}" if cost.guessed else ""
    return (
        f"by fitted costs, version {cost.version}, {age} old when the plan was made; up to "
        f"{100 * cost.left_out_error:.1f} % off in nine of ten of what the fit did not use{guess}"
    )


def _proved(host: HostEvidence, assigned: AssignedEvidence) -> str:
    if assigned.bound_percent is not None:
        if host.status == "optimal":
            return ", proved least"
        return f", at least {percent(assigned.bound_percent)} whatever is chosen"
    return "" if assigned.bound_mpps is None else f", at most {mpps(assigned.bound_mpps)} Mpps can be served"


def _moved(assigned: AssignedEvidence) -> str:
    if assigned.moves == 0:
        return "nothing that runs moves"
    return f"{assigned.moves} NFs that run move"
