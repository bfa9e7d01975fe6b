"""What a request about channels is refused with."""

from sextant_backend.kit.errors import SextantError


class ChannelsFull(SextantError):
    """Every alert is sent to each of them."""

    kind, status, title = "channels-full", 409, "There are as many channels as there may be"


class ForbiddenTarget(SextantError):
    """No message is sent there."""

    kind, status, title = "forbidden-target", 422, "Nothing may be sent to that address"
