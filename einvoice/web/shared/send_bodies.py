"""Reading the body of a send. Refusals have the order of decisions 19.1: body, missing routing,
sender, receiver, self-invoicing, then all invalid fields at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidReceiver, InvalidSender, MissingRouting, SelfInvoicing
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Routing
from einvoice.domain.request import SendRequest
from einvoice.network.access_points import AccessPoints
from einvoice.web import json
from einvoice.web.bodies import loaded
from einvoice.web.compiled_schema import compile_schema
from einvoice.web.contract import NotAccepted
from einvoice.web.shared import send_schemas

SEND = send_schemas.SendRequest()
_accept = compile_schema(SEND)


@dataclass(frozen=True, slots=True)
class RoutingNeeds:
    """The needs of the networks that a send may go to: the receiver's id, the lookup of it."""

    receiver: bool = True
    reference: bool = True

    @classmethod
    def of(cls, points: AccessPoints, environment: Environment) -> RoutingNeeds:
        """The needs of the networks of an environment."""
        return cls(
            receiver=not points.reaches_without_id(environment),
            reference=not points.without_directory(environment),
        )

    def missing(self, ids: Mapping[str, Any]) -> list[str]:
        """The names of the members that `routing` lacks."""
        wanted = ["senderParticipantId"]
        if self.receiver:
            wanted.append("receiverParticipantId")
        if self.reference and (self.receiver or not blank(ids.get("receiverParticipantId"))):
            wanted.append("accessPointRef")
        return [name for name in wanted if blank(ids.get(name))]


_ALL = RoutingNeeds()


def read_send(body: bytes, *, needs: RoutingNeeds = _ALL) -> SendRequest:
    """Read the body; `derive` checks the declared totals.

    Raises InvalidBody, MissingRouting, InvalidSender, InvalidReceiver, SelfInvoicing, InvalidField.
    """
    value = json.parse(body)
    try:
        accepted = _accept(value)
    except NotAccepted:
        accepted = None
    if accepted is None or needs.missing(accepted["routing"]):
        return read_parsed(json.check_object(value, body), needs)
    return _request(accepted, _routing(accepted["routing"]))


def read_unsent(value: dict[str, Any], *, receiver_required: bool = True) -> SendRequest:
    """`read_send` for a parsed body that is not sent: accessPointRef is optional."""
    return read_parsed(value, RoutingNeeds(receiver=receiver_required, reference=False))


def read_parsed(value: dict[str, Any], needs: RoutingNeeds = _ALL) -> SendRequest:
    """`read_send` for a parsed body; slower, to raise the first refusal in the order of 19.1."""
    _routing(_present(value, needs))
    fields = loaded(SEND, value)
    return _request(fields, _routing(fields["routing"]))


def _request(fields: dict[str, Any], routing: Routing) -> SendRequest:
    fields["routing"] = routing
    fields.setdefault("options", {})
    return cast("SendRequest", fields)


def _present(value: dict[str, Any], needs: RoutingNeeds) -> dict[str, Any]:
    """The routing object, if its required members and the invoice are present."""
    routing = value.get("routing")
    ids = routing if isinstance(routing, dict) else {}
    missing = [f"routing.{name}" for name in needs.missing(ids)]
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
    given = ids.get("receiverParticipantId")
    receiver = None if blank(given) else ParticipantId.parse(given, error=InvalidReceiver)
    if receiver and sender.canonical == receiver.canonical:
        raise SelfInvoicing(f"sender and receiver are both {sender}")
    names = (ids.get(name) or None for name in ("accessPointRef", "network", "connection", "email"))
    return Routing(sender, receiver, *names)
