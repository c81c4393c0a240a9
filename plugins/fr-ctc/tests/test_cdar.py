"""Messages of the life cycle: the published ones are read, and what is written is valid."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from lxml import etree

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.responses import Clarification, ResponseContent
from einvoice.network.messages import InvoiceAnswer, PaymentNotice
from einvoice_fr_ctc import payments, received, responses
from einvoice_fr_ctc.cdar import codes, read, write
from tests.networks.fr import messages, official
from tests.networks.fr.company import BUYER, SELLER

AT = datetime(2026, 11, 24, 9, 30, tzinfo=UTC)
SAMPLE = messages.status(
    messages.Head("F1", "20261123", "380", SELLER, BUYER), "210", AT, ("DOUBLON", "Déjà reçue")
)


def answer(content: ResponseContent, **changes) -> InvoiceAnswer:
    given = {
        "response_id": "r1",
        "document_id": "d1",
        "environment": Environment.TEST,
        "tenant_id": "t1",
        "sender": ParticipantId("0225", BUYER),
        "receiver": ParticipantId("0225", f"{SELLER}_STATUTS"),
        "sender_name": "Acheteur SA",
        "receiver_name": "Vendeur SAS",
        "number": "F1",
        "type_code": "380",
        "issue_date": date(2026, 11, 23),
        "at": AT,
        "content": content,
    } | changes
    return InvoiceAnswer(**given)


@official.needed
def test_every_published_message_is_valid_and_read():
    found = official.life_cycles()
    wrong = [each.name for each in found if official.schema_faults(each.read_bytes())]
    statuses = {each.name: read.read(each.read_bytes()) for each in found}

    assert (len(found), wrong) == (70, [])
    for name, (status,) in statuses.items():
        number, code = name.split("_")[1], name.split("CDV-")[1][:3]
        assert (status.number, status.code) == (number, code)
        assert status.seller == "100000009"
        assert status.at is not None
        assert status.issue_date is not None
        assert bool(status.reasons) is (code in ("207", "210", "213")), name


@official.needed
@pytest.mark.parametrize("name", ["mutants-fr-cdar", "mutants-fr-cdar-directed"])
def test_a_damaged_message_is_read_or_refused_and_never_raises_anything_else(name):
    outcomes = []
    for _, content in official.mutants(name):
        try:
            outcomes.append(bool(read.read(content)))
        except read.NotALifeCycle:
            outcomes.append(False)

    assert any(outcomes)


def test_a_message_says_whose_status_it_is_and_why():
    (status,) = read.read(SAMPLE)

    assert (status.code, status.number, status.issue_date) == ("210", "F1", date(2026, 11, 23))
    assert (status.seller, status.by, status.at) == (SELLER, "Buyer", AT)
    assert [each.line for each in status.reasons] == ["DOUBLON: Déjà reçue"]


@pytest.mark.parametrize(
    "document",
    [b"", b"<html/>", b"not XML", SAMPLE.replace(b"ProcessConditionCode", b"ProcessConditionCod")],
)
def test_another_document_is_no_message(document):
    with pytest.raises(read.NotALifeCycle):
        read.read(document)


def test_a_message_with_many_statuses_is_bounded():
    start, end = SAMPLE.index(b"<ram:ReferenceRef"), SAMPLE.index(b"</rsm:AcknowledgementDocument>")
    many = SAMPLE[:start] + SAMPLE[start:end] * 500 + SAMPLE[end:]

    assert len(read.read(many)) == read.MAX_STATUSES


CONTENTS = {
    "taken up": (ResponseContent("IP"), "204"),
    "received": (ResponseContent("AB", note="Bien reçue"), "204"),
    "approved": (ResponseContent("AP"), "205"),
    "partly": (ResponseContent("CA", (Clarification("QTY", "9 of 10"),)), "206"),
    "disputed": (
        ResponseContent("UQ", (Clarification("PRI"),), (Clarification("NIN", "Corrigez"),), "Note"),
        "207",
    ),
    "refused": (ResponseContent("RE", (Clarification("REF"), Clarification("FIN", "0,01"))), "210"),
    "official": (ResponseContent("RE", (Clarification("OTH", "TX_TVA_ERR: 20 %"),)), "210"),
    "paid": (ResponseContent("PD"), "211"),
}


@official.needed
@pytest.mark.parametrize("name", CONTENTS)
def test_a_response_is_a_valid_message(name):
    content, status = CONTENTS[name]
    document = responses.message_of(answer(content)).document

    assert official.schema_faults(document) == []
    assert official.findings(document) == set()
    (found,) = read.read(document)
    assert (found.code, found.number, found.seller) == (status, "F1", SELLER)


@official.needed
def test_a_payment_is_a_valid_message_with_its_amounts():
    seller = write.Company(SELLER, "Vendeur SAS", write.SELLER)
    buyer = write.Company(BUYER, "Acheteur SA", write.BUYER, BUYER)
    paid = (write.Amount(Decimal(120), Decimal(20)), write.Amount(Decimal("5.5"), Decimal("5.5")))
    document = write.written(
        write.Message(
            "212", "F1", "380", date(2026, 11, 23), SELLER, AT, seller, buyer, amounts=paid
        )
    )

    assert official.schema_faults(document) == []
    assert official.findings(document) == set()


def test_a_reason_without_an_official_one_says_which_there_are():
    with pytest.raises(ValueError, match="TX_TVA_ERR"):
        responses.message_of(answer(ResponseContent("RE", (Clarification("OTH", "no"),))))


@pytest.mark.parametrize("status", ["206", "207", "210"])
def test_every_reason_of_the_table_is_one_that_the_status_may_have(status):
    for refusal, other in responses._REASON.values():
        code = refusal if status == codes.REFUSED else other
        assert code is None or code in codes.REASONS_OF[status]


def test_the_seller_of_a_pdf_is_known_by_its_tax_number():
    """No id is read out of a PDF when it is fetched."""
    unnamed = answer(
        ResponseContent("AP"), receiver=received.UNKNOWN, receiver_tax_id=f"FR32{SELLER}"
    )

    (found,) = read.read(responses.message_of(unnamed).document)
    assert found.seller == SELLER
    with pytest.raises(ValueError, match="SIREN"):
        responses.message_of(replace(unnamed, receiver_tax_id=None))


def test_a_bill_without_a_date_cannot_be_responded_to():
    with pytest.raises(ValueError, match="date"):
        responses.message_of(answer(ResponseContent("AP"), issue_date=None))


def notice(document: bytes, amount: str) -> PaymentNotice:
    return PaymentNotice(
        "p1", Environment.TEST, ParticipantId("0225", SELLER), ParticipantId("0225", BUYER),
        "Vendeur SAS", "Acheteur SA", "F1", date(2026, 11, 23), Decimal(amount), "EUR",
        date(2026, 11, 24), AT, document,
    )  # fmt: skip


def subtotals(*rates: tuple[str, str, str]) -> bytes:
    parts = "".join(
        f"<TaxSubtotal><TaxableAmount>{net}</TaxableAmount><TaxAmount>{vat}</TaxAmount>"
        f"<TaxCategory><Percent>{rate}</Percent></TaxCategory></TaxSubtotal>"
        for net, vat, rate in rates
    )
    code = "<InvoiceTypeCode>380</InvoiceTypeCode>"
    return f"<Invoice>{code}<TaxTotal>{parts}</TaxTotal></Invoice>".encode()


@pytest.mark.parametrize(
    ("amount", "rates", "parts"),
    [
        ("120", [("100", "20", "20")], [("120.00", "20.00")]),
        ("0.01", [("100", "20", "20"), ("100", "10", "10")],
         [("0.01", "20.00"), ("0.00", "10.00")]),
        ("100", [("100", "20", "20"), ("100", "5.5", "5.5")],
         [("53.22", "20.00"), ("46.78", "5.50")]),
        ("-50", [("100", "20", "20")], [("-50.00", "20.00")]),
        ("10", [("50", "10", "20"), ("50", "10", "20.0")], [("10.00", "20.00")]),
    ],
)  # fmt: skip
def test_a_payment_is_spread_over_the_rates_to_the_cent(amount, rates, parts):
    root = etree.fromstring(payments.message_of(notice(subtotals(*rates), amount)).document)
    found = [
        (each.findtext("{*}ValueAmount"), each.findtext("{*}ValuePercent"))
        for each in root.iter("{*}SpecifiedDocumentCharacteristic")
    ]

    assert found == parts


@pytest.mark.parametrize("document", [b"", subtotals()])
def test_a_payment_of_unknown_rates_is_refused_with_its_reason(document):
    with pytest.raises(ValueError, match="VAT rates"):
        payments.message_of(notice(document, "1"))
