"""Profiles: the form of the documents that a network takes, and how an invoice becomes one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from einvoice.domain.additions import Additions, Handout, nothing
from einvoice.domain.identifiers import DocumentTypeId, ProcessId
from einvoice.domain.invoice import DocumentKind, Invoice
from einvoice.domain.request import VAT_NUMBER_DROPPED, SendWarning

UBL, CII = "ubl", "cii"
HYBRID = "hybrid"  # a PDF with the invoice attached, which a network takes as it was submitted


@dataclass(frozen=True, slots=True)
class Adapted:
    """An invoice in the form of a profile, with a warning for each thing that was changed.

    settled  codes of warnings about the invoice before, which no longer hold; a code with the field
             behind a blank: those of that field alone
    """

    invoice: Invoice
    warnings: tuple[SendWarning, ...] = ()
    settled: frozenset[str] = frozenset()

    def with_earlier(self, warnings: Iterable[SendWarning]) -> tuple[SendWarning, ...]:
        """The warnings about the invoice before that still hold, then the own ones."""
        kept = (
            each
            for each in warnings
            if self.settled.isdisjoint((each.code, f"{each.code} {each.field}"))
        )
        return (*kept, *self.warnings)


def with_tax_ids(*roles: str) -> frozenset[str]:
    """The warnings that a profile settles by writing omitted tax ids of these parties elsewhere.

    >>> with_tax_ids("buyer")
    frozenset({'vat-number-dropped invoice.buyer.taxId'})
    """
    return frozenset(f"{VAT_NUMBER_DROPPED} invoice.{role}.taxId" for role in roles)


def unchanged(invoice: Invoice) -> Adapted:
    """The invoice as it is."""
    return Adapted(invoice)


def no_remarks(_: Invoice) -> Iterable[SendWarning]:
    """Nothing to warn of."""
    return ()


@dataclass(frozen=True, slots=True)
class Profile:
    """The documents of one kind that a network takes.

    Its functions are functions of a module, pure, and use no network: they run inside the request,
    and for large invoices in a computing process.

    name      permanent, for example "peppol-bis-billing"
    network   whose documents they are; of several profiles of a network, the first that has the
              kind of the invoice and is listed by the receiver is used, unless one is named
    rule_set  the name of the rule set that judges them
    process   the business process of their envelopes
    types     kind of document and syntax (ubl, cii, …) → the document type in envelopes and lookups
    syntax    the syntax that `write` writes
    write     makes the document of an adapted invoice
    adapt     makes an invoice fit; raises InvalidField for what has no place in such a document
    read      reads a document of its syntax, if that is neither UBL nor CII; raises
              UnreadableDocument. Without it such documents cannot be submitted as XML
    country   the only country whose issuers use it, which is theirs by law within the country; "":
              issuers of any country
    remarks   warnings about an invoice that is sent as it is; warnings of `adapt` include them
    numbered  whether parties have their VAT numbers whatever the categories of an invoice, as where
              an authority knows them by these. EN 16931 has none where all is outside the scope of
              VAT (BR-O-02), and none is completed where all is exempt
    terms     members of a send beyond EN 16931 that the documents have a place for; those without
              one are left out, with a warning
    additions what it adds to the PDF and the buyer's page, from what the network has returned
    """

    name: str
    network: str
    rule_set: str
    process: ProcessId
    types: Mapping[tuple[DocumentKind, str], DocumentTypeId]
    write: Callable[[Invoice], bytes] = field(repr=False)
    syntax: str = UBL
    adapt: Callable[[Invoice], Adapted] = field(default=unchanged, repr=False)
    read: Callable[[bytes], Invoice] | None = field(default=None, repr=False)
    additions: Callable[[Handout], Additions] = field(default=nothing, repr=False)
    remarks: Callable[[Invoice], Iterable[SendWarning]] = field(default=no_remarks, repr=False)
    country: str = ""
    numbered: bool = False
    terms: frozenset[str] = frozenset()

    def type_of(self, kind: DocumentKind, syntax: str | None = None) -> DocumentTypeId | None:
        """The document type; of the syntax that is written, if none is named. None: not taken."""
        return self.types.get((kind, syntax or self.syntax))


def profiles_in_order(
    profiles: Iterable[Profile], kind: DocumentKind, issuer: str = "", *, within: bool = False
) -> tuple[Profile, ...]:
    """The profiles for a document of this kind, the one to prefer first.

    issuer  the country of the party that issues it; "" where that is not known
    within  whether the receiver is of this country too, or of a country that is not known

    Within a country that has a profile of its own (PINT in the Emirates and in Oman), the law
    allows no other. An issuer of such a country prefers it abroad, and no issuer of another
    country uses it.
    """
    taken = [each for each in profiles if each.type_of(kind)]
    own = [each for each in taken if each.country and each.country == issuer]
    if own and within:
        return tuple(own)
    return (*own, *(each for each in taken if not each.country))
