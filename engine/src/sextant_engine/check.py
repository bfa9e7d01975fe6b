"""The independent checker: does a plan keep every rule, whoever made it?

It shares no code with the solver or the seat assignment and imports the domain alone; each rule reads the orders of
the plan and the snapshot, never the plan's own explanations. One finding a rule, in a fixed order.
"""

from collections.abc import Callable

from sextant_domain.plans.plan import CheckFinding, PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.checks import (
    apart,
    assigned,
    bounds,
    chains,
    compact,
    cores,
    cpu_budget,
    handover,
    lanes,
    moves,
    orders,
    parts,
    resources,
    settings,
    story,
    ties,
)
from sextant_engine.checks.view import View

Rule = Callable[[View], list[str]]
"""What is wrong, one text each; empty where the rule is kept."""

RULES: tuple[tuple[str, str, Rule], ...] = (
    ("generations", "every order follows its host's present generation", orders.generations),
    ("digests", "digests match the contents", orders.digests),
    ("scope", "nothing changes but what the intent asks for", orders.scope),
    ("removed-gone", "removed chains run nowhere", orders.removed),
    ("nf-once", "every NF of every chain is placed once", chains.every_nf_once),
    ("order", "every chain keeps its order", chains.order_kept),
    ("nf-types", "every NF type is in the catalogue", chains.nf_types_known),
    ("config", "every configuration is complete and valid", chains.configs_valid),
    ("settings", "settings are those that were asked for", settings.settings_as_asked),
    ("resources", "NFs get the resources that were asked for", resources.as_asked),
    ("seats", "NFs that were asked to move stand on the cores that were named", moves.seats_as_asked),
    ("parts", "chains over several hosts run whole, each part with the path and traffic of all", parts.on_one_path),
    ("lanes", "a chain's lanes carry together what it carried, each the part that was asked for", lanes.as_asked),
    ("loss", "what moving costs is said, and is within its budget", moves.loss_within_budget),
    ("handover", "hosts that exchange chains run both meanwhile, or it is said what that interrupts", handover.said),
    ("bounds", "bounds are those that were asked for", bounds.bounds_as_asked),
    ("within-bounds", "chains begin within bounds that their hosts can keep", bounds.bounds_possible),
    ("tables", "orders hold the tables that bounds name, and no others", bounds.tables_held),
    (
        "share-lines",
        "orders hold the promoted shares that cores are divided by, and no others",
        bounds.share_lines_held,
    ),
    ("share-laws", "no setting lets two laws divide a core", bounds.one_law_a_core),
    ("cache", "every cache keeps a way that all share", resources.within_cache),
    ("bandwidth", "limits of memory bandwidth are steps of their hosts", resources.bandwidth_in_steps),
    ("groups", "an NF has ways and bandwidth of its own, or with its chain on one node", resources.in_one_group),
    ("processes", "NFs that share a process have no resources of their own", resources.of_processes),
    ("cpu-budget", "no NF is to have more of a core than all NFs of its host have together", cpu_budget.within_budget),
    ("ingress", "chains enter and leave where they ask to", chains.entry_and_exit),
    ("hosts-up", "only hosts that are up get NFs", chains.hosts_up),
    ("cordoned", "no NF starts or moves on a cordoned host", chains.none_on_cordoned),
    ("hosts-able", "hosts can do what their chains ask for", chains.hosts_able),
    ("anti-affinity", "chains of one anti-affinity group stand apart", apart.kept_apart),
    ("ties", "tied NFs are of one type and stand on one core of a host", ties.kept_together),
    ("rejections", "rejected chains have reasons and no seats", chains.rejections_explained),
    ("cores", "every core is there and offers slots", cores.cores_exist),
    ("reserved", "no reserved core is used", cores.none_reserved),
    ("slots", "no core holds more NFs than it has slots", cores.within_slots),
    ("siblings", "siblings of exclusive cores stay empty", cores.siblings_empty),
    ("last-choice", "last-choice cores are used last", cores.last_choice_last),
    ("other-work", "cores that other work uses are used last", cores.other_work_last),
    ("shared-cores", "shared cores need and pass on what is said of them", compact.as_said),
    ("assigned", "newcomers move nobody, and cores are asked for what is said of them", assigned.as_said),
    ("changes", "the changes listed are those the orders make", story.changes_listed),
    ("adjustments", "the settings listed to change are those the orders change", settings.adjustments_listed),
    ("bounds-shown", "bounds are shown as they were and will be", bounds.bounds_shown),
    ("states", "the states listed are those of the orders", story.states_listed),
)

MAX_LISTED = 5


def check(body: PlanBody, snapshot: FleetSnapshot) -> tuple[CheckFinding, ...]:
    """One finding a rule; `ok` is false where the plan breaks it, and the detail says where."""
    view = View(body, snapshot)
    return tuple(_finding(name, kept, rule(view)) for name, kept, rule in RULES)


def _finding(name: str, kept: str, wrong: list[str]) -> CheckFinding:
    if not wrong:
        return CheckFinding(check=name, ok=True, detail=kept)
    listed = "; ".join(wrong[:MAX_LISTED])
    rest = len(wrong) - MAX_LISTED
    return CheckFinding(check=name, ok=False, detail=listed if rest <= 0 else f"{listed}; and {rest} more")
