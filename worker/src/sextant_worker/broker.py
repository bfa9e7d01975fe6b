"""Kombu's Redis channel, made to survive the broker: two places in it end the whole worker when the broker goes away.

The queue is only a doorbell, so a message that is neither acknowledged nor put back does no harm: the sweep finds what
was not done, and a task that is run again finds it done.
"""

import logging

from kombu.transport import redis

_log = logging.getLogger(__name__)


class ForgivingQoS(redis.QoS):
    """Acknowledging a message of a connection that is gone is no error."""

    def ack(self, delivery_tag: str) -> None:
        """As kombu does; where the channel has already been taken apart it would raise AttributeError."""
        try:
            super().ack(delivery_tag)
        except AttributeError:
            _log.info("A message outlived its connection; it needs no acknowledgement")


def survive_restarts() -> None:
    """To be called before the first connection is made."""
    redis.Channel.QoS = ForgivingQoS
    redis.Channel.do_restore = False
