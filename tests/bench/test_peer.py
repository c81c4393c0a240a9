"""The peer of bench.peer does the work that it is compared by."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from bench.peer.document import invoice_xml
from bench.peer.schemas import SendSchema
from bench.service import BY_HTTP, RunningService
from einvoice import clock, validation


def test_the_peer_sends_documents_that_follow_the_rules() -> None:
    """Else its variant with SaxonC would refuse them, and the other would be cheaper for it."""
    service = RunningService(None, None, None, "", "key", "tenant", Path(), {BY_HTTP: "ref"})
    sent = SendSchema().load(service.body("P-1", BY_HTTP))
    document = invoice_xml(sent["invoice"], sent["routing"], Decimal("200.00"), Decimal("42.00"))
    report = validation.check(document, on=clock.today())

    assert report.is_document
    assert report.errors == []
