"""Schemas of `GET /errors` and `GET /errors/<slug>`."""

from __future__ import annotations

from marshmallow import Schema, fields

from einvoice.web.explanations import Retry


def _text(description: str, example: str) -> fields.String:
    return fields.String(metadata={"description": description, "example": example})


class ProblemType(Schema):
    type = _text("The URI a problem carries as its type.", "https://…/errors/totals-mismatch")
    slug = _text("The last part of the type; permanent.", "totals-mismatch")
    status = fields.Integer(metadata={"description": "HTTP status.", "example": 400})
    title = _text("The problem's title.", "Totals do not match")
    retry = fields.String(
        metadata={
            "description": "Whether the same request may succeed later.",
            "enum": [retry.value for retry in Retry],
            "example": "no",
        }
    )


class ProblemTypeList(Schema):
    items = fields.List(
        fields.Nested(ProblemType()), metadata={"description": "All problem types."}
    )
    provider = _text("This service.", "eInvoice")


class ProblemExplanation(ProblemType):
    meaning = _text("What happened.", "The lines differ from totalAmount by more than 0.02.")
    action = _text("What to do about it.", "Compare totalAmount with computedTotalAmount.")
    retryAdvice = _text("Whether and how to repeat it.", "The same totals are refused again.")
    members = fields.Dict(
        keys=fields.String(),
        values=fields.String(),
        metadata={"description": "Members of its own the problem carries, and their meaning."},
    )
    provider = _text("This service.", "eInvoice")
