"""Why nothing goes by a host's fitted costs."""

from sextant_domain.problem import NextAction

from sextant_backend.kit.errors import SextantError


class CostsMissing(SextantError):
    """Something is asked to go by fitted costs of a host that has none which hold."""

    kind, status, title = "costs-missing", 409, "The host has no fitted costs that hold"

    def __init__(self, host: str, version: int | None, wanted: str, otherwise: str) -> None:
        """`version`: the one that does not hold any more; None: there is none. `wanted`: what goes by them, and what is
        not done; `otherwise`: what goes without."""
        cause = (
            f"Costs beside others were never fitted on {host}"
            if version is None
            else f"What was measured on {host} has left version {version} of its fitted costs"
        )
        super().__init__(
            f"{cause}, and {wanted}",
            next_actions=[
                NextAction(label="Fit them", command=f"sextant sfc2cpu fit {host}"),
                NextAction(label=otherwise),
            ],
        )
