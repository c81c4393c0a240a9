"""Peppol identifiers: participants, document types, processes (Policy for use of Identifiers).

>>> ParticipantId.parse(" 0208:0123456749 ") == ParticipantId.parse("0208:BE 0123.456.749")
True
>>> str(ParticipantId.parse("iso6523-actorid-upis::0208:123456749"))
'0208:0123456749'
>>> str(ParticipantId("0088", "9520000000004"))
'0088:9520000000004'
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal

from einvoice.domain.errors import InvalidParticipant
from einvoice.domain.participant_notations import in_network, scheme_meant

_FORM = re.compile(r"([0-9]{4}):([A-Za-z0-9\-._~:]{1,130})", re.ASCII)
# In other notations: with the scheme of schemes, and with white space and / in the number.
_NOTATION = re.compile(
    r"(?:iso6523-actorid-upis::)?\s*([0-9]{4})\s*:\s*([A-Za-z0-9\-._~:/ ]{1,130})",
    re.ASCII | re.IGNORECASE,
)
_MAX_LENGTH = 135
_MAX_WRITTEN = 200  # characters of an id in any notation
WILDCARD_SCHEME = "peppol-doctype-wildcard"
QNS_SCHEME = "busdox-docid-qns"
MAX_ID_LENGTH = 140  # characters of any id, of ours or of a participant, as columns hold it


def is_id(text: str) -> bool:
    """Whether a text can be an id: short, printable ASCII. Nothing else is looked up by id."""
    return text.isascii() and text.isprintable() and len(text) <= MAX_ID_LENGTH


@dataclass(frozen=True, slots=True)
class ParticipantId:
    """A participant identifier; well formed if made by `parse`, so callers need not check again.

    The form is `<4-digit scheme>:<identifier>` (decisions 19.5), in the notation that the network
    registers (decisions 31.3). Check digits are tested by the validation rules. Any four-digit
    scheme is accepted, because the list of schemes grows.
    """

    scheme: str
    value: str

    @classmethod
    def parse(
        cls, text: object, *, error: type[InvalidParticipant] = InvalidParticipant
    ) -> ParticipantId:
        """Parse a text, ignoring white space around it. Raises `error`."""
        written = text.strip() if isinstance(text, str) else ""
        match = _FORM.fullmatch(written)
        if match is None and len(written) <= _MAX_WRITTEN:
            match = _NOTATION.fullmatch(written)
        if match:
            value = in_network(match[1], match[2])
            if match.re is _FORM or _FORM.fullmatch(f"{match[1]}:{value}"):
                return cls(match[1], value)
        raise error(f"{_shown(text)} is not of the form <4-digit scheme>:<identifier>{_hint(text)}")

    @classmethod
    def canonical_of(cls, text: str) -> str:
        """`canonical` of a text in any notation; of another text, the text in small letters."""
        try:
            return cls.parse(text).canonical
        except InvalidParticipant:
            return text.lower()

    @property
    def canonical(self) -> str:
        """For comparing and storing; participant identifiers are case-insensitive."""
        return f"{self.scheme}:{self.value}".lower()

    def __str__(self) -> str:
        return f"{self.scheme}:{self.value}"


def _scheme_and_value(text: str) -> tuple[str, str]:
    """The two parts of `<scheme>::<value>`; a value may contain `::`. Raises ValueError."""
    scheme, separator, value = text.partition("::")
    if not separator:
        raise ValueError(f"{text!r} is not of the form <scheme>::<value>")
    return scheme, value


def _shown(text: object) -> str:
    """The text in quotes; of a long one, its beginning and its length. JSON that is no text is
    named by its kind."""
    if not isinstance(text, str):
        return next((name for kind, name in _KINDS if isinstance(text, kind)), "null")
    if len(text) > _MAX_LENGTH:
        return f"{text[:40]!r}… ({len(text)} characters, at most {_MAX_LENGTH})"
    return repr(text)


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"), (int, "a number"), (Decimal, "a number"), (list, "a list"),
    (dict, "an object"),
)  # fmt: skip


def _hint(text: object) -> str:
    meant = scheme_meant(text) if isinstance(text, str) else None
    return f"; use {meant} if you mean that" if meant else ""


@dataclass(frozen=True, slots=True)
class DocumentTypeId:
    """A type of document that a receiver accepts, with its scheme; case-sensitive.

    >>> pint = "urn:example::Invoice##urn:peppol:pint:billing-1"
    >>> document = DocumentTypeId(WILDCARD_SCHEME, f"{pint}@jp-1::2.1")
    >>> document.registered_as([f"{WILDCARD_SCHEME}::{pint}*::2.1"]).value
    'urn:example::Invoice##urn:peppol:pint:billing-1*::2.1'
    """

    scheme: str
    value: str

    @classmethod
    def parse(cls, text: str) -> DocumentTypeId:
        """Parse `<scheme>::<value>`, as stored and printed by str(). Raises ValueError.

        >>> DocumentTypeId.parse(str(BIS_INVOICE)) == BIS_INVOICE
        True
        """
        return cls(*_scheme_and_value(text))

    def registered_as(self, registered: Collection[str]) -> DocumentTypeId | None:
        """The type in a list of registered ones that includes this one; None if there is none.

        A type of the scheme peppol-doctype-wildcard may be registered with `*` in place of the last
        parts of its customization. Source: Policy for use of Identifiers 4.4.0.
        """
        if str(self) in registered:
            return self
        if self.scheme != WILDCARD_SCHEME:
            return None
        return next((each for each in self.wider() if str(each) in registered), None)

    def wider(self) -> Iterator[DocumentTypeId]:
        """The types with a wildcard that include this one, the narrowest first."""
        root, mark, rest = self.value.partition("##")
        customization, colons, version = rest.rpartition("::")
        parts = customization.removesuffix("*").split("@")
        if mark and colons:
            for length in range(len(parts), 0, -1):
                wide = "@".join(parts[:length])
                yield DocumentTypeId(self.scheme, f"{root}##{wide}*::{version}")

    def customized(self, customization: str) -> DocumentTypeId:
        """The type of documents with the same root that have this customization (BT-24).

        Of the scheme busdox-docid-qns, whose types contain the customization; any other unchanged.

        >>> BIS_INVOICE.customized("urn:example").value.partition("##")[2]
        'urn:example::2.1'
        """
        root, mark, rest = self.value.partition("##")
        if not mark or self.scheme != QNS_SCHEME:
            return self
        version = rest.rpartition("::")[2]
        return DocumentTypeId(self.scheme, f"{root}##{customization}::{version}")

    def __str__(self) -> str:
        return f"{self.scheme}::{self.value}"


def wildcard_type(like: DocumentTypeId, customization: str) -> DocumentTypeId:
    """The type of PINT documents with the root of another type and this customization.

    >>> wildcard_type(BIS_INVOICE, "urn:example").value.partition("##")[2]
    'urn:example::2.1'
    """
    return DocumentTypeId(WILDCARD_SCHEME, like.customized(customization).value)


@dataclass(frozen=True, slots=True)
class ProcessId:
    """A business process (BT-23), with its scheme."""

    scheme: str
    value: str

    @classmethod
    def parse(cls, text: str) -> ProcessId:
        """Parse `<scheme>::<value>`, as stored and printed by str(). Raises ValueError."""
        return cls(*_scheme_and_value(text))

    def __str__(self) -> str:
        return f"{self.scheme}::{self.value}"


BIS_BILLING_CUSTOMIZATION = (
    "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
)
BIS_BILLING_PROFILE = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
BIS_BILLING_PROCESS = ProcessId("cenbii-procid-ubl", BIS_BILLING_PROFILE)

_UBL = "urn:oasis:names:specification:ubl:schema:xsd"
BIS_INVOICE = DocumentTypeId(
    QNS_SCHEME, f"{_UBL}:Invoice-2::Invoice##{BIS_BILLING_CUSTOMIZATION}::2.1"
)
BIS_CREDIT_NOTE = DocumentTypeId(
    QNS_SCHEME, f"{_UBL}:CreditNote-2::CreditNote##{BIS_BILLING_CUSTOMIZATION}::2.1"
)
BIS_INVOICE_CII = DocumentTypeId(
    QNS_SCHEME,
    "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100::CrossIndustryInvoice"
    f"##{BIS_BILLING_CUSTOMIZATION}::D16B",
)

EN16931_SPECIFICATION = "urn:cen.eu:en16931:2017"  # BT-24 of an invoice of EN 16931 alone

XRECHNUNG_CUSTOMIZATION = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
XRECHNUNG_INVOICE = BIS_INVOICE.customized(XRECHNUNG_CUSTOMIZATION)
XRECHNUNG_CREDIT_NOTE = BIS_CREDIT_NOTE.customized(XRECHNUNG_CUSTOMIZATION)
XRECHNUNG_INVOICE_CII = BIS_INVOICE_CII.customized(XRECHNUNG_CUSTOMIZATION)

NLCIUS_CUSTOMIZATION = "urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0"
NLCIUS_INVOICE = BIS_INVOICE.customized(NLCIUS_CUSTOMIZATION)
NLCIUS_CREDIT_NOTE = BIS_CREDIT_NOTE.customized(NLCIUS_CUSTOMIZATION)

SELF_BILLING_CUSTOMIZATION = (
    "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0"
)
SELF_BILLING_PROFILE = "urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0"
SELF_BILLING_PROCESS = ProcessId("cenbii-procid-ubl", SELF_BILLING_PROFILE)
SELF_BILLED_INVOICE = BIS_INVOICE.customized(SELF_BILLING_CUSTOMIZATION)
SELF_BILLED_CREDIT_NOTE = BIS_CREDIT_NOTE.customized(SELF_BILLING_CUSTOMIZATION)

# Factur-X as a whole, the PDF with its attachment, and the processes of French invoices.
# Source: Peppol, France, Solution Architecture 1.3.0.
PDF_INVOICE = DocumentTypeId(
    QNS_SCHEME,
    "urn:peppol:doctype:pdf+xml##urn:cen.eu:en16931:2017#conformant#"
    "urn:peppol:france:billing:Factur-X:1.0::D22B",
)
FRENCH_PROCESS = ProcessId("cenbii-procid-ubl", "urn:peppol:france:billing:regulated")
FRENCH_OTHER_PROCESS = ProcessId("cenbii-procid-ubl", "urn:peppol:france:billing:non-regulated")
