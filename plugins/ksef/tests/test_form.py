"""FA(3) as the form of invoices: what is written, and what has no place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from lxml import etree

from einvoice.domain.derive import derive
from einvoice.domain.errors import InvalidField
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import (
    Address,
    AllowanceCharge,
    Attachment,
    Contact,
    CreditTransfer,
    DocumentKind,
    Identifier,
    Invoice,
    Item,
    Party,
    Payee,
    PaymentCard,
    PaymentMeans,
    Period,
    PrecedingInvoice,
    Prepayment,
    Price,
    Routing,
    SupportingDocument,
    TaxSubtotal,
)
from einvoice.network.profile_testing import ProfileContract
from einvoice_ksef.fa3 import form, left_out
from einvoice_ksef.fa3.read import read_document
from einvoice_ksef.fa3.rules import RULES
from plugins.ksef.tests import official, polish
from plugins.ksef.tests.polish import category, invoice, line
from tests.tables import each_row

_FA = "{http://crd.gov.pl/wzor/2025/06/25/13775/}"


class TestFa3(ProfileContract):
    @pytest.fixture
    def profile(self):
        return form.PROFILE

    @pytest.fixture
    def rule_set(self):
        return RULES

    @pytest.fixture
    def invoices(self) -> Sequence[Invoice]:
        return [make() for make in polish.INVOICES.values()]


def written(made: Invoice) -> etree._Element:
    document = form.PROFILE.write(form.PROFILE.adapt(made).invoice)
    return etree.fromstring(document)


def text(made: Invoice, path: str) -> str | None:
    return written(made).findtext("/".join(_FA + step for step in path.split("/")))


def refused(made: Invoice) -> list[tuple[str, str]]:
    with pytest.raises(InvalidField) as fault:
        form.PROFILE.adapt(made)
    return [(each.pointer, each.code) for each in fault.value.errors]


@official.needed
@pytest.mark.parametrize("name", polish.INVOICES)
def test_a_written_invoice_is_valid_to_the_official_schema(name):
    assert official.errors(form.write(polish.INVOICES[name]())) == []


@each_row(
    ("name", "path", "expected"),
    [
        ("invoice", "Podmiot1/DaneIdentyfikacyjne/NIP", "5265877635"),
        ("invoice", "Podmiot1/Adres/AdresL2", "00-001 Warszawa"),
        ("invoice", "Fa/P_13_1", "100.00"),
        ("invoice", "Fa/P_14_1", "23.00"),
        ("invoice", "Fa/P_15", "123.00"),
        ("invoice", "Fa/RodzajFaktury", "VAT"),
        ("invoice", "Fa/Adnotacje/P_17", "2"),
        ("rates", "Fa/P_13_1", "50.00"),
        ("rates", "Fa/P_13_6_1", "50.00"),
        ("credit note", "Fa/RodzajFaktury", "KOR"),
        ("credit note", "Fa/P_15", "-123.00"),
        ("credit note", "Fa/FaWiersz/P_8B", "-1"),
        ("credit note", "Fa/FaWiersz/P_9A", "100.00"),
        ("credit note", "Fa/DaneFaKorygowanej/NrFaKorygowanej", "FV/1/2026"),
        ("corrected", "Fa/PrzyczynaKorekty", "Rabat"),
        ("corrected", "Fa/P_15", "123.00"),
        ("advance", "Fa/RodzajFaktury", "ZAL"),
        ("advance", "Fa/Zamowienie/WartoscZamowienia", "123.00"),
        ("self-billed", "Fa/Adnotacje/P_17", "1"),
        ("exempt", "Fa/Adnotacje/Zwolnienie/P_19B", "VATEX-EU-132-1I"),
        ("exempt by an act", "Fa/Adnotacje/Zwolnienie/P_19A", "art. 43 ust. 1 pkt 37 ustawy o VAT"),
        ("margin", "Fa/Adnotacje/PMarzy/P_PMarzy_3_1", "1"),
        ("margin", "Fa/P_13_11", "100.00"),
        ("margin", "Fa/FaWiersz/P_12", None),
        ("goods into the EU", "Podmiot1/PrefiksPodatnika", "PL"),
        ("goods into the EU", "Podmiot2/DaneIdentyfikacyjne/NrVatUE", "123456788"),
        ("goods into the EU", "Fa/FaWiersz/P_12", "0 WDT"),
        ("services into the EU", "Fa/FaWiersz/P_12", "np II"),
        ("services into the EU", "Fa/Adnotacje/P_18", "1"),
        ("reverse charge", "Fa/FaWiersz/P_12", "oo"),
        ("export", "Podmiot2/DaneIdentyfikacyjne/NrID", "CHE123456788"),
        ("export", "Fa/FaWiersz/P_12", "0 EX"),
        ("outside", "Podmiot1/DaneIdentyfikacyjne/NIP", "5265877635"),
        ("outside", "Fa/FaWiersz/P_12", "np I"),
        ("outside", "Podmiot2/DaneIdentyfikacyjne/NrID", "77"),
        ("outside", "Podmiot2/DaneIdentyfikacyjne/KodKraju", "US"),
        ("to a consumer", "Podmiot2/DaneIdentyfikacyjne/BrakID", "1"),
        ("in euro", "Fa/P_14_1W", "98.37"),
        ("in euro, two rates", "Fa/P_14_2W", "10.23"),
        ("in euro, two rates", "Fa/P_14_1W", "88.14"),
        ("period", "Fa/OkresFa/P_6_Do", "2026-11-30"),
        ("direct debit", "Fa/Platnosc/OpisPlatnosci", "Polecenie zapłaty"),
        ("rich", "Podmiot1/Adres/GLN", "5901234567890"),
        ("rich", "Podmiot3/Adres/AdresL1", "Allee 3, Hof"),
        ("rich", "PodmiotUpowazniony/RolaPU", "3"),
        ("rich", "Fa/P_6", "2026-11-20"),
        ("rich", "Fa/WZ", "WZ-1"),
        ("rich", "Fa/FaWiersz/P_9A", "525.00"),
        ("rich", "Fa/FaWiersz/P_10", "50.00"),
        ("rich", "Fa/FaWiersz/CN", "84182110"),
        ("rich", "Fa/FaWiersz/GTU", "GTU_06"),
        ("rich", "Fa/Rozliczenie/DoZaplaty", "1134.65"),
        ("rich", "Fa/Platnosc/RachunekBankowy/SWIFT", "WBKPPLPP"),
        ("rich", "Fa/WarunkiTransakcji/Zamowienia/NrZamowienia", "Z-1"),
        ("rich", "Stopka/Rejestry/KRS", "0000099999"),
    ],
)  # fmt: skip
def test_a_term_has_its_element(name, path, expected):
    assert text(polish.INVOICES[name](), path) == expected


ADVANCE = Prepayment(
    "ZAL/1", date(2026, 10, 1), TaxSubtotal(Decimal("40.00"), Decimal("9.20"), category())
)
KSEF_NUMBER = "5265877635-20250826-0100001AF629-AF"


def settling(*advances: Prepayment, prepaid: str | None = "49.20", **changes) -> Invoice:
    """An invoice over 123.00 that deducts advances, by default one of 49.20."""
    made = invoice(prepayments=advances or (ADVANCE,), **changes)
    paid = None if prepaid is None else Decimal(prepaid)
    payable = made.totals.tax_inclusive - (paid or 0)
    return replace(made, totals=replace(made.totals, prepaid=paid, payable=payable))


def without_vat(code: str, reason_code: str | None, reason: str | None = None) -> Invoice:
    """An invoice of a category without VAT, for which this is the reason."""
    return polish.because(invoice(line(vat=category(code, "0"))), reason_code, reason)


@each_row(
    ("changes", "path", "expected"),
    [
        ({}, "Fa/RodzajFaktury", "ROZ"),
        ({}, "Fa/P_13_1", "60.00"),
        ({}, "Fa/P_14_1", "13.80"),
        ({}, "Fa/P_15", "73.80"),
        ({}, "Fa/FaWiersz/P_11", "100.00"),
        ({}, "Fa/FakturaZaliczkowa/NrFaZaliczkowej", "ZAL/1"),
        ({}, "Fa/Rozliczenie", None),
        ({"preceding": (PrecedingInvoice("ZAL/1", None, KSEF_NUMBER),)},
         "Fa/FakturaZaliczkowa/NrKSeFFaZaliczkowej", KSEF_NUMBER),
        ({"prepaid": "59.20"}, "Fa/P_15", "73.80"),
        ({"prepaid": "59.20"}, "Fa/Rozliczenie/Odliczenia/Kwota", "10.00"),
        ({"prepaid": "59.20"}, "Fa/Rozliczenie/DoZaplaty", "63.80"),
    ],
)  # fmt: skip
def test_an_invoice_that_settles_advances_has_what_is_left(changes, path, expected):
    """Art. 106f ust. 3: the lines are whole, the VAT of the advances is not charged again."""
    made = settling(**changes)

    assert text(made, path) == expected


@official.needed
def test_an_invoice_that_settles_advances_is_valid_to_the_official_schema():
    assert official.errors(form.write(settling())) == []


@each_row(
    ("made", "faults"),
    [
        (settling(prepaid="49.20"), []),
        (settling(prepaid="49.19"), [("/invoice/totals/prepaidAmount", "contradicts")]),
        (settling(prepaid=None), [("/invoice/totals/prepaidAmount", "contradicts")]),
        (settling(replace(ADVANCE, tax=replace(ADVANCE.tax, category=category("S", "17")))),
         [("/invoice/prepayments/0/taxRate", "no-place")]),
        (settling(currency="EUR", accounting_currency="PLN"),
         [("/invoice/totals/taxAmountInTaxCurrency", "required"),
          ("/invoice/prepayments", "no-place")]),
    ],
)  # fmt: skip
def test_advances_are_settled_only_where_all_their_amounts_are_known(made, faults):
    assert (refused(made) if faults else list(form.adapt(made).settled)) == faults


@each_row(
    ("made", "codes"),
    [
        (invoice(preceding=(PrecedingInvoice("ZAL/1"),)), ["advances-not-settled"]),
        (invoice(), []),
        (settling(preceding=(PrecedingInvoice("ZAL/1"),)), []),
        (settling(type_code="386", preceding=(PrecedingInvoice("ZAL/0"),)), ["not-in-document"]),
    ],
)
def test_an_invoice_that_names_advances_without_amounts_is_warned_of(made, codes):
    """Its VAT is that of the whole, which an advance has charged already."""
    assert [each.code for each in form.adapt(made).warnings] == codes


@each_row(
    ("made", "path", "expected"),
    [
        (polish.INVOICES["in euro"], "Fa/FaWiersz/KursWaluty", "4.2711"),
        (polish.INVOICES["in euro"], "Fa/KursWalutyZ", None),
        (lambda: replace(polish.INVOICES["in euro"](), type_code="386"), "Fa/KursWalutyZ",
         "4.2711"),
        (polish.INVOICES["invoice"], "Fa/FaWiersz/KursWaluty", None),
    ],
)  # fmt: skip
def test_the_rate_of_exchange_stands_at_the_lines_or_at_the_advance(made, path, expected):
    rated = replace(made(), further={"exchangeRate": "4.2711"})
    fields = [each.field for each in form.adapt(rated).warnings]

    assert text(rated, path) == expected
    assert ("invoice.exchangeRate" in fields) is (rated.currency == "PLN")


@official.needed
@pytest.mark.parametrize("type_code", ["380", "386"])
def test_an_invoice_with_a_rate_of_exchange_is_valid_to_the_official_schema(type_code):
    made = replace(polish.INVOICES["in euro"](), further={"exchangeRate": "4.2711"})

    assert official.errors(form.write(replace(made, type_code=type_code))) == []


def test_a_rate_of_exchange_has_six_decimals_at_most():
    made = replace(polish.INVOICES["in euro"](), further={"exchangeRate": "4.27111111"})

    assert refused(made) == [("/invoice/exchangeRate", "out-of-range")]


@each_row(
    ("buyer", "number", "codes"),
    [
        (Party("Firma", address=polish.WARSAW), ("BrakID", "1"), ["consumer-assumed"]),
        (Party("Firma", address=polish.WARSAW, omitted_tax_id="1234567890"), ("BrakID", "1"),
         ["consumer-assumed"]),
        (Party("GmbH", address=polish.BERLIN), ("BrakID", "1"), ["consumer-assumed"]),
        (Party("GmbH", address=polish.BERLIN, omitted_tax_id="DE123"), ("NrID", "DE123"),
         ["tax-id-as-company-id"]),
        (Party("Inc.", address=Address(country="US"), omitted_tax_id="987654321"),
         ("NrID", "987654321"), ["tax-id-as-company-id"]),
        (Party("Inc.", address=Address(country="US"), legal_id=Identifier("77")), ("NrID", "77"),
         []),
        (polish.BUYER, ("NIP", "1111111111"), []),
    ],
)  # fmt: skip
def test_a_buyer_whose_number_has_no_place_is_warned_of(buyer, number, codes):
    """KSeF shows an invoice to the buyer whose NIP it has."""
    adapted = form.adapt(invoice(buyer=buyer))
    settled = {"vat-number-dropped invoice.buyer.taxId"} if number[0] == "NrID" else set()

    assert text(adapted.invoice, f"Podmiot2/DaneIdentyfikacyjne/{number[0]}") == number[1]
    assert [each.code for each in adapted.warnings] == codes
    assert adapted.settled == (settled if buyer.omitted_tax_id else set())


@each_row(
    ("made", "fields"),
    [
        (invoice(line(), adjustments=(AllowanceCharge(True, Decimal("5.00"), category=category(),
                 reason="Transport", reason_code="FC"),)), ["charges[0].reasonCode"]),
        (invoice(line(adjustments=(AllowanceCharge(False, Decimal("5.00"), reason="Rabat",
                 reason_code="95"),))), ["lineItems[0].allowances[0].reasonCode"]),
        (invoice(line(adjustments=(AllowanceCharge(False, Decimal("5.00"), reason_code="95"),))),
         []),
        (without_vat("O", "VATEX-EU-O", "art. 28b ustawy"), ["taxExemption.reason"]),
        (without_vat("G", "VATEX-EU-G"), []),
        (without_vat("Z", "VATEX-SA-32"), ["taxExemption.reasonCode"]),
        (without_vat("E", None, "art. 43 ust. 1 ustawy"), []),
    ],
)  # fmt: skip
def test_a_reason_without_a_place_is_warned_of(made, fields):
    found = [each.field for each in form.adapt(made).warnings if each.code == left_out.CODE]

    assert found == [f"invoice.{each}" for each in fields]


def test_a_debit_note_is_refused_with_what_it_is_in_poland():
    with pytest.raises(InvalidField) as fault:
        form.adapt(replace(invoice(), type_code="383"))

    assert "send a corrected invoice (384)" in fault.value.errors[0].message


@pytest.mark.parametrize(
    ("category", "reason"), [("E", {"reason": "art. 43 ust. 1"}), ("O", {"reason": "art. 28b"})]
)
def test_parties_have_their_nip_whatever_the_categories(category, reason):
    """KSeF knows both by it: a buyer without a NIP gets nothing."""
    seller, buyer = (
        {"name": "Firma", "taxId": nip, "address": {"line1": "ul. 1", "countryCode": "PL"}}
        for nip in ("526-587-76-35", "PL5252248481")
    )
    none, all_of = Decimal(0), Decimal(100)
    line = {"description": "Usługa", "quantity": Decimal(1), "unitPrice": all_of, "taxRate": none,
            "taxCategory": category, "taxExemption": reason}  # fmt: skip
    request = {
        "number": "FV/1", "issueDate": date(2026, 11, 21), "currency": "PLN", "supplier": seller,
        "buyer": buyer, "lineItems": [line],
        "totals": {"subtotal": all_of, "taxAmount": none, "grandTotal": all_of},
    }  # fmt: skip
    routing = Routing(ParticipantId.parse("9945:PL5265877635"), None)
    made = derive(request, routing, numbered=form.PROFILE.numbered).invoice  # type: ignore[arg-type]

    assert text(made, "Podmiot1/DaneIdentyfikacyjne/NIP") == "5265877635"
    assert text(made, "Podmiot2/DaneIdentyfikacyjne/NIP") == "5252248481"


@pytest.mark.parametrize(
    ("notes", "reason"),
    [((), "Zwrot"), (((None, "Dziękujemy"),), "Zwrot"), ((("ACD", "Rabat"),), "Rabat")],
)
def test_the_reason_that_a_send_gives_in_words_is_that_of_the_correction(notes, reason):
    made = polish.credit_note(further={"correctionText": "Zwrot"}, notes=notes)

    assert text(made, "Fa/PrzyczynaKorekty") == reason


def test_document_allowances_and_charges_are_lines():
    found = written(polish.rich()).findall(f"{_FA}Fa/{_FA}FaWiersz/{_FA}P_11")

    assert [each.text for each in found] == ["1000.00", "10.00", "-10.00", "5.00"]


def test_terms_without_an_element_are_further_descriptions():
    entries = written(polish.rich()).iter(f"{_FA}DodatkowyOpis")
    found = {tuple(child.text for child in entry) for entry in entries}

    assert ("Numer referencyjny nabywcy", "R-1") in found
    assert ("1", "Kolor", "biały") in found
    assert ("1", "Opis (2)", ("Lodówka " * 28).strip()) in found


def test_a_note_of_split_payment_is_an_annotation():
    made = invoice(notes=((None, "Mechanizm podzielonej płatności"),))

    assert text(made, "Fa/Adnotacje/P_18A") == "1"
    assert text(invoice(), "Fa/Adnotacje/P_18A") == "2"


def _with(made: Invoice, **changes) -> Invoice:
    return replace(made, **changes)


def _seller(**changes) -> Invoice:
    return invoice(seller=replace(polish.SELLER, **changes))


def _line(**changes) -> Invoice:
    return invoice(line(), line(**changes))


_FILE = SupportingDocument("a", attachment=Attachment(b"%PDF", "application/pdf", "a.pdf"))


@pytest.mark.parametrize(
    ("made", "pointer", "code"),
    [
        (_seller(vat_id="DE123456788"), "/invoice/supplier/taxId", "required"),
        (
            invoice(line(vat=category("O", None)), seller=replace(polish.SELLER, vat_id=None)),
            "/invoice/supplier/taxId", "required",
        ),
        (_seller(vat_id="PL12"), "/invoice/supplier/taxId", "required"),
        (_seller(address=None), "/invoice/supplier/address/line1", "required"),
        (_seller(name="N" * 513), "/invoice/supplier/name", "too-long"),
        (_seller(contact=Contact(phone="1" * 17)), "/invoice/supplier/contact/phone", "too-long"),
        (_with(polish.in_euro(), currency="XYZ"), "/invoice/currency", "unknown-code"),
        (invoice(number="N" * 257), "/invoice/number", "too-long"),
        (invoice(number="A\u0084"), "/invoice/number", "forbidden-character"),
        (invoice(issue_date=date(2005, 12, 31)), "/invoice/issueDate", "out-of-range"),
        (invoice(type_code="326"), "/invoice/type", "unknown-code"),
        (_line(vat=category("S", "21")), "/invoice/lineItems/1/taxRate", "no-place"),
        (_line(vat=category("L", "7")), "/invoice/lineItems/1/taxCategory", "no-place"),
        (
            invoice(line(vat=category("AE", "0")), buyer=replace(polish.BUYER, vat_id="US1",
                    address=replace(polish.BERLIN, country="US"))),
            "/invoice/lineItems/0/taxCategory", "no-place",
        ),
        (invoice(line(vat=category("E", "0"))), "/invoice/taxExemption/reason", "required"),
        (_line(name="N" * 513), "/invoice/lineItems/1/name", "too-long"),
        (_line(quantity=Decimal("0.1234567")), "/invoice/lineItems/1/quantity", "out-of-range"),
        (
            _line(price=Price(Decimal(1), base_quantity=Decimal(3))),
            "/invoice/lineItems/1/unitPrice", "out-of-range",
        ),
        (
            _line(adjustments=(AllowanceCharge(True, Decimal(1)),)),
            "/invoice/lineItems/1/charges", "no-place",
        ),
        (
            _line(item=Item("A", category(), seller_id="N" * 51)),
            "/invoice/lineItems/1/sellerItemId", "too-long",
        ),
        (
            _with(polish.credit_note(), preceding=()), "/invoice/precedingInvoice", "required",
        ),
        (
            polish.credit_note(preceding=(PrecedingInvoice("1"),)),
            "/invoice/precedingInvoice/issueDate", "required",
        ),
        (
            polish.credit_note(preceding=(PrecedingInvoice("1", polish.DAY, "KSeF 1"),)),
            "/invoice/precedingInvoice/authorityNumber", "wrong-form",
        ),
        (invoice(period=Period(polish.DAY)), "/invoice/period", "required"),
        (
            _with(polish.rich(), period=Period(date(2026, 1, 1), date(2026, 1, 31))),
            "/invoice/period", "no-place",
        ),
        (_with(polish.rich(), tax_point=date(2026, 1, 1)), "/invoice/taxPointDate", "no-place"),
        (invoice(currency="EUR"), "/invoice/totals/taxAmountInTaxCurrency", "required"),
        (invoice(supporting=(_FILE,)), "/invoice/attachments/0", "no-place"),
        (
            invoice(payment=(PaymentMeans("30", transfers=(CreditTransfer("123"),)),)),
            "/invoice/paymentMeans/iban", "too-short",
        ),
        (
            invoice(payment=(PaymentMeans("30", transfers=(CreditTransfer("1" * 26, bic="x"),)),)),
            "/invoice/paymentMeans/bic", "wrong-form",
        ),
        (
            invoice(payment=(PaymentMeans("30"), PaymentMeans("48"))),
            "/invoice/paymentMeans", "no-place",
        ),
        (invoice(due_date=date(2016, 6, 30)), "/invoice/dueDate", "out-of-range"),
    ],
)  # fmt: skip
def test_what_has_no_place_is_refused_with_its_field(made, pointer, code):
    assert refused(made) == [(pointer, code)]


def corrected(number: str | None) -> Invoice:
    original = replace(polish.ORIGINAL[0], authority_number=number)
    return polish.credit_note(preceding=(original,))


def test_a_correction_has_the_ksef_number_of_what_it_corrects():
    made = corrected("5265877635-20250826-0100001AF629-AF")

    assert text(made, "Fa/DaneFaKorygowanej/NrKSeF") == "1"
    assert text(made, "Fa/DaneFaKorygowanej/NrKSeFFaKorygowanej") == (
        "5265877635-20250826-0100001AF629-AF"
    )
    assert form.adapt(made).warnings == ()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (None, "ksef-number-missing"),
        ("5265877635-20250826-0100001AF629-AE", "ksef-number-checksum-wrong"),
    ],
)
def test_a_missing_or_wrong_ksef_number_of_the_corrected_invoice_is_a_warning(number, code):
    (warning,) = form.adapt(corrected(number)).warnings

    assert (warning.code, warning.field) == (code, "invoice.precedingInvoice.authorityNumber")
    assert text(corrected(None), "Fa/DaneFaKorygowanej/NrKSeFN") == "1"


def test_a_corrected_invoice_is_warned_that_its_amounts_are_differences():
    """In other countries type 384 has the new amounts."""
    (warning, _) = form.adapt(polish.INVOICES["corrected"]()).warnings

    assert (warning.code, warning.field) == ("correction-has-differences", "invoice.totals")
    assert form.adapt(polish.invoice()).warnings == ()


def test_all_faults_are_refused_at_once():
    made = invoice(line(name="N" * 513), number="N" * 257, currency="XYZ")

    assert {pointer for pointer, _ in refused(made)} == {
        "/invoice/currency", "/invoice/number", "/invoice/totals/taxAmountInTaxCurrency",
        "/invoice/lineItems/0/name",
    }  # fmt: skip


def test_an_advance_has_no_allowances():
    made = invoice(
        type_code="386",
        adjustments=(AllowanceCharge(False, Decimal(1), category=category(), reason="Rabat"),),
    )

    assert refused(made) == [("/invoice/allowances", "no-place")]


def test_every_kind_of_document_is_taken():
    assert all(form.PROFILE.type_of(kind) == form.DOCUMENT_TYPE for kind in DocumentKind)


def test_special_characters_are_written_as_xml():
    assert text(invoice(number="A<B&C>"), "Fa/P_2") == "A<B&C>"


@pytest.mark.parametrize("number", ["FV  7", "FV\n7", " FV\t 7 "])
def test_a_number_is_the_token_that_ksef_counts_and_shows(number):
    """As it is sent, as it is stored, as it is read, and of corrected invoices too."""
    preceding = (PrecedingInvoice(number, date(2026, 1, 2)),)
    given = invoice(number=number, type_code="381", kind=DocumentKind.CREDIT_NOTE)
    given = replace(given, preceding=preceding)
    adapted = form.adapt(given).invoice
    document = form.write(adapted).replace(b">FV 7<", b">" + number.encode() + b"<")
    read = read_document(document)

    assert (adapted.number, adapted.preceding[0].number) == ("FV 7", "FV 7")
    assert (read.number, read.preceding[0].number) == ("FV 7", "FV 7")


def test_white_space_in_a_term_is_one_blank():
    assert text(invoice(line(name=" a\n\t b ")), "Fa/FaWiersz/P_7") == "a b"


def test_what_has_no_place_and_is_sent_all_the_same_is_told():
    """Each by its field; nothing of what an FA(3) says is."""
    made = invoice()
    first, means = made.lines[0], PaymentMeans("48", card=PaymentCard("1234"))
    computed = AllowanceCharge(False, Decimal("1.00"), Decimal(10), Decimal(10), reason="Rabat")
    code = Identifier("1", "STI", "26")
    told = {
        "invoice.taxPointCode": replace(made, tax_point_code="35"),
        "invoice.totals.taxAmountInTaxCurrency": replace(made, accounting_currency="EUR"),
        "invoice.payee.identifier": replace(
            made, payee=Payee("F", Identifier("1", "0088"), Identifier("5265877635"))
        ),
        "invoice.paymentMeans.card": replace(made, payment=(means,)),
        "invoice.precedingInvoice.issueDate": replace(
            made, preceding=(PrecedingInvoice("A-1", date(2026, 1, 2)),)
        ),
        "invoice.lineItems[0].allowances[0].percent": replace(
            made, lines=(replace(first, adjustments=(computed,)), *made.lines[1:])
        ),
        "invoice.lineItems[0].classifications[0].version": replace(
            made,
            lines=(
                replace(first, item=replace(first.item, classifications=(code,))),
                *made.lines[1:],
            ),
        ),
    }
    silent = replace(made, tax_point_code="432", receiving_advice="R", tender="T")

    assert {
        field: [each.field for each in left_out.warnings(changed)]
        for field, changed in told.items()
    } == {field: [field] for field in told}
    assert list(left_out.warnings(silent)) == []
    assert all(not list(left_out.warnings(make())) for make in (invoice, polish.credit_note))
