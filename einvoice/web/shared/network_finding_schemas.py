"""Errors and warnings that a network named, as responses and events show them."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields

from einvoice.web.response_schema import Source
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.optional_fields import other_language


class NetworkFinding(Schema):
    """An error or a warning that the network named."""

    ruleId = a.text("The rule, if the network names one", "BR-RO-110", or_null=True)
    message = a.text(
        "What is wrong; the network's own text where its rule is not known here",
        "A Romanian address of the supplier must have a county of ISO 3166-2:RO as its region.",
    )
    suggestion = a.text(
        "What to do",
        "Write RO- and the code of the county, such as RO-CJ, or RO-B for Bucharest.",
        or_null=True,
    )
    field = a.text("Field of a send", "invoice.supplier.address.region", or_null=True)
    location = a.text(
        "Path of the element in the document that was sent", "/Invoice[1]/ID[1]", or_null=True
    )
    networkText = a.text("The network's own text", "[BR-RO-110]-Subdiviziunea tarii …")
    language = other_language()


def network_findings(source: Source | None = None) -> fields.List[Any]:
    """The member of a document, and of the event of its failure."""
    return a.things(
        NetworkFinding(),
        "Errors that the network named for its refusal; of a delivered document its warnings; at "
        "most 100",
        source=source,
    )
