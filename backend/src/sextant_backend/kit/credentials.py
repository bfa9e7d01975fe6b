"""Whether this process has what agents ask of whoever orders them: the backend's certificate, and its key.

Health checks ask, every few seconds: imports nothing that is slow.
"""

import ssl
from datetime import UTC, datetime
from pathlib import Path

FILES = ("ca.crt", "backend.crt", "backend.key")
ORDERING = frozenset({"operate", "profile"})
"""Queues whose workers give orders to agents."""
_NEXT = "`python -m sextant_backend certificates` keeps them there"


def missing(pki_dir: Path | None) -> str | None:
    """Why no agent would listen to this process; None where one would."""
    if pki_dir is None:
        return f"SEXTANT_PKI_DIR is not set: it names the folder of {', '.join(FILES)}"
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=str(pki_dir / "ca.crt"))
        context.load_cert_chain(pki_dir / "backend.crt", pki_dir / "backend.key")
        end = ends(pki_dir)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        return f"{', '.join(FILES)} of {pki_dir} cannot be used ({error}): {_NEXT}"
    if end <= datetime.now(UTC):
        return f"{pki_dir}/backend.crt ended at {end:%Y-%m-%d %H:%M} UTC: {_NEXT}"
    return None


def ends(pki_dir: Path) -> datetime:
    """When the backend's certificate does; OSError or ValueError where it cannot be read."""
    from cryptography import x509

    return x509.load_pem_x509_certificate((pki_dir / "backend.crt").read_bytes()).not_valid_after_utc
