"""JSON → UBL → JSON, as between a send and the content of its invoice, over the corpora.

The first body is what an invoice of the corpora says as data. Its document, read as data, may have
what a send fills in or normalises (`FILLED`); from there on, each turn gives the same body and the
same bytes. What a document says beyond the body is named with its place and value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from lxml import etree

from einvoice.documents.conversion import READERS, WRITERS, form_of
from einvoice.documents.leaves import leaves, missing
from einvoice.documents.restating import RestatedDocument, _plain, restated
from einvoice.domain.derive import derive
from einvoice.domain.errors import InvalidField, InvalidParticipant, InvalidReceiver, InvalidSender
from einvoice.domain.request import SendDefaults, TotalsRule
from einvoice.services import forms
from einvoice.web import json
from einvoice.web.shared.send_bodies import read_unsent
from einvoice.xml import parse
from tests.documents.test_restating import documents, needs_corpus, restate

EVERY = 30  # of the documents, in `make test`
ROUTING = {"senderParticipantId": "9915:seller", "receiverParticipantId": "9915:buyer"}
# Members that the document of a send has and its body has not, or has in another form.
FILLED = {
    "/invoice/supplier/endpointId": "the participant of the routing",
    "/invoice/buyer/endpointId": "the participant of the routing",
    "/invoice/supplier/companyId": "the register number in a participant id or VAT number",
    "/invoice/buyer/companyId": "the register number in a participant id or VAT number",
    "/invoice/supplier/taxId": "a VAT number in the form of its country, or none",
    "/invoice/buyer/taxId": "a VAT number in the form of its country, or none",
    "/invoice/supplier/taxRegistration": "a tax id that is no VAT number",
    "/invoice/buyerReference": "BIS Billing wants a reference: the number, with a warning",
    "/invoice/deliveryDate": "the end of the period of a supply within the Union",
    "/invoice/paymentTerms": "white space at the end goes",
    "/invoice/lineItems/priceDiscount": "UBL has a gross price as the base of a discount only",
    "/invoice/lineItems/lineId": "lines without an id are numbered",
    "/invoice/lineItems/description": "white space within goes",
    "/invoice/lineItems/name": "white space within goes",
}


def body_of(found: RestatedDocument) -> dict[str, Any]:
    """The body as a client sends it: through text."""
    body = {**found.body, "routing": {**ROUTING, **found.body["routing"]}}
    return json.read_object(json.write(body))


def document_of(body: dict[str, Any]) -> bytes:
    """The UBL that a send makes of the body."""
    request = read_unsent(body)
    rule = TotalsRule(body.get("options", {}).get("totals", "exact"))
    defaults = SendDefaults(totals=rule)
    invoice = derive(request["invoice"], request["routing"], defaults).invoice
    profile = forms.installed().of("peppol").named(body["invoice"]["profile"])
    return WRITERS["ubl"](profile.adapt(invoice).invoice)


def read_again(document: bytes) -> RestatedDocument:
    root = parse(document)
    invoice = READERS[form_of(root)](root)
    return restated(root, invoice, "ubl", forms.installed().of("peppol").profile_of(invoice))


def other_members(one: object, other: object, path: str = "") -> Iterator[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() | other.keys():
            yield from other_members(one.get(name), other.get(name), f"{path}/{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for each, same in zip(one, other, strict=True):
            yield from other_members(each, same, path)
    elif one != other:
        yield path


def bodies(every: int) -> Iterator[tuple[str, bytes, RestatedDocument, bytes]]:
    """Name and bytes of each invoice whose body a send takes, its data, and the UBL of a send."""
    refusals = (InvalidField, InvalidSender, InvalidReceiver, InvalidParticipant)
    for at, (name, content) in enumerate(documents()):
        found = None if at % every else restate(content)
        if found is None or found[1].refusal is not None:
            continue
        try:
            yield name, content, found[1], document_of(body_of(found[1]))
        except refusals:
            continue  # test_restating has what is refused, with the reason


def faults_of_turns(every: int) -> tuple[int, list[str], Counter[str]]:
    """How many bodies were turned, those that did not come back, and the members of `FILLED`."""
    filled: Counter[str] = Counter()
    faults, count = [], 0
    for name, _, first, document in bodies(every):
        count += 1
        second = read_again(document)
        body = body_of(second)
        again = document_of(body)
        filled.update(set(other_members(body_of(first), body)))
        if second.lost or again != document or body_of(read_again(again)) != body:
            faults.append(name)
    return count, faults, filled


def unnamed_of(every: int) -> list[str]:
    """Values of UBL documents that the UBL of their data has not, and that are not named."""
    return [
        f"{name}: {place}"
        for name, content, data, document in bodies(every)
        for place in _unnamed(parse(content), data, document)
    ]


def _unnamed(source: etree._Element, data: RestatedDocument, document: bytes) -> Iterator[str]:
    if form_of(source) != "ubl":
        return
    named = {_without_positions(each.path) for each in (*data.lost, *data.zones)}
    for leaf in missing(_plain(leaves(source)), _plain(leaves(parse(document)))):
        if not any(_without_positions(leaf.path).startswith(each) for each in named):
            yield f"{leaf.path} = {leaf.value}"


def _without_positions(path: str) -> str:
    return "".join(part.partition("]")[2] if "]" in part else part for part in path.split("["))


@needs_corpus
def test_some_bodies_come_back_from_their_documents():
    """Equal member by member, and the same bytes, but for what a send fills in."""
    count, faults, filled = faults_of_turns(EVERY)

    assert count >= 5
    assert faults == []
    assert filled.keys() - FILLED.keys() == set()


@needs_corpus
def test_every_body_of_the_corpora_comes_back_from_its_document():
    count, faults, filled = faults_of_turns(1)

    assert count > 200
    assert faults == []
    assert filled.keys() - FILLED.keys() == set()


@needs_corpus
def test_what_some_documents_say_beyond_their_data_is_named():
    assert unnamed_of(EVERY) == []


@needs_corpus
def test_what_any_document_says_beyond_its_data_is_named():
    assert unnamed_of(1) == []
