"""Why a plan cannot be applied."""

from sextant_domain.problem import NextAction

from sextant_backend.kit.errors import SextantError


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
