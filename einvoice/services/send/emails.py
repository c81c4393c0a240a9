"""The e-mail address to which a network of e-mail carries an invoice."""

from __future__ import annotations

from einvoice.domain.errors import FieldError, InvalidField, MissingReceiver
from einvoice.domain.request import SendRequest
from einvoice.mail import InvalidAddress, Mailbox
from einvoice.network.types import AccessPoint
from einvoice.services.send.evaluation import kind_of

FIELD = "routing.email"
NETWORK = "mail"  # whose profiles follow the files that a tenant chooses


def known_of(request: SendRequest) -> str | None:
    """The address that the request names, else the one of its buyer; of a self-billed invoice its
    supplier's."""
    invoice = request["invoice"]
    receiver = invoice["supplier"] if kind_of(request).is_self_billed else invoice["buyer"]
    return request["routing"].email or receiver.get("contact", {}).get("email")


def receiver_of(request: SendRequest, point: AccessPoint) -> str | None:
    """The address of the receiver; None where the network is not one of e-mail.

    Raises MissingReceiver, InvalidField.
    """
    if not point.capabilities.by_email:
        return None
    return checked(known_of(request), FIELD)


def checked(text: str | None, field: str) -> str:
    """The address in normal form. Raises MissingReceiver, InvalidField."""
    if not text:
        message = "name the address to which the invoice is mailed, or the e-mail of the buyer"
        raise MissingReceiver(message, field)
    try:
        return Mailbox.parse(text).address
    except InvalidAddress as fault:
        pointer = "/" + field.replace(".", "/")
        raise InvalidField([FieldError(pointer, "invalid-email", str(fault))]) from None
