"""The network mail in the sandbox: mails are kept with their invoices, and sent to nobody.

The part of an address before the @ decides what happens, so that integrators see every end:

| begins with | outcome |
|---|---|
| `refused` | the server refuses the receiver (550) |
| `later` | the server takes it later (450), until the retries end |
| `lost` | no answer after the message: a person decides |
| `bounced` | taken; then a notice says that it is undeliverable |
| anything else | taken |

With EINVOICE_MAIL_TEST_SMARTHOSTS the mails are sent there.
"""

from __future__ import annotations

from email.message import EmailMessage
from typing import Final

from einvoice.domain.artefacts import MAIL_NOTICE
from einvoice.mail import Deferred, Lost, Refused, Reply, Taken
from einvoice.mail import Outcome as Submitted
from einvoice.network.types import (
    Delivered,
    Envelope,
    Evidence,
    Outcome,
    Prepared,
    ReceiverResponse,
    ResponseStatus,
)
from einvoice_mail.access_point import RECIPIENT, MailAccessPoint

_SERVER: Final = "sandbox"
_NO_SUCH_USER: Final = Reply(550, "no such user here", "5.1.1")
_ANSWERS: Final[dict[str, Submitted]] = {
    "refused": Refused(_SERVER, "RCPT", _NO_SUCH_USER),
    "later": Deferred(_SERVER, Reply(450, "try again later", "4.2.1")),
    "lost": Lost(_SERVER, "no answer after the message was sent"),
}
_BOUNCED: Final = "bounced"


class SandboxAccessPoint(MailAccessPoint):
    """The access point `mail-test`."""

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        outcome = super().submit(envelope, prepared)
        recipient = prepared.state[RECIPIENT]
        if isinstance(outcome, Delivered) and recipient.startswith(_BOUNCED):
            return Delivered((*outcome.evidence, _notice(recipient)))
        return outcome

    def _submitted(self, envelope: Envelope, recipient: str, content: bytes) -> Submitted:
        for start, answer in _ANSWERS.items():
            if recipient.startswith(start):
                return answer
        if self._outgoing.servers:
            return super()._submitted(envelope, recipient, content)
        return Taken(_SERVER, Reply(250, "kept in the sandbox", "2.0.0"))

    def _refusal(self, envelope: Envelope, recipient: str) -> Outcome | None:
        """Magic addresses end as they are described, however often."""
        if self._outgoing.servers:
            return super()._refusal(envelope, recipient)
        return None


def _notice(recipient: str) -> Evidence:
    notice = EmailMessage()
    notice["From"], notice["To"] = "MAILER-DAEMON@sandbox.invalid", recipient
    notice["Subject"] = "Undelivered mail"
    notice.set_content(f"{recipient}: {_NO_SUCH_USER}\n")
    response = ReceiverResponse(
        ResponseStatus.UNDELIVERABLE, by=recipient, reasons=(str(_NO_SUCH_USER),)
    )
    return Evidence(MAIL_NOTICE, notice.as_bytes(), response=response)
