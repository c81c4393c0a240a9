"""French invoices: EN 16931 with the business process (BT-23) and the numbers of BR-FR.

The process says what is invoiced (B goods, S services, M both) and how (1 an invoice, 2 a paid one,
4 after an advance payment, …). It is nothing that can be guessed, so each process is a profile of
its own, named in `invoice.profile`: `fr-s1`, or `fr-s1-cii` in CII. `fr-ctc` is for documents that
are submitted as XML and name their process themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from einvoice.documents.cii.write import document_xml as cii_xml
from einvoice.documents.ubl.write import document_xml as ubl_xml
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.identifiers import (
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    BIS_INVOICE_CII,
    EN16931_SPECIFICATION,
    FRENCH_PROCESS,
)
from einvoice.domain.invoice import DocumentKind, Identifier, Invoice, Party
from einvoice.domain.profiles import CII, UBL, Adapted, Profile
from einvoice.domain.request import SendWarning
from einvoice.domain.tax_currency import with_no_vat_in
from einvoice.rules.br_fr import EXTENDED
from einvoice.rules.br_fr.codes import PROCESSES
from einvoice_fr_ctc import companies
from einvoice_fr_ctc.names import NETWORK

RULE_SET: Final = "br-fr"
CURRENCY: Final = "EUR"
RULE_SET_EXTENDED: Final = "br-fr-extended"
INVOICE: Final = BIS_INVOICE.customized(EN16931_SPECIFICATION)
CREDIT_NOTE: Final = BIS_CREDIT_NOTE.customized(EN16931_SPECIFICATION)
CROSS_INDUSTRY: Final = BIS_INVOICE_CII.customized(EN16931_SPECIFICATION)
# Those of one seller: invoices of several sellers and of both sides are submitted as XML.
_PROCESSES: Final = "B1 S1 M1 B2 S2 M2 S3 B4 S4 M4 S5 S6 B7 S7"
_MADE: Final = tuple(_PROCESSES.split())
_UBL_TYPES: Final = {
    (DocumentKind.INVOICE, UBL): INVOICE,
    (DocumentKind.CREDIT_NOTE, UBL): CREDIT_NOTE,
    (DocumentKind.SELF_BILLED_INVOICE, UBL): INVOICE,
    (DocumentKind.SELF_BILLED_CREDIT_NOTE, UBL): CREDIT_NOTE,
}
_CII_TYPES: Final = {(kind, CII): CROSS_INDUSTRY for kind in DocumentKind}


def not_made(_: Invoice) -> Adapted:
    """Raises InvalidField: documents of EXTENDED-CTC-FR are taken as they are, never made."""
    message = "is for documents of EXTENDED-CTC-FR that you submit as XML"
    raise InvalidField([FieldError("/invoice/profile", "not-made", message)])


def adapt_named(invoice: Invoice) -> Adapted:
    """An invoice that names its business process. Raises InvalidField for another one."""
    if invoice.profile not in PROCESSES:
        message = (
            "is required for France, because it says what is invoiced: fr-b1 for goods, fr-s1 for "
            "services, fr-m1 for both; fr-b2, fr-s2, fr-m2 for what is paid already; fr-b4, fr-s4, "
            "fr-m4 after an advance payment"
        )
        raise InvalidField([FieldError("/invoice/profile", "required", message)])
    return adapt(invoice, invoice.profile)


def adapt(invoice: Invoice, process: str) -> Adapted:
    """The invoice with this business process, and with the SIREN of each French party."""
    adapted = replace(
        with_no_vat_in(invoice, CURRENCY),
        customization=EN16931_SPECIFICATION,
        profile=process,
        seller=numbered(invoice.seller),
        buyer=numbered(invoice.buyer),
    )
    return Adapted(adapted, tuple(_changes(invoice, adapted)))


def numbered(party: Party) -> Party:
    """A French party with its SIREN as legal number (0002), and its SIRET beside it (0009).

    The SIREN is taken from the legal number, the VAT number or the address in the directory,
    whichever is given first; what is given with another scheme stays.
    """
    if party.address is None or party.address.country != "FR":
        return party
    given = party.legal_id
    if given is not None and given.scheme not in (None, companies.SIREN, companies.SIRET):
        return party
    siren = _siren(party)
    if siren is None:
        return party
    identifiers = party.identifiers
    if given is not None and len(_compact(given.value)) == companies.SIRET_DIGITS:
        siret = Identifier(_compact(given.value), companies.SIRET)
        if not any(each.scheme == companies.SIRET for each in identifiers):
            identifiers = (*identifiers, siret)
    return replace(party, legal_id=Identifier(siren, companies.SIREN), identifiers=identifiers)


def _siren(party: Party) -> str | None:
    address = party.endpoint
    in_directory = address is not None and address.scheme == companies.DIRECTORY
    texts = (
        party.legal_id.value if party.legal_id else None,
        party.vat_id,
        address.value if address is not None and in_directory else None,
    )
    found = (companies.siren_of(text) for text in texts if text)
    return next((siren for siren in found if siren), None)


def _compact(text: str) -> str:
    return "".join(text.split())


def _changes(before: Invoice, after: Invoice) -> Iterator[SendWarning]:
    parties = (("supplier", before.seller, after.seller), ("buyer", before.buyer, after.buyer))
    for role, old, new in parties:
        if new.legal_id is None or _is_same(old.legal_id, new.legal_id):
            continue
        words = f"The SIREN {new.legal_id.value} is written as the legal number of the {role}."
        yield SendWarning("siren-derived", words, f"invoice.{role}.companyId")


def _is_same(old: Identifier | None, new: Identifier) -> bool:
    """Whether the number is as it was given, apart from its scheme."""
    return old is not None and _compact(old.value) == new.value


def _profile(process: str, syntax: str) -> Profile:
    suffix = "" if syntax == UBL else f"-{syntax}"
    return Profile(
        name=f"fr-{process.lower()}{suffix}",
        network=NETWORK,
        rule_set=RULE_SET,
        process=FRENCH_PROCESS,
        types=_UBL_TYPES if syntax == UBL else _CII_TYPES,
        syntax=syntax,
        write=ubl_xml if syntax == UBL else cii_xml,
        adapt=partial(adapt, process=process),
    )


NAMED = Profile(
    name=NETWORK,
    network=NETWORK,
    rule_set=RULE_SET,
    process=FRENCH_PROCESS,
    types=_UBL_TYPES | _CII_TYPES,
    write=ubl_xml,
    adapt=adapt_named,
)
# Documents of the extension, which are sent as they were submitted.
AS_SUBMITTED: Final = Profile(
    name="fr-extended",
    network=NETWORK,
    rule_set=RULE_SET_EXTENDED,
    process=FRENCH_PROCESS,
    types={key: type_.customized(EXTENDED) for key, type_ in (_UBL_TYPES | _CII_TYPES).items()},
    write=ubl_xml,
    adapt=not_made,
)
PROFILES: Final = (
    NAMED,
    *(_profile(process, syntax) for syntax in (UBL, CII) for process in _MADE),
    AS_SUBMITTED,
)
