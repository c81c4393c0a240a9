"""Whether a PDF and the invoice attached to it fit each other, as Factur-X requires.

The PDF is PDF/A-3, the file has the published name and relationship, and the metadata name the
file and the profile that the XML says. An invoice in UBL has no such rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from einvoice.documents.hybrid import OpenedPdf
from einvoice.domain.identifiers import XRECHNUNG_CUSTOMIZATION
from einvoice.rules import Declared, Syntax
from einvoice.rules.factur_x import Profile, profile_of

_XRECHNUNG: Final = "XRECHNUNG"
_FILES: Final = frozenset({"factur-x.xml", "zugferd-invoice.xml"})
_XRECHNUNG_FILES: Final = frozenset({"xrechnung.xml", *_FILES})
_RELATIONSHIPS: Final = frozenset({"Alternative", "Data", "Source"})
_DATA_ONLY: Final = frozenset({Profile.MINIMUM, Profile.BASIC_WL})
_UNKNOWN: Final = "-"


@dataclass(frozen=True, slots=True)
class Misfit:
    """A finding on the PDF. `code` is a key of the texts; `severity` is that of a finding."""

    code: str
    severity: str
    facts: Mapping[str, str] = field(default_factory=dict)


def misfits_of(pdf: OpenedPdf, says: Declared) -> Iterator[Misfit]:
    """The findings of the invoice inside, then the places where PDF and invoice differ."""
    if says.root not in Syntax.CII.roots:
        yield Misfit("ubl" if says.root in Syntax.UBL.roots else "other", "information", _file(pdf))
        return
    profile = _profile(says)
    yield Misfit("profile", "information", {**_file(pdf), "profile": profile or _UNKNOWN})
    if pdf.part != "3":
        yield Misfit("part", "error", {"part": pdf.part or _UNKNOWN})
    yield from _of_attachment(pdf, profile)
    yield from _of_metadata(pdf, profile)


def _file(pdf: OpenedPdf) -> dict[str, str]:
    return {"file": pdf.name}


def _profile(says: Declared) -> str:
    if says.begins_with(XRECHNUNG_CUSTOMIZATION):
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


def _of_metadata(pdf: OpenedPdf, profile: str) -> Iterator[Misfit]:
    if not pdf.level and not pdf.file:
        yield Misfit("metadata", "error")
        return
    if pdf.file != pdf.name:
        yield Misfit("metadata-file", "error", {**_file(pdf), "named": pdf.file or _UNKNOWN})
    if profile and pdf.level != profile:
        yield Misfit("level", "error", {"level": pdf.level or _UNKNOWN, "profile": profile})
