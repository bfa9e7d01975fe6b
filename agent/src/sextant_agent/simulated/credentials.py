"""TLS of a process that serves many hosts: a connection is answered with the certificate of the host that it asks for
by name (SNI), and its requests are about that host."""

import ssl
from collections.abc import Callable
from pathlib import Path

from sextant_agent.identity.tls import CertificateProblem, host_dns_name
from sextant_agent.simulated.identity import AUTHORITY, GATEWAY, KEY, FleetIdentity

_SUFFIX = host_dns_name("")


class HostContext(ssl.SSLContext):
    """A context that answers for one host; requests learn from it which one."""

    host_id: str


class FleetCredentials:
    """All contexts of one process. A host's is made when it is first asked for, and again when its files changed."""

    def __init__(self, folder: Path, host_ids: frozenset[str], is_down: Callable[[str], bool]) -> None:
        """`is_down`: whose connections are not to be answered, since the host has no power.

        Raises CertificateProblem where something is missing or unusable.
        """
        self._folder = folder
        self._identity = FleetIdentity(folder)
        self._host_ids = host_ids
        self._is_down = is_down
        self._hosts: dict[str, tuple[tuple[int, ...], HostContext]] = {}
        lacking = sorted(host_id for host_id in host_ids if not self._identity.path_of(host_id).is_file())
        if lacking:
            more = f" and {len(lacking) - 1} more hosts" if len(lacking) > 1 else ""
            raise CertificateProblem(
                f"there is no certificate of {lacking[0]}{more} in {folder}; enrol the fleet first"
            )
        self._seen = _stamp(folder / GATEWAY)
        self.client = self._client()
        """For connections to the fleet listener that are opened now; read it again for each."""
        self.server = self._loaded(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), folder / GATEWAY)
        """For the listener, as long as it lives; no connection is answered with its own certificate."""
        self.server.sni_callback = self._choose

    def refresh(self) -> bool:
        """Load the certificate to report by again if it changed; True if a new one is in use.

        Raises CertificateProblem.
        """
        found = _stamp(self._folder / GATEWAY)
        if found == self._seen:
            return False
        self.client, self._seen = self._client(), found
        return True

    def _choose(self, tls: ssl.SSLObject | ssl.SSLSocket, name: str | None, _: ssl.SSLContext) -> int | None:
        """Take the context of the host that is asked for; a number refuses the connection."""
        host_id = (name or "").removesuffix(_SUFFIX)
        if not (name or "").endswith(_SUFFIX) or host_id not in self._host_ids or self._is_down(host_id):
            return ssl.ALERT_DESCRIPTION_UNRECOGNIZED_NAME
        try:
            tls.context = self._context_of(host_id)
        except CertificateProblem:
            return ssl.ALERT_DESCRIPTION_INTERNAL_ERROR
        return None

    def _context_of(self, host_id: str) -> HostContext:
        path = self._identity.path_of(host_id)
        stamp = _stamp(path)
        known = self._hosts.get(host_id)
        if known is None or known[0] != stamp:
            context = HostContext(ssl.PROTOCOL_TLS_SERVER)
            context.host_id = host_id
            self._loaded(context, path)
            known = self._hosts[host_id] = stamp, context
        return known[1]

    def _client(self) -> ssl.SSLContext:
        return self._loaded(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), self._folder / GATEWAY)

    def _loaded(self, context: ssl.SSLContext, certificate: Path) -> ssl.SSLContext:
        try:
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            context.load_verify_locations(self._folder / AUTHORITY)
            context.load_cert_chain(certificate, self._folder / KEY)
        except OSError as error:
            reason = getattr(error, "reason", None) or error.strerror or error
            raise CertificateProblem(f"{certificate}: {reason}; enrol the fleet again") from error
        if context.protocol is ssl.PROTOCOL_TLS_SERVER:
            # As in `tls.Credentials`: who shows no certificate is refused, and audited, by the application.
            context.verify_mode = ssl.CERT_OPTIONAL
        return context


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        stat = path.stat()
    except OSError as error:
        raise CertificateProblem(f"{path}: {error.strerror}; enrol the fleet first") from error
    return stat.st_ino, stat.st_size, stat.st_mtime_ns
