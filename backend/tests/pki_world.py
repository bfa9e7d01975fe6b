"""An authority and certificates for tests: what `make up` issues, in memory and a folder."""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Issued:
    """A certificate and its key as files."""

    cert: Path
    key: Path


class Authority:
    """A certificate authority of its own, writing into `folder`."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder / name
        self._folder.mkdir()
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        basic = x509.BasicConstraints(ca=True, path_length=0)
        builder = self._builder(self._name, self._key.public_key(), timedelta(days=1)).add_extension(basic, True)
        self._cert = builder.sign(self._key, hashes.SHA256())
        self.ca = self._folder / "ca.crt"
        self.ca.write_bytes(self._cert.public_bytes(serialization.Encoding.PEM))

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePublicKey, lifetime: timedelta
    ) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        start = min(now - timedelta(minutes=1), now + lifetime - timedelta(minutes=1))
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(now + lifetime)
        )

    def issue(
        self, file: str, uris: list[str], dns: list[str] | None = None, lifetime: timedelta = timedelta(hours=1)
    ) -> Issued:
        """A certificate with those URIs and names; `file` names its files."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, file)])
        builder = self._builder(subject, key.public_key(), lifetime)
        names = [x509.UniformResourceIdentifier(uri) for uri in uris] + [x509.DNSName(name) for name in dns or []]
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        certificate = builder.sign(self._key, hashes.SHA256())
        issued = Issued(self._folder / f"{file}.crt", self._folder / f"{file}.key")
        issued.cert.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        issued.key.write_bytes(pem)
        return issued

    @property
    def folder(self) -> Path:
        """Where its files are; a SEXTANT_PKI_DIR once `backend` is issued."""
        return self._folder

    def client(self, issued: Issued | None) -> ssl.SSLContext:
        """A client that trusts this authority and shows `issued`."""
        context = ssl.create_default_context(cafile=str(self.ca))
        if issued is not None:
            context.load_cert_chain(issued.cert, issued.key)
        return context
