"""How webhooks are signed, so that a receiver knows who sent a message, and when."""

import hashlib
import hmac
import secrets


def new_secret() -> str:
    """256 random bits."""
    return f"whsec_{secrets.token_urlsafe(32)}"


def signature(secret: str, timestamp: int, delivery_id: str, body: bytes) -> str:
    """`v1=` and HMAC-SHA256, in hexadecimal, of `<timestamp>.<delivery id>.<body>` under the secret."""
    signed = f"{timestamp}.{delivery_id}.".encode() + body
    return f"v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"
