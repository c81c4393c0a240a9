"""The audit log: query and response."""

from __future__ import annotations

from einvoice.services.account.audit import AuditRecord
from einvoice.web.fields import Id, Text
from einvoice.web.paging import Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class AuditQuery(PartQuery):
    action = Text("Only this action.", max_length=64, example="key.created")
    actor = Text("Only actions of this person or key.", max_length=255, example="auth0|5f7c8e")
    target = Id("Only actions on the object with this id.", max_length=255, example=a.SOME_ID)


class AuditEntry(ResponseSchema[AuditRecord]):
    at = a.moment("When")
    action = a.text("The action", "key.created")
    target = a.text("To what", a.SOME_ID)
    actor = a.text("The person's subject, or the id of the key or OAuth client", "auth0|5f7c8e")
    actorKind = a.text("person, key for a key or OAuth client, platform, or operator", "person")
    email = a.text("The person's address", "ann@example.com", or_null=True)
    address = a.text("From where", "192.0.2.7", or_null=True)
    detail = a.members("Details of the change, depending on the action")


class AuditLog(ResponseSchema[Page[AuditRecord]]):
    items = a.things(AuditEntry(), "The entries, newest first")
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
