"""An invoice as a document of Fatoora."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from einvoice.documents.schemas import schema_errors
from einvoice.domain.errors import InvalidField
from einvoice.domain.invoice import (
    Address,
    Contact,
    Identifier,
    Party,
    Period,
    SupportingDocument,
    TaxCategory,
    TaxSubtotal,
)
from einvoice.domain.request import SendWarning
from einvoice.network.profile_testing import ProfileContract
from einvoice.rules import Syntax
from einvoice.xml import parse
from einvoice_zatca import exemptions, form, riyadh
from einvoice_zatca.digests import FIRST_HASH
from einvoice_zatca.names import TAGS
from einvoice_zatca.parties import identified, national
from einvoice_zatca.rules import RULES
from einvoice_zatca.rules.codes import EXEMPTIONS
from einvoice_zatca.stamp import Place, stamped
from einvoice_zatca.verification import verify
from plugins.zatca.tests import saudi
from plugins.zatca.tests.identities import identity

ENGINE = RULES.packs[0].engine(Syntax.UBL)


def written(invoice) -> bytes:
    return form.PROFILE.write(form.adapt(invoice).invoice)


def findings(document: bytes) -> list[str]:
    root = parse(document)
    faults = [error.message for error in schema_errors(root)]
    return [*faults, *(each.id for each in ENGINE.check(root, document).findings)]


def at(document: bytes, path: str) -> list[str]:
    return [str(each) for each in parse(document).xpath(path, namespaces=TAGS)]


class TestForm(ProfileContract):
    @pytest.fixture
    def profile(self):
        return form.PROFILE

    @pytest.fixture
    def rule_set(self):
        return RULES

    @pytest.fixture
    def invoices(self):
        return list(saudi.one_of_each().values())


@pytest.mark.parametrize("name", saudi.one_of_each())
def test_a_document_of_each_kind_keeps_schema_and_rules_before_and_after_it_is_stamped(name):
    document = written(saudi.one_of_each()[name])
    made = stamped(
        document, Place("8e6000cf-1a98-4174-b3e7-b5d5954bc10d", 1, FIRST_HASH, "10:00:00"),
        identity(), riyadh.local(riyadh.clock.now()),
    )  # fmt: skip

    assert findings(document) == []
    assert findings(made.content) == []
    assert verify(made.content).faults == ()


KINDS = {
    "standard invoice": ("388", "0100000"),
    "standard credit note": ("381", "0100000"),
    "standard debit note": ("383", "0100000"),
    "standard prepayment": ("386", "0100000"),
    "simplified invoice": ("388", "0200000"),
    "simplified credit note": ("381", "0200000"),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_type_and_its_flags_are_those_of_the_kind(name):
    document = written(saudi.one_of_each()[name])

    assert at(document, "cbc:InvoiceTypeCode/text() | cbc:InvoiceTypeCode/@name") == [
        *reversed(KINDS[name])
    ]


def test_export_summary_and_self_billing_are_flags():
    goods = TaxSubtotal(
        Decimal("100.00"), Decimal("0.00"), TaxCategory("Z", Decimal(0)),
        "Export of goods", "VATEX-SA-32",
    )  # fmt: skip
    abroad = Party("Abroad Ltd", vat_id="GB123456789", address=Address("1 Road", country="GB"))
    export = saudi.an_invoice(buyer=abroad, taxes=(goods,))
    period = Period(date(2026, 11, 1), date(2026, 11, 20))

    assert at(written(export), "cbc:InvoiceTypeCode/@name") == ["0100100"]
    assert at(written(saudi.an_invoice(period=period)), "cbc:InvoiceTypeCode/@name") == ["0100010"]
    assert at(written(saudi.an_invoice(type_code="389")), "cbc:InvoiceTypeCode/@name") == [
        "0100001"
    ]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("VATEX-EU-O", "VATEX-SA-OOS"),
        (None, "VATEX-SA-OOS"),
        ("VATEX-SA-OOS", "VATEX-SA-OOS"),
        ("VATEX-EU-AE", "VATEX-EU-AE"),
    ],
)
def test_what_is_outside_of_the_scope_of_vat_has_the_code_of_zatca(given, code):
    """The one that a send without a reason gets is Europe's; another one is left to the rules."""
    tax = TaxSubtotal(
        Decimal("100.00"), Decimal("0.00"), TaxCategory("O", None), "Wages", given
    )  # fmt: skip

    document = written(saudi.an_invoice(taxes=(tax,)))

    assert at(document, "cac:TaxTotal//cbc:TaxExemptionReasonCode/text()") == [code]


@pytest.mark.parametrize(
    ("type_code", "faults"), [("384", ["/invoice/typeCode"]), ("383", []), ("326", [])]
)
def test_a_corrected_invoice_does_not_become_a_second_invoice(type_code, faults):
    """ZATCA has credit and debit notes, which say what changes."""
    made = saudi.an_invoice(type_code=type_code)
    try:
        found = [] if form.adapt(made) else None
    except InvalidField as fault:
        found = [each.pointer for each in fault.errors]

    assert found == faults


@pytest.mark.parametrize(("given", "settles"), [("VATEX-EU-O", True), ("VATEX-SA-OOS", False)])
def test_the_code_of_europe_is_not_said_to_be_assumed(given, settles):
    """The document has the code of ZATCA, of which another warning tells."""
    tax = TaxSubtotal(Decimal("100.00"), Decimal("0.00"), TaxCategory("O", None), "Wages", given)
    early = SendWarning("exemption-reason-assumed", "", "invoice.taxExemption.reasonCode")
    adapted = form.adapt(saudi.an_invoice(taxes=(tax,)))

    kept = [each.message for each in adapted.with_earlier([early]) if each.code == early.code]
    assert ("" in kept) is not settles
    assert any("VATEX-SA-OOS" in each for each in kept) is settles


RATE = "cac:TaxExchangeRate/cbc:*/text()"


@pytest.mark.parametrize(
    ("currency", "rate", "warned"),
    [("USD", ["USD", "SAR", "3.75"], False), ("SAR", [], True)],
)
def test_the_rate_of_exchange_stands_in_an_invoice_in_another_currency(currency, rate, warned):
    made = saudi.an_invoice(currency=currency, further={"exchangeRate": "3.75"})
    if currency != "SAR":
        totals = replace(made.totals, tax_in_accounting_currency=Decimal("56.25"))
        made = replace(made, accounting_currency="SAR", totals=totals)
    fields = [each.field for each in form.adapt(made).warnings]

    assert at(written(made), RATE) == rate
    assert findings(written(made)) == []
    assert ("invoice.exchangeRate" in fields) is warned


def exported(**changes):
    """An invoice over USD 100 without VAT."""
    free = TaxCategory("Z", Decimal(0))
    made = saudi.an_invoice(currency="USD")
    net, none = made.totals.tax_exclusive, Decimal("0.00")
    lines = tuple(replace(each, item=replace(each.item, category=free)) for each in made.lines)
    totals = replace(made.totals, tax=none, tax_inclusive=net, payable=net)
    tax = TaxSubtotal(net, none, free, None, "VATEX-SA-32")
    return replace(made, lines=lines, totals=totals, taxes=(tax,), **changes)


def test_an_invoice_without_vat_needs_no_amount_in_riyals():
    """It is 0 by any rate; VAT of another amount is the sender's to convert."""
    assert at(written(exported()), "cac:TaxTotal/cbc:TaxAmount[@currencyID='SAR']/text()") == [
        "0.00"
    ]
    assert findings(written(exported())) == []
    with pytest.raises(InvalidField) as fault:
        form.adapt(saudi.an_invoice(currency="USD"))
    assert fault.value.errors[0].pointer == "/invoice/totals/taxAmountInTaxCurrency"


WORDS = "cac:TaxTotal//cbc:TaxExemptionReason/text()"


@pytest.mark.parametrize(
    ("given", "words", "warned"),
    [
        (None, [exemptions.WORDS["VATEX-SA-35"]], ["exemption-reason-assumed"]),
        ("Medicines", ["Medicines"], []),
    ],
)
def test_a_code_without_words_has_those_of_zatca(given, words, warned):
    """BR-KSA-83 asks for the text beside the code."""
    zero = TaxCategory("Z", Decimal(0))
    tax = TaxSubtotal(Decimal("100.00"), Decimal("0.00"), zero, given, "VATEX-SA-35")
    invoice = saudi.an_invoice(taxes=(tax,))

    assert at(written(invoice), WORDS) == words
    assert [each.code for each in form.adapt(invoice).warnings] == warned


def test_all_codes_of_exempt_and_zero_rated_supplies_have_words_but_three():
    codes = EXEMPTIONS["Z"] | EXEMPTIONS["E"]

    assert codes - {*exemptions.WORDS} == {
        "VATEX-SA-32(bis)", "VATEX-SA-DIPLOMAT", "VATEX-SA-ROYALDECREE"
    }  # fmt: skip


REASON = "cac:PaymentMeans/cbc:InstructionNote/text()"


@pytest.mark.parametrize(
    ("further", "reason"),
    [
        (None, ["Returned goods"]),
        ({"correctionReason": "VAL"}, ["VAL"]),
        ({"correctionReason": "VAL", "correctionText": "A wrong price"}, ["A wrong price"]),
    ],
)
def test_the_reason_of_a_correction_is_what_the_send_says_of_it_else_its_first_note(
    further, reason
):
    note = saudi.corrected(saudi.an_invoice(further=further), "381")

    assert at(written(note), REASON) == reason


def test_a_document_with_a_project_keeps_the_schema():
    """The references of the chain stand before it."""
    assert findings(written(saudi.an_invoice(project="P-1", contract="C-1"))) == []


def test_what_has_no_place_in_the_document_is_a_warning():
    delivery = replace(saudi.an_invoice().delivery, address=Address("1 Road", country="SA"))
    invoice = saudi.an_invoice(supporting=(SupportingDocument("1"),), delivery=delivery)

    assert [(each.code, each.field) for each in form.adapt(invoice).warnings] == [
        ("not-in-document", "invoice.attachments"),
        ("not-in-document", "invoice.deliveryAddress"),
    ]


def test_the_contact_of_a_party_is_whole():
    contact = Contact("Ahmad", "0501234567", "a@example.sa")
    document = written(saudi.an_invoice(buyer=replace(saudi.BUSINESS, contact=contact)))

    found = at(document, "cac:AccountingCustomerParty/cac:Party/cac:Contact/cbc:*/text()")
    assert found == ["Ahmad", "0501234567", "a@example.sa"]
    assert findings(document) == []


@pytest.mark.parametrize(
    ("omitted", "identifier", "flags"),
    [
        ("3123456789", ("TIN", "3123456789"), "0100000"),
        ("7001234567", ("700", "7001234567"), "0100000"),
        ("30012345670000", ("OTH", "30012345670000"), "0100000"),
        ("1010101010", ("NAT", "1010101010"), "0200000"),
        ("2010101010", ("IQA", "2010101010"), "0200000"),
    ],
)
def test_a_tax_id_that_is_no_vat_number_is_the_other_number_of_the_buyer(
    omitted, identifier, flags
):
    """The first digits are those of BR-KSA-F-07, F-09, F-10 and F-11."""
    invoice = saudi.an_invoice(buyer=replace(saudi.CONSUMER, omitted_tax_id=omitted))

    assert identified(invoice.buyer) == identifier
    assert at(written(invoice), "cbc:InvoiceTypeCode/@name") == [flags]
    assert "tax-id-as-company-id" in [each.code for each in form.adapt(invoice).warnings]


LONDON = Address("1 Road", None, None, "London", "N1", None, "GB")


@pytest.mark.parametrize(
    ("buyer", "found", "flags"),
    [
        (Party("Ltd", vat_id="GB123456789", address=LONDON), ["GB123456789"], "0100000"),
        (Party("Ltd", legal_id=Identifier("12-345"), address=LONDON), ["12345"], "0100000"),
        (Party("NV", legal_id=Identifier("0403019261", "0208")), ["0403019261"], "0100000"),
        (Party("Ltd", legal_id=Identifier("1010010001"), address=LONDON), ["1010010001"],
         "0100000"),
        (Party("Ltd", legal_id=Identifier("A 12")), ["A12"], "0100000"),
        (Party("Ahmad", address=LONDON), [], "0200000"),
    ],
)  # fmt: skip
def test_a_number_of_a_business_elsewhere_is_another_one_and_no_consumers(buyer, found, flags):
    """BR-KSA-81 asks for a number of a buyer without a Saudi VAT number; CRN is Saudi Arabia's."""
    document = written(saudi.an_invoice(buyer=buyer))

    assert at(document, "cac:AccountingCustomerParty//cbc:ID[@schemeID='OTH']/text()") == found
    assert at(document, "cac:AccountingCustomerParty//cbc:ID[@schemeID='CRN']/text()") == []
    assert at(document, "cbc:InvoiceTypeCode/@name") == [flags]


def test_the_kinds_of_transaction_that_a_send_names_are_flags():
    sent = {"transactionTypes": "nominal thirdParty"}

    assert at(written(saudi.an_invoice(further=sent)), "cbc:InvoiceTypeCode/@name") == ["0111000"]
    with pytest.raises(InvalidField, match="'deemedSupply' is no kind of transaction of ZATCA"):
        form.adapt(saudi.an_invoice(further={"transactionTypes": "deemedSupply"}))


def test_a_prepayment_is_deducted_by_a_line_of_its_own_for_each_rate():
    document = written(saudi.after_prepayments())

    lines = "cac:InvoiceLine[cac:DocumentReference]"
    assert at(document, f"{lines}/cbc:ID/text()") == ["11", "12"]
    assert at(document, f"{lines}/cac:DocumentReference/*/text()") == [
        *("ADV-1", "2026-01-02", "12:28:17", "386"), *("ADV-2", "2026-01-03", "09:00:00", "386"),
    ]  # fmt: skip
    assert at(document, f"{lines}//cac:TaxSubtotal/cbc:TaxableAmount/text()") == ["200.00", "40.00"]
    assert at(document, "cac:LegalMonetaryTotal/cbc:PrepaidAmount/text()") == ["276.00"]
    assert findings(document) == []


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({"taxable": Decimal("201.00")}, ["BR-KSA-79", "BR-KSA-80"]),
        ({"time": None}, ["BR-KSA-73"]),
    ],
)
def test_what_a_prepayment_lacks_is_found(changes, rules):
    assert sorted(set(findings(written(saudi.after_prepayments(**changes))))) == rules


def test_an_invoice_in_dollars_has_its_vat_in_riyals_too():
    usd = saudi.an_invoice(currency="USD")
    totals = replace(usd.totals, tax_in_accounting_currency=Decimal("56.25"))
    document = written(replace(usd, totals=totals))

    assert at(document, "cac:TaxTotal[not(cac:TaxSubtotal)]/cbc:TaxAmount/text()") == ["56.25"]
    assert at(document, "cac:TaxTotal/cbc:TaxAmount/@currencyID") == ["SAR", "USD"]
    assert findings(document) == []
    with pytest.raises(InvalidField, match="VAT in SAR"):
        form.adapt(usd)


def test_a_name_of_255_bytes_fits_the_code_and_one_of_256_is_refused_in_the_send():
    def named(name):
        return saudi.an_invoice(seller=replace(saudi.SELLER, name=name))

    assert form.adapt(named("ش" * 127 + "a")).invoice.seller.name.startswith("ش")
    with pytest.raises(InvalidField, match="256 bytes"):
        form.adapt(named("ش" * 128))


ADDRESSES = {
    ("Prince Sultan", "2322", None): ("Prince Sultan", "", "2322"),
    ("Prince Sultan", "RRRD2929", None): ("Prince Sultan", "RRRD2929", "2929"),
    ("8091 Prince Sultan", None, None): ("Prince Sultan", "", "8091"),
    ("Prince Sultan", "Gate 4", None): ("Prince Sultan", "Gate 4", ""),
}


@pytest.mark.parametrize("lines", ADDRESSES)
def test_the_building_number_is_found_in_an_address(lines):
    parts = national(Address(*lines))

    assert (parts.street, parts.short, parts.building) == ADDRESSES[lines]


IDENTIFIERS = {
    "1010010000": ("CRN", "1010010000"),
    "7001234567": ("700", "7001234567"),
    "NAT:1010101010": ("NAT", "1010101010"),
    "gcc:12-3": ("GCC", "12-3"),
    "12345": None,
    "DUNS:123456789": None,
}


@pytest.mark.parametrize("text", IDENTIFIERS)
def test_an_identifier_names_its_scheme_or_is_known_by_its_form(text):
    party = replace(saudi.SELLER, legal_id=None, identifiers=(Identifier(text),))

    assert identified(party) == IDENTIFIERS[text]


def test_a_buyer_with_a_national_number_is_a_consumer_and_one_with_a_registration_a_business():
    person = replace(saudi.CONSUMER, identifiers=(Identifier("NAT:1010101010"),))
    company = replace(saudi.BUSINESS, vat_id=None, legal_id=Identifier("1010010001"))

    assert at(written(saudi.an_invoice(buyer=person)), "cbc:InvoiceTypeCode/@name") == ["0200000"]
    assert at(written(saudi.an_invoice(buyer=company)), "cbc:InvoiceTypeCode/@name") == ["0100000"]


def test_what_is_assumed_is_a_warning():
    late = saudi.an_invoice(
        buyer=saudi.CONSUMER, issue_date=riyadh.today() - timedelta(days=3), delivery=None
    )
    undated = saudi.an_invoice(delivery=None)

    assert {each.code for each in form.adapt(late).warnings} == {
        "simplified-assumed", "sent-late"
    }  # fmt: skip
    assert [each.code for each in form.adapt(undated).warnings] == ["supply-date-assumed"]
    assert form.adapt(saudi.an_invoice()).warnings == ()
