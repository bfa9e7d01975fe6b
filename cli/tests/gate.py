"""The tokens of the small console for tests."""

from datetime import UTC, datetime, timedelta

from sextant_domain.hosts.enrolment import FLEET_TOKEN, HOST_TOKEN, Enrolment, EnrolmentMade, EnrolmentRequest

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
URL = "https://192.0.2.1:8443"


class Gate:
    """Tokens that wait."""

    def __init__(self) -> None:
        self.waiting: list[Enrolment] = []
        self.asked: list[EnrolmentRequest] = []
        self.url = URL

    def make(self, asked: EnrolmentRequest) -> EnrolmentMade:
        self.asked.append(asked)
        fleet = asked.count is not None
        made = Enrolment(
            id=len(self.asked),
            host=asked.host,
            count=len(asked.names),
            fleet=fleet,
            created_by="ada",
            created_at=NOW,
            expires_at=NOW + timedelta(seconds=asked.lifetime_s),
        )
        self.waiting.append(made)
        token = f"{FLEET_TOKEN if fleet else HOST_TOKEN}{'A' * 43}.{'B' * 43}"
        command = None if fleet else f"sextant-agent enrol --console {self.url} --token-file - <<< '{token}'"
        return EnrolmentMade(enrolment=made, token=token, fleet_url=self.url, command=command)

    def withdraw(self, number: int) -> bool:
        """True if it waited."""
        before = len(self.waiting)
        self.waiting = [one for one in self.waiting if one.id != number]
        return len(self.waiting) < before
