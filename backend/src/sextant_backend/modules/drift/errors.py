"""Why drift cannot be ended as it was asked for."""

from collections.abc import Sequence

from sextant_domain.problem import NextAction

from sextant_backend.kit.errors import SextantError


class NoDrift(SextantError):
    """The host runs what it was ordered."""

    kind, status, title = "no-drift", 409, "The host runs what it was ordered"


class NotAcceptable(SextantError):
    """What the host runs cannot become its order."""

    kind, status, title = "drift-not-acceptable", 409, "What the host runs cannot become its order"

    def __init__(self, host: str, reasons: Sequence[str]) -> None:
        more = f"; and {len(reasons) - 3} more" if len(reasons) > 3 else ""
        super().__init__(
            f"{host}: {'; '.join(reasons[:3])}{more}. Nothing was changed.",
            next_actions=[
                NextAction(label="Order again what was ordered", command=f"sextant hosts repair {host}"),
                NextAction(label="See all that differs", command=f"sextant hosts drift {host}"),
            ],
        )


class OrderedMeanwhile(SextantError):
    """The host was ordered anew while its agent was asked what it runs."""

    kind, status, title = "ordered-meanwhile", 409, "The host was ordered anew meanwhile"
