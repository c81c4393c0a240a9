"""E-mail: messages, their signature, and their submission to the operator's mail servers.

`configured(settings)` is the way out of an installation, None without EINVOICE_MAIL_SMARTHOSTS:

    outgoing = mail.configured(settings)
    message = Message(
        sender=Mailbox.parse(settings.mail_from, name="Muster GmbH"),
        to=Mailbox.parse("buyer@example.com"),
        subject="Invoice 17",
        text="…",
        message_id=f"<{transmission_id}@example.com>",
    )
    outcome = outgoing.send(message, return_to=transmission_id)

`send` blocks for up to `deadlines.total` seconds: call it in a worker, outside of transactions. It
raises nothing that a server causes: the outcome is Taken, Deferred, Refused or Lost.
"""

from einvoice.mail.addresses import InvalidAddress, Mailbox, return_path, returned_token
from einvoice.mail.messages import Attachment, InvalidMessage, Message, one_line
from einvoice.mail.outcomes import Deferred, Lost, Outcome, Refused, Reply, Taken
from einvoice.mail.outgoing import Outgoing, configured
from einvoice.mail.signing import Signer
from einvoice.mail.smarthosts import InvalidSmarthost, Smarthost, smarthosts
from einvoice.mail.submission import Deadlines, Reached, greeted, submit

__all__ = [
    "Attachment",
    "Deadlines",
    "Deferred",
    "InvalidAddress",
    "InvalidMessage",
    "InvalidSmarthost",
    "Lost",
    "Mailbox",
    "Message",
    "Outcome",
    "Outgoing",
    "Reached",
    "Refused",
    "Reply",
    "Signer",
    "Smarthost",
    "Taken",
    "configured",
    "greeted",
    "one_line",
    "return_path",
    "returned_token",
    "smarthosts",
    "submit",
]
