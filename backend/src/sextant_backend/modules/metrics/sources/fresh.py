"""Which samples are of now: in SQL, with `l` for the host's row of `latest_hosts`, and `m` for the sample's moment."""

from sextant_backend.modules.chains.views import FRESH_S
from sextant_backend.modules.telemetry.moments import LATE

_SAMPLE_S = FRESH_S + LATE.total_seconds()
"""An agent's clock may be wrong by `LATE`; a sample that is older than that is none of now whatever its host says."""


def fresh(moment: str) -> str:
    """The host was heard lately, as pages demand too, and goes on measuring. NULL, which is as good as false, where it
    was never heard."""
    return f"(l.heard_at > now() - interval '{FRESH_S} s' AND {moment} > now() - interval '{_SAMPLE_S} s')"


PROVENANCE = """
    coalesce(l.provenance, CASE WHEN h.inventory->>'driver' = 'twin'
        OR h.inventory->'capabilities' @> '[{"name": "simulated", "available": true}]'
        THEN 'simulated' ELSE 'measured' END)
"""
"""Of a host, `h`: what its last report said, or what its figures would be."""
