"""How a host joins the fleet: what an operator makes, what an agent asks with it, what it is given."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError, ValidationInfo, field_validator

from sextant_domain.base import Frozen, Name, StrictInt

LONGEST_LIFE_S = 600
MOST_HOSTS = 1000
"""Of one token."""
HOST_TOKEN, FLEET_TOKEN = "sxe_", "sxf_"
"""How tokens begin: for one host, for several that one process serves."""

_NAME: TypeAdapter[str] = TypeAdapter(Name)

AgentUrl = Annotated[str, StringConstraints(pattern=r"^https://[A-Za-z0-9.\-\[\]:]{1,250}$", max_length=260)]
"""Where an agent's API is reached."""
HostPattern = Annotated[str, StringConstraints(pattern=r"^[a-z0-9*-]{1,63}$")]
"""A host's name, or names of several: `demo-*` with a count of 20 is demo-01 to demo-20."""
Token = Annotated[str, StringConstraints(pattern=r"^sx[ef]_[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{43}$")]
"""256 random bits and, behind the dot, SHA-256 of the authority's certificate: both ends know each other by it."""
LabelValue = Annotated[str, StringConstraints(max_length=63, pattern=r"^[^\x00-\x1f\x7f]*$")]
SigningRequest = Annotated[str, StringConstraints(max_length=4096)]
"""PKCS #10 in PEM; the names it asks for are not read."""


class EnrolmentRequest(Frozen):
    """Asks for a token: for one host, or for `count` hosts of a pattern that one process serves."""

    host: HostPattern
    count: StrictInt | None = Field(default=None, ge=1, le=MOST_HOSTS, validate_default=True)
    """With a pattern only."""
    labels: dict[Name, LabelValue] = Field(default_factory=dict, max_length=16)
    """The hosts' labels; none given: those they have stay."""
    lifetime_s: StrictInt = Field(default=LONGEST_LIFE_S, ge=10, le=LONGEST_LIFE_S)

    @field_validator("host")
    @classmethod
    def _host_fits(cls, host: str) -> str:
        if host.count("*") > 1:
            raise ValueError("has more than one *")
        _name_of(host.replace("*", "0"))
        return host

    @field_validator("count")
    @classmethod
    def _count_fits(cls, count: int | None, known: ValidationInfo) -> int | None:
        host = known.data.get("host")
        if host is not None and ("*" in host) != (count is not None):
            raise ValueError("goes with a pattern such as demo-*, and a pattern with a count")
        if host is not None and count is not None:
            _name_of(host.replace("*", str(count)))
        return count

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts' ids; numbers have as many digits as the last."""
        if self.count is None:
            return (self.host,)
        width = len(str(self.count))
        return tuple(self.host.replace("*", f"{number:0{width}}") for number in range(1, self.count + 1))


def _name_of(text: str) -> None:
    try:
        _NAME.validate_python(text)
    except ValidationError:
        raise ValueError(f"'{text}' is no name of lower-case letters, digits and hyphens, 63 at most") from None


class Enrolment(Frozen):
    """An enrolment token that has not been used, without the token itself."""

    id: int
    host: HostPattern
    count: int
    """Number of hosts that it can enrol."""
    fleet: bool
    """For several hosts that one process serves."""
    created_by: str
    created_at: datetime
    expires_at: datetime


class EnrolmentMade(Frozen):
    """The one time the token is shown."""

    enrolment: Enrolment
    token: Token
    fleet_url: AgentUrl
    """The fleet listener, where the agent presents the token."""
    command: str | None
    """To run on the host; None for several: the process that serves them takes the token itself."""


class EnrolRequest(Frozen):
    """An agent asks for its first certificates."""

    token: Token
    signing_request: SigningRequest
    agent_url: AgentUrl | None = None
    """Where its API is reached; the agent sends it again at every registration."""


class RenewRequest(Frozen):
    """An agent asks for its next certificates, by those it has."""

    signing_request: SigningRequest


class HostCertificate(Frozen):
    """A host's id, given by the backend, and the certificate for it."""

    host_id: Name
    certificate: str
    """PEM."""


class GatewayCertificate(Frozen):
    """Of a process that speaks for several hosts: it shows this one where it reports for all of them."""

    gateway_id: Name
    certificate: str
    """PEM."""


class IssuedCertificates(Frozen):
    """What enrolment and renewal answer; all certificates are for the key of the signing request."""

    authority: str
    """PEM."""
    hosts: tuple[HostCertificate, ...]
    gateway: GatewayCertificate | None
    fleet_url: AgentUrl
    not_after: datetime


class RemoveHostsRequest(Frozen):
    """Hosts that leave the fleet together."""

    hosts: Annotated[tuple[Name, ...], Field(min_length=1, max_length=MOST_HOSTS)]


class HostsRemoved(Frozen):
    """What came of it."""

    removed: tuple[Name, ...]
    """By id, without those that were not enrolled."""


class RevokeRequest(Frozen):
    """Why a host's certificates are not to be trusted any more."""

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
