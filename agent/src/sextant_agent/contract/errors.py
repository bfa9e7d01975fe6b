"""What a driver may raise."""


class DriverError(Exception):
    """Something the driver could not do: cause, then next step."""

    def __init__(self, message: str, *, permanent: bool = False) -> None:
        """`permanent`: trying again cannot help until an order or an operator changes something."""
        super().__init__(message)
        self.permanent = permanent


class DataPlaneDown(DriverError):
    """Nothing can be asked or ordered: the process that moves packets is not there or not ours."""


class NotSupported(DriverError):
    """A method this driver does not offer; the inventory's capability of the same name gives the reason."""

    def __init__(self, message: str) -> None:
        super().__init__(message, permanent=True)


class CoreBusy(DriverError):
    """A core that is to be measured holds NFs: it may become free by itself."""


class FaultRefused(Exception):
    """A fault that names something the host does not have: which field, and why."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
