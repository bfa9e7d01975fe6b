"""Every door that stands open to whoever has no credentials, of all listeners: the exceptions of the walks over doors.

The lists may only shrink. Each walk compares its list with what its listener's code leaves open, so a door that is
closed has to be struck off here, and one that is forgotten open is named; `MOST` keeps anyone from adding it here. What
a person needs to sign in is open by its nature: decision 76 says why a sign-in by a provider took three more.
"""

from sextant_backend.fleet import guard

SIGN_IN = frozenset({"login", "getSignInOptions", "beginSignIn", "finishSignIn"})
HEALTH = frozenset({"getHealth", "getReadiness"})
CONSOLE = SIGN_IN | HEALTH
"""By operation. Beside them the console serves its own pages and its contract, which hold no data of the fleet."""
FLEET = guard.OPEN
"""By method and path: the authority's certificate, and enrolment by a token, for hosts that have no certificate yet."""
BESIDE_THE_CONTRACT = frozenset({"/openapi.json", "/docs", "/docs/reference.css", "/metrics"})
"""Paths that are no operations of it: the contract itself, and counters of the process for Prometheus."""

MOST = {"console": 6, "beside the contract": 4, "fleet": 2}
