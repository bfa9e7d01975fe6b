"""Why a model cannot be promoted."""

from collections.abc import Mapping

from sextant_domain.problem import FieldError, NextAction

from sextant_backend.kit.errors import SextantError


class NotPromotable(SextantError):
    """It is refused, stale, or of another scale than the models in use."""

    kind, status, title = "not-promotable", 409, "The models cannot be promoted"

    def __init__(self, fit_id: int, reasons: Mapping[str, str], next_action: NextAction) -> None:
        """`reasons`: NF type -> why not."""
        causes = "; ".join(f"{nf_type}: {reason}" for nf_type, reason in sorted(reasons.items()))
        super().__init__(
            f"Nothing of fit {fit_id} was promoted: {causes}.",
            errors=[FieldError(field=f"nf_types.{name}", message=reason) for name, reason in sorted(reasons.items())],
            next_actions=[next_action],
        )
