"""Example bodies: `/docs` offers them for each contract, and the sandbox accepts them.

An accessPointRef belongs to the tenant that looked it up, so the one of a send has to be replaced;
`/docs` does so after a lookup there.
"""

from __future__ import annotations

import base64
from datetime import timedelta
from importlib import resources
from typing import Any

from einvoice import clock
from einvoice.web.openapi.samples import sample

XML = resources.files(__package__).joinpath("invoice.xml").read_text("utf-8")
REFERENCE = "6f1c2a9e-0b8e-4f5e-9d5e-0c6a4b1f2d3c"

_SENDER, _RECEIVER = "0208:0123456749", "0088:9520000000004"
_SUPPLIER = {
    "line1": "Wetstraat 1",
    "city": "Brussel",
    "postalCode": "1000",
    "countryCode": "BE",
}
_BUYER = {"line1": "Veldstraat 2", "city": "Gent", "postalCode": "9000", "countryCode": "BE"}
_DOCUMENT = {"format": "ubl", "invoice": base64.b64encode(XML.encode()).decode()}
_SUBMISSION = {
    "format": "ubl",
    "network": "peppol",
    "sender": {"peppolId": _SENDER, "country": "BE"},
    "receiver": {"peppolId": _RECEIVER, "country": "BE"},
    "invoice": _DOCUMENT["invoice"],
}
_PROGRAM = {
    "name": "ERP of the head office",
    "environment": "test",
    "scopes": ["participants:read", "invoices:send", "invoices:read", "artefacts:read"],
}
_TERMS = {"name": "ERP of the branch", "allowedIps": ["192.0.2.0/24"]}

_PARTIES = {"senderParticipantId": _SENDER, "receiverParticipantId": _RECEIVER}
_SEND: dict[str, Any] = {
    "invoice": {
        "number": "2026-001",
        "issueDate": "2026-11-21",
        "dueDate": "2026-12-21",
        "currency": "EUR",
        "buyerReference": "PO-4711",
        "supplier": {
            "name": "Example NV",
            "taxId": "BE0123456749",
            "companyId": "0123456749",
            "address": _SUPPLIER,
        },
        "buyer": {"name": "Sandbox Buyer", "address": _BUYER},
        "lineItems": [
            {
                "description": "Consulting, November",
                "quantity": 2,
                "unitPrice": 50.00,
                "taxRate": 21.0,
            }
        ],
        "totals": {"subtotal": 100.00, "taxAmount": 21.00, "grandTotal": 121.00},
    },
    "routing": {**_PARTIES, "accessPointRef": REFERENCE},
}

# Name of the contract → a body.
BODIES: dict[str, Any] = {
    "SendRequest": _SEND,
    "SendBatchRequest": {
        "invoices": [{**_SEND, "routing": _PARTIES, "idempotencyKey": "2026-001"}],
    },
    "LegacySendRequest": {
        "invoiceNumber": "2026-001",
        "invoiceDate": "2026-11-21",
        "dueDate": "2026-12-21",
        "currency": "EUR",
        "vendorName": "Example NV",
        "vendorTaxId": "BE0123456749",
        "vendorAddress": _SUPPLIER,
        "customerName": "Sandbox Buyer",
        "customerAddress": _BUYER,
        "senderParticipantId": _SENDER,
        "receiverParticipantId": _RECEIVER,
        "lineItems": [
            {
                "description": "Consulting, November",
                "quantity": 2,
                "unitPrice": 50.00,
                "vatRate": 21,
            }
        ],
        "totalAmount": 121.00,
    },
    "NewMailDomain": {"domain": "example.com"},
    "NewMailAddress": {"environment": "live", "name": "Vans", "glAccountCode": "6130"},
    "MailAddressChanges": {"name": "Lorries"},
    "MailPreviewRequest": {
        "language": "de",
        "country": "DE",
        "mail": {"subject": "Rechnung {number} von {seller}", "attachments": "pdf-and-xrechnung"},
    },
    "MailTestRequest": {"language": "de"},
    "ResendRequest": {"email": "accounts@example.com"},
    "MarkProcessedRequest": {"processed": True},
    "BillAccountRequest": {"glAccountCode": "6130"},
    "PaymentRequest": {"amount": 121.0, "date": "2026-11-23", "reference": "B-7"},
    "PaymentsRequest": {
        "payments": [
            {
                "invoiceId": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
                "amount": 121.0,
                "date": "2026-11-23",
            }
        ]
    },
    "BillResponseRequest": {
        "responseCode": "UQ",
        "reasons": [
            {
                "code": "REF",
                "text": "We know no such order.",
                "conditions": [{"term": "BT-13", "value": "PO-4711"}],
            }
        ],
        "actions": [{"code": "NIN"}],
        "note": "Please call us.",
        "effectiveDate": "2026-11-21",
    },
    "EmptyBody": {},
    "ClockStep": {"advanceSeconds": 60},
    "NewIncident": {"title": "Deliveries to Peppol are late", "text": "We look for the cause."},
    "IncidentUpdateRequest": {"text": "The network answers again.", "status": "resolved"},
    # /v1
    "ValidateRequest": _DOCUMENT,
    "SubmitRequest": _SUBMISSION,
    "BatchRequest": {"invoices": [{**_SUBMISSION, "idempotencyKey": "2026-001"}]},
    # the dashboard
    "NewApiKey": _PROGRAM,
    "ApiKeyChanges": _TERMS,
    "NewOAuthClient": _PROGRAM,
    "OAuthClientChanges": _TERMS,
    "NewPlatformTenant": {
        "externalId": "customer-17",
        "name": "Brewery Ltd",
        "limits": {"get": 120, "post": 60},
        "plan": {"monthlyDocuments": 1000, "aboveLimit": "refuse"},
    },
    "NewIdentification": {
        "method": "register-extract",
        "documentKind": "company-register",
        "numbers": ["BE0123456749", "0208:0123456749"],
        "identifiedAt": "2026-11-20T09:00:00Z",
        "identifiedBy": "ann@erp.example",
    },
    "PlanChanges": {"monthlyDocuments": 1000, "aboveLimit": "wait", "networks": ["peppol"]},
    "OperatorReason": {"reason": "Invoice of May is unpaid"},
    "ClaimDecision": {
        "tenantId": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
        "participantId": "0208:0123456749",
        "environment": "live",
        "reason": "Extract of the register of 2026-11-20",
    },
    "NewOperatorTenant": {"name": "Brewery Ltd"},
    "NewOperatorCredential": {"kind": "key", "name": "ERP", "environment": "test"},
    "OperatorLimits": {"get": 120, "post": 60},
    "OperatorTenantChanges": {"name": "Brewery and Sons Ltd", "rejectDuplicateNumbers": True},
    "ClosingConfirmation": {"confirm": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"},
    "PersonToErase": {"subject": "ann@example.com"},
    "VerifiedNumber": {"number": "0208:0123456749"},
    "AssignedParticipant": {"participantId": "0208:0123456749", "environment": "live"},
    "PlatformTrust": {"verifiesNumbers": True},
    "AdoptedTenant": {
        "tenantId": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
        "externalId": "customer-17",
    },
    "TransmissionOutcome": {
        "outcome": "delivered",
        "evidence": "PHJlY2VpcHQvPg==",
        "fileName": "receipt.xml",
    },
    "NewOperatorHold": {
        "tenantId": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b",
        "reason": "Lawsuit 4711",
    },
    "IdentificationDecision": {"verified": True, "reason": "The extract is of this month"},
    "NewConnectionLink": {"network": "ro-efactura", "account": "RO123456789"},
    "PlatformTenantChanges": {"name": "Brewery and Sons Ltd"},
    "SuspensionRequest": {"reason": "Invoice of May is unpaid"},
    "RotationRequest": {"gracePeriodSeconds": 3600},
    "ProfileChanges": {
        "displayName": "Example",
        "colour": "#0b5fff",
        "addressLines": ["Wetstraat 1", "1000 Brussel"],
        "iban": "BE68 5390 0754 7034",
        "accountName": "Example NV",
        "email": "billing@example.com",
    },
    "EndSessionsRequest": {"subject": "auth0|5f7c8e"},
    "CloseAccountRequest": {"confirm": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b"},
    "NewHold": {"invoiceId": "5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b", "reason": "Lawsuit 4711"},
    "NewDraft": {
        "environment": "test",
        "invoice": {"number": "INV-2026-003", "buyer": {"name": "Sandbox Buyer"}},
        "routing": {"receiverParticipantId": _RECEIVER},
    },
    "DraftChanges": {"invoice": {"number": "INV-2026-003", "currency": "EUR"}},
    "NewWebhook": {
        "url": "https://example.com/hooks/einvoice",
        "environment": "test",
        "eventTypes": ["transaction.sent", "transaction.failed", "transaction.received"],
    },
    "WebhookChanges": {"description": "Accounting", "status": "active"},
    "NewParticipant": {"participantId": _SENDER, "environment": "test"},
    "NewClaim": {"participantId": "0192:991825827"},
    "RepublishedEnvironment": {"environment": "test"},
    "MigrationKey": {"migrationKey": "xS7gE0XegFU^j[A9"},
    "NewConnection": {
        "environment": "test",
        "network": "ro-efactura",
        "account": "RO123456789",
        "name": "Head office",
        "credentials": {"clientId": "einvoice", "clientSecret": "…"},
    },
    "ConnectionChanges": {"name": "Branch"},
    # the directory
    "NewCustomer": {
        "name": "Sandbox Buyer",
        "taxId": "BE0403019261",
        "peppolId": _RECEIVER,
        "defaultCurrencyCode": "EUR",
        "defaultPaymentTermsDays": 30,
        "countryCode": "BE",
    },
    "CustomerChanges": {"defaultPaymentTermsDays": 14, "phone": None},
    "NewSupplier": {
        "name": "Example Supplies BV",
        "taxId": "NL123456782B90",
        "countryCode": "NL",
        "defaultGlAccountCode": "612000",
    },
    "MergeRequest": {"otherId": "3f0c1f6e-93c7-4fd0-9e0b-5b0a4bb4a111"},
    "SupplierChanges": {"defaultGlAccountCode": "613000", "email": None},
}


def add(content: dict[str, Any]) -> None:
    """Add the example of its contract to each kind of body of a route."""
    for media, body in content.items():
        if media == "application/xml":
            body["example"] = XML
        schema = body["schema"].get("oneOf", [body["schema"]])[0]
        name = schema.get("$ref", "").rpartition("/")[2]
        if name in BODIES:
            body["example"] = BODIES[name]
        elif name == "RecoveryRequest":  # at most 30 days before today
            body["example"] = {"since": (clock.today() - timedelta(days=1)).isoformat()}


def of_responses(paths: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Add the example of its schema to each JSON response; returns the examples by name."""
    found: dict[str, Any] = {}
    for item in paths.values():
        for operation in item.values():
            for answer in operation["responses"].values() if "responses" in operation else ():
                content = answer.get("content", {}).get("application/json", {})
                name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
                if name:
                    found[name] = {"value": sample(schemas[name], schemas)}
                    content["examples"] = {"example": {"$ref": f"#/components/examples/{name}"}}
    return found
