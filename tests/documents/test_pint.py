"""PINT in UBL: the published examples are read and written; a send becomes such a document.

What is not carried is named here: a reason of exemption of an allowance in Oman, and further
reasons of a line's correction in the Emirates.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest

from einvoice import validation
from einvoice.documents.conversion import readable
from einvoice.documents.leaves import leaves, missing
from einvoice.documents.profiles import PINT_PROFILES
from einvoice.documents.restating import restated
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.domain.errors import InvalidField
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Routing
from einvoice.domain.money import CENT, THOUSANDTH
from einvoice.domain.profiles import Profile
from einvoice.domain.request import SendDefaults, SendRequest, TotalsRule
from einvoice.services import forms
from einvoice.services.invoices.content import content_of
from einvoice.services.send import evaluation
from einvoice.xml import parse
from tests.rules import official

DAY = date(2026, 11, 24)
PROFILES = {each.name: each for each in PINT_PROFILES}
NOT_CARRIED = {
    "om": {"/Invoice/AllowanceCharge/TaxCategory/TaxExemptionReasonCode"},
    "ae": {"/CreditNote/DiscrepancyResponse/ResponseCode"},
}


def _kinds(found: list[Any]) -> set[str]:
    return {"".join(c for c in leaf.kind if not c.isdigit()).replace("[]", "") for leaf in found}


@official.needed
@pytest.mark.parametrize("country", NOT_CARRIED)
def test_the_published_examples_are_written_as_they_were_read(country: str) -> None:
    lost: set[str] = set()
    for path in sorted((official.FOLDER / country / "samples").glob("*billing/**/*.xml")):
        root = parse(path.read_bytes())
        before = list(leaves(root))
        after = list(leaves(parse(document_xml(readable(root, "ubl")))))
        lost |= _kinds(missing(before, after))
        assert _kinds(missing(after, before)) == set(), path.name

    assert lost == NOT_CARRIED[country]


@official.needed
@pytest.mark.parametrize("country", NOT_CARRIED)
def test_the_published_examples_are_readable_as_data(country: str) -> None:
    peppol = forms.installed().of("peppol")
    paths = sorted((official.FOLDER / country / "samples").glob("*billing/**/*.xml"))
    found = {path.name: content_of([path.read_bytes()], peppol) for path in paths}

    assert found
    assert {name: why for name, why in found.items() if isinstance(why, str)} == {}


@official.needed
@pytest.mark.parametrize("country", NOT_CARRIED)
def test_a_published_example_is_sent_again_as_its_json_says(country: str) -> None:
    """The body of a send derives a document with the same transaction type, parties and items."""
    named = forms.installed().of("peppol")
    kept = ("UUID", "ProfileExecutionID", "TypeCode/@name", "CommodityCode", "schemeAgencyID")
    wrong = {}
    for path in sorted((official.FOLDER / country / "samples").glob("*billing/**/*.xml")):
        root = parse(path.read_bytes())
        invoice = readable(root, "ubl")
        found = restated(root, invoice, "ubl", named.profile_of(invoice))
        lost = [each.path for each in found.lost if each.path.endswith(kept)]
        if any("AdditionalDocumentReference" not in each for each in lost):
            wrong[path.name] = lost

    assert wrong == {}


ADDRESS = {"line1": "Street 1", "city": "Dubai", "region": "DXB", "countryCode": "AE"}
MUSCAT = {
    "line1": "Way 1", "line2": "Building 2", "line3": "Box 3", "city": "Muscat",
    "postalCode": "111", "region": "MS", "countryCode": "OM",
}  # fmt: skip
LICENSE = {"companyIdType": "TL", "companyIdAuthority": "DET"}
AE: dict[str, Any] = {
    "number": "INV-1", "issueDate": date(2026, 11, 20), "dueDate": date(2026, 12, 20),
    "currency": "AED",
    "supplier": {"name": "Falcon LLC", "taxId": "100000000000003", "companyId": "CN-1",
                 "address": ADDRESS, **LICENSE},
    "buyer": {"name": "Oryx LLC", "taxId": "100000000100003", "companyId": "CN-2",
              "address": {**ADDRESS, "region": "AUH"}, **LICENSE},
    "lineItems": [{"description": "Bearings", "quantity": Decimal(2), "unitPrice": Decimal(100),
                   "taxRate": Decimal(5), "itemType": "G",
                   "classifications": [{"scheme": "HS", "value": "848210"}]}],
    "paymentMeans": {"method": "30", "iban": "AE070331234567890123456"},
    "totals": {"subtotal": Decimal(200), "taxAmount": Decimal(10), "grandTotal": Decimal(210)},
}  # fmt: skip
OM: dict[str, Any] = AE | {
    "currency": "OMR", "issueTime": "10:00:00",
    "supplier": {"name": "Frankincense LLC", "taxId": "OM1234567890", "companyId": "1",
                 "address": MUSCAT, "contact": {"phone": "+968 1"}},
    "buyer": {"name": "Dhow LLC", "taxId": "OM1234567891", "companyId": "2", "address": MUSCAT},
    "lineItems": [{"description": "Bearings", "quantity": Decimal(2), "unitPrice": Decimal(100),
                   "taxRate": Decimal(5), "itemType": "G", "serviceCode": "00000000",
                   "economicActivity": "000000",
                   "classifications": [{"scheme": "HS", "value": "010121100001"}]}],
    "paymentMeans": {"method": "10"},
}  # fmt: skip
PARTIES = {"pint-ae": ("0235:1000000001", "0235:1000000002"), "pint-om": ("0248:1", "0248:2")}
BASES = {"pint-ae": AE, "pint-om": OM}
Change = Callable[[dict[str, Any]], object]


def _plus_line(invoice: dict[str, Any], **members: Any) -> None:
    """A second line of 200 without tax."""
    invoice["lineItems"].append(invoice["lineItems"][0] | {"taxRate": Decimal(0)} | members)
    invoice["totals"] |= {"subtotal": Decimal(400), "grandTotal": Decimal(410)}


def _at(path: str, **members: Any) -> Change:
    """Give members (None: take away) to the object on a path."""

    def change(invoice: dict[str, Any]) -> None:
        found: Any = invoice
        for step in filter(None, path.split(".")):
            found = found[int(step) if step.isdigit() else step]
        for name, value in members.items():
            found.pop(name, None) if value is None else found.update({name: value})

    return change


def _all(*changes: Change) -> Change:
    return lambda invoice: [each(invoice) for each in changes]


def evaluated(profile: Profile, change: Change, rule: str = "exact") -> evaluation.Evaluated:
    name = profile.name.removesuffix("-selfbilling")
    invoice = deepcopy(BASES[name])
    change(invoice)
    routing = Routing(*map(ParticipantId.parse, PARTIES[name]), "ref")
    request: SendRequest = {"invoice": invoice, "routing": routing, "options": {}}  # type: ignore[typeddict-item]
    plan = evaluation.Plan(forms.installed().of("peppol"), profile, DAY, routing)
    return evaluation.evaluate_request(request, SendDefaults(totals=TotalsRule(rule)), plan)


_FIRST = "lineItems.0"
_DOLLARS = _at("", currency="USD", exchangeRate=Decimal("3.6725"))
_IN_DIRHAMS = _at(
    "totals", taxAmountInTaxCurrency=Decimal("36.73"), grandTotalInTaxCurrency=Decimal("771.23")
)
_UNTAXED = _all(
    _at(_FIRST, taxRate=Decimal(0)), _at("totals", taxAmount=Decimal(0), grandTotal=Decimal(200))
)
_ABROAD = {**MUSCAT, "countryCode": "DE"}
_EXPORT = _all(
    _UNTAXED,
    _at(_FIRST, taxExemption={"reasonCode": "VATZR-OM-01"}, taxCategory="Z"),
    _at("", transactionTypes=["export"], deliveryAddress={"countryCode": "DE"}),
    _at("buyer", address=_ABROAD),
)
_PRECEDING = {"number": "INV-0", "issueDate": date(2026, 10, 1)}
_UUID5 = "ad29ed63-c914-53b4-8196-dba708f62321"
# profile, change, and the (rule, field) of each finding
SENDS: tuple[tuple[str, Change, dict[str, str | None]], ...] = (
    ("pint-ae", _at(""), {}),
    ("pint-ae", _at("supplier", companyIdType=None),
     dict.fromkeys(("ibr-173-ae", "ibr-181-ae"), "invoice.supplier.companyIdType")),
    ("pint-ae", _at("buyer", companyIdAuthority=None),
     {"ibr-101-ae": "invoice.buyer.companyIdAuthority"}),
    ("pint-ae", _at("buyer", address={**ADDRESS, "region": ""}),
     {"ibr-144-ae": "invoice.buyer.address"}),
    ("pint-ae", _at(_FIRST, classifications=None),
     {"ibr-184-ae": "invoice.lineItems[0].classifications"}),
    ("pint-ae", _at(_FIRST, itemType="S"), {"ibr-185-ae": "invoice.lineItems[0].serviceCode"}),
    ("pint-ae", _at(_FIRST, itemType="S", serviceCode="998313", classifications=None), {}),
    ("pint-ae", _at("", transactionTypes=["export"], deliveryAddress={"countryCode": "FR"}),
     {"ibr-152-ae": "invoice.deliveryAddress"}),
    ("pint-ae", _at("", transactionTypes=["disclosedAgent"], principalId="100000000100003"), {}),
    ("pint-ae", _at("", transactionTypes=["freeTradeZone"]),
     {"ibr-007-ae": "invoice.beneficiaryId"}),
    ("pint-ae", _all(_at("", transactionTypes=["marginScheme"]),
                     _at(_FIRST, taxCategory="N", taxRate=Decimal(0)),
                     _at("totals", taxAmount=Decimal(0), grandTotal=Decimal(200))), {}),
    ("pint-ae", _DOLLARS, {"ibr-175-ae": "invoice.taxCurrency"}),
    ("pint-ae", _all(_DOLLARS, _at("", taxCurrency="AED"), _IN_DIRHAMS), {}),
    ("pint-ae", lambda invoice: _plus_line(invoice, taxCategory="E"),
     {"ibr-167-ae": "invoice.lineItems[1].taxExemption"}),
    ("pint-ae", lambda invoice: _plus_line(invoice, taxExemption={"reasonCode": "DL8.46.2"}), {}),
    ("pint-ae", lambda invoice: _plus_line(invoice, taxCategory="AE", supplyNature="DL8.48.8.1",
     standardItemId={"scheme": "0160", "id": "04012345123456"}), {}),
    ("pint-ae", _at("", type="creditNote", precedingInvoice=_PRECEDING),
     {"ibr-055-ae": "invoice.precedingInvoice", "ibr-158-ae": "invoice.correctionReason"}),
    ("pint-ae", _at("", type="creditNote", precedingInvoice=_PRECEDING,
                    correctionReason="DL8.61.1.A"), {}),
    ("pint-ae", _at("", typeCode="480"), {"ibr-122-ae": "invoice.lineItems"}),
    ("pint-ae-selfbilling", _at("", type="selfBilledInvoice"), {}),
    ("pint-om", _at(""), {}),
    ("pint-om", _at("", issueTime=None), {"ALIGNED-IBRP-016-OM": "invoice.issueTime"}),
    ("pint-om", _at(_FIRST, itemType=None), {"IBR-078-OM": "invoice.lineItems[0].itemType"}),
    ("pint-om", _at(_FIRST, economicActivity=None),
     {"IBR-081-OM": "invoice.lineItems[0].economicActivity"}),
    ("pint-om", _at("", transactionTypes=["thirdParty"]), {"IBR-015-OM": "invoice.agent"}),
    ("pint-om", _at("", transactionTypes=["thirdParty"],
                    agent={"name": "Bill LLC", "taxId": "OM1234567899", "address": MUSCAT}), {}),
    ("pint-om", _all(_at("", transactionTypes=["specialZone"]), _at("buyer", specialZone="MO"),
                     _at("supplier", specialZone="SEZAD", identifierType="SZLN",
                         identifiers=[{"id": "1"}])), {}),
    ("pint-ae", _all(_UNTAXED, _at(_FIRST, taxCategory="O")), {}),
    ("pint-ae", _all(_UNTAXED, _at(_FIRST, taxExemption={"reasonCode": "DL8.46.2"})), {}),
    ("pint-ae", _all(_UNTAXED, _at(_FIRST, taxCategory="O"), _at(
        "", type="creditNote", precedingInvoice=_PRECEDING, correctionReason="DL8.61.1.A")), {}),
    ("pint-om", _all(_UNTAXED, _at(_FIRST, taxCategory="O")), {}),
    ("pint-om", _all(_UNTAXED, _at(_FIRST, taxExemption={"reasonCode": "VATEX-OM-01"})), {}),
    ("pint-om", _all(_EXPORT, _at("buyer", taxId="DE123456788")), {}),
    ("pint-om", _all(_EXPORT, _at("buyer", taxId=None)),
     {"IBR-016-OM": "invoice.buyer.identifiers"}),
    ("pint-om", lambda invoice: _plus_line(
        invoice, taxExemption={"reasonCode": "VATZR-OM-01"}, taxCategory="Z"), {}),
    ("pint-om", lambda invoice: _plus_line(
        invoice, taxExemption={"reasonCode": "VATEX-OM-01"}, taxCategory="E"), {}),
    ("pint-om", _at("", type="creditNote", correctionReason="CAN",
                    precedingInvoice={**_PRECEDING, "uuid": _UUID5}), {}),
    ("pint-om", _all(_at("totals", prepaidAmount=Decimal(10)), _at("", supportingDocuments=[
        {"reference": "P-1", "typeCode": "PDR", "uuid": _UUID5}])), {}),
    ("pint-om-selfbilling", _at("", type="selfBilledInvoice"), {}),
)  # fmt: skip


def test_a_send_passes_the_rules_of_its_country_or_names_the_field_that_is_missing() -> None:
    """A document that passes is also correct by schema, as it is sent."""
    wrong = []
    for at, (name, change, expected) in enumerate(SENDS):
        found = evaluated(PROFILES[name], change)
        errors = {each.rule_id: each.field for each in found.report.errors}
        if errors != expected:
            wrong.append((at, name, errors))
        elif not expected:
            report = validation.check(found.document, on=DAY)
            wrong += [(at, each.rule_id, each.message) for each in report.errors]

    assert wrong == []


def _in_baisas(prices: list[tuple[str, str]], unit: Decimal) -> Change:
    """Lines of (quantity, price), with totals whose VAT is rounded to a unit for each line."""
    amounts = [Decimal(quantity) * Decimal(price) for quantity, price in prices]
    net = sum((each.quantize(unit, ROUND_HALF_UP) for each in amounts) if unit != CENT else amounts)
    tax = sum((each * 5 / 100).quantize(unit, ROUND_HALF_UP) for each in amounts)

    def change(invoice: dict[str, Any]) -> None:
        line = invoice["lineItems"][0]
        invoice["lineItems"] = [
            line | {"quantity": Decimal(quantity), "unitPrice": Decimal(price)}
            for quantity, price in prices
        ]
        invoice["totals"] = {"subtotal": net, "taxAmount": tax, "grandTotal": net + tax}

    return change


BAISAS = (
    [("1", "0.130")],
    [("1", "0.080")] * 3,
    [("1", "0.125"), ("3", "0.333"), ("7", "1.005")],
    [("2.5", "0.111")] * 12,
    [("1", "0.005"), ("1", "1234.565")],
)


def _amounts(document: bytes, path: str) -> list[Decimal]:
    return [Decimal(each.text or "") for each in parse(document).iterfind(path)]


_LINE_NET, _DUE = ".//{*}InvoiceLine/{*}LineExtensionAmount", ".//{*}PayableAmount"


@pytest.mark.parametrize(("rule", "unit"), [("exact", CENT), ("rounded", THOUSANDTH)])
def test_prices_in_baisas_are_sent_and_the_amount_due_is_the_declared_one(
    rule: str, unit: Decimal
) -> None:
    wrong = []
    for prices in BAISAS:
        change = _in_baisas(prices, unit)
        found, declared = evaluated(PROFILES["pint-om"], change, rule), deepcopy(OM)
        change(declared)
        exact = [Decimal(number) * Decimal(price) for number, price in prices]
        due = declared["totals"]["grandTotal"].quantize(CENT, ROUND_HALF_UP)
        errors = [each.rule_id for each in found.report.errors]
        if errors or _amounts(found.document, _DUE) != [due]:
            wrong.append((prices, errors))
            continue
        lines = _amounts(found.document, _LINE_NET)
        if any(abs(x - y) >= THOUSANDTH for x, y in zip(lines, exact, strict=True)):
            wrong.append((prices, lines))

    assert wrong == []


def test_vat_that_oman_computes_otherwise_is_written_and_the_amount_due_stays() -> None:
    """Three lines with a VAT of 4 baisas: 0.00 by cents of each line, 0.012 by the rules."""
    found = evaluated(PROFILES["pint-om"], _in_baisas([("1", "0.080")] * 3, CENT))

    assert _amounts(found.document, "{*}TaxTotal/{*}TaxAmount") == [Decimal("0.01")]
    assert _amounts(found.document, _DUE) == [Decimal("0.24")]
    assert _amounts(found.document, ".//{*}PayableRoundingAmount") == [Decimal("-0.01")]
    assert [(w.code, w.field) for w in found.warnings] == [
        ("line-amount-rounded", "invoice.totals.taxAmount")
    ]


@pytest.mark.parametrize(
    ("kind", "type_code"), [("invoice", "480"), ("creditNote", "81"), ("selfBilledInvoice", "389")]
)
def test_an_invoice_without_anything_subject_to_vat_has_its_own_type_in_the_emirates(
    kind: str, type_code: str
) -> None:
    """Of type 380 and 381 ibr-151-ae asks for a line that is; both numbers stay (ibr-134-ae)."""
    name = "pint-ae-selfbilling" if kind.startswith("self") else "pint-ae"
    more = {"precedingInvoice": _PRECEDING, "correctionReason": "DL8.61.1.A"}
    extra = more if kind == "creditNote" else {}
    change = _all(_UNTAXED, _at(_FIRST, taxCategory="O"), _at("", type=kind, **extra))
    invoice = deepcopy(AE)
    change(invoice)
    routing = Routing(*map(ParticipantId.parse, PARTIES["pint-ae"]), "ref")
    request: SendRequest = {"invoice": invoice, "routing": routing, "options": {}}  # type: ignore[typeddict-item]
    found = evaluation.derived(request, SendDefaults(), PROFILES[name])

    assumed = [each.values for each in found.warnings if each.code == "type-code-assumed"]
    assert found.fitted.type_code == type_code
    assert [each["code"] for each in assumed] == ([type_code] if name == "pint-ae" else [])
    assert found.fitted.seller.vat_id == "100000000000003"


def test_a_vat_number_of_another_country_is_an_identifier_of_the_buyer_in_oman() -> None:
    """IBR-003-OM takes Omani numbers alone; the published example of an export has OTHID."""
    found = evaluated(PROFILES["pint-om"], _all(_EXPORT, _at("buyer", taxId="DE123456788")))
    (number,) = parse(found.document).iterfind(
        "{*}AccountingCustomerParty/{*}Party/{*}PartyIdentification/{*}ID"
    )

    assert (number.text, number.get("schemeName")) == ("DE123456788", "OTHID")


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        (_at("", transactionTypes=["export", "thirdParty"]), "/invoice/transactionTypes/1"),
        (_at("", contractValue="AED 1"), "/invoice/contractReference"),
        (_at("", correctionReason="VD"), "/invoice/correctionReason"),
        (_at(_FIRST, orderReference="PO-1"), "/invoice/lineItems/0/orderLineReference"),
    ],
)
def test_a_term_that_needs_another_is_refused_with_its_field(change: Change, pointer: str) -> None:
    with pytest.raises(InvalidField) as refused:
        evaluated(PROFILES["pint-ae"], change)

    assert [each.pointer for each in refused.value.errors] == [pointer]


def test_terms_of_pint_in_another_document_are_left_out_with_a_warning() -> None:
    """BIS Billing has no place for them, Oman none for what only the Emirates have."""
    bis = forms.installed().of("peppol").named("peppol-bis-billing")
    routing = Routing(*map(ParticipantId.parse, PARTIES["pint-ae"]), "ref")
    invoice = derive(deepcopy(AE), routing).invoice  # type: ignore[arg-type]

    plain = evaluation.fitted(invoice, bis)
    omani = evaluated(PROFILES["pint-om"], _at("", billingFrequency="MTH"))

    assert [w.code for w in plain.warnings] == ["terms-without-place"]
    assert b"schemeAgencyID" not in document_xml(plain.fitted)
    assert [w.field for w in omani.warnings if w.code == "terms-without-place"] == [
        "invoice.billingFrequency"
    ]


@pytest.mark.parametrize(
    ("place", "hostile"),
    [
        ("<cbc:CalculationRate>3.6725", "<cbc:CalculationRate>" + "9" * 100_000),
        ("<cbc:CalculationRate>3.6725", "<cbc:CalculationRate>many"),
        ("AED 771.23", "AED \u00b2"),
    ],
)
def test_a_malformed_term_of_a_document_is_no_term(place: str, hostile: str) -> None:
    """Such a document is read, and said again as a send."""
    profile = PROFILES["pint-ae"]
    change = _all(_DOLLARS, _at("", taxCurrency="AED"), _IN_DIRHAMS)
    document = evaluated(profile, change).document.decode()
    assert place in document
    root = parse(document.replace(place, hostile).encode())

    found = restated(root, readable(root, "ubl"), "ubl", profile)

    assert found.body["invoice"]["number"] == "INV-1"


def test_the_uuid_is_the_same_for_the_same_invoice() -> None:
    first, again, other = (
        evaluated(PROFILES["pint-ae"], change).document
        for change in (_at(""), _at(""), _at("", number="INV-2"))
    )

    assert first == again
    assert _uuid(first) != _uuid(other)


def _uuid(document: bytes) -> str:
    return parse(document).findtext("{*}UUID") or ""
