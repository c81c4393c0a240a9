"""Submission of a message to the operator's mail servers by SMTP (RFC 5321, RFC 6409).

The servers are tried in their order until one of them takes or refuses the message. A server that
answers 4xx, or not at all, has nothing: the next one is tried. The end of the message is sent by
itself: only when no answer follows it, the message may have been taken (Lost), and no other server
is tried.
"""

from __future__ import annotations

import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self, TypeVar

from einvoice.mail.outcomes import (
    MAX_TEXT_LENGTH,
    Deferred,
    Lost,
    Outcome,
    Refused,
    Reply,
    Taken,
)
from einvoice.mail.smarthosts import Security, Smarthost

T = TypeVar("T")
_ENHANCED: Final = re.compile(r"([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)", re.ASCII)
# 530: a login is missing, 534 and 535: it failed, 538: it needs TLS. All are the operator's.
_LOGIN_CODES: Final = frozenset({530, 534, 535, 538})


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds: for a connection, for each answer, for the answer to the end of the message, and
    for all servers together. The total is below the lease of a worker."""

    connect: float = 10.0
    answer: float = 30.0
    end: float = 60.0
    total: float = 150.0


class _Stopped(Exception):
    """The conversation ended before the end of the message was sent."""

    def __init__(self, outcome: Deferred | Refused) -> None:
        self.outcome = outcome


def submit(
    message: bytes,
    sender: str,
    recipient: str,
    servers: Sequence[Smarthost],
    *,
    envelope_id: str | None = None,
    trust: ssl.SSLContext | None = None,
    deadlines: Deadlines = Deadlines(),
) -> Outcome:
    """Hand the message to the first server that answers for it.

    sender       the envelope sender, to which notices return; empty for a notice
    envelope_id  ENVID of notices (RFC 3461), printable ASCII
    trust        the authorities of the servers' certificates; None: those of the system
    """
    outcome: Outcome = Deferred("no mail server is configured", configuration=True)
    with _Watch(deadlines.total) as watch:
        for server in servers:
            outcome = _Conversation(server, trust, deadlines, watch).hand_over(
                message, sender, recipient, envelope_id
            )
            _note(server, outcome)
            if not isinstance(outcome, Deferred) or watch.is_over:
                break
    return outcome


@dataclass(frozen=True, slots=True)
class Reached:
    """A server that takes messages. `certificate_ends_at`: None without TLS."""

    certificate_ends_at: datetime | None


def greeted(
    server: Smarthost, *, trust: ssl.SSLContext | None = None, deadlines: Deadlines = Deadlines()
) -> Reached | Deferred | Refused:
    """Connect to a server and log in, for operators: nothing is sent."""
    with _Watch(deadlines.total) as watch:
        return _Conversation(server, trust, deadlines, watch).greet()


def _note(server: Smarthost, outcome: Outcome) -> None:
    # Plugins import this module with the interface; commands that log nothing do without.
    import structlog

    log = structlog.get_logger()
    log.info("mail submitted", server=server.place, outcome=type(outcome).__name__)


class _Watch:
    """Closes the connection at the end of the total time, also of a server that sends slowly."""

    def __init__(self, seconds: float) -> None:
        self._timer = threading.Timer(seconds, self._close)
        self._timer.daemon = True
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.is_over = False

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def on(self, sock: socket.socket | None) -> None:
        with self._lock:
            self._socket = sock
            if self.is_over:
                self._shut()

    def _close(self) -> None:
        with self._lock:
            self.is_over = True
            self._shut()

    def _shut(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)


class _Watched(smtplib.SMTP):
    """Names its socket to the watch before the server says anything."""

    watch: _Watch

    def _get_socket(self, *args: Any) -> Any:
        sock = super()._get_socket(*args)  # type: ignore[misc]
        self.watch.on(sock)
        return sock


class _WatchedTls(smtplib.SMTP_SSL):
    """The same with TLS from the beginning."""

    watch: _Watch

    def _get_socket(self, *args: Any) -> Any:
        sock = super()._get_socket(*args)  # type: ignore[misc]
        self.watch.on(sock)
        return sock


class _Conversation:
    """One connection to one server."""

    def __init__(
        self, server: Smarthost, trust: ssl.SSLContext | None, deadlines: Deadlines, watch: _Watch
    ) -> None:
        self._server = server
        if trust is None and server.security is not Security.NONE:
            trust = ssl.create_default_context()
        self._trust = trust
        self._deadlines = deadlines
        self._watch = watch

    def hand_over(
        self, message: bytes, sender: str, recipient: str, envelope_id: str | None
    ) -> Outcome:
        def hand_over(smtp: smtplib.SMTP) -> Outcome:
            self._envelope(smtp, message, sender, recipient, envelope_id)
            self._answered(smtp, "DATA", *smtp.docmd("DATA"), expected=3)
            smtp.send(_body(message))
            return self._ended(smtp)

        return self._during(hand_over)

    def greet(self) -> Reached | Deferred | Refused:
        """Connect, protect the connection and log in, without a message."""

        def greet(smtp: smtplib.SMTP) -> Reached:
            certificate = smtp.sock.getpeercert() if isinstance(smtp.sock, ssl.SSLSocket) else None
            ends = str((certificate or {}).get("notAfter") or "")
            return Reached(
                datetime.fromtimestamp(ssl.cert_time_to_seconds(ends), UTC) if ends else None
            )

        return self._during(greet)

    def _during(self, conversation: Callable[[smtplib.SMTP], T]) -> T | Deferred | Refused:
        """The result of a conversation, or the fault that ended it."""
        try:
            with self._connected() as smtp:
                return conversation(smtp)
        except _Stopped as stopped:
            return stopped.outcome
        except smtplib.SMTPAuthenticationError as fault:
            reply = _reply(fault.smtp_code, fault.smtp_error)
            return Deferred(f"{self._server.place} refuses the login", reply, configuration=True)
        except ssl.SSLCertVerificationError as fault:
            reason = f"the certificate of {self._server.place}: {fault.verify_message}"
            return Deferred(reason, configuration=True)
        except (smtplib.SMTPException, OSError, ValueError) as fault:
            return Deferred(f"{self._server.place}: {_words(fault)}")

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        if self._watch.is_over:
            raise TimeoutError("the time is up")
        smtp = self._client()
        try:
            place = (self._server.host, self._server.port)
            self._answered(smtp, "CONNECT", *smtp.connect(*place), temporary=True)
            self._begun(smtp)
            yield smtp
        finally:
            self._watch.on(None)
            smtp.close()

    def _client(self) -> smtplib.SMTP:
        seconds = self._deadlines.connect
        smtp: _Watched | _WatchedTls
        if self._server.security is Security.TLS:
            smtp = _WatchedTls(timeout=seconds, context=self._trust)
        else:
            smtp = _Watched(timeout=seconds)
        smtp.watch = self._watch
        smtp._host = self._server.host  # type: ignore[union-attr]  # noqa: SLF001 - named in the certificate
        return smtp

    def _begun(self, smtp: smtplib.SMTP) -> None:
        """Greet, protect the connection, and log in."""
        _wait(smtp, self._deadlines.answer)
        smtp.ehlo_or_helo_if_needed()
        if self._server.security is Security.STARTTLS:
            self._answered(smtp, "STARTTLS", *smtp.starttls(context=self._trust), temporary=True)
            self._watch.on(smtp.sock)
            smtp.ehlo_or_helo_if_needed()
        if self._server.user:
            smtp.login(self._server.user, self._server.password)

    def _envelope(
        self,
        smtp: smtplib.SMTP,
        message: bytes,
        sender: str,
        recipient: str,
        envelope_id: str | None,
    ) -> None:
        size = int(smtp.esmtp_features.get("size") or 0)
        if 0 < size < len(message):
            reply = Reply(552, f"messages have at most {size:,} bytes here", "5.3.4")
            raise _Stopped(Refused(self._server.place, "MAIL", reply))
        wanted = smtp.has_extn("dsn") and bool(sender)
        of_mail = [f"SIZE={len(message)}"] if size else []
        of_mail += ["RET=HDRS"] if wanted else []
        of_mail += [f"ENVID={_xtext(envelope_id)}"] if wanted and envelope_id else []
        of_rcpt = (
            ["NOTIFY=SUCCESS,FAILURE,DELAY", f"ORCPT=rfc822;{_xtext(recipient)}"] if wanted else []
        )
        self._answered(smtp, "MAIL", *smtp.mail(sender, of_mail))
        self._answered(smtp, "RCPT", *smtp.rcpt(recipient, of_rcpt))

    def _ended(self, smtp: smtplib.SMTP) -> Outcome:
        """The outcome of the end of the message, after which the server may have it."""
        _wait(smtp, self._deadlines.end)
        place = self._server.place
        try:
            smtp.send(b".\r\n")
            code, text = smtp.getreply()
        except (smtplib.SMTPException, OSError, ValueError) as fault:
            return Lost(place, f"no answer after the message was sent: {_words(fault)}")
        reply = _reply(code, text)
        with suppress(smtplib.SMTPException, OSError, ValueError):
            _wait(smtp, 2.0)
            smtp.docmd("QUIT")
        match code // 100:
            case 2:
                return Taken(place, reply)
            case 4:
                return Deferred(f"{place} takes the message later", reply)
            case 5:
                return Refused(place, "DATA", reply)
            case _:
                return Lost(place, f"{place} answers {reply}")

    def _answered(
        self,
        smtp: smtplib.SMTP,
        step: str,
        code: int,
        text: bytes | str,
        *,
        expected: int = 2,
        temporary: bool = False,
    ) -> None:
        """Stop unless the code is the expected one; `temporary`: a 5xx is about this server."""
        if code // 100 == expected:
            return
        reply, place = _reply(code, text), self._server.place
        with suppress(smtplib.SMTPException, OSError, ValueError):
            _wait(smtp, 2.0)
            smtp.docmd("QUIT")
        if code // 100 == 5 and not temporary and code not in _LOGIN_CODES:
            raise _Stopped(Refused(place, step, reply))
        raise _Stopped(Deferred(f"{place} answers {step}", reply, code in _LOGIN_CODES))


def _wait(smtp: smtplib.SMTP, seconds: float) -> None:
    """Set how long each answer may take from here on."""
    if smtp.sock is not None:
        smtp.sock.settimeout(seconds)


def _body(message: bytes) -> bytes:
    """The lines of a message as DATA: CRLF at each end, a point doubled where a line begins so."""
    lines = re.sub(rb"\r\n|\r|\n", b"\r\n", message)
    stuffed = re.sub(rb"(?m)^\.", b"..", lines)
    return stuffed if stuffed.endswith(b"\r\n") else stuffed + b"\r\n"


def _reply(code: int, text: bytes | str) -> Reply:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    words = " ".join("".join(c if c.isprintable() else " " for c in words[:4000]).split())
    match = _ENHANCED.match(words)
    enhanced = match[1] if match else ""
    return Reply(code, words[match.end() if match else 0 :][:MAX_TEXT_LENGTH], enhanced)


def _words(fault: Exception) -> str:
    text = str(_reply(0, str(fault)).text) or type(fault).__name__
    return text[:200]


def _xtext(text: str) -> str:
    """RFC 3461, 4: printable ASCII, with + and = as +2B and +3D."""
    return "".join(
        c if "!" <= c <= "~" and c not in "+=" else f"+{ord(c) & 0xFF:02X}" for c in text
    )
