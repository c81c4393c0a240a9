"""XML → JSON → the same document: what the corpora say comes back, by business term."""

from __future__ import annotations

import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from einvoice.documents.conversion import READERS, form_of
from einvoice.documents.restating import RestatedDocument, restated
from einvoice.domain.errors import InvalidField, UnreadableDocument
from einvoice.domain.invoice import Invoice
from einvoice.services import forms
from einvoice.services.invoices.content import content_of
from einvoice.validation import terms
from einvoice.web import json
from einvoice.web.documentation import term_paths
from einvoice.web.shared.send_bodies import read_unsent
from einvoice.xml import parse
from tests.conformance import corpus

needs_corpus = pytest.mark.skipif(
    not corpus.present(), reason="the corpus is not here: set EINVOICE_CORPUS"
)
ARCHIVES = (
    "corpus-facturx/examples.tar.xz",
    "corpus-xrechnung/examples.tar.xz",
    "corpus-selfbilling/valid.tar.xz",
)
SAMPLES = Path(__file__).parents[1] / "samples"
EVERY = 6  # of the documents, in `make test`
ROUTING = {
    "senderParticipantId": "0208:0123456749",
    "receiverParticipantId": "0088:9520000000004",
}


def documents() -> Iterator[tuple[str, bytes]]:
    """Published invoices, most of them of other programs: name and bytes."""
    for part in ("valid", "examples"):
        for path in sorted((corpus.folder() / part).rglob("*.xml")):
            yield path.name, path.read_bytes()
    for name in ARCHIVES:
        place = corpus.folder().parent / name
        if not place.exists():
            continue
        with tarfile.open(place) as archive:
            for member in archive:
                file = archive.extractfile(member)
                if file is not None and member.name.endswith(".xml"):
                    yield Path(member.name).name, file.read()


def restate(content: bytes) -> tuple[Invoice, RestatedDocument] | None:
    """The invoice and its body; None for what cannot be read, or that no send takes."""
    root = parse(content)
    try:
        form = form_of(root)
        source = READERS[form](root)
        profile = forms.installed().of("peppol").profile_of(source)
        return source, restated(root, source, form, profile)
    except (UnreadableDocument, InvalidField):
        return None


def changes(source: object, again: object, path: str = "") -> Iterator[str]:
    """The attributes of the source whose values the send changes or leaves out; zero is nothing."""
    if source == again or source in (None, (), 0):
        return
    if is_dataclass(source) and type(source) is type(again):
        for each in fields(source):
            below = f"{path}.{each.name}" if path else each.name
            yield from changes(getattr(source, each.name), getattr(again, each.name), below)
    elif isinstance(source, tuple) and isinstance(again, tuple) and len(source) == len(again):
        for one, other in zip(source, again, strict=True):
            yield from changes(one, other, f"{path}[]")
    else:
        yield path


def ordered(invoice: Invoice) -> Invoice:
    """A send writes allowances before charges, and files before other documents."""
    lines = tuple(
        replace(line, adjustments=tuple(sorted(line.adjustments, key=lambda it: it.charge)))
        for line in invoice.lines
    )
    return replace(
        invoice,
        lines=lines,
        adjustments=tuple(sorted(invoice.adjustments, key=lambda it: it.charge)),
        supporting=tuple(sorted(invoice.supporting, key=lambda it: it.attachment is None)),
    )


@cache
def terms_of_attributes() -> dict[str, str]:
    """Attribute of an Invoice → business term, by the elements that they become."""
    found = term_paths.traced()
    by_places: dict[term_paths.TermPlaces, str] = {}
    for term, member in terms.members().items():
        if term.startswith("BT-") and "DEX" not in term:  # the first of several at one place
            by_places.setdefault(found[member.removeprefix("=")], term)
    return {name: by_places[places] for name, places in found.items() if places in by_places}


def differences(every: int) -> tuple[int, int, Counter[str]]:
    """Of every nth document: how many were restated, how many of these come back whole, and in how
    many each term is another one."""
    counts: Counter[str] = Counter()
    whole = restated_ones = 0
    for at, (_, content) in enumerate(documents()):
        found = None if at % every else restate(content)
        if found is None:
            continue
        source, restated_document = found
        restated_ones += 1
        changed = set(changes(ordered(source), ordered(restated_document.invoice)))
        whole += not changed
        counts.update({terms_of_attributes().get(path, path) for path in changed})
    return restated_ones, whole, counts


# Terms that a send may write otherwise than the source, with the reason.
OTHERWISE = {
    "BT-23": "the process is that of the profile",
    "BT-24": "the specification is that of the profile",
    "BT-30": "a register number gets the form of its scheme",
    "BT-31": "a number that has not the form of its country is no VAT number; blanks go",
    "BT-48": "as BT-31",
    "BT-84": "blanks go",
    "BT-153": "the name of an item is written in one line",
    "BT-119": "outside the scope of VAT there is no rate",
    "BT-118": "the breakdown has the categories of the lines, in their order",
    "BT-120": "as BT-118",
    "seller.tax_registration": "a number that is no VAT number is one",
    "seller.tax_registration.scheme": "UBL gives it any scheme, a send writes TAX",
    "buyer.tax_registration": "EN 16931 does not know it",
    "payment": "EN 16931 has payment means once",
}
# They follow from the lines: a source may have rounded otherwise, or be wrong.
AMOUNTS = {f"BT-{n}" for n in (106, 109, 110, 112, 114, 115, 116, 117, 131)}
# Members that the contract refuses of some source, which has a placeholder or another list there.
REFUSED = {
    "/invoice/buyer/endpointId": "an address without a scheme",
    "/invoice/buyer/identifiers/scheme": "a scheme of no register",
    "/invoice/lineItems/standardItemId/scheme": "a scheme of no register",
    "/invoice/lineItems/taxExemption/reasonCode": "a code that is no VATEX code",
    "/invoice/payee/identifier/scheme": "a scheme of no register",
    "/invoice/paymentMeans/accounts/bic": "a placeholder such as [BIC]",
    "/invoice/paymentMeans/bic": "a placeholder such as [BIC]",
    "/invoice/supplier/identifiers/scheme": "a scheme of no register",
}


@needs_corpus
@pytest.mark.parametrize("every", [EVERY, pytest.param(1, marks=pytest.mark.long)])
def test_invoices_of_other_programs_come_back_by_business_term(every, capsys):
    """What differs is printed by term and number of documents, and has a reason."""
    found, whole, counts = differences(every)
    with capsys.disabled():
        listed = ", ".join(f"{term} {count}" for term, count in counts.most_common())
        print(f"\n{found} restated, {whole} the same; documents with another: {listed}")

    assert found > 300 / every
    assert set(counts) - OTHERWISE.keys() - AMOUNTS == set()


@needs_corpus
@pytest.mark.parametrize("every", [EVERY, pytest.param(1, marks=pytest.mark.long)])
def test_the_body_is_one_that_a_send_takes(every):
    """But for values that the contract refuses, each with a reason."""
    refused: Counter[str] = Counter()
    for at, (_, content) in enumerate(documents()):
        found = None if at % every else restate(content)
        if found is None:
            continue
        body = json.read_object(json.write({**found[1].body, "routing": ROUTING}))
        try:
            read_unsent(body)
        except InvalidField as fault:
            refused.update(re.sub(r"/[0-9]+(?=/|$)", "", each.pointer) for each in fault.errors)

    assert refused.keys() - REFUSED.keys() == set()


def without(content: bytes, change: tuple[str, str]) -> bytes:
    text, found = re.subn(*change, content.decode(), count=1, flags=re.DOTALL)
    assert found
    return text.encode()


def test_what_no_member_can_say_is_lost_and_named():
    """A send requires the scheme of an item's number, a base quantity above zero, and the VAT
    number of a tax representative."""
    ubl = (SAMPLES / "good_ubl.xml").read_bytes()
    cii = (SAMPLES / "good_cii.xml").read_bytes()
    base = r'(<ram:BasisQuantity unitCode="C62">)1<'
    for content, change, place in (
        (ubl, (r'(StandardItemIdentification>\s*<cbc:ID) schemeID="\d+"', r"\1"), "Standard"),
        (ubl, (r'(ItemClassificationCode) listID="\w+"', r"\1"), "CommodityClassification"),
        (ubl, (r"(<cac:TaxRepresentativeParty>.*?)<cac:PartyTaxScheme>.*?</cac:PartyTaxScheme>",
               r"\1"), "TaxRepresentativeParty"),
        (cii, (base, r"\g<1>0<"), "BasisQuantity"),
    ):  # fmt: skip
        found = restate(without(content, change))

        assert found is not None
        assert [each.path for each in found[1].lost if place in each.path], place


def test_a_document_without_lines_is_no_body_of_a_send():
    content = (SAMPLES / "good_cii.xml").read_bytes()
    lines = r"<ram:IncludedSupplyChainTradeLineItem>.*</ram:IncludedSupplyChainTradeLineItem>"
    root = parse(without(content, (lines, "")))
    source = READERS["cii"](root)

    with pytest.raises(InvalidField) as refused:
        restated(root, source, "cii", forms.installed().of("peppol").profile_of(source))
    assert [(each.pointer, each.code) for each in refused.value.errors] == [
        ("/invoice/lineItems", "required")
    ]


@needs_corpus
def test_every_published_invoice_is_readable_as_data():
    """The one that is refused has a party without a name."""
    peppol = forms.installed().of("peppol")
    found = {name: content_of([content], peppol) for name, content in documents()}

    refused = {name: why for name, why in found.items() if isinstance(why, str)}
    assert len(found) > 300
    assert all(why.startswith("PartyLegalEntity is missing") for why in refused.values()), refused
    assert len(refused) == 1
    for read in found.values():
        assert isinstance(read, str) or json.write(read.invoice)
