"""The sender's own names and texts of an invoice: in requests and in responses (decisions 20.5)."""

from __future__ import annotations

from marshmallow import fields

from einvoice.web.contract import Labels
from einvoice.web.response_schema import Source, sourced

MAX_MEMBERS, MAX_BYTES = 50, 4096
_EXAMPLE = {"erpId": "4711"}


def metadata_field() -> Labels:
    return Labels(
        "Your own names and texts: returned with the invoice and in its events, never sent to the "
        f"receiver; at most {MAX_BYTES} bytes as JSON.",
        max_names=MAX_MEMBERS,
        max_name_length=40,
        max_length=500,
        max_bytes=MAX_BYTES,
        keeps_null=True,
        example=_EXAMPLE,
    )


def returned_metadata(
    description: str, *, required: bool, source: Source | None = None
) -> fields.Dict:
    field = fields.Dict(
        keys=fields.String(),
        values=fields.String(allow_none=True),
        metadata={"description": description, "example": _EXAMPLE},
        required=required,
    )
    return sourced(field, source)
