"""The envelope of a document: written, read, and refused where it breaks a rule."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from lxml import etree

from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    DocumentTypeId,
    ParticipantId,
)
from einvoice.network import samples
from einvoice_peppol import sbdh

MIB = 1024 * 1024
DOCUMENT = samples.envelope(number="1").document
HEADER = sbdh.Header(
    sender=samples.SENDER,
    receiver=samples.RECEIVER,
    document_type=BIS_INVOICE,
    process=BIS_BILLING_PROCESS,
    instance_id="b1d4e0e0-6a2c-4a39-8f4a-1d1f3a7e0001",
    created_at=datetime(2026, 11, 20, 12, 0, tzinfo=UTC),
    country_c1="BE",
)


def read(data: bytes) -> sbdh.Enveloped:
    return sbdh.read(data, max_bytes=MIB)


def test_what_is_written_is_read_back():
    """All values and the document, with and without the optional values."""
    full = replace(HEADER, mls_to=ParticipantId("0242", "000001"), mls_type="ALWAYS_SEND")

    for header in (HEADER, full):
        enveloped = read(sbdh.write(header, DOCUMENT))
        assert enveloped.header == header
        assert _canonical(enveloped.document) == _canonical(DOCUMENT)


def test_a_document_keeps_its_bytes_in_the_envelope():
    """Only the declaration is removed: nothing is parsed or written again."""
    body = DOCUMENT.partition(b"?>\n")[2]

    assert body in sbdh.write(HEADER, b"\xef\xbb\xbf" + DOCUMENT)


def test_a_document_without_a_namespace_does_not_get_that_of_the_header():
    """Its elements would have other names."""
    document = b'<i:Invoice xmlns:i="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><a/>'
    enveloped = read(sbdh.write(HEADER, document + b"</i:Invoice>"))

    assert etree.fromstring(enveloped.document)[0].tag == "a"


def test_the_header_repeats_the_parts_of_the_document_type():
    assert sbdh.type_parts(BIS_INVOICE) == sbdh.TypeParts(
        "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2", "Invoice", "2.1"
    )
    assert sbdh.type_parts(BIS_INVOICE_CII).version == "D16B"


@pytest.mark.parametrize(
    "changes",
    [
        {"country_c1": ""},
        {"country_c1": "be"},
        {"country_c1": "UK"},
        {"country_c1": "ZZ"},
        {"instance_id": ""},
        {"instance_id": "a\nb"},
        {"instance_id": "x" * 1001},
        {"document_type": DocumentTypeId("busdox-docid-qns", "no type")},
    ],
)
def test_a_header_that_receivers_refuse_is_not_written(changes):
    with pytest.raises(sbdh.InvalidEnvelope):
        sbdh.write(replace(HEADER, **changes), DOCUMENT)


def test_values_are_escaped():
    written = sbdh.write(replace(HEADER, instance_id="<a>&amp;"), DOCUMENT)

    assert read(written).header.instance_id == "<a>&amp;"


WRITTEN = sbdh.write(HEADER, DOCUMENT).decode()
COUNTRY = "<sh:Scope><sh:Type>COUNTRY_C1</sh:Type><sh:InstanceIdentifier>BE</sh:InstanceIdentifier>"
SENDER = f">{samples.SENDER}</sh:Identifier>"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (">1.0<", ">2.0<", "HeaderVersion"),
        ("<sh:HeaderVersion>1.0</sh:HeaderVersion>", "", "HeaderVersion"),
        (SENDER, ">a name</sh:Identifier>", "Sender"),
        (SENDER, f"{SENDER}<sh:Identifier>0208:1</sh:Identifier>", "Sender/Identifier"),
        ('Authority="iso6523-actorid-upis"', 'Authority="other"', "Sender"),
        ("</sh:Sender>", "</sh:Sender><sh:Sender/>", "Sender"),
        (COUNTRY, COUNTRY.replace("BE", "Belgium"), "COUNTRY_C1"),
        (COUNTRY, COUNTRY.replace("COUNTRY_C1", "OTHER"), "COUNTRY_C1"),
        (COUNTRY, f"{COUNTRY}</sh:Scope>{COUNTRY}", "twice"),
        ("<sh:Identifier>busdox-docid-qns</sh:Identifier>", "", "DOCUMENTID"),
        ("<sh:Type>PROCESSID</sh:Type>", "<sh:Type>OTHER</sh:Type>", "PROCESSID"),
        ("12:00:00.000Z", "12:00:00", "time zone"),
        ("2026-11-20T", "yesterday", "CreationDateAndTime"),
        (">2.1</sh:TypeVersion>", ">2.2</sh:TypeVersion>", "TypeVersion"),
        (">Invoice</sh:Type>", ">CreditNote</sh:Type>", "Type"),
        ("Invoice-2</sh:Standard>", "Invoice-3</sh:Standard>", "Standard"),
        (HEADER.instance_id, "x" * 256, "InstanceIdentifier"),
        ("</sh:StandardBusinessDocument>", "<a/></sh:StandardBusinessDocument>", "exactly one"),
        ("sh:StandardBusinessDocument", "sh:Other", "StandardBusinessDocument"),
    ],
)
def test_an_envelope_that_breaks_a_rule_is_refused_with_words(old, new, words):
    assert old in WRITTEN
    with pytest.raises(sbdh.InvalidEnvelope, match=words):
        read(WRITTEN.replace(old, new).encode())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no XML",
        b'<!DOCTYPE a [<!ENTITY b "c">]>' + WRITTEN.partition("?>")[2].encode(),
        WRITTEN.encode("utf-16"),
        WRITTEN.encode()[:-10],
        b"<a>" * 200 + b"</a>" * 200,
    ],
    ids=["empty", "text", "entities", "utf-16", "cut", "deep"],
)
def test_hostile_xml_is_refused(data):
    with pytest.raises(sbdh.InvalidEnvelope):
        read(data)


def test_an_envelope_that_is_too_large_is_refused():
    with pytest.raises(sbdh.InvalidEnvelope, match="at most"):
        sbdh.read(WRITTEN.encode(), max_bytes=len(WRITTEN.encode()) - 1)


@pytest.mark.parametrize(
    "scope",
    [
        "<sh:Type>MLS_TO</sh:Type><sh:InstanceIdentifier>0208:1</sh:InstanceIdentifier>",
        "<sh:Type>MLS_TYPE</sh:Type><sh:InstanceIdentifier>NEVER</sh:InstanceIdentifier>",
    ],
)
def test_wrong_optional_values_are_ignored(scope):
    """The specification makes them a warning."""
    written = WRITTEN.replace(COUNTRY, f"<sh:Scope>{scope}</sh:Scope>{COUNTRY}")

    assert read(written.encode()).header == HEADER


def _canonical(document: bytes) -> bytes:
    return etree.tostring(etree.fromstring(document), method="c14n", exclusive=True)


@pytest.mark.parametrize(("country", "written"), [("1A", "1A"), ("XI", "GB"), ("GB", "GB")])
def test_the_country_of_the_sender_is_one_of_the_list_of_codes(country, written):
    """Kosovo is 1A; Northern Ireland has a code for VAT numbers only."""
    content = sbdh.write(replace(HEADER, country_c1=country), DOCUMENT)

    assert sbdh.read(content, max_bytes=10**6).header.country_c1 == written


@pytest.mark.parametrize("country", ["1A", "UK", "QQ", "EU", "ZZ"])
def test_a_document_from_an_unknown_country_is_received(country):
    """It is a matter of the reports only."""
    content = sbdh.write(HEADER, DOCUMENT).replace(b">BE</", f">{country}</".encode(), 1)

    assert sbdh.read(content, max_bytes=10**6).header.country_c1 == country
