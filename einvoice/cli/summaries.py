"""The summaries of commands that `einvoice --help` lists without importing the commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Name → the first sentence of its help; a test compares them.
SUMMARIES: Final[Mapping[str, str]] = {
    "archive": "Documents and evidence in a directory or bucket (EINVOICE_ARCHIVE_STORE).",
    "audit": "Verify the audit log of tenants.",
    "connections": "Add, check, list and revoke accounts of tenants at networks.",
    "db": "Create and migrate the database.",
    "demo": "Start the service and send an invoice until it is delivered.",
    "dev-token": "Print a session token for TENANT, or with --operator for the console; refused in "
    "production.",
    "doctor": "Check settings, database, Redis, workers and plugins; list the settings of plugins.",
    "inbound": "Store FILE as if a network had delivered it, and print the id of the document.",
    "incidents": "Write, update and list the incidents of the page /status, which everybody reads.",
    "keys": "Create, list, limit, rotate and revoke API keys.",
    "lookup": "Ask the network for PARTICIPANT (scheme:identifier); nothing is stored.",
    "oauth-clients": "Create, list, limit, rotate and revoke OAuth clients.",
    "operator-keys": "Create, list and revoke keys for programs of operators.",
    "participants": "Assign participant ids to tenants, decide claims of them, and release them.",
    "platforms": "Add and list platforms, their keys and OAuth clients, and give them tenants.",
    "plugins": "List the access points of the installed plugins, the profiles of their networks, "
    "and the settings that plugins declare.",
    "recover": "Find out what was sent after the moment to which the database was restored.",
    "relay": "Hand due work to the queues, until stopped.",
    "reports": "List the reports that tax authorities do not have; make one again, or withdraw it.",
    "retention": "Delete rows past their retention, as the relay does every hour.",
    "secrets": "Secrets that are encrypted with EINVOICE_SECRET_KEY.",
    "serve": "Serve the API.",
    "sessions": "End the sessions of a tenant's people and OAuth clients.",
    "tenants": "Add, list, change and close tenants.",
    "transmissions": "List and settle transmissions, and messages (msg_…), with an unknown "
    "outcome.",
    "validate": "Check invoices: UBL 2.1, CII and what plugins add, by the rules for such "
    "documents.",
    "webhooks": "Register endpoints, show their log, deliver again.",
    "worker": "Work on LANE, or on every lane with a process of its own for each.",
}
