"""Whether a PDF and the invoice attached to it fit each other, as Factur-X requires.

The PDF claims to be PDF/A-3, the file has the published name, type and relationship, and the
metadata name the file and the profile that the XML says, and describe what they say. An invoice in
UBL has no such rules. What is an error of Factur-X or PDF/A-3 is one; where they recommend, or
readers differ, it is a warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from einvoice.documents.hybrid import OpenedPdf
from einvoice.rules import Declared, Syntax
from einvoice.rules.factur_x import Profile, profile_of

PDF_RULE: Final = "PDF-"  # before the code, in the id of a finding
_XRECHNUNG: Final = "XRECHNUNG"
_XRECHNUNG_MARK: Final = ":xrechnung_"  # in the identifiers of all its releases
_LEVELS: Final = frozenset({_XRECHNUNG, *Profile})
_FILES: Final = frozenset({"factur-x.xml", "zugferd-invoice.xml"})
_XRECHNUNG_FILES: Final = frozenset({"xrechnung.xml", *_FILES})
_RELATIONSHIPS: Final = frozenset({"Alternative", "Data", "Source"})
_MIME_TYPES: Final = frozenset({"text/xml", "application/xml"})
_CONFORMANCE: Final = frozenset({"A", "B", "U"})  # of PDF/A-3
_DOCUMENT_TYPE: Final = "INVOICE"
# 1.0 of Factur-X, 2p0 of ZUGFeRD 2, the others of XRechnung in ZUGFeRD.
_VERSIONS: Final = frozenset({"1.0", "1p0", "1.2", "2p0", "2.0", "2.1", "2.2", "2.3", "3p0", "3.0"})
_DATA_ONLY: Final = frozenset({Profile.MINIMUM, Profile.BASIC_WL})
_UNKNOWN: Final = "-"


@dataclass(frozen=True, slots=True)
class Misfit:
    """A finding on the PDF. `code` is a key of the texts; `severity` as of any finding."""

    code: str
    severity: str
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def rule(self) -> str:
        """The id of the finding."""
        return f"{PDF_RULE}{self.code.upper()}"


def misfits_of(pdf: OpenedPdf, says: Declared) -> Iterator[Misfit]:
    """The findings of the invoice inside, then the places where PDF and invoice differ."""
    if pdf.rivals:
        yield Misfit("rivals", "warning", {**_file(pdf), "others": ", ".join(pdf.rivals)})
    if says.root not in Syntax.CII.roots:
        yield Misfit("ubl" if says.root in Syntax.UBL.roots else "other", "information", _file(pdf))
        return
    profile = _profile(says)
    yield Misfit("profile", "information", {**_file(pdf), "profile": profile or _UNKNOWN})
    yield from _of_pdfa(pdf)
    yield from _of_attachment(pdf, profile)
    yield from _of_metadata(pdf, profile)


def _of_pdfa(pdf: OpenedPdf) -> Iterator[Misfit]:
    if pdf.part != "3":
        yield Misfit("part", "error", {"part": pdf.part or _UNKNOWN})
    elif pdf.conformance not in _CONFORMANCE:
        yield Misfit("conformance", "error", {"level": pdf.conformance or _UNKNOWN})


def _file(pdf: OpenedPdf) -> dict[str, str]:
    return {"file": pdf.name}


def _profile(says: Declared) -> str:
    if _XRECHNUNG_MARK in (says.specification or ""):
        return _XRECHNUNG
    return profile_of(says) or ""


def _of_attachment(pdf: OpenedPdf, profile: str) -> Iterator[Misfit]:
    names = _XRECHNUNG_FILES if profile == _XRECHNUNG else _FILES
    if pdf.name not in names:
        yield Misfit("name", "error", _file(pdf))
    facts = {**_file(pdf), "relationship": pdf.relationship or _UNKNOWN}
    if pdf.relationship not in _RELATIONSHIPS:
        yield Misfit("relationship", "error", facts)
    elif profile in _DATA_ONLY and pdf.relationship != "Data":
        yield Misfit("data", "warning", facts)
    if not pdf.associated:
        yield Misfit("associated", "error", _file(pdf))
    if not pdf.mime:
        yield Misfit("type", "error", _file(pdf))
    elif pdf.mime not in _MIME_TYPES:
        yield Misfit("type-other", "warning", {**_file(pdf), "type": pdf.mime})


def _of_metadata(pdf: OpenedPdf, profile: str) -> Iterator[Misfit]:
    if not pdf.level and not pdf.file:
        yield Misfit("metadata", "error")
        return
    if pdf.file != pdf.name:
        yield Misfit("metadata-file", "error", {**_file(pdf), "named": pdf.file or _UNKNOWN})
    if profile and pdf.level != profile:
        yield Misfit("level", "error", {"level": pdf.level or _UNKNOWN, "profile": profile})
    elif pdf.level not in _LEVELS:
        yield Misfit("level-unknown", "error", {"level": pdf.level or _UNKNOWN})
    if pdf.document_type != _DOCUMENT_TYPE:
        yield Misfit("document-type", "error", {"type": pdf.document_type or _UNKNOWN})
    if not pdf.version:
        yield Misfit("version", "error")
    elif pdf.version not in _VERSIONS:
        yield Misfit("version-other", "warning", {"version": pdf.version})
    if pdf.undescribed:
        yield Misfit("schema", "error", {"names": ", ".join(pdf.undescribed)})
