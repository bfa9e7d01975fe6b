"""Why a plan cannot be applied."""

from sextant_domain.problem import NextAction

from sextant_backend.kit.errors import SextantError


class PlanNotApplicable(SextantError):
    """It is not proposed, or there is nothing to do."""

    kind, status, title = "plan-not-applicable", 409, "The plan cannot be applied"


class StalePlan(SextantError):
    """A host has moved on since the plan was made."""

    kind, status, title = "stale-plan", 409, "The plan is stale"

    def __init__(self, plan_id: int, difference: dict[str, object], adjusted: str | None = None) -> None:
        """`adjusted`: a chain whose settings have changed; otherwise a host has moved on."""
        moved = ", ".join(difference) or "a host it touches"
        what = f"the settings of {adjusted} have been changed" if adjusted else f"{moved} has been ordered anew"
        super().__init__(
            f"Plan {plan_id} is superseded: since it was made, {what}. Nothing was changed.",
            difference=difference,
            next_actions=[NextAction(label="Plan again and review the new plan")],
        )
