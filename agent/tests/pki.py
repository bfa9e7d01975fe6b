"""A real authority for tests: certificates as an installation issues them."""

import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from sextant_domain.hosts.enrolment import GatewayCertificate, HostCertificate, IssuedCertificates

BACKEND = ("urn:sextant:role:backend", "fleet.sextant")


def host_names(host_id: str) -> tuple[str, str]:
    return f"urn:sextant:host:{host_id}", f"{host_id}.host.sextant"


class Authority:
    """Issues into folders of PEM files."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"test authority {folder.name}")])
        self._certificate = (
            self._builder(self._name, self._key.public_key(), timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self.ca = folder / "ca.crt"
        self.ca.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def issue(
        self, name: str, names: tuple[str, str], *, into: Path | None = None, life: timedelta = timedelta(hours=1)
    ) -> Path:
        """`name`.crt and `name`.key beside a copy of ca.crt; returns the folder."""
        key = ec.generate_private_key(ec.SECP256R1())
        return self._store(name, key, self.certify(key.public_key(), names, life), into or self.folder / name)

    def forge(self, name: str, *names: x509.GeneralName) -> Path:
        """A certificate that no installation issues: with these names, whatever they are."""
        key = ec.generate_private_key(ec.SECP256R1())
        return self._store(name, key, self._leaf(key.public_key(), names, timedelta(hours=1)), self.folder / name)

    def _store(self, name: str, key: ec.EllipticCurvePrivateKey, certificate: str, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.key").write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        (folder / f"{name}.crt").write_text(certificate)
        if folder != self.folder:
            (folder / "ca.crt").write_bytes(self.ca.read_bytes())
        return folder

    def certify(self, key: ec.EllipticCurvePublicKey, names: tuple[str, str], life: timedelta) -> str:
        """A certificate in PEM, by (URI, DNS name)."""
        uri, dns = names
        return self._leaf(key, (x509.UniformResourceIdentifier(uri), x509.DNSName(dns)), life)

    def _leaf(self, key: ec.EllipticCurvePublicKey, names: Sequence[x509.GeneralName], life: timedelta) -> str:
        builder = (
            self._builder(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a leaf")]), key, life)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()

    def certify_fleet(
        self, key: ec.EllipticCurvePublicKey, host_ids: Sequence[str], fleet_url: str, life: timedelta
    ) -> IssuedCertificates:
        """What a fleet token is answered with: all for one key."""
        gateway = ("urn:sextant:gateway:gw-1", "gw-1.gateway.sextant")
        return IssuedCertificates(
            authority=self.ca.read_text(),
            hosts=tuple(
                HostCertificate(host_id=host_id, certificate=self.certify(key, host_names(host_id), life))
                for host_id in host_ids
            ),
            gateway=GatewayCertificate(gateway_id="gw-1", certificate=self.certify(key, gateway, life)),
            fleet_url=fleet_url,
            not_after=datetime.now(UTC) + life,
        )

    def context(self, name: str | None = None) -> ssl.SSLContext:
        """A client's context that trusts this authority and shows the certificate `name`, if one is named."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(self.ca)
        if name:
            context.load_cert_chain(self.folder / name / f"{name}.crt", self.folder / name / f"{name}.key")
        return context

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey, life: timedelta) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=1) - (timedelta() if life > timedelta() else -life * 2))
            .not_valid_after(now + life)
        )
