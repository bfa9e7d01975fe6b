"""One attempt at a webhook: a signed POST of JSON, without redirects, within ten seconds in all."""

import time
from urllib.parse import urlsplit

import httpx

from sextant_backend.agents import deadline
from sextant_backend.agents.destinations import ForbiddenDestination
from sextant_backend.modules.notifications.destination import Networks
from sextant_backend.modules.notifications.outcome import Outcome
from sextant_backend.modules.notifications.signing import signature
from sextant_backend.modules.notifications.transport import ReceiverTransport

WHOLE_S = 10.0
_TIMEOUT = httpx.Timeout(5.0)
_MOST_ANSWER_BYTES = 65_536
"""Read and thrown away, so that a receiver can end its answer; whoever sends more is cut off."""
_GONE = 410


def send(
    url: str, secret: str, body: bytes, *, delivery_id: str, event: str, attempt: int, allowed: Networks
) -> Outcome:
    """Never raises: what went wrong is what came of it."""
    timestamp = int(time.time())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Sextant",
        "Sextant-Delivery": delivery_id,
        "Sextant-Event": event,
        "Sextant-Attempt": str(attempt),
        "Sextant-Timestamp": str(timestamp),
        "Sextant-Signature": signature(secret, timestamp, delivery_id, body),
    }
    transport = ReceiverTransport(allowed, encrypted=urlsplit(url).scheme == "https")
    try:
        with (
            httpx.Client(transport=transport, timeout=_TIMEOUT, trust_env=False, follow_redirects=False) as http,
            deadline.within(WHOLE_S),
            http.stream("POST", url, content=body, headers=headers) as response,
        ):
            _drain(response)
            return _outcome(response)
    except ForbiddenDestination as error:
        return Outcome(None, f"{error}", final=True)
    except TimeoutError:
        return Outcome(None, f"no whole answer within {WHOLE_S:g} s")
    except httpx.TimeoutException as error:
        return Outcome(None, f"no answer in time ({type(error).__name__})")
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        return Outcome(None, f"{type(error).__name__}: {error}"[:300])


def _drain(response: httpx.Response) -> None:
    read = 0
    for part in response.iter_raw():
        read += len(part)
        if read > _MOST_ANSWER_BYTES:
            return


def _outcome(response: httpx.Response) -> Outcome:
    """Any 2xx has it. Nothing of the body is kept: it is somebody else's text, and this is shown to every viewer."""
    status = response.status_code
    if 200 <= status < 300:
        return Outcome(status)
    if 300 <= status < 400:
        return Outcome(status, f"it answered {status}: redirects are not followed, give the final address")
    asked = response.headers.get("Retry-After", "")
    after = float(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 7 else None
    return Outcome(status, f"it answered {status}", final=status == _GONE, retry_after_s=after)
