"""The artefact list's filter."""

from __future__ import annotations

import pytest

from einvoice.domain.artefacts import KINDS
from tests.web.caller import slug


@pytest.mark.parametrize("kind", KINDS)
def test_a_type_lists_artefacts_of_that_type_only(caller, kind):
    """Every type of the catalogue may be asked for, also where there is none yet."""
    invoice = caller.sent()
    items = caller.get(f"/api/invoices/{invoice}/artefacts?type={kind}").json["items"]

    assert {item["type"] for item in items} <= {kind}
    assert bool(items) is (kind in {"UBL", "VALIDATION_REPORT", "ORIGINAL"})


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("type=ubl", "/type", "wrong-form"),
        ("type=RECEIPT;", "/type", "wrong-form"),
        (f"type={'X' * 41}", "/type", "too-long"),
        ("type=", "/type", "blank"),
        ("type=UBL&type=RECEIPT", "/type", "repeated"),
        ("kind=UBL", "/kind", "unknown-field"),
    ],
)
def test_a_filter_that_is_no_type_is_refused(caller, query, pointer, code):
    """Types are capitals; which there are depends on the network."""
    answer = caller.get(f"/api/invoices/{caller.sent()}/artefacts?{query}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [(e["pointer"], e["code"]) for e in answer.json["errors"]] == [(pointer, code)]
