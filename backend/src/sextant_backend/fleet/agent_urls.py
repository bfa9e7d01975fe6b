"""Where a host says that its agent is reached, judged before it is stored."""

from sextant_domain.problem import FieldError

from sextant_backend.agents.destinations import NEXT, ForbiddenDestination, check_url
from sextant_backend.kit.errors import ValidationFailed


def accepted(url: str) -> str:
    """`url` itself; raises ValidationFailed."""
    try:
        check_url(url)
    except (ForbiddenDestination, ValueError) as error:
        raise ValidationFailed(
            f"No order will be sent to {url}: {error}. Nothing was stored.",
            errors=[FieldError(field="agent_url", message=str(error))],
            next_actions=NEXT,
        ) from None
    return url
