"""Problem documents as schemas: one schema per slug, one response per status."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from einvoice.web.explanations import EXPLANATIONS, Explanation
from einvoice.web.openapi.members import FIELD_ERROR, MEMBERS, OF_SLUG, OPTIONAL
from einvoice.web.openapi.samples import sample
from einvoice.web.problems import PROBLEMS

Document = dict[str, Any]

# Refusals of any path, not of a route.
_OF_NO_ROUTE = (
    "method-not-allowed",
    "too-busy",
    "tenant-moving",
    "tenant-moved",
    "malformed-request",
    "address-too-long",
    "headers-too-large",
)
EVERYWHERE = ("not-found", *_OF_NO_ROUTE)
MEDIA = "application/problem+json"
_REQUIRED = ["type", "title", "status", "detail"]


def schema_name(slug: str) -> str:
    """The name of a slug's component: `NotFoundProblem`."""
    return "".join(word.capitalize() for word in slug.split("-")) + "Problem"


def schemas(prefix: str) -> dict[str, Document]:
    """The problem document, which `type` makes one of each slug's, and their members."""
    mapping = {f"{prefix}/{slug}": reference(schema_name(slug)) for slug in PROBLEMS}
    return {
        "Problem": {
            "type": "object",
            "description": "A refusal (RFC 7807). `type` says which one it is. Other types may be "
            "added: handle an unknown one by its status.",
            "required": _REQUIRED,
            "properties": _standard(f"{prefix}/invalid-field", 400, "Invalid field"),
            "discriminator": {"propertyName": "type", "mapping": mapping},
        },
        "FieldError": FIELD_ERROR,
        **{schema_name(slug): _schema(slug) for slug in PROBLEMS},
    }


def samples(prefix: str, schemas: Mapping[str, Document]) -> dict[str, Document]:
    """An example of each problem that a route reports, named as its schema."""
    reported = [slug for slug in PROBLEMS if slug not in _OF_NO_ROUTE]
    return {schema_name(slug): _sample(slug, prefix, schemas) for slug in reported}


def reference(schema: str) -> str:
    return f"#/components/schemas/{schema}"


def _schema(slug: str) -> Document:
    """A kind of problem: the common members, by inheritance, and its own."""
    text = EXPLANATIONS[slug]
    schema: Document = {
        "description": f"{text.meaning} {text.action}",
        "allOf": [{"$ref": reference("Problem")}],
    }
    if text.members:
        own = {name: _member(slug, name, meaning) for name, meaning in text.members.items()}
        required = [name for name in text.members if name not in OPTIONAL]
        schema["allOf"].append({"type": "object", "required": required, "properties": own})
    return schema


def _sample(slug: str, prefix: str, schemas: Mapping[str, Document]) -> Document:
    status, title = PROBLEMS[slug]
    standard = _standard(f"{prefix}/{slug}", status, title)
    common = {name: shape["example"] for name, shape in standard.items()}
    return {"summary": title, "value": sample(schemas[schema_name(slug)], schemas) | common}


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
    shown = {slug: {"$ref": f"#/components/examples/{schema_name(slug)}"} for slug in slugs}
    return {
        "description": "\n".join(f"- `{slug}`: {_meaning(EXPLANATIONS[slug])}" for slug in slugs),
        "content": {MEDIA: {"schema": {"$ref": reference("Problem")}, "examples": shown}},
    }


def _meaning(text: Explanation) -> str:
    """The first sentence of the meaning, as Markdown with `<scheme>` escaped."""
    return text.meaning.partition(". ")[0].rstrip(".").replace("<", "\\<") + "."
