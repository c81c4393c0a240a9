"""Entries of batches of documents and of sends, and problems as results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marshmallow import fields

from einvoice.domain.bounds import listed
from einvoice.domain.errors import (
    BatchTooLarge,
    EmptyBatch,
    FieldError,
    InvalidField,
    RequestRefused,
)
from einvoice.services.send.batch import MAX_ITEMS
from einvoice.web import json, problems

MAX_BYTES = 20 * 1024 * 1024
# Per document: all findings of 500 documents would make a response of unbounded size.
MAX_FINDINGS = 20

Problem = Mapping[str, Any]


def refusal_field() -> fields.Raw:
    """A problem document, with the members of its type."""
    described = {"description": "Reason of the refusal"}
    return fields.Raw(metadata=described | {"allOf": [{"$ref": "#/components/schemas/Problem"}]})


def entries_of(body: bytes) -> list[Any]:
    """The entries of the body of a batch.

    Raises InvalidBody, InvalidField, EmptyBatch, BatchTooLarge; errors of a document are reported
    in its result.
    """
    value = json.read_object(body)
    entries = value.pop("invoices", None)
    wrong = [
        FieldError(f"/{name}", "unknown-field", "is not a field of this object") for name in value
    ]
    if not isinstance(entries, list):
        code = "required" if entries is None else "wrong-type"
        wrong.insert(0, FieldError("/invoices", code, "must be a list of documents"))
        raise InvalidField(wrong)
    if wrong:
        raise InvalidField(wrong)
    if not entries:
        raise EmptyBatch("The batch has no documents.")
    if len(entries) > MAX_ITEMS:
        message = f"The batch has {len(entries)} documents; at most {MAX_ITEMS} are allowed."
        raise BatchTooLarge(message, MAX_ITEMS)
    return entries


def one_by_one(entries: list[Any]) -> Iterator[Any]:
    """The entries, releasing the memory of each, since many may be large."""
    for position, entry in enumerate(entries):
        entries[position] = None
        yield entry


def problem(refusal: RequestRefused | None) -> Problem:
    """The problem document of a refused document, with its first findings."""
    assert refusal is not None  # noqa: S101 - a result is one or the other
    extras = dict(refusal.extras())
    if "validation" in extras:
        extras["validation"] = truncated(extras["validation"])  # type: ignore[arg-type]
    if "validationErrors" in extras:
        extras["validationErrors"] = extras["validationErrors"][:MAX_FINDINGS]  # type: ignore[index]
    if "errors" in extras:
        extras |= listed("errors", extras["errors"], MAX_FINDINGS)  # type: ignore[arg-type]
    return problems.document(refusal.slug, refusal.detail, extras)


def truncated(light: Mapping[str, Any]) -> dict[str, Any]:
    """The traffic light with its first findings; its counts cover all of them."""
    return {**light, "findings": list(light.get("findings", ()))[:MAX_FINDINGS]}


def stored_problem(error: Mapping[str, Any] | None, instance: str) -> Problem | None:
    """The problem as the request that submitted the batch, at `instance`, had it."""
    if not error:
        return None
    return problems.document(
        error["slug"],
        error["detail"],
        instance=instance,
        caused_by=error.get("requestId"),
    )
