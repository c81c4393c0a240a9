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
        ("12:00:00.000Z", "24:00:01Z", "CreationDateAndTime"),
        ("2026-11-20T12:00:00.000Z", "9999-12-31T24:00:00Z", "CreationDateAndTime"),
        (COUNTRY, COUNTRY.replace(">BE<", "><"), "COUNTRY_C1|InstanceIdentifier"),
        (HEADER.document_type.value, "", "InstanceIdentifier"),
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
        WRITTEN.encode()[:-10],
        b"<a>" * 200 + b"</a>" * 200,
    ],
    ids=["empty", "text", "entities", "cut", "deep"],
)
def test_hostile_xml_is_refused(data):
    with pytest.raises(sbdh.InvalidEnvelope):
        read(data)


ATTRIBUTE = "<sh:Scope><sh:Type>X</sh:Type><sh:InstanceIdentifier{}</sh:Scope>"
END_OF_SCOPES = "</sh:BusinessScope>"
LEGAL = {
    "attribute without a value": (END_OF_SCOPES, ATTRIBUTE.format("/>") + END_OF_SCOPES),
    "attribute of nothing": (END_OF_SCOPES, "<sh:Scope/>" + END_OF_SCOPES),
    "attribute with an empty scheme": (
        END_OF_SCOPES,
        ATTRIBUTE.format(">a</sh:InstanceIdentifier><sh:Identifier/>") + END_OF_SCOPES,
    ),
    "attribute twice": (END_OF_SCOPES, ATTRIBUTE.format("/>") * 2 + END_OF_SCOPES),
    "long attribute": (
        END_OF_SCOPES,
        ATTRIBUTE.format(f">{'x' * 5000}</sh:InstanceIdentifier>") + END_OF_SCOPES,
    ),
    "attribute with a line break": (
        END_OF_SCOPES,
        ATTRIBUTE.format(">a\nb</sh:InstanceIdentifier>") + END_OF_SCOPES,
    ),
    "attribute with elements": (
        END_OF_SCOPES,
        ATTRIBUTE.format("/><sh:ScopeInformation><a xmlns=''/></sh:ScopeInformation>")
        + END_OF_SCOPES,
    ),
    "two hundred attributes": (END_OF_SCOPES, ATTRIBUTE.format("/>") * 200 + END_OF_SCOPES),
    "end of a day": ("2026-11-20T12:00:00.000Z", "2026-11-20T24:00:00Z"),
    "end of a day elsewhere": ("2026-11-20T12:00:00.000Z", "2026-11-20T24:00:00.000+01:00"),
    "nanoseconds": ("12:00:00.000Z", "12:00:00.123456789Z"),
    "type without a scheme": ("<sh:Identifier>busdox-docid-qns</sh:Identifier>", ""),
    "process without a scheme": ("<sh:Identifier>cenbii-procid-ubl</sh:Identifier>", ""),
    "Kosovo": (COUNTRY, COUNTRY.replace("BE", "1A")),
    "contact": (
        "</sh:Sender>",
        "<sh:ContactInformation><sh:Contact>A</sh:Contact></sh:ContactInformation></sh:Sender>",
    ),
    "byte order mark": ("<?xml", "\ufeff<?xml"),
    "no declaration": ('<?xml version="1.0" encoding="UTF-8"?>\n', ""),
    "comments and instructions": ("<sh:BusinessScope>", "<!-- a --><?a b?><sh:BusinessScope>"),
}


def test_every_legal_envelope_is_read():
    """Attributes that sender and receiver have agreed on may have any form (SBDH 1.1, 2.0)."""
    read_as = {name: read(WRITTEN.replace(*change).encode()) for name, change in LEGAL.items()}
    plain = read(WRITTEN.encode())

    same = {name: each.header for name, each in read_as.items() if "day" not in name}
    same.pop("nanoseconds")
    assert same.pop("Kosovo").country_c1 == "1A"
    assert {name: each for name, each in same.items() if each != HEADER} == {}
    assert {each.document for each in read_as.values()} == {plain.document}
    moments = {name: each.header.created_at.isoformat() for name, each in read_as.items()}
    assert moments["end of a day"] == "2026-11-21T00:00:00+00:00"
    assert moments["end of a day elsewhere"] == "2026-11-21T00:00:00+01:00"


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "iso-8859-15", "windows-1252"]
)
def test_an_envelope_in_another_encoding_is_read(encoding):
    """The document is that of the same envelope in UTF-8."""
    umlaut = WRITTEN.replace("Sample seller", "S\u00fc\u00df \u20acller")
    if encoding == "iso-8859-1":
        umlaut = umlaut.replace("\u20ac", "")
    written = umlaut.replace('encoding="UTF-8"', f'encoding="{encoding}"').encode(encoding)

    assert umlaut != WRITTEN
    assert read(written) == read(umlaut.encode())


@pytest.mark.parametrize(
    "data",
    [
        WRITTEN.encode("utf-16")[:-1],
        WRITTEN.replace("UTF-8", "utf-16").encode(),
        WRITTEN.replace("UTF-8", "utf-7").encode(),
        WRITTEN.encode("utf-32"),
        b"\xff\xfe",
    ],
    ids=["half a character", "declared wrongly", "unknown", "utf-32", "mark alone"],
)
def test_bytes_that_are_not_of_their_encoding_are_refused(data):
    with pytest.raises(sbdh.InvalidEnvelope):
        read(data)


@pytest.mark.parametrize(
    "scopes",
    [
        "<sh:Type>MLS_TO</sh:Type><sh:InstanceIdentifier/>",
        "<sh:Type>MLS_TYPE</sh:Type>",
    ],
)
def test_an_optional_scope_may_be_there_twice(scopes):
    """The first one counts, or nothing does."""
    twice = f"<sh:Scope>{scopes}</sh:Scope>" * 2

    assert read(WRITTEN.replace(END_OF_SCOPES, twice + END_OF_SCOPES).encode()).header == HEADER


FACTUR_X = DocumentTypeId(
    "busdox-docid-qns",
    "urn:peppol:doctype:pdf+xml##urn:cen.eu:en16931:2017#conformant#"
    "urn:peppol:france:billing:Factur-X:1.0::D22B",
)


def hybrid(**changes: str) -> bytes:
    """An envelope with a PDF, as Peppol's French specification has it."""
    parts = {
        "document_type": FACTUR_X.value,
        "standard": "urn:peppol:doctype:pdf+xml",
        "mime": "application/pdf",
        "content": "JVBERi0x\nLjc=",
    } | changes
    start, _, _ = WRITTEN.partition("<Invoice")
    start = start.replace(HEADER.document_type.value, parts["document_type"])
    start = start.replace(">2.1</sh:TypeVersion>", ">0</sh:TypeVersion>")
    start = start.replace(">Invoice</sh:Type>", ">factur-x</sh:Type>")
    start = start.replace(
        ">urn:oasis:names:specification:ubl:schema:xsd:Invoice-2</sh:Standard>",
        f">{parts['standard']}</sh:Standard>",
    )
    binary = (
        '<BinaryContent xmlns="http://peppol.eu/xsd/ticc/envelope/1.0" '
        f'mimeType="{parts["mime"]}">{parts["content"]}</BinaryContent>'
    )
    return f"{start}{binary}</sh:StandardBusinessDocument>".encode()


def test_a_pdf_is_taken_out_of_its_envelope():
    enveloped = read(hybrid())

    assert (enveloped.header.document_type, enveloped.document) == (FACTUR_X, b"%PDF-1.7")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"document_type": HEADER.document_type.value}, "not for this document type"),
        ({"standard": "urn:other"}, "Standard"),
        ({"mime": "text/plain"}, "mimeType"),
        ({"content": "*"}, "base64"),
    ],
)
def test_a_pdf_in_a_wrong_envelope_is_refused(changes, words):
    with pytest.raises(sbdh.InvalidEnvelope, match=words):
        read(hybrid(**changes))


def test_xml_is_not_of_a_type_for_pdfs():
    content = WRITTEN.replace(HEADER.document_type.value, FACTUR_X.value)

    with pytest.raises(sbdh.InvalidEnvelope, match="BinaryContent"):
        read(content.encode())


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
