"""Tags of operations: one for each resource. Generators make one class of each."""

from __future__ import annotations

# Name → description, in the order of the document.
TAGS: dict[str, str] = {
    "Participants": "Look up receivers in the network, and manage the participant ids you own.",
    "Invoices": "Send invoices as JSON, list them, and get their status and artefacts.",
    "Drafts": "Invoices that are begun and not sent yet, for people to go on with.",
    "Documents": "Validate, submit and track documents written in UBL or CII.",
    "Batches": "Submit many documents in one request.",
    "Bills": "Work with received invoices.",
    "Shares": "Share a delivered invoice with its buyer by a link.",
    "Customers": "The buyers of your invoices, with defaults for new ones.",
    "Suppliers": "The sellers who invoice you, with defaults for their bills.",
    "Webhooks": "Register URLs to which events are posted, and follow their deliveries.",
    "Events": "Read the events of webhooks as a list.",
    "Connections": "Accounts at networks: add, authorise, check and end them.",
    "Reports": "What is reported to tax authorities of each period, and what is due.",
    "Mail": "Domains from which mails are sent, and addresses at which bills arrive.",
    "Account": "Profile, branding, usage and audit log of the account.",
    "Platforms": "Tenants of a platform: an account that acts for its customers.",
    "Operators": "The console of the operators of this service: tenants, decisions, networks.",
    "Keys": "API keys of the account.",
    "OAuth": "OAuth clients of the account, and access tokens for them.",
    "Countries": "The mandates for electronic invoices, by country.",
    "Sandbox": "Rehearse what a network does.",
    "Problems": "The meaning of each problem type.",
    "Documentation": "This document, for programs and for people.",
    "Health": "Whether the service works.",
    "Aliases": "Earlier paths, and the deprecated send. They stay active; use the others.",
}
