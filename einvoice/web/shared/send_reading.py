"""Reading the body of a send. Refusals have the order of decisions 19.1: body, missing routing,
sender, receiver, self-invoicing, then all invalid fields at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from einvoice.domain.errors import InvalidReceiver, InvalidSender, MissingRouting, SelfInvoicing
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Routing
from einvoice.domain.request import SendRequest
from einvoice.web import json
from einvoice.web.bodies import loaded
from einvoice.web.compiled_schema import compile_schema
from einvoice.web.contract import NotAccepted
from einvoice.web.shared import send_schemas

SEND = send_schemas.SendRequest()
_accept = compile_schema(SEND)
_ENDS = ("senderParticipantId", "receiverParticipantId")
_ROUTING = (*_ENDS, "accessPointRef")


def read_send(body: bytes, *, reference_required: bool = True) -> SendRequest:
    """Read the body; `derive` checks the declared totals.

    `reference_required`: every network that the send may go to has a directory.

    Raises InvalidBody, MissingRouting, InvalidSender, InvalidReceiver, SelfInvoicing, InvalidField.
    """
    value = json.parse(body)
    try:
        accepted = _accept(value)
    except NotAccepted:
        accepted = None
    required = _ROUTING if reference_required else _ENDS
    if accepted is None or blank(accepted["routing"].get(required[-1])):
        return _explain(json.check_object(value, body), required)
    return _request(accepted, _routing(accepted["routing"]))


def read_unsent(value: dict[str, Any]) -> SendRequest:
    """`read_send` for a parsed body that is not sent: accessPointRef is optional."""
    return _explain(value, _ENDS)


def _explain(value: dict[str, Any], required: Sequence[str]) -> SendRequest:
    """Read an invalid body slowly, to raise the first refusal in the order of 19.1."""
    routing = _routing(_present(value, required))
    return _request(loaded(SEND, value), routing)


def _request(fields: dict[str, Any], routing: Routing) -> SendRequest:
    fields["routing"] = routing
    fields.setdefault("options", {})
    return cast("SendRequest", fields)


def _present(value: dict[str, Any], required: Sequence[str]) -> dict[str, Any]:
    """The routing object, if its required members and the invoice are present."""
    routing = value.get("routing")
    ids = routing if isinstance(routing, dict) else {}
    missing = [f"routing.{name}" for name in required if blank(ids.get(name))]
    if blank(value.get("invoice")):
        missing.append("invoice")
    if missing:
        raise MissingRouting(f"missing: {', '.join(missing)}")
    return ids


def blank(value: object) -> bool:
    """Whether a value is absent or blank."""
    return value is None or (isinstance(value, str) and not value.strip())


def _routing(ids: dict[str, Any]) -> Routing:
    sender = ParticipantId.parse(ids["senderParticipantId"], error=InvalidSender)
    receiver = ParticipantId.parse(ids["receiverParticipantId"], error=InvalidReceiver)
    if sender.canonical == receiver.canonical:
        raise SelfInvoicing(f"sender and receiver are both {sender}")
    reference, network = ids.get("accessPointRef"), ids.get("network")
    return Routing(sender, receiver, reference or None, network or None)
