"""Specifications of invoices that are known by name, and whose rules are not here.

Documents of these are no invoices of EN 16931 that somebody has got wrong: their schema is checked,
and no rule of another specification says what they should be. A rule set that recognises one comes
first (`RuleSets.choose`). Former ones, which have neither rules nor a schema here, are known by
their document element.

Sources: the identifiers that their publishers write into BT-24 and BT-23, as the public test files
of phive-rules have them.

>>> specification_of(Declared("Invoice", "urn:peppol:pint:billing-1@jp-1"))
'Peppol PINT (JP)'
>>> specification_of(Declared("Invoice", "OIOUBL-2.02")), specification_of(Declared("Invoice", "x"))
('OIOUBL (Denmark)', None)
>>> former_of("{urn:ferd:CrossIndustryDocument:invoice:1p0}CrossIndustryDocument")
'ZUGFeRD 1.0'
"""

from __future__ import annotations

import re

from einvoice.rules.scenarios import Declared

_PINT = re.compile(r"urn:peppol:pint:[^@]{0,80}(?:@([a-z]{2,4}))?")
# The beginning of BT-24, and the name; of documents without one, BT-23.
_BEGINNINGS = {
    "urn:fdc:peppol:jp:billing:": "Peppol PINT (JP)",  # before it was of PINT
    "OIOUBL-": "OIOUBL (Denmark)",
    "urn:fdc:oioubl.dk:": "OIOUBL (Denmark)",  # from 3.0 on
    "urn:www.cenbii.eu:transaction:": "CEN BII, the former Peppol BIS",
    "urn:fdc:anskaffelser.no:2019:ehf:": "EHF (Norway)",  # payment requests
}
# The document element of ZUGFeRD 1.0 (2014); the release candidate has `rc` in place of `1p0`.
_FORMER = "{urn:ferd:CrossIndustryDocument:invoice:", "}CrossIndustryDocument"
_PROCESSES = {"reporting:1.0": "ZATCA (Saudi Arabia)", "clearance:1.0": "ZATCA (Saudi Arabia)"}


def specification_of(document: Declared) -> str | None:
    """The name of the specification of a document, if it is one of these."""
    written = document.specification or ""
    if pint := _PINT.match(written):
        return f"Peppol PINT ({pint[1].upper()})" if pint[1] else "Peppol PINT"
    for beginning, name in _BEGINNINGS.items():
        if written.startswith(beginning):
            return name
    return _PROCESSES.get(document.process or "") if not written else None


def former_of(root: str) -> str | None:
    """The name of the former specification whose documents have this document element."""
    beginning, end = _FORMER
    return "ZUGFeRD 1.0" if root.startswith(beginning) and root.endswith(end) else None
