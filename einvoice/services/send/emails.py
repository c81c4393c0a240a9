"""The e-mail address to which a network of e-mail carries an invoice."""

from __future__ import annotations

from einvoice.domain.errors import FieldError, InvalidField, MissingReceiver
from einvoice.domain.request import SendRequest
from einvoice.mail import InvalidAddress, Mailbox
from einvoice.network.types import AccessPoint

FIELD = "routing.email"


def known_of(request: SendRequest) -> str | None:
    """The address that the request names, else the one of its buyer."""
    return request["routing"].email or request["invoice"]["buyer"].get("contact", {}).get("email")


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
