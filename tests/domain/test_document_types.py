"""Under which registered document types a document is accepted."""

from __future__ import annotations

import pytest

from einvoice.domain.identifiers import BIS_INVOICE, WILDCARD_SCHEME, DocumentTypeId

ROOT = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice"


def pint(customization: str, scheme: str = WILDCARD_SCHEME) -> DocumentTypeId:
    return DocumentTypeId(scheme, f"{ROOT}##urn:peppol:pint:{customization}::2.1")


@pytest.mark.parametrize(
    ("document", "registered", "expected"),
    [
        ("billing-1@jp-1", ["billing-1@jp-1"], "billing-1@jp-1"),
        ("billing-1@jp-1", ["billing-1@jp-1*"], "billing-1@jp-1*"),
        ("billing-1@jp-1", ["billing-1*"], "billing-1*"),
        ("billing-1@jp-1", ["billing-1*", "billing-1@jp-1*"], "billing-1@jp-1*"),
        ("billing-1@jp-1@ext-1", ["billing-1*"], "billing-1*"),
        ("billing-1*", ["billing-1*"], "billing-1*"),
        ("billing-1@jp-1", ["billing-1"], None),
        ("billing-1@jp-1", ["billing-1@sg-1*"], None),
        ("billing-1@jp-1", ["selfbilling-1*"], None),
        ("billing-1@jp-1", ["*"], None),
        ("billing-1@jp-1", [], None),
    ],
)
def test_a_wildcard_includes_the_types_that_begin_with_it(
    document: str, registered: list[str], expected: str | None
) -> None:
    """The narrowest one is chosen (Policy for use of Identifiers)."""
    texts = [str(pint(each)) for each in registered]

    assert pint(document).registered_as(texts) == (pint(expected) if expected else None)


def test_the_scheme_of_exact_types_knows_no_wildcard() -> None:
    exact = pint("billing-1@jp-1", BIS_INVOICE.scheme)

    assert exact.registered_as([str(pint("billing-1*", BIS_INVOICE.scheme))]) is None
    assert exact.registered_as([str(exact)]) == exact


def test_both_schemes_must_be_the_same() -> None:
    exact = pint("billing-1@jp-1", BIS_INVOICE.scheme)

    assert pint("billing-1@jp-1").registered_as([str(exact)]) is None


@pytest.mark.parametrize("value", ["", "a", "##", "a##b", "::", "a##::"])
def test_a_type_of_another_form_is_compared_as_it_is(value: str) -> None:
    document = DocumentTypeId(WILDCARD_SCHEME, value)

    assert document.registered_as([]) is None
    assert document.registered_as([str(document)]) == document
