"""The texts of the pages, extracted from the PDF."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import cache
from io import BytesIO

import pytest
from pypdf import PdfReader

from einvoice.documents import pdf
from einvoice.documents.pdf import glyphs
from einvoice.domain.branding import Branding
from einvoice.domain.invoice import (
    Address,
    Contact,
    CreditTransfer,
    DocumentKind,
    Item,
    Payee,
    PaymentCard,
    PaymentMeans,
    SupportingDocument,
    TaxCategory,
    TaxRepresentative,
    TaxSubtotal,
)
from tests.documents.pdf.samples import ACME, BUYER, SELLER, TRANSFER, a_line, an_invoice

ABROAD = replace(BUYER, address=Address("Main Street 1", city="Dublin", country="IE"))


def pages(invoice, branding=ACME) -> list[str]:
    reader = PdfReader(BytesIO(pdf.render(invoice, branding, b"<Invoice/>")))
    return [" ".join(page.extract_text().split()) for page in reader.pages]


@cache
def _english() -> str:
    return english()


def english(**changes) -> str:
    """The text of an invoice of one page in English."""
    (text,) = pages(an_invoice(buyer=ABROAD, **changes))
    return text


@pytest.mark.parametrize(
    "words",
    [
        "Invoice 2026-0042",
        "Acme Manufacturing · Industrieweg 12 · 9000 Gent",
        "Ireland",
        "Date 21 November 2026",
        "Due date 21 December 2026",
        "Delivered on 18 November 2026",
        "Your reference PO-77812",
        "Your order 4500017",
        "Contract RV-2025-3",
        "For the attention of Frau Schneider",
        "Amount due",
        "€2,201.89",
        "Item no. BH-40 · GTIN 04012345678901",
        "Loyalty: −10.00",
        "Rebate (2.5% of 2,000.00) −50.00",
        "Total without VAT 1,921.75",
        "VAT 21% 370.76",
        "Total with VAT 2,301.89",
        "Already paid −100.00",
        "Taxed 6% 156.25 9.38",
        "Delivered to Müller Werk 2",
        "IBAN BE68 5390 0754 7034",
        "BIC GKCCBEBB",
        "Terms 14 days 2 %, 30 days net",
        "Thank you for your business.",
        "Company no. 0123456749",
        "Page 1 of 1",
    ],
)
def test_a_page_has_the_terms_of_the_invoice(words: str) -> None:
    assert words in _english()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"kind": DocumentKind.CREDIT_NOTE, "type_code": "381"}, "Credit note"),
        ({"type_code": "384"}, "Corrected invoice"),
        ({"type_code": "386"}, "Prepayment invoice"),
        ({"payee": Payee("Factor Bank")}, "Payable to Factor Bank"),
        ({"tax_representative": TaxRepresentative("Agent AS", "NO1MVA")}, "Agent AS VAT NO1MVA"),
        ({"supporting": (SupportingDocument("T-1", "Timesheet"),)}, "T-1 – Timesheet"),
        ({"notes": (("AAI", "First"), (None, "Second"))}, "Notes First Second"),
        ({"payment": (PaymentMeans("59", mandate="M-7", creditor="C-1"),)}, "Mandate M-7"),
        (
            {
                "payment": (
                    PaymentMeans(
                        "48",
                        card=PaymentCard("1234", "A. B."),
                    ),
                )
            },
            "Card holder A. B.",
        ),
        ({"payment": (PaymentMeans("97", text="Offset in May"),)}, "Method Offset in May"),
        (
            {"payment_terms": "#SKONTO#TAGE=14#PROZENT=2.00#\nNet in 30 days\n"},
            "Terms Net in 30 days",
        ),
        (
            {"payment_terms": "#SKONTO#TAGE=14#PROZENT=2.00#\nNet in 30 days\n"},
            "2.00 % discount for payment within 14 days",
        ),
        (
            {"payment_terms": "#SKONTO#TAGE=7#PROZENT=3.50#BASISBETRAG=1250.00#\n"},
            "3.50 % discount on 1,250.00 EUR for payment within 7 days",
        ),
        (
            {"payment_terms": f"#SKONTO#TAGE=7#PROZENT=3.50#BASISBETRAG={'9' * 15}.00#\n"},
            "discount on 999,999,999,999,999.00 EUR",
        ),
        (
            {"payment_terms": f"#SKONTO#TAGE=7#PROZENT=3.50#BASISBETRAG={'9' * 16}.00#\nNet"},
            "Terms #SKONTO#",
        ),
        ({"payment_terms": f"#SKONTO#TAGE={'9' * 90}#PROZENT=3.50#\nNet"}, "Terms #SKONTO#"),
        ({"payment_terms": f"#SKONTO#TAGE=7#PROZENT={'9' * 90}.00#\nNet"}, "Terms #SKONTO#"),
        ({"accounting_currency": "NOK"}, "Amount due"),
    ],
)
def test_optional_terms_are_printed(changes, words) -> None:
    assert words in english(**changes)


def test_vat_in_its_accounting_currency_is_printed_below_the_totals() -> None:
    totals = replace(an_invoice().totals, tax_in_accounting_currency=Decimal("4282.30"))

    page = english(accounting_currency="SEK", totals=totals)

    assert "VAT in SEK SEK\N{NO-BREAK SPACE}4,282.30".replace("\N{NO-BREAK SPACE}", " ") in page
    assert "VAT in SEK" not in english()


def test_exemption_reasons_are_printed_below_the_vat_breakdown() -> None:
    category = TaxCategory("AE", Decimal(0))
    taxes = (TaxSubtotal(Decimal(100), Decimal(0), category, "Reverse charge", "VATEX-EU-AE"),)

    page = english(taxes=taxes, lines=(a_line(1, item=Item("Work", category)),))

    assert "Reverse charge (VATEX-EU-AE)" in page


@pytest.mark.parametrize("count", [70, pytest.param(1000, marks=pytest.mark.more)])
def test_long_invoices_repeat_the_head_and_count_their_pages(count: int) -> None:
    lines = tuple(a_line(at, f"Item number {at}") for at in range(1, count + 1))

    found = pages(an_invoice(lines=lines))

    assert len(found) > max(2, count / 50)
    for number, text in enumerate(found, 1):
        assert f"Seite {number} von {len(found)}" in text
        assert number == 1 or "Acme Manufacturing Rechnung 2026-0042" in text
    with_lines = [text for text in found if "Item number" in text]
    assert all("Pos. Bezeichnung Menge Einzelpreis USt. Betrag EUR" in text for text in with_lines)
    assert all(f"Item number {at} " in " ".join(found) + " " for at in (1, count // 2, count))


@pytest.mark.parametrize(
    ("country", "mark"),
    [
        ("DE", "Dem Empfänger noch nicht zugestellt"),
        ("FR", "Document pas encore remis au destinataire"),
        ("IE", "Not yet delivered to the receiver"),
    ],
)
def test_each_page_of_an_undelivered_invoice_says_so_in_its_language(country, mark) -> None:
    buyer = replace(BUYER, address=Address("Street 1", city="Town", country=country))
    lines = tuple(a_line(at, f"Item number {at}") for at in range(1, 71))
    invoice = an_invoice(buyer=buyer, lines=lines)
    made = pdf.render(invoice, ACME, b"<Invoice/>", mark=pdf.Mark.UNDELIVERED)
    found = [page.extract_text() for page in PdfReader(BytesIO(made)).pages]

    assert len(found) > 2
    assert all(mark in text for text in found)
    assert not any(mark in text for text in pages(invoice))


def test_characters_without_a_glyph_are_replaced_and_explained() -> None:
    thai = an_invoice(buyer=replace(ABROAD, name="บริษัท Acme 😀"))
    (page,) = pages(thai)

    assert "\ufffd" in page
    assert "Characters that this page cannot show stand as \ufffd" in page
    assert "cannot show" not in _english()


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("\ufeffAcme", "Acme"),
        ("Ac\ufeffme", "Acme"),
        ("Acme \ue000", "Acme \ufffd"),
        ("Acme \U000f0000", "Acme \ufffd"),
        ("\u6f22\ufe26Acme", "\u6f22Acme"),
        ("\u6f22\u0301Acme", "\u6f22Acme"),
        ("\u1eb9\u0301Acme", "\u1eb9\u0301Acme"),
        ("\u05d0\u05b0Acme", "\u05d0\u05b0Acme"),
    ],
    ids=["mark-first", "mark-within", "private-in-a-font", "private", "two-fonts", "no-accent",
         "latin", "hebrew"],
)  # fmt: skip
def test_what_a_pdf_must_not_contain_is_removed_or_replaced(name: str, printed: str) -> None:
    """Byte order marks, private use, and marks no font has together with what they stand on."""
    texts = pdf.content(an_invoice(buyer=replace(ABROAD, name=name)), ACME)
    pdf.render(an_invoice(buyer=replace(ABROAD, name=name)), ACME, b"<Invoice/>")

    assert printed in texts["recipient"]


@pytest.mark.parametrize(
    ("changes", "length"),
    [
        pytest.param({"number": "N" * 40_000}, 40_000, marks=pytest.mark.more),
        pytest.param(
            {"seller": replace(SELLER, trading_name="N" * 40_000)},
            40_000,
            marks=pytest.mark.more,
        ),
        ({"number": "N" * 700}, 700),
        ({"seller": replace(SELLER, trading_name="N" * 700)}, 700),
        ({"number": "N" * 500}, 500),
    ],
    ids=["number", "seller", "long number", "long seller", "heads-the-page"],
)
def test_a_number_or_name_of_any_length_is_printed_once_in_full(changes, length) -> None:
    """PDF/A bounds the title and the author of a file; documents of others bound neither."""
    reader = PdfReader(BytesIO(pdf.render(an_invoice(**changes), ACME, b"<Invoice/>")))
    text = "".join("".join(page.extract_text().split()) for page in reader.pages)
    title = reader.metadata.title + reader.metadata.author

    assert text.count("N") >= length
    assert ("…" in title) is (length > 600)


@pytest.mark.parametrize(
    "joined",
    ["\u0301", *(pytest.param(j, marks=pytest.mark.more) for j in "\ufe26\u200d\u05b0"),
     pytest.param("", marks=pytest.mark.more)],
)  # fmt: skip
def test_every_character_of_the_fonts_can_be_printed(joined: str) -> None:
    characters = [chr(code) + joined for code in sorted(glyphs.shown())]
    rows = ["".join(characters[at : at + 60]) for at in range(0, len(characters), 60)]
    lines = [a_line(number, row) for number, row in enumerate(rows)]

    assert pdf.render(an_invoice(lines=tuple(lines)), ACME, b"<Invoice/>").startswith(b"%PDF")


@pytest.mark.parametrize(
    "name",
    [
        "株式会社日本電気商事",
        "上海轴承制造有限公司",
        "한국전자",
        "Ελληνική Εταιρεία",
        "ООО «Ромашка»",
        "Łódź Škoda Þór",
    ],
)
def test_texts_of_common_scripts_can_be_extracted(name: str) -> None:
    (page,) = pages(an_invoice(buyer=replace(ABROAD, name=name)))

    assert name in page
    assert "cannot show" not in page


def test_without_a_profile_the_sellers_name_and_address_are_printed() -> None:
    seller = replace(SELLER, trading_name=None)
    (page,) = pages(an_invoice(buyer=ABROAD, seller=seller), Branding(SELLER.name))

    assert page.startswith("Acme Manufacturing NV Invoice")
    assert "Belgium" in page


KAAI = replace(
    SELLER,
    name="Kaai BV",
    trading_name=None,
    vat_id="BE0403019261",
    address=Address("Kaai 1", city="Gent", postal_code="9000", country="BE"),
    contact=Contact("Bo", "+32 9 000 00 00", "bo@kaai.example"),
)
LOOK = Branding(
    "Acme",
    address_lines=("Rue de la Loi 1", "1000 Bruxelles"),
    iban="BE68539007547034",
    bic="GKCCBEBB",
    account_name="Acme SA",
    website="acme.example",
    email="look@acme.example",
    phone="+32 2 111 11 11",
)
OTHER_ACCOUNT = CreditTransfer("BE71096123456769", "Kaai BV", "KREDBEBB")


def test_the_seller_is_printed_as_the_invoice_states_it() -> None:
    """In letterhead and footer: name, address, contact, account; the profile contradicts none."""
    payment = (replace(TRANSFER, transfers=(OTHER_ACCOUNT,)),)
    (page,) = pages(an_invoice(buyer=ABROAD, seller=KAAI, payment=payment), LOOK)

    assert page.startswith("Kaai BV Invoice")
    assert "Kaai BV · Kaai 1 · 9000 Gent" in page
    assert "Kaai BV Kaai 1 9000 Gent Belgium" in page
    assert "Kaai BV IBAN BE71 0961 2345 6769 BIC KREDBEBB" in page
    contradictions = ("Acme", "Rue de la Loi", "BE68", "GKCC", "+32 2 111", "look@")
    assert [text for text in contradictions if text in page.replace("acme.example", "")] == []


@pytest.mark.parametrize(
    ("changes", "printed"),
    [
        ({"contact": None}, "+32 2 111 11 11 look@acme.example acme.example"),
        ({"contact": Contact("Bo", "+32 9 1")}, "Bo +32 9 1 look@acme.example acme.example"),
        ({}, "bo@kaai.example acme.example"),
    ],
)
def test_the_profile_adds_what_contradicts_nothing(changes, printed) -> None:
    """The website, and a phone and email where the invoice states none."""
    (page,) = pages(an_invoice(buyer=ABROAD, seller=replace(KAAI, **changes)), LOOK)

    assert printed in page


@pytest.mark.parametrize(
    ("changes", "absent"),
    [
        ({"seller": replace(KAAI, address=None)}, "Rue de la Loi"),
        ({"seller": replace(KAAI, address=Address(country="BE"))}, "Rue de la Loi"),
        ({"payment": ()}, "BE68"),
        ({"payment": (replace(TRANSFER, transfers=()),)}, "GKCCBEBB"),
        ({"payment": (replace(TRANSFER, transfers=(CreditTransfer("12-3456"),)),)}, "Acme SA"),
        (
            {"payment": (replace(TRANSFER, transfers=(CreditTransfer("BE68539007547034"),)),)},
            "GKCCBEBB",
        ),
    ],
)
def test_an_address_or_account_that_the_invoice_does_not_state_is_not_printed(
    changes, absent
) -> None:
    """Decisions 20.9: nor are name and bank of an account that the profile knows better."""
    (page,) = pages(an_invoice(**({"buyer": ABROAD, "seller": KAAI} | changes)), LOOK)

    assert absent not in page


@pytest.mark.parametrize(
    ("transfer", "printed"),
    [
        (CreditTransfer("BE71096123456769"), "acme.example IBAN BE71 0961 2345 6769"),
        (CreditTransfer("12-3456", "Kaai BV"), "acme.example Kaai BV Account 12-3456"),
    ],
)
def test_the_account_in_the_footer_is_the_invoices_own(transfer, printed) -> None:
    means = replace(TRANSFER, transfers=(transfer,))
    (page,) = pages(an_invoice(buyer=ABROAD, seller=KAAI, payment=(means,)), LOOK)

    assert printed in page


def test_no_account_of_the_seller_is_printed_where_another_party_is_paid() -> None:
    invoice = an_invoice(buyer=ABROAD, seller=KAAI, payment=(TRANSFER,), payee=Payee("Factor Bank"))
    (page,) = pages(invoice, LOOK)

    assert page.count("IBAN") == 1  # in the payment block, below the name of the payee


def test_the_profile_of_a_self_biller_adds_nothing_about_the_seller() -> None:
    """It is the buyer's profile."""
    seller = replace(KAAI, address=None, contact=None)
    invoice = an_invoice(buyer=ABROAD, seller=seller, payment=(), type_code="389")
    (page,) = pages(invoice, LOOK)

    assert [text for text in ("Rue de la Loi", "BE68", "acme.example") if text in page] == []


def test_an_account_that_is_not_an_iban_is_printed_unchanged() -> None:
    means = replace(TRANSFER, transfers=(replace(TRANSFER.transfers[0], account="12-3456"),))

    assert "Account 12-3456" in english(payment=(means,))


def test_a_document_without_lines_or_sums_has_a_page() -> None:
    """Received documents may break any rule."""
    bare = an_invoice(lines=(), taxes=(), adjustments=(), payment=(), payment_terms=None)

    assert len(pages(replace(bare, buyer=replace(BUYER, address=None)))) == 1
