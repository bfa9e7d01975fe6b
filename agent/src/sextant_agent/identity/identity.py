"""A host's identity on disk: key, certificate, the fleet's authority, and what enrolment said beside them."""

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from sextant_agent.kit.files import write_durably

NOTE = "enrolment.json"
Key = ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


class IdentityProblem(Exception):
    """The files cannot be used or may not be written: cause, then next step."""


@dataclass(frozen=True)
class Note:
    """What the agent learns at enrolment, as settings by their names."""

    host_id: str
    fleet_url: str
    listen: str
    url: str


def noted(folder: Path) -> dict[str, str]:
    """The note in `folder`; empty where the host was not enrolled by itself, or the note cannot be read."""
    try:
        found = json.loads((folder / NOTE).read_text())
    except (OSError, ValueError):
        return {}
    known = Note.__dataclass_fields__
    return {name: value for name, value in found.items() if name in known} if isinstance(found, dict) else {}


def new_key() -> Key:
    """On P-256."""
    return ec.generate_private_key(ec.SECP256R1())


def signing_request(key: Key) -> str:
    """PKCS #10 in PEM, without names: the backend says who the host is."""
    digest = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    made = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([])).sign(key, digest)
    return made.public_bytes(serialization.Encoding.PEM).decode()


def read_certificate(path: Path) -> x509.Certificate | None:
    """None where there is none that can be read."""
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return None


def refuse_living(present: x509.Certificate | None, folder: Path) -> None:
    """Raises IdentityProblem where the certificate that stands in `folder` is still valid."""
    if present is not None and present.not_valid_after_utc > datetime.now(UTC):
        until = f"{present.not_valid_after_utc:%Y-%m-%d %H:%M} UTC"
        raise IdentityProblem(f"{folder} holds an identity that is valid until {until}; --replace overwrites it")


def check_renewed(certificate: str, key: Key) -> None:
    """Raises IdentityProblem where the next certificate is not for the key that is kept."""
    try:
        given = x509.load_pem_x509_certificate(certificate.encode())
    except ValueError as error:
        raise IdentityProblem(f"a renewed certificate cannot be read: {error}; the former stays") from error
    if given.public_key() != key.public_key():
        raise IdentityProblem("a renewed certificate is for another key; the former stays")


def write_base(folder: Path, key: Key, authority: str, note: Note) -> None:
    """All of a new identity but its certificates: until these are there no agent starts with it. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    write_durably(folder / "host.key", pem)
    write_durably(folder / "ca.crt", authority.encode(), 0o644)
    write_durably(folder / NOTE, json.dumps(asdict(note)).encode())


@dataclass(frozen=True)
class HostIdentity:
    """The folder that SEXTANT_AGENT_PKI_DIR names. The key is kept for life: a renewal is one rename."""

    folder: Path

    def certificate(self) -> x509.Certificate | None:
        """None where there is none that can be read."""
        return read_certificate(self.folder / "host.crt")

    def key(self) -> Key:
        """Raises IdentityProblem."""
        path = self.folder / "host.key"
        try:
            key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        except (OSError, ValueError, TypeError) as error:
            raise IdentityProblem(f"{path}: {error}; enrol this host again") from error
        if not isinstance(key, Key):
            raise IdentityProblem(f"{path} is neither a key on P-256 nor Ed25519; enrol this host again")
        return key

    def refuse_living(self) -> None:
        """Raises IdentityProblem where the certificate is still valid."""
        refuse_living(self.certificate(), self.folder)

    def write(self, key: Key, certificate: str, authority: str, note: Note) -> None:
        """A whole new identity, the certificate last. Raises OSError."""
        write_base(self.folder, key, authority, note)
        write_durably(self.folder / "host.crt", certificate.encode(), 0o644)

    def renew(self, certificate: str) -> None:
        """The next certificate for the same key. Raises IdentityProblem where it is not for that key, OSError."""
        check_renewed(certificate, self.key())
        write_durably(self.folder / "host.crt", certificate.encode(), 0o644)
