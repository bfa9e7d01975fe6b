"""One attempt at a mail: by SMTP, to the very address that was judged, within half a minute in all."""

import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from typing import Any

from sextant_domain.console.notifications import EmailTarget, Message, SmtpSecurity

from sextant_backend.agents.destinations import ForbiddenDestination
from sextant_backend.modules.notifications import destination
from sextant_backend.modules.notifications.destination import Networks
from sextant_backend.modules.notifications.outcome import Outcome

WHOLE_S = 30.0
_STEP_S = 10.0
"""Mail servers take their time over a wrong password."""
_READY = 220


def send(target: EmailTarget, message: Message, allowed: Networks) -> Outcome:
    """Never raises. One mail to all recipients; where the server refuses some of them, those that it took have it and
    the others are named."""
    try:
        with _connection(target, allowed) as smtp:
            refused = smtp.send_message(written(target, message))
    except ForbiddenDestination as error:
        return Outcome(None, f"{error}", final=True)
    except smtplib.SMTPAuthenticationError as error:
        return Outcome(error.smtp_code, "the mail server refuses user name and password")
    except smtplib.SMTPRecipientsRefused as error:
        code = next((answer[0] for answer in error.recipients.values()), None)
        return Outcome(code, f"the mail server refuses every recipient ({code})")
    except smtplib.SMTPResponseException as error:
        return Outcome(error.smtp_code, f"the mail server answered {error.smtp_code}")
    except (smtplib.SMTPException, OSError, ValueError) as error:
        return Outcome(None, f"{type(error).__name__}: {error}"[:300])
    return Outcome(250, f"not taken for {', '.join(sorted(refused))}" if refused else None, final=bool(refused))


def written(target: EmailTarget, message: Message) -> EmailMessage:
    """The mail. Its Message-ID is the same in every attempt, so that mail programs show a repeat once."""
    mail = EmailMessage()
    mail["Subject"] = " ".join(f"[Sextant] {message.title}".split())[:200]
    mail["From"], mail["To"] = target.sender, ", ".join(target.recipients)
    mail["Message-ID"] = f"<{message.delivery_id}@{target.sender.partition('@')[2]}>"
    mail["Date"] = message.created_at
    mail["Auto-Submitted"] = "auto-generated"
    mail["Sextant-Delivery"], mail["Sextant-Event"] = message.delivery_id, message.event.value
    mail.set_content("\n".join(_lines(message)))
    return mail


def _lines(message: Message) -> Iterator[str]:
    yield message.title
    for alert in message.alerts:
        yield ""
        about = f"alert {alert.id}, {alert.object_kind.value} {alert.object_name}"
        yield f"{alert.severity.value}: {alert.summary} ({about})"
        if alert.resolved_at is not None:
            yield f"  resolved {alert.resolved_at:%Y-%m-%d %H:%M:%S} UTC: {alert.resolved_because}"
            continue
        yield f"  cause: {alert.cause}"
        yield f"  next:  {alert.next_step}"
    if message.more:
        yield f"\nand {message.more} more: sextant alerts list"


@contextmanager
def _connection(target: EmailTarget, allowed: Networks) -> Iterator[smtplib.SMTP]:
    context = ssl.create_default_context()
    encrypted = target.security is not SmtpSecurity.NONE
    smtp: smtplib.SMTP
    if target.security is SmtpSecurity.TLS:
        smtp = _CheckedTls(allowed, context=context, timeout=_STEP_S)
    else:
        smtp = _Checked(allowed, encrypted=encrypted, timeout=_STEP_S)
    smtp._host = target.server  # type: ignore[attr-defined]  # TLS checks the certificate for this name
    end = threading.Timer(WHOLE_S, _cut, (smtp,))
    end.start()
    try:
        code, reply = smtp.connect(target.server, target.port)
        if code != _READY:
            raise smtplib.SMTPConnectError(code, reply)
        if target.security is SmtpSecurity.STARTTLS:
            smtp.starttls(context=context)  # raises where the server has none: nothing is sent in clear
        if target.username is not None and target.password is not None:
            smtp.login(target.username, target.password)
        yield smtp
        with suppress(smtplib.SMTPException, OSError):
            smtp.quit()  # it has the mail
    finally:
        end.cancel()
        smtp.close()


def _cut(smtp: smtplib.SMTP) -> None:
    """smtplib limits each read, not their sum: a server that sends a byte every few seconds would hold the worker."""
    with suppress(OSError):
        if smtp.sock is not None:
            smtp.sock.shutdown(socket.SHUT_RDWR)


class _Checked(smtplib.SMTP):
    """Connects to an address that was judged; smtplib has no option for that, but one method that opens the socket."""

    def __init__(self, allowed: Networks, *, encrypted: bool, **options: Any) -> None:
        self._allowed, self._encrypted = allowed, encrypted
        super().__init__(**options)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        *others, last = destination.resolved(host, port, self._allowed, encrypted=self._encrypted)
        for address in others:
            with suppress(OSError):
                return socket.create_connection((address, port), timeout)
        return socket.create_connection((last, port), timeout)


class _CheckedTls(smtplib.SMTP_SSL, _Checked):
    """The same, encrypted from the first byte on."""

    def __init__(self, allowed: Networks, **options: Any) -> None:
        self._allowed, self._encrypted = allowed, True
        smtplib.SMTP_SSL.__init__(self, **options)
