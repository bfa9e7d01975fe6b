"""Certificates: an authority of P-256 that signs leaves of 24 hours, as docs/contracts/agent.md describes them."""

import base64
import stat
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

PublicKey = ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey
"""The kinds of keys that leaves may have: P-256 and Ed25519 (`requests.py` refuses others)."""
AUTHORITY_VALIDITY = timedelta(days=3650)
LEAF_VALIDITY = timedelta(hours=24)
CLOCK_SKEW = timedelta(minutes=5)
"""A certificate is valid from this long before it was made: clocks of hosts differ."""
_MAKES = "`make up`, or `python -m sextant_backend certificates`, makes"


class AuthorityProblem(Exception):
    """The authority's files cannot be used: cause, then next step."""


@dataclass(frozen=True)
class Authority:
    """The key that signs, and its self-signed certificate."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def make(cls, now: datetime) -> "Authority":
        """A new authority; it may sign leaves, no further authorities."""
        key = new_key()
        name = _name("Sextant fleet authority")
        builder = (
            _builder(name, name, key.public_key(), now - CLOCK_SKEW, now + AUTHORITY_VALIDITY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs_certificates=True), critical=True)
        )
        return cls(key=key, certificate=builder.sign(key, hashes.SHA256()))

    @classmethod
    def load(cls, certificate_file: Path, key_file: Path) -> "Authority":
        """The stored authority. Raises AuthorityProblem, also where others than its owner may read the key."""
        try:
            if stat.S_IMODE(key_file.stat().st_mode) & 0o077:
                raise AuthorityProblem(f"{key_file} may be read by others than its owner; chmod 600 {key_file}")
            key = load_key(key_file.read_bytes())
            certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
        except OSError as error:
            raise AuthorityProblem(f"{error.filename}: {error.strerror}; {_MAKES} the authority") from error
        except (ValueError, TypeError) as error:
            raise AuthorityProblem(f"{key_file} or {certificate_file}: {error}; {_MAKES} them anew") from error
        if certificate.public_key() != key.public_key():
            raise AuthorityProblem(f"{key_file} is not the key of {certificate_file}; {_MAKES} them anew")
        return cls(key=key, certificate=certificate)

    def issue(
        self, key: PublicKey, *, urn: str, dns_name: str, now: datetime, not_before: datetime | None = None
    ) -> x509.Certificate:
        """A leaf for both ends of mutual TLS: identity `urn` and name `dns_name` in subjectAltName.

        It begins `CLOCK_SKEW` before `now`, or at `not_before` where that is later, and ends 24 h after `now`.
        """
        begin = max(now - CLOCK_SKEW, not_before or now - CLOCK_SKEW)
        own = self.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        builder = (
            _builder(_name(dns_name), self.certificate.subject, key, begin, now + LEAF_VALIDITY)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(
                x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]),
                critical=False,
            )
            .add_extension(
                x509.SubjectAlternativeName([x509.UniformResourceIdentifier(urn), x509.DNSName(dns_name)]),
                critical=False,
            )
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own), critical=False)
        )
        return builder.sign(self.key, hashes.SHA256())


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def load_key(pem: bytes) -> ec.EllipticCurvePrivateKey:
    """Raises ValueError where it is no private key on an elliptic curve."""
    key = serialization.load_pem_private_key(pem, password=None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ValueError("not a key on an elliptic curve")
    return key


def certificate_pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256 of a certificate, base64url without padding: what an enrolment token says of the authority."""
    return base64.urlsafe_b64encode(certificate.fingerprint(hashes.SHA256())).decode().rstrip("=")


def _name(common: str) -> x509.Name:
    # X.520 allows 64 characters in a common name; who a peer is stands in subjectAltName.
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common[:64])])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: PublicKey, begin: datetime, end: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )
