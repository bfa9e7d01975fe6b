"""Certificate signing requests from outside: only their public key is used, never the names they ask for."""

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from sextant_backend.pki.authority import PublicKey


class BadRequest(ValueError):
    """The request cannot be signed: the text says why."""


def public_key_of(pem: str) -> PublicKey:
    """The key that `pem` (PKCS #10) proves to hold. Raises BadRequest unless it is P-256 or Ed25519."""
    try:
        request = x509.load_pem_x509_csr(pem.encode())
        key = request.public_key()
        signed = request.is_signature_valid
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise BadRequest("it is not a PEM certificate signing request that can be read") from None
    if not isinstance(key, ed25519.Ed25519PublicKey) and not (
        isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1)
    ):
        raise BadRequest("its key is neither on P-256 nor Ed25519")
    if not signed:
        raise BadRequest("it is not signed by the key it names")
    return key
