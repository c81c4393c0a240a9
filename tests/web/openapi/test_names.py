"""Names that generated clients take from the document: classes, methods, models."""

from __future__ import annotations

import re
from collections import Counter

from einvoice.web.openapi.tags import TAGS

VERBS = (
    "add", "advance", "approve", "authorise", "check", "claim", "close", "convert", "create",
    "decide", "delete", "disable", "download", "enable", "end", "erase", "explain", "export", "get",
    "import", "issue", "lift",
    "list", "lookup", "mark", "merge", "move", "place", "preview", "publish", "purge",
    "read", "receive", "recover", "redeliver", "reject", "release", "remove", "replace",
    "republish", "resend", "respond", "resubmit",
    "resume", "retry", "revoke", "rotate", "search", "seed", "send", "set", "settle", "share",
    "submit", "suspend", "test", "update", "validate", "withdraw",
)  # fmt: skip
FORM = re.compile(rf"(?:{'|'.join(VERBS)})(?:[A-Z][a-z0-9]*)+")


def test_every_operation_has_one_tag_of_the_list(operations, received):
    """A generator makes one class of each tag, also of those of webhooks."""
    tags = {name: operation["tags"] for name, operation in (operations | received).items()}

    assert {name: found for name, found in tags.items() if len(found) != 1} == {}
    assert {found[0] for found in tags.values()} == set(TAGS)


def test_every_tag_has_a_description(whole):
    assert [tag["name"] for tag in whole["tags"]] == list(TAGS)
    assert all(tag["description"].endswith(".") for tag in whole["tags"])


def test_every_operation_id_is_a_verb_and_a_noun(operations, received):
    """`sendInvoice`: the view is named `send_invoice`. A new verb is added to the list above."""
    ids = [operation["operationId"] for operation in (operations | received).values()]

    assert [name for name in ids if not FORM.fullmatch(name)] == []
    assert [name for name, count in Counter(ids).items() if count > 1] == []


def test_every_operation_has_a_summary_and_a_description(operations, received):
    """The description says who may call it, at least."""
    for name, operation in (operations | received).items():
        assert operation["summary"].endswith((".", "`")) or "x-alias-of" in operation, name
        assert operation["description"].endswith("."), name


def test_the_description_says_who_may_call(operations):
    descriptions = {name: operation["description"] for name, operation in operations.items()}

    assert descriptions["GET /healthz"] == "For everybody, without a credential."
    assert descriptions["GET /api/keys/{keyId}"].endswith(
        "people with the role admin or a higher one."
    )
    assert "For programs (API key or access token)." in descriptions["POST /api/invoices/send"]


def test_aliases_and_the_legacy_send_are_deprecated_and_nothing_else(operations):
    deprecated = {name for name, operation in operations.items() if operation.get("deprecated")}
    aliases = {name for name, operation in operations.items() if "x-alias-of" in operation}

    assert {"POST /v2/invoices/send", "GET /v2/lookup"} <= aliases
    assert deprecated == aliases | {"POST /v1/invoices/send", "POST /api/v1/invoices/send"}
    assert deprecated == {n for n, o in operations.items() if o["tags"] == ["Aliases"]}


def test_an_alias_is_named_after_its_operation_and_version(operations):
    assert operations["POST /v2/invoices/send"]["operationId"] == "sendInvoiceAtV2"
    assert operations["POST /api/v2/invoices/send"]["operationId"] == "sendInvoiceAtApiV2"
    assert operations["POST /v1/invoices/send"]["operationId"] == "sendLegacyInvoice"
