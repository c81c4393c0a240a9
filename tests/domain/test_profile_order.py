"""Which profile is preferred: by the law of the issuer's country, then by what is listed."""

from __future__ import annotations

import pytest

from einvoice.domain.invoice import DocumentKind
from einvoice.services import forms

BIS = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1"
INVOICE = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##"
LISTED = {
    "bis": f"busdox-docid-qns::{INVOICE}{BIS}",
    "pint": f"peppol-doctype-wildcard::{INVOICE}urn:peppol:pint:billing-1*::2.1",
    "ae": f"peppol-doctype-wildcard::{INVOICE}urn:peppol:pint:billing-1@ae-1::2.1",
}


@pytest.mark.parametrize(
    ("issuer", "receiver", "listed", "profile"),
    [
        ("AE", "AE", ["ae", "bis"], "pint-ae"),
        ("AE", "AE", ["bis"], "pint-ae"),  # which is then refused: the law allows no other
        ("AE", "AE", [], "pint-ae"),
        ("AE", "", ["bis"], "pint-ae"),
        ("AE", "DE", ["bis"], "peppol-bis-billing"),
        ("AE", "DE", ["pint", "bis"], "pint-ae"),
        ("AE", "DE", [], "pint-ae"),
        ("OM", "OM", ["pint"], "pint-om"),
        ("DE", "AE", ["pint", "bis"], "peppol-bis-billing"),
        ("DE", "AE", ["ae"], "peppol-bis-billing"),  # refused: no profile of Germany's is listed
        ("", "", ["pint", "bis"], "peppol-bis-billing"),
    ],
)
def test_the_law_of_the_issuer_comes_before_what_the_receiver_lists(
    issuer: str, receiver: str, listed: list[str], profile: str
) -> None:
    peppol = forms.installed().of("peppol")
    types = [LISTED[each] for each in listed]

    found = peppol.profile_for(DocumentKind.INVOICE, types, issuer, receiver)

    assert found.name == profile
