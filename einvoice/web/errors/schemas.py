"""Schemas of `GET /errors` and `GET /errors/<slug>`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from marshmallow import fields

from einvoice.web import responses
from einvoice.web.explanations import EXPLANATIONS, Explanation, Retry
from einvoice.web.problems import PROBLEMS
from einvoice.web.response_schema import ITSELF, ResponseSchema, Source, sourced
from einvoice.web.runtime import runtime
from einvoice.web.shared import optional_fields as optional


def _text(description: str, example: str, source: Source | None = None) -> fields.String:
    return optional.text(description, example, source=source)


@dataclass(frozen=True, slots=True)
class ExplainedProblem:
    """A type of problems with its explanation."""

    slug: str

    @property
    def type(self) -> str:
        return f"{runtime().settings.errors_prefix}/{self.slug}"

    @property
    def status(self) -> int:
        return PROBLEMS[self.slug][0]

    @property
    def title(self) -> str:
        return PROBLEMS[self.slug][1]

    @property
    def text(self) -> Explanation:
        return EXPLANATIONS[self.slug]


class ProblemType(ResponseSchema[ExplainedProblem]):
    type = _text("The URI a problem carries as its type.", "https://…/errors/totals-mismatch")
    slug = _text("The last part of the type; permanent.", "totals-mismatch")
    status = fields.Integer(metadata={"description": "HTTP status.", "example": 400})
    title = _text("The problem's title.", "Totals do not match")
    retry = sourced(
        fields.String(
            metadata={
                "description": "Whether the same request may succeed later.",
                "enum": [retry.value for retry in Retry],
                "example": "no",
            }
        ),
        "text.retry.value",
    )


class ProblemTypeList(ResponseSchema[Sequence[ExplainedProblem]]):
    items = optional.things(ProblemType(), "All problem types.", source=ITSELF)
    provider = _text("This service.", "eInvoice", lambda _: responses.provider())


class ProblemExplanation(ProblemType):
    meaning = _text(
        "What happened.", "The lines differ from totalAmount by more than 0.02.", "text.meaning"
    )
    action = _text(
        "What to do about it.", "Compare totalAmount with computedTotalAmount.", "text.action"
    )
    retryAdvice = _text(
        "Whether and how to repeat it.", "The same totals are refused again.", "text.advice"
    )
    members = sourced(
        fields.Dict(
            keys=fields.String(),
            values=fields.String(),
            metadata={"description": "Members of its own the problem carries, and their meaning."},
        ),
        lambda explained: dict(explained.text.members),
    )
    provider = _text("This service.", "eInvoice", lambda _: responses.provider())
