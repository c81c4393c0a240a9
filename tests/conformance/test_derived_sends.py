"""Sends after derivation, judged by the official stylesheets of both layers.

Decisions 0.11: the documented minimal request is valid for every pair of the documented schemes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from decimal import Decimal, localcontext
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Invoice, Routing
from einvoice.domain.money import EXACT
from einvoice.domain.totals import compute
from einvoice.web.shared.send_bodies import read_send

pytest.importorskip("saxonche")

from tests.oracle import sources
from tests.oracle.official import verdict

D = Decimal
SENDS = Path(__file__).parents[1] / "samples" / "sends"
# The rules below that are EN 16931's own; all others are of the Peppol layer.
CEN = {
    "BR-E-10",
    "BR-O-05",
    "BR-O-09",
    "BR-38",
    "BR-CO-22",
    "BR-61",
    "BR-10",
    "BR-11",
    "BR-CL-25",
    "BR-S-02",
}

STREET = {"line1": "Street 1", "city": "City", "postalCode": "1000"}
# A participant, a tax id and a country for each documented scheme; all check digits are right.
PARTIES = {
    "0208": ("0208:0123456749", "BE0123456749", "BE"),
    "0106": ("0106:12345678", "NL123456782B90", "NL"),
    "0007": ("0007:5560360793", "SE556036079301", "SE"),
    "0002": ("0002:552100554", "FR96552100554", "FR"),
    "0196": ("0196:1201743399", "100123456700003", "AE"),
    "0088": ("0088:9520000000004", "DE123456788", "DE"),
}


@pytest.fixture(scope="module", params=[sources.CEN_UBL, sources.PEPPOL_UBL])
def official(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Asserts which of the given fatal rules a document violates: those of this layer."""
    layer = request.param
    try:
        sources.stylesheet(layer)
    except sources.Unavailable as reason:
        pytest.skip(str(reason))

    def judge(invoice: Invoice, expected: Collection[str] = ()) -> None:
        found = verdict(document_xml(invoice), (layer,))
        fatal = {report.id for report in found.fired if report.flag == "fatal"}
        assert not found.failed_layers
        assert fatal == {rule for rule in expected if (rule in CEN) is (layer == sources.CEN_UBL)}

    return judge


def a_send(**changes: Any) -> tuple[Any, Routing]:
    """The minimal send with fields of the invoice replaced and totals that agree."""
    send = read_send((SENDS / "minimal.json").read_bytes())
    invoice: Any = copy.deepcopy(send["invoice"]) | changes
    invoice = {name: value for name, value in invoice.items() if value is not None}
    with localcontext(EXACT):
        computed = compute(invoice)
        invoice["totals"] = changes.get("totals", {}) | {
            "subtotal": computed.subtotal,
            "taxAmount": computed.tax,
            "grandTotal": computed.subtotal + computed.tax,
        }
    return invoice, send["routing"]


def party(scheme: str) -> tuple[str, dict[str, Any]]:
    participant, tax_id, country = PARTIES[scheme]
    return participant, {
        "name": scheme,
        "taxId": tax_id,
        "address": STREET | {"countryCode": country},
    }


@pytest.mark.parametrize(("supplier", "buyer"), list(permutations(PARTIES, 2)))
def test_the_minimal_request_is_valid_between_all_documented_schemes(official, supplier, buyer):
    """0.11"""
    sender, selling = party(supplier)
    receiver, buying = party(buyer)
    rate = D(25) if supplier == "0007" else D(21)  # Swedish rates are 6, 12 and 25 % (SE-R-006)
    invoice, _ = a_send(supplier=selling, buyer=buying, lineItems=[line("2", "50.00", str(rate))])
    routing = Routing(ParticipantId.parse(sender), ParticipantId.parse(receiver))

    official(derive(invoice, routing).invoice)


@pytest.mark.parametrize("name", ["complete", "direct_debit"])
def test_the_samples_with_all_fields_are_valid(official, name):
    send = read_send((SENDS / f"{name}.json").read_bytes())

    official(derive(send["invoice"], send["routing"]).invoice)


def line(quantity: str, price: str, rate: str, **more: Any) -> dict[str, Any]:
    amounts = {"quantity": D(quantity), "unitPrice": D(price), "taxRate": D(rate)}
    return {"description": "Thing"} | amounts | more


def amount(value: str, **more: Any) -> dict[str, Any]:
    return {"amount": D(value)} | more


ZERO_RATED = {"taxCategory": "E", "taxExemption": {"reasonCode": "VATEX-EU-132"}}
LINE_EXTRAS = {
    "allowances": [amount("1.5", reason="Rebate")],
    "charges": [amount("0.255", reasonCode="FC")],
    "priceBaseQuantity": D(10),
}


@pytest.mark.parametrize(
    ("changes", "violated"),
    [
        ({"lineItems": [line("1", "10", "0", taxCategory="AE")]}, set()),
        ({"lineItems": [line("1", "10", "0", taxCategory="K")]}, set()),
        ({"lineItems": [line("1", "10", "0", taxCategory="G")]}, set()),
        ({"lineItems": [line("1", "10", "0", taxCategory="O")]}, set()),
        ({"lineItems": [line("1", "10", "0", taxCategory="E")]}, {"BR-E-10"}),
        ({"lineItems": [line("1", "10", "0", **ZERO_RATED)]}, set()),
        ({"lineItems": [line("1", "10", "0")]}, set()),
        ({"lineItems": [line("1", "10", "21", taxCategory="O")]}, {"BR-O-05", "BR-O-09"}),
        ({"lineItems": [line("1", "-10", "21"), line("5", "10", "6")]}, set()),
        ({"lineItems": [line("-1", "10", "21")]}, set()),
        ({"lineItems": [line("0", "10", "21")]}, set()),
        ({"lineItems": [line("1", "10", "21", **LINE_EXTRAS)]}, set()),
        ({"lineItems": [line("10", "1", "21", priceBaseQuantity=D(3))]}, set()),
        ({"lineItems": [line("1", "0.05", "10")] * 199}, set()),
        ({"lineItems": [line("1", "0.05", "10")] * 200}, set()),
        ({"lineItems": [line("1", "0.004", "21")] * 50}, set()),
        ({"lineItems": [line("3", "33.3333", "21")] * 7}, set()),
        ({"lineItems": [line("1", "10.005", "0")]}, set()),
        ({"allowances": [amount("10", reason="Bonus")]}, set()),
        ({"allowances": [amount("0.004", reason="Bonus")]}, set()),
        ({"allowances": [amount("500", reason="Bonus")]}, set()),
        ({"charges": [amount("4", taxRate=D(6), reasonCode="FC")]}, set()),
        ({"charges": [amount("4")]}, {"BR-38", "BR-CO-22"}),
        ({"type": "creditNote"}, set()),
        ({"type": "creditNote", "salesOrderReference": "S", "projectReference": "P"}, set()),
        ({"totals": {"prepaidAmount": D(500)}}, set()),
        ({"paymentMeans": {"mandateReference": "M", "iban": "NL91ABNA0417164300"}}, set()),
        ({"paymentMeans": {"paymentReference": "R"}}, set()),
        ({"paymentMeans": {"method": "30"}}, {"BR-61"}),
        ({"buyer": {"name": "Buyer"}}, {"BR-10"}),
        ({"buyer": {"name": "Buyer", "address": {"city": "Oslo"}}}, {"BR-11"}),
    ],
    ids=lambda value: None,
)
def test_a_derived_invoice_breaks_only_rules_about_missing_terms(official, changes, violated):
    """17.3, 17.10, 17.12, 17.13: left-out terms are named by rules, amounts always add up."""
    invoice, routing = a_send(**changes)

    official(derive(invoice, routing).invoice, violated)


KVK = {"name": "Supplier", "taxId": "NL123456782B90", "address": {"countryCode": "NL"}}
GERMAN = {"name": "Party", "taxId": "DE123456788", "address": {"countryCode": "DE"}}
SAUDI = {"name": "Buyer", "taxId": "300123456700003", "address": {"countryCode": "SA"}}
GLN, OTHER_GLN = "0088:9520000000004", "0088:9520000000011"
TIN = "0231:300123456700003"


@pytest.mark.parametrize(
    ("supplier", "sender", "buyer", "receiver", "violated"),
    [
        (GERMAN, OTHER_GLN, SAUDI, TIN, {"BR-CL-25", "PEPPOL-EN16931-CL008"}),
        (GERMAN, OTHER_GLN, SAUDI | {"endpointId": GLN}, TIN, set()),
        (KVK, GLN, GERMAN, OTHER_GLN, set()),
        (KVK | {"companyId": "0184:12345674"}, GLN, GERMAN, OTHER_GLN, {"NL-R-003"}),
        (KVK | {"companyId": "12345678"}, GLN, GERMAN, OTHER_GLN, set()),
        (KVK | {"taxId": "12345678"}, GLN, GERMAN, OTHER_GLN, {"BR-S-02"}),
        (GERMAN, GLN, GERMAN, OTHER_GLN, {"DE-R-001", "DE-R-002"}),
    ],
)
def test_requirements_of_countries_and_schemes_are_named(
    official, supplier, sender, buyer, receiver, violated
):
    """0.3, 0.11 and 20.2: 0231 is no electronic address; without a companyId a Dutch GLN party has
    no register number, which no rule tests."""
    supplier = supplier | {"address": STREET | supplier["address"]}
    buyer = buyer | {"address": STREET | buyer["address"]}
    invoice, _ = a_send(supplier=supplier, buyer=buyer)
    routing = Routing(ParticipantId.parse(sender), ParticipantId.parse(receiver))

    official(derive(invoice, routing).invoice, violated)
