"""Sending an invoice by e-mail.

The message is written and signed once, before the first attempt; its Message-ID is that of the
transmission. Delivered means that a mail server took it: a notice of its failure comes later, to
the return path of this message (`notices`). Without an answer to the end of the message nobody
knows: it is never sent again by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from einvoice.domain.artefacts import MAIL, RECEIPT
from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.identifiers import ParticipantId
from einvoice.mail import (
    Deferred,
    InvalidAddress,
    Lost,
    Mailbox,
    Reply,
    Taken,
)
from einvoice.mail import Outcome as Submitted
from einvoice.mail import Refused as RefusedMail
from einvoice.network import reasons
from einvoice.network.connections import Connection
from einvoice.network.facts import Fact
from einvoice.network.held_addresses import MAX_HELD, HeldAddress
from einvoice.network.reasons import Reason
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    Envelope,
    Evidence,
    NotRegistered,
    NotSent,
    Outcome,
    Prepared,
    Registration,
    Rejected,
    Unknown,
)
from einvoice_mail.configuration import Configuration
from einvoice_mail.operation import Operation
from einvoice_mail.rates import Rates
from einvoice_mail.suppression import Suppression

_OURS: Final = re.compile(r"<((?:txn|msg)-[A-Za-z0-9-]{1,44})@([A-Za-z0-9.-]{1,253})>")
_TOKEN: Final = re.compile(r"[^A-Za-z0-9-]")
RECIPIENT: Final = "recipient"
REPLY_TO: Final = "replyTo"  # also in the receipt: where an answer of a person is forwarded


class MailAccessPoint(AccessPointBase):
    """The network mail in one environment. Safe to call from several threads."""

    network = "mail"
    capabilities = Capabilities(
        concurrency=4,
        timeout=170.0,
        timeout_per_mebibyte=2.0,
        needs_lookup=False,
        reaches_without_id=True,
        named_only=True,
        by_email=True,
        delivered_means=DeliveredMeans.MAIL,
    )

    def __init__(
        self,
        configuration: Configuration,
        rates: Rates,
        bounced: Suppression,
        operation: Operation,
    ) -> None:
        self.name = configuration.name
        self.environment = configuration.environment
        self._configuration = configuration
        self._outgoing = configuration.outgoing
        self._rates = rates
        self._bounced = bounced
        self._operation = operation

    def lookup(self, participant: ParticipantId) -> Registration | NotRegistered:
        """E-mail has no directory."""
        return NotRegistered()

    def prepare(self, envelope: Envelope) -> Prepared | Rejected:  # type: ignore[override]
        """Write and sign the message."""
        if envelope.mail is None or not envelope.receiver_email:
            return _refused("no-address", "no e-mail address of the receiver is known")
        try:
            to = Mailbox.parse(envelope.receiver_email)
        except InvalidAddress as fault:
            return _refused("invalid-address", str(fault))
        message_id = f"<{token_of(envelope)}@{self._outgoing.sender.domain}>"
        message = envelope.mail.message(
            self._outgoing.sender, to, message_id, max_bytes=self._configuration.max_bytes
        )
        content = self._outgoing.written(message, signer=envelope.mail.signer)
        answers = {} if message.reply_to is None else {REPLY_TO: message.reply_to.address}
        return Prepared(message_id, content, {RECIPIENT: to.address, **answers})

    def submit(self, envelope: Envelope, prepared: Prepared) -> Outcome:
        """Hand the message to the first mail server that answers for it."""
        recipient, content = prepared.state[RECIPIENT], prepared.content or b""
        refusal = self._refusal(envelope, recipient)
        if refusal is not None:
            return refusal
        outcome = self._submitted(envelope, recipient, content)
        if isinstance(outcome, RefusedMail) and _is_wrong_address(outcome):
            self._bounced.add(envelope.tenant_id, recipient, str(outcome.reply))
        return outcome_of(outcome, recipient, content, prepared.state.get(REPLY_TO))

    def held_addresses(self, tenant_id: str | None = None) -> Sequence[HeldAddress]:
        """The addresses that get no mail for a week."""
        return self._bounced.of(tenant_id)

    def lift_address(self, tenant_id: str, address_id: str) -> HeldAddress | None:
        """Send mail to an address again."""
        return self._bounced.lift(tenant_id, address_id)

    def operation_facts(self, connections: Sequence[Connection]) -> Iterator[Fact]:
        """For the console: what came back, and who takes it."""
        yield Fact("Undeliverable in 24 hours", self._operation.bounced_today(self.name))
        held = len(self._bounced.of(None))
        yield Fact("Addresses on hold", f"{held} or more" if held == MAX_HELD else str(held))
        if self._outgoing.servers:
            yield Fact("Mail servers", ", ".join(each.place for each in self._outgoing.servers))
        yield from self._operation.facts()

    def _refusal(self, envelope: Envelope, recipient: str) -> Outcome | None:
        """The fault that keeps a message back before any server is asked."""
        words = self._bounced.words_of(envelope.tenant_id, recipient)
        if words is not None:
            message = (
                f"{recipient} was undeliverable a short time ago ({words}): send the invoice to "
                "another address, or to this one after you have lifted it (settings of mail)"
            )
            return _refused("address-bounced", message)
        wait = self._rates.wait_of(envelope.tenant_id, recipient)
        if wait is None:
            return None
        return NotSent("the limit of mails is reached", retry_after=wait, code="rate-limited")

    def _submitted(self, envelope: Envelope, recipient: str, content: bytes) -> Submitted:
        return self._outgoing.submit(content, recipient, token_of(envelope))


def token_of(envelope: Envelope) -> str:
    """The transmission in an address: txn_01ab becomes txn-01ab."""
    return _TOKEN.sub("-", envelope.transmission_id)[:48]


def token_in(text: str, domain: str) -> str | None:
    """The token of the first of our Message-IDs in fields that refer to messages."""
    found = (each for each in _OURS.finditer(text[:4000]) if each[2].lower() == domain.lower())
    return next((each[1] for each in found), None)


def transmission_of(token: str) -> str:
    """The transmission id of a token."""
    return token.replace("-", "_", 1) if token[:4] in ("txn-", "msg-") else token


def outcome_of(
    outcome: Submitted, recipient: str, content: bytes, reply_to: str | None = None
) -> Outcome:
    """The outcome of the document after the answer of a mail server."""
    match outcome:
        case Taken(server, reply):
            return Delivered(
                (_receipt(server, reply, recipient, reply_to), Evidence(MAIL, content))
            )
        case Deferred(reason, reply):
            return NotSent(f"{reason}: {reply}" if reply else reason)
        case RefusedMail(server, step, reply):
            found = _REASONS.get(reply.enhanced, reasons.DOCUMENT_REFUSED)
            return _refused(_code_of(reply), f"{server} refuses {step}: {reply}", found)
        case Lost(server, reason):
            return Unknown(f"{server}: {reason}")


def _is_wrong_address(refused: RefusedMail) -> bool:
    """Whether the server knows no such receiver. A full mailbox and a policy are no such refusal,
    and neither is one of our own address (5.1.7, 5.1.8)."""
    code = refused.reply.enhanced
    if refused.step != "RCPT":
        return False
    if not code:
        return refused.reply.code in (550, 551, 553)
    return code.startswith("5.1.") and code not in ("5.1.7", "5.1.8")


def _code_of(reply: Reply) -> str:
    return reply.enhanced or str(reply.code)


def _receipt(server: str, reply: Reply, recipient: str, reply_to: str | None) -> Evidence:
    said = {"server": server, "recipient": recipient, "reply": str(reply)}
    said |= {REPLY_TO: reply_to} if reply_to else {}
    return Evidence(RECEIPT, json.dumps(said, ensure_ascii=False).encode(), "application/json")


# Enhanced codes that say what the code of a reply does not (RFC 3463, 3.3 and 3.4).
_REASONS: Final = {
    "5.2.2": reasons.NETWORK_UNAVAILABLE,  # the mailbox is full
    "5.2.3": reasons.TOO_LARGE,
    "5.3.4": reasons.TOO_LARGE,
}


def _refused(code: str, words: str, reason: Reason = reasons.DOCUMENT_REFUSED) -> Rejected:
    return Rejected(code, words, retryable=reason.retryable, reason_code=reason.code)
