"""The orders that an operation may give one host, each under a number of its own."""

from dataclasses import dataclass

from sextant_domain.hosts.desired import DesiredHostConfig

from sextant_backend.modules.operations.models import OperationHostRow


@dataclass(frozen=True)
class HostOrders:
    """Of one host. Numbers rise by one in the order in which they may be given: between, target, between again on the
    way back, former."""

    target: DesiredHostConfig
    former: DesiredHostConfig
    """The former content: what undoing orders."""
    between: DesiredHostConfig | None = None
    """What the host runs beside what comes to it; None on hosts that no other waits for in a circle."""

    def between_of(self, undo: bool) -> DesiredHostConfig:
        """The order in between, of going forward or back; LookupError where there is none."""
        if self.between is None:
            raise LookupError(f"{self.target.content.host_id} has no order in between")
        return DesiredHostConfig.of(self.former.generation - 1, self.between.content) if undo else self.between

    def given(self, *, undo: bool, between: bool) -> DesiredHostConfig:
        """The order that the host has accepted."""
        if between:
            return self.between_of(undo)
        return self.former if undo else self.target


def orders_of(row: OperationHostRow) -> HostOrders:
    """As they are stored."""
    between = row.in_between
    return HostOrders(
        target=DesiredHostConfig.model_validate_json(row.target),
        former=DesiredHostConfig.model_validate_json(row.former),
        between=None if between is None else DesiredHostConfig.model_validate_json(between),
    )
