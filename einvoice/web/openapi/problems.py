"""Problem documents as schemas: one schema per slug, one response per status."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from einvoice.web.explanations import EXPLANATIONS, Explanation
from einvoice.web.openapi.members import FIELD_ERROR, FINDING, MEMBERS, OF_SLUG, OPTIONAL
from einvoice.web.problems import PROBLEMS

Document = dict[str, Any]

# Refusals of any path, not of a route.
EVERYWHERE = ("not-found", "method-not-allowed", "too-busy")
_REQUIRED = ["type", "title", "status", "detail"]


def schema_name(slug: str) -> str:
    """The name of a slug's component: `NotFoundProblem`."""
    return "".join(word.capitalize() for word in slug.split("-")) + "Problem"


def schemas(prefix: str) -> dict[str, Document]:
    """The schemas of the problem document, of each slug's, and of their members."""
    return {
        "Problem": {
            "type": "object",
            "description": "A refusal (RFC 7807). Match on the last part of `type`.",
            "required": _REQUIRED,
            "properties": _standard(f"{prefix}/invalid-field", 400, "Invalid field"),
        },
        "FieldError": FIELD_ERROR,
        "Finding": FINDING,
        **{schema_name(slug): _schema(slug, prefix) for slug in PROBLEMS},
    }


def _schema(slug: str, prefix: str) -> Document:
    status, title = PROBLEMS[slug]
    text = EXPLANATIONS[slug]
    properties = _standard(f"{prefix}/{slug}", status, title)
    properties["type"]["enum"] = [f"{prefix}/{slug}"]
    properties["status"]["enum"] = [status]
    for name, meaning in text.members.items():
        properties[name] = _member(slug, name, meaning)
    return {
        "type": "object",
        "description": f"{text.meaning} {text.action}",
        "required": [*_REQUIRED, *(name for name in text.members if name not in OPTIONAL)],
        "properties": properties,
    }


def _standard(uri: str, status: int, title: str) -> Document:
    return {
        "type": {
            "type": "string",
            "description": "Permanent identifier of the problem, and URL of its explanation.",
            "example": uri,
        },
        "title": {
            "type": "string",
            "description": "The same for every instance of the problem.",
            "example": title,
        },
        "status": {
            "type": "integer",
            "description": "The HTTP status of the response.",
            "example": status,
        },
        "detail": {
            "type": "string",
            "description": "What is wrong with this request, as text.",
            "example": "What is wrong, in a sentence.",
        },
        "instance": {
            "type": "string",
            "description": "The path of the request.",
            "example": "/api/invoices/send",
        },
        "requestId": {
            "type": "string",
            "description": "Id of the request in the log, as in the header X-Request-Id.",
            "example": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
        },
    }


def _member(slug: str, name: str, meaning: str) -> Document:
    shape = OF_SLUG.get((slug, name)) or MEMBERS[name]
    return {**shape, "description": meaning}


def answers(slugs: Iterable[str]) -> dict[str, Document]:
    """One documented response for each status of the slugs."""
    by_status: dict[str, list[str]] = {}
    for slug in dict.fromkeys(slugs):
        by_status.setdefault(str(PROBLEMS[slug][0]), []).append(slug)
    return {status: _answer(found) for status, found in sorted(by_status.items())}


def _answer(slugs: list[str]) -> Document:
    references = [{"$ref": f"#/components/schemas/{schema_name(slug)}"} for slug in slugs]
    schema = references[0] if len(references) == 1 else {"oneOf": references}
    return {
        "description": "\n".join(f"- `{slug}`: {_meaning(EXPLANATIONS[slug])}" for slug in slugs),
        "content": {"application/problem+json": {"schema": schema}},
    }


def _meaning(text: Explanation) -> str:
    """The first sentence of the meaning, as Markdown with `<scheme>` escaped."""
    return text.meaning.partition(". ")[0].rstrip(".").replace("<", "\\<") + "."
