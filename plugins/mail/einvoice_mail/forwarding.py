"""Answers of buyers that came to the operator's addresses, forwarded to the tenant.

The answer is attached as it came, and what the tenant replies goes to the buyer. The message has no
envelope sender, so that no server answers it, and says that a program sends it: two programs never
write to each other.
"""

from __future__ import annotations

import hashlib
from typing import Final

from einvoice.mail import Attachment, Deferred, InvalidAddress, Mailbox, Message, Outgoing
from einvoice_mail.notices import Notice

_FORWARDED: Final = (("Auto-Submitted", "auto-forwarded"),)


class Forwarding:
    """Forwards answers by the operator's mail servers."""

    def __init__(self, outgoing: Outgoing) -> None:
        self._outgoing = outgoing

    def __call__(self, to: str, notice: Notice, content: bytes) -> bool:
        """Forward an answer; False: no server took it, and it has to be tried again."""
        message = self.message(to, notice, content)
        return message is None or not isinstance(self._outgoing.send(message), Deferred)

    def message(self, to: str, notice: Notice, content: bytes) -> Message | None:
        """The message to the tenant; None where its address is none."""
        try:
            receiver, buyer = Mailbox.parse(to), Mailbox.parse(notice.recipient)
        except InvalidAddress:
            return None
        digest = hashlib.sha256(content).hexdigest()[:40]
        return Message(
            sender=self._outgoing.sender.named(buyer.address),
            to=receiver,
            subject=f"Fwd: {notice.words}"[:120],
            text=f"{buyer.address}:\n\n{notice.words}\n",
            message_id=f"<fwd-{digest}@{self._outgoing.sender.domain}>",
            reply_to=buyer,
            attachments=(Attachment("answer.eml", "application/octet-stream", content),),
            automatic=False,
            headers=_FORWARDED,
        )
