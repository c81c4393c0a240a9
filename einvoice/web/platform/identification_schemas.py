"""How a platform has identified a tenant: request and response."""

from __future__ import annotations

from einvoice.services.account.identifications import (
    MAX_FILE_BYTES,
    MAX_FILES,
    FileRecord,
    Identified,
)
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Base64, Text
from einvoice.web.paging import MAX_PAGE_SIZE, Moment, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a

MAX_BODY_BYTES = MAX_FILES * MAX_FILE_BYTES * 3 // 2
MAX_NUMBERS = 20
_CODE = (r"[a-z0-9][a-z0-9\-]{0,39}", "lower-case letters, digits and hyphens")
_MEDIA = (r"[a-z]+/[a-z0-9.+\-]+", "a media type, such as application/pdf")


class IdentificationFile(Contract):
    """A file that proves it."""

    name = Text("Its name.", max_length=200, required=True, example="register.pdf")
    contentType = Text(
        "Its media type.", max_length=100, form=_MEDIA, required=True, example="application/pdf"
    )
    content = Base64(
        f"At most {MAX_FILE_BYTES // 1024**2} MiB, in base64.",
        required=True,
        example="JVBERi0xLjc=",
    )
    keepUntil = Moment(
        "When it is deleted; default: in five years.", example="2031-11-21T00:00:00Z", end=True
    )


class NewIdentification(Contract):
    """How you have identified the tenant."""

    method = Text(
        "The method, in your words.",
        max_length=40,
        form=_CODE,
        required=True,
        example="register-extract",
    )
    documentKind = Text(
        "The kind of document.", max_length=40, form=_CODE, example="company-register"
    )
    numbers = Items(
        Text("", max_length=140, required=True, example="0208:0123456749"),
        "Numbers that are the tenant's: VAT numbers with their country (BE0123456749), register "
        "numbers with their scheme (0208:0123456749).",
        min_items=1,
        max_items=MAX_NUMBERS,
        required=True,
    )
    identifiedAt = Moment("When it was identified.", required=True, example="2026-11-20T09:00:00Z")
    identifiedBy = Text("By whom.", max_length=200, required=True, example="ann@erp.example")
    files = Items(Part(IdentificationFile, "A file."), "Files that prove it.", max_items=MAX_FILES)


class IdentificationQuery(PartQuery):
    """The identifications of a tenant."""


class FileOfIdentification(ResponseSchema[FileRecord]):
    """A file, without its content."""

    fileId = a.an_id("The file", source="id")
    name = a.text("Its name", "register.pdf")
    contentType = a.text("Its media type", "application/pdf")
    sizeBytes = a.number("Its size", 48_213, source="size")
    sha256 = a.text("SHA-256 of its content", "9f86d081884c7d65…")
    keepUntil = a.moment("When it is deleted")


class TenantIdentification(ResponseSchema[Identified]):
    """An identification of a tenant."""

    inside = "record"

    identificationId = a.an_id("The identification", source="id")
    status = a.text("pending, verified or rejected", "pending")
    method = a.text("The method", "register-extract")
    documentKind = a.text("The kind of document", "company-register", or_null=True)
    numbers = a.texts("The numbers in their normal form", "0208:0123456749")
    identifiedAt = a.moment("When it was identified")
    identifiedBy = a.text("By whom", "ann@erp.example")
    decidedAt = a.moment("When it was verified or rejected", or_null=True)
    decidedBy = a.text("platform (its word verifies) or operator", "operator", or_null=True)
    reason = a.text("The reason of the operator", "The extract is of 2019", or_null=True)
    createdAt = a.moment("When it was stored")
    files = a.things(FileOfIdentification(), "Files that prove it", source=".files")


class TenantIdentificationResponse(TenantIdentification):
    provider = a.provider()


class TenantIdentificationList(ResponseSchema[Page[Identified]]):
    items = a.things(TenantIdentification(), "The oldest first", max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
