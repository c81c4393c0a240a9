"""The Standard Business Document Header: the envelope of a document in Peppol.

Source: Peppol Business Message Envelope (SBDH) 2.0.2. A `StandardBusinessDocument` holds the header
and exactly one business document, as XML or, of types for it, as base64 in `BinaryContent`.
"""

from __future__ import annotations

import re
from base64 import b64encode
from codecs import BOM_UTF8
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from xml.sax.saxutils import escape

from lxml import etree

from einvoice import clock, xml
from einvoice.documents.hybrid import is_pdf
from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.identifiers import QNS_SCHEME, DocumentTypeId, ParticipantId, ProcessId
from einvoice_peppol.base64_text import decoded
from einvoice_peppol.end_users import country

NAMESPACE: Final = "http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"
PARTICIPANT_SCHEME: Final = "iso6523-actorid-upis"
MAX_HEADER_TEXT: Final = 1000  # characters of one value; a document type has at most 500
BINARY_NAMESPACE: Final = "http://peppol.eu/xsd/ticc/envelope/1.0"
BINARY: Final = f"{{{BINARY_NAMESPACE}}}BinaryContent"
HYBRID: Final = "urn:peppol:doctype:pdf+xml"  # PDFs with an invoice attached (Factur-X)
_PDF: Final = "application/pdf"
FAILURE_ONLY, ALWAYS_SEND = "FAILURE_ONLY", "ALWAYS_SEND"
MLS_TYPES: Final = (FAILURE_ONLY, ALWAYS_SEND)
_SH: Final = f"{{{NAMESPACE}}}"
_DECLARATION = re.compile(rb"\s*<\?xml\s[^>]{0,200}\?>\s*")
_TYPE = re.compile(
    r"(?=.*::[^:]+\Z)(?P<namespace>.+?)::(?P<name>[^:#]+)##(?P<rest>.*)::(?P<version>[^:]+)"
)
_COUNTRY = re.compile(r"[A-Z0-9]{2}", re.ASCII)
_REQUIRED: Final = ("DOCUMENTID", "PROCESSID", "COUNTRY_C1")
_OPTIONAL: Final = ("MLS_TO", "MLS_TYPE")
# What envelopes before 1.1 leave out, as widespread software reads them.
_DEFAULT_SCHEMES: Final = {"DOCUMENTID": QNS_SCHEME, "PROCESSID": "cenbii-procid-ubl"}
_END_OF_DAY = re.compile(r"(\d{4}-\d\d-\d\d)T24:00:00(?:\.0+)?(Z|[+-]\d\d:\d\d)", re.ASCII)


class InvalidEnvelope(ValueError):
    """An envelope that breaks a rule of the specification. The message says which, for people."""


@dataclass(frozen=True, slots=True)
class Header:
    """The values of a header.

    instance_id  globally unique; identifies the document in MLS, reports and repeats
    country_c1   country of the sender (ISO 3166-1 alpha-2)
    mls_to       service provider that gets the Message Level Status; None: that of the signer
    mls_type     FAILURE_ONLY or ALWAYS_SEND; None: FAILURE_ONLY
    """

    sender: ParticipantId
    receiver: ParticipantId
    document_type: DocumentTypeId
    process: ProcessId
    instance_id: str
    created_at: datetime
    country_c1: str
    mls_to: ParticipantId | None = None
    mls_type: str | None = None


@dataclass(frozen=True, slots=True)
class Enveloped:
    """The content of an envelope.

    document  the business document in UTF-8, with a declaration; the bytes of a PDF
    """

    header: Header
    document: bytes


@dataclass(frozen=True, slots=True)
class TypeParts:
    """The parts of a document type id that the header repeats."""

    namespace: str
    name: str
    version: str


def type_parts(document_type: DocumentTypeId) -> TypeParts:
    """Namespace and name of the document element, and version. Raises InvalidEnvelope."""
    match = _TYPE.fullmatch(document_type.value)
    if match is None:
        raise InvalidEnvelope(f"{document_type.value[:200]!r} is not a Peppol document type")
    return TypeParts(match["namespace"], match["name"], match["version"])


def is_hybrid_type(document_type: DocumentTypeId) -> bool:
    """Whether documents of the type are PDFs with an invoice attached."""
    return document_type.value.startswith(f"{HYBRID}##")


# Those of the file: nothing in them depends on the document type (_check_hybrid).
_HYBRID_PARTS: Final = TypeParts(HYBRID, "factur-x", "0")


# -- writing -------------------------------------------------------------------------------------


def write(header: Header, document: bytes) -> bytes:
    """The envelope of a document in UTF-8; of a PDF, in BinaryContent. Raises InvalidEnvelope.

    The prefix `sh` is used, so that a document without a namespace does not get that of the header.
    """
    if country(header.country_c1) is None:
        raise InvalidEnvelope("the country of the sender is missing, or no code of a country")
    is_hybrid = is_hybrid_type(header.document_type)
    parts = _HYBRID_PARTS if is_hybrid else type_parts(header.document_type)
    content = _binary(document) if is_hybrid else _without_declaration(document)
    head = _HEADER.format(
        sender=_text(str(header.sender)),
        receiver=_text(str(header.receiver)),
        standard=_text(parts.namespace),
        version=_text(parts.version),
        instance_id=_text(header.instance_id),
        name=_text(parts.name),
        created_at=clock.timestamp(header.created_at),
        scopes="".join(_scopes(header)),
    )
    return head.encode() + content + _END


def _binary(pdf: bytes) -> bytes:
    """BinaryContent with a PDF. Raises InvalidEnvelope for anything else."""
    if not is_pdf(pdf):
        raise InvalidEnvelope("the document type is for PDFs, and the document is none")
    start = f'<BinaryContent xmlns="{BINARY_NAMESPACE}" mimeType="{_PDF}" encoding="Base64Binary">'
    return start.encode() + b64encode(pdf) + b"</BinaryContent>"


def _scopes(header: Header) -> list[str]:
    scopes = [
        _scope("DOCUMENTID", header.document_type.value, header.document_type.scheme),
        _scope("PROCESSID", header.process.value, header.process.scheme),
        _scope("COUNTRY_C1", country(header.country_c1) or ""),
    ]
    if header.mls_to is not None:
        scopes.append(_scope("MLS_TO", str(header.mls_to), PARTICIPANT_SCHEME))
    if header.mls_type is not None:
        scopes.append(_scope("MLS_TYPE", header.mls_type))
    return scopes


def _scope(kind: str, value: str, identifier: str | None = None) -> str:
    scheme = "" if identifier is None else f"<sh:Identifier>{_text(identifier)}</sh:Identifier>"
    return (
        f"<sh:Scope><sh:Type>{kind}</sh:Type>"
        f"<sh:InstanceIdentifier>{_text(value)}</sh:InstanceIdentifier>{scheme}</sh:Scope>"
    )


def _text(value: str) -> str:
    if not value or len(value) > MAX_HEADER_TEXT or not value.isprintable():
        raise InvalidEnvelope(f"{value[:100]!r} cannot be a value of the header")
    return escape(value)


def _without_declaration(document: bytes) -> bytes:
    rest = document.removeprefix(BOM_UTF8)
    match = _DECLARATION.match(rest)
    return rest[match.end() :] if match else rest


_HEADER = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<sh:StandardBusinessDocument xmlns:sh="{NAMESPACE}"><sh:StandardBusinessDocumentHeader>\
<sh:HeaderVersion>1.0</sh:HeaderVersion>\
<sh:Sender><sh:Identifier Authority="{PARTICIPANT_SCHEME}">{{sender}}</sh:Identifier></sh:Sender>\
<sh:Receiver><sh:Identifier Authority="{PARTICIPANT_SCHEME}">{{receiver}}</sh:Identifier>\
</sh:Receiver><sh:DocumentIdentification><sh:Standard>{{standard}}</sh:Standard>\
<sh:TypeVersion>{{version}}</sh:TypeVersion>\
<sh:InstanceIdentifier>{{instance_id}}</sh:InstanceIdentifier><sh:Type>{{name}}</sh:Type>\
<sh:CreationDateAndTime>{{created_at}}</sh:CreationDateAndTime></sh:DocumentIdentification>\
<sh:BusinessScope>{{scopes}}</sh:BusinessScope></sh:StandardBusinessDocumentHeader>"""
_END = b"</sh:StandardBusinessDocument>"


# -- reading -------------------------------------------------------------------------------------


def read(data: bytes, *, max_bytes: int) -> Enveloped:
    """The header and the document of an envelope. Raises InvalidEnvelope, and no other exception.

    Wrong optional values (MLS_TO, MLS_TYPE) are ignored, as the specification says.
    """
    if len(data) > max_bytes:
        raise InvalidEnvelope(f"it has {len(data):,} bytes; at most {max_bytes:,} are taken")
    try:
        # UTF-8 may be longer than another encoding.
        root = xml.parse(xml.in_utf8(data), max_bytes=2 * max_bytes)
    except xml.NotXml as fault:
        raise InvalidEnvelope(str(fault)) from None
    header, document = _parts(root)
    values = _header(header)
    _check_document(values, header, document)
    return Enveloped(values, _content(document))


def _content(document: etree._Element) -> bytes:
    if document.tag != BINARY:
        return etree.tostring(document, encoding="UTF-8", xml_declaration=True, with_tail=False)
    try:
        return decoded(document.text or "")
    except ValueError:
        raise InvalidEnvelope("BinaryContent is not base64") from None


def _parts(root: etree._Element) -> tuple[etree._Element, etree._Element]:
    if root.tag != f"{_SH}StandardBusinessDocument":
        raise InvalidEnvelope("it is not a StandardBusinessDocument")
    elements = [child for child in root if isinstance(child.tag, str)]
    if len(elements) != 2 or elements[0].tag != f"{_SH}StandardBusinessDocumentHeader":
        raise InvalidEnvelope("it must hold a header and exactly one document")
    return elements[0], elements[1]


def _header(header: etree._Element) -> Header:
    if _one(header, "HeaderVersion") != "1.0":
        raise InvalidEnvelope("HeaderVersion must be 1.0")
    scopes = _read_scopes(header)
    return Header(
        sender=_participant(header, "Sender"),
        receiver=_participant(header, "Receiver"),
        document_type=DocumentTypeId(*reversed(_pair(scopes, "DOCUMENTID"))),
        process=ProcessId(*reversed(_pair(scopes, "PROCESSID"))),
        instance_id=_instance_id(header),
        created_at=_moment(_one(header, "DocumentIdentification/CreationDateAndTime")),
        country_c1=_country(scopes),
        mls_to=_mls_to(scopes),
        mls_type=_mls_type(scopes),
    )


def _instance_id(header: etree._Element) -> str:
    value = _one(header, "DocumentIdentification/InstanceIdentifier")
    if len(value) > 255:
        raise InvalidEnvelope("InstanceIdentifier has more than 255 characters")
    return value


def _one(parent: etree._Element, path: str) -> str:
    """The text of the only element at the path. Raises InvalidEnvelope."""
    found = _all(parent, path)
    text = (found[0].text or "").strip() if len(found) == 1 and len(found[0]) == 0 else ""
    if not text or len(text) > MAX_HEADER_TEXT or not text.isprintable():
        raise InvalidEnvelope(f"{path} must be there once, with a value")
    return text


def _all(parent: etree._Element, path: str) -> list[etree._Element]:
    return parent.findall("/".join(f"{_SH}{step}" for step in path.split("/")))


def _participant(header: etree._Element, role: str) -> ParticipantId:
    value = _one(header, f"{role}/Identifier")
    (identifier,) = _all(header, f"{role}/Identifier")
    if len(_all(header, role)) != 1 or identifier.get("Authority") != PARTICIPANT_SCHEME:
        raise InvalidEnvelope(f"{role} must be one identifier of {PARTICIPANT_SCHEME}")
    try:
        return ParticipantId.parse(value)
    except InvalidParticipant as fault:
        raise InvalidEnvelope(f"{role}: {fault}") from None


Scopes = dict[str, tuple[str, str | None]]


def _read_scopes(header: etree._Element) -> Scopes:
    """The value and identifier of the scopes that Peppol defines.

    A required one is there once. Of an optional one whatever is wrong counts as nothing. Those that
    senders and receivers have agreed on may have any form, and are not read.
    """
    scopes: Scopes = {}
    seen: set[str] = set()
    for scope in _all(header, "BusinessScope/Scope"):
        kind = (scope.findtext(f"{_SH}Type") or "").strip()
        if kind in seen and kind in _REQUIRED:
            raise InvalidEnvelope(f"the scope {kind} is there twice")
        if kind in _REQUIRED:
            scopes[kind] = _scope_of(scope)
        elif kind in _OPTIONAL and kind not in seen:
            with suppress(InvalidEnvelope):
                scopes[kind] = _scope_of(scope)
        seen.add(kind)
    return scopes


def _scope_of(scope: etree._Element) -> tuple[str, str | None]:
    identifier = _one(scope, "Identifier") if _all(scope, "Identifier") else None
    return _one(scope, "InstanceIdentifier"), identifier


def _pair(scopes: Scopes, kind: str) -> tuple[str, str]:
    value, identifier = scopes.get(kind, ("", None))
    if not value:
        raise InvalidEnvelope(f"the scope {kind} must have a value")
    return value, identifier or _DEFAULT_SCHEMES[kind]


def _country(scopes: Scopes) -> str:
    value, _ = scopes.get("COUNTRY_C1", ("", None))
    if not _COUNTRY.fullmatch(value):
        raise InvalidEnvelope("the scope COUNTRY_C1 must be a country code")
    return value


def _mls_to(scopes: Scopes) -> ParticipantId | None:
    value, identifier = scopes.get("MLS_TO", ("", None))
    if identifier != PARTICIPANT_SCHEME or not value.startswith("0242:"):
        return None
    try:
        return ParticipantId.parse(value)
    except InvalidParticipant:
        return None


def _mls_type(scopes: Scopes) -> str | None:
    value, _ = scopes.get("MLS_TYPE", ("", None))
    return value if value in MLS_TYPES else None


def _moment(text: str) -> datetime:
    """A moment of xs:dateTime, in which 24:00:00 is the end of a day."""
    last = _END_OF_DAY.fullmatch(text)
    try:
        if last:
            moment = datetime.fromisoformat(f"{last[1]}T00:00:00{last[2]}") + timedelta(days=1)
        else:
            moment = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        moment = None
    if moment is None or moment.utcoffset() is None:
        raise InvalidEnvelope("CreationDateAndTime must be a moment with a time zone")
    return moment


def _check_document(values: Header, header: etree._Element, document: etree._Element) -> None:
    """Check that header, document type and document element agree."""
    name = etree.QName(document)
    identification = {
        step: _one(header, f"DocumentIdentification/{step}")
        for step in ("Standard", "TypeVersion", "Type")
    }
    if document.tag == BINARY or is_hybrid_type(values.document_type):
        _check_hybrid(values, identification, document)
        return
    if values.document_type.value.partition("::")[0] != identification["Standard"]:
        raise InvalidEnvelope("Standard is not the start of the document type")
    if not values.document_type.value.endswith(f"::{identification['TypeVersion']}"):
        raise InvalidEnvelope("TypeVersion is not the end of the document type")
    if (name.namespace, name.localname) != (identification["Standard"], identification["Type"]):
        raise InvalidEnvelope("Standard and Type are not those of the document")


def _check_hybrid(
    values: Header, identification: Mapping[str, str], document: etree._Element
) -> None:
    """Check that a PDF is of a type for PDFs.

    TypeVersion is 0 and Type factur-x (Peppol, France, Solution Architecture 1.3.0); they are those
    of the file, not of the document type, so nothing depends on them.
    """
    kind, mark, _ = values.document_type.value.partition("##")
    if not mark or kind != HYBRID:
        raise InvalidEnvelope("BinaryContent is not for this document type")
    if document.tag != BINARY:
        raise InvalidEnvelope("the document type is for BinaryContent")
    if identification["Standard"] != HYBRID:
        raise InvalidEnvelope("Standard is not the start of the document type")
    if document.get("mimeType") != _PDF:
        raise InvalidEnvelope("the mimeType of BinaryContent is not application/pdf")
