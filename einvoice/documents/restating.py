"""UBL or CII → the body of a send, with what such a body cannot say.

What is lost is found as in `conversion`: the body is derived again, as a send would, and the
invoice is written in the syntax of the source. What the source has and this copy does not is not
carried over; what the copy has and the source does not, the send fills in. An amount of zero that
may be left out says nothing.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import localcontext
from typing import Any

from lxml import etree

from einvoice.documents.conversion import WRITERS
from einvoice.documents.leaves import (
    Leaf,
    Place,
    leaves,
    missing,
    own_places,
    places,
    without_zones,
)
from einvoice.domain.derive import derive
from einvoice.domain.errors import (
    DeclaredTotalsMismatch,
    FieldError,
    InvalidField,
    RequestRefused,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Invoice, Routing
from einvoice.domain.money import EXACT
from einvoice.domain.profiles import Profile
from einvoice.domain.request import InvoiceRequest, SendDefaults, TotalsRule
from einvoice.domain.restate import invoice_request, routing_members
from einvoice.domain.totals import compute
from einvoice.xml import parse


@dataclass(frozen=True, slots=True)
class RestatedDocument:
    """The body of a send that says what a document says.

    body     in values of JSON
    invoice  what the send makes of it, in the form of its profile
    lost     places of the source that are not in it
    filled   places, in the source's syntax, that it has and the source does not
    zones    days of the source whose time zones are not in it
    refusal  why a send refuses the body's totals, if it does
    """

    body: Mapping[str, Any]
    invoice: Invoice
    lost: tuple[Place, ...] = ()
    filled: tuple[Place, ...] = ()
    zones: tuple[Place, ...] = ()
    refusal: DeclaredTotalsMismatch | None = None


def restated(
    root: etree._Element, source: Invoice, form: str, profile: Profile
) -> RestatedDocument:
    """A parsed document, and the invoice in it, as the body of a send with this profile.

    What a member of a send cannot say, such as an item number without its scheme, is lost. Raises
    InvalidField for what a send refuses, such as two lines with one identifier, or none.
    """
    if not source.lines:
        message = "the document has no lines, and a send has at least one"
        raise InvalidField([FieldError("/invoice/lineItems", "required", message)])
    request = invoice_request(source)
    members = routing_members(source)
    invoice, rule, refusal = _derived(request, _routing(members), numbered=profile.numbered)
    fitted = profile.adapt(invoice).invoice
    before, after = _plain(leaves(root)), _plain(leaves(parse(WRITERS[form](fitted))))
    absent, zoned = without_zones(missing(before, after), after)
    lost, zones = places(absent, before), own_places(zoned)
    changed = {place.path for place in (*lost, *zones)}
    filled = [p for p in places(missing(after, before), after) if p.path not in changed]
    body = {"invoice": {**request, "profile": profile.name}, "routing": members}
    if rule is TotalsRule.ROUNDED:
        body["options"] = {"totals": rule.value}
    return RestatedDocument(
        as_json(body), fitted, tuple(lost), tuple(filled), tuple(zones), refusal
    )


def _derived(
    request: InvoiceRequest, routing: Routing, *, numbered: bool
) -> tuple[Invoice, TotalsRule, DeclaredTotalsMismatch | None]:
    """The invoice of a send, the rule under which its totals hold, and their refusal where they
    hold under none: then it is derived without them."""
    refused: DeclaredTotalsMismatch | None = None
    for rule in TotalsRule:
        try:
            found = derive(request, routing, SendDefaults(totals=rule), numbered=numbered)
            return found.invoice, rule, None
        except DeclaredTotalsMismatch as mismatch:
            refused = mismatch
    with localcontext(EXACT):
        computed = compute(request)
    found = derive(request, routing, computed=computed, numbered=numbered)
    return found.invoice, TotalsRule.EXACT, refused


def _routing(members: Mapping[str, str]) -> Routing:
    """The ids as far as they are well-formed: without them, nothing is derived of them."""
    ids = (members.get(f"{end}ParticipantId") for end in ("sender", "receiver"))
    sender, receiver = map(_participant, ids)
    return Routing(sender, receiver)  # type: ignore[arg-type]  # a send without sender is refused


def _participant(text: str | None) -> ParticipantId | None:
    try:
        return ParticipantId.parse(text) if text else None
    except RequestRefused:
        return None


def _plain(found: Iterable[Leaf]) -> list[Leaf]:
    """Leaves whose numbers are equal where their values are: JSON has no 10.00 beside 10."""
    plain = [leaf._replace(value=_number(leaf.value)) for leaf in found]
    silent = {leaf.path for leaf in plain if leaf.value == "0" and leaf.path.endswith(_OPTIONAL)}
    return [leaf for leaf in plain if leaf.path.partition("/@")[0] not in silent]


# BT-107, BT-108, BT-113 and BT-114 in UBL and CII.
_OPTIONAL = tuple(
    f"/{name}[1]"
    for name in (
        "AllowanceTotalAmount",
        "ChargeTotalAmount",
        "PrepaidAmount",
        "TotalPrepaidAmount",
        "PayableRoundingAmount",
        "RoundingAmount",
    )
)


def _number(text: str) -> str:
    whole, point, part = text.partition(".")
    if not (point and part.isdigit() and whole.removeprefix("-").isdigit()):
        return text
    return f"{whole}.{part}".rstrip("0").rstrip(".")


def as_json(value: object) -> Any:
    """The value with text for days and files; numbers stay decimals."""
    if isinstance(value, Mapping):
        return {name: as_json(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [as_json(inner) for inner in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return b64encode(value).decode("ascii")
    return value
