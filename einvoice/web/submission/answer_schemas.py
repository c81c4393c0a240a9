"""What the /v1 routes answer, as schemas for /openapi.json."""

from __future__ import annotations

from marshmallow import Schema, fields


def text(description: str, example: object = None, *, or_null: bool = False) -> fields.String:
    metadata = {"description": description, **({"example": example} if example else {})}
    return fields.String(metadata=metadata, allow_none=or_null, required=True)


def number(description: str, example: int) -> fields.Integer:
    return fields.Integer(metadata={"description": description, "example": example}, required=True)


class FindingRecord(Schema):
    """One thing found in a document."""

    severity = text("error, warning or information", "warning")
    source = text(
        "What looked: xsd, en16931, peppol, country, or network for what is about the request",
        "peppol",
    )
    ruleId = text("Permanent id of the rule", "PEPPOL-EN16931-R003")
    message = text("What the rule requires", "A reference of the buyer must be given.")
    explanation = text(
        "What is wrong, in plain language", "The invoice has neither of the two.", or_null=True
    )
    suggestion = text("What to change", "Give invoice.buyerReference.", or_null=True)
    location = text("XPath of the place", "/Invoice[1]/BuyerReference[1]", or_null=True)
    line = fields.Integer(
        metadata={"description": "Line in the document", "example": 12}, allow_none=True
    )
    field = text("The same place in a send request", "invoice.buyerReference", or_null=True)
    businessTerms = fields.List(
        fields.String(), metadata={"description": "Terms of EN 16931", "example": ["BT-10"]}
    )


class ValidationRecord(Schema):
    """The traffic light: green passes, amber passes with warnings, red is not sent."""

    trafficLight = text("green, amber or red", "amber")
    outcome = text("Pass, Warn or Block", "Warn")
    syntaxErrors = number("Errors of form: not XML, or against the schema", 0)
    semanticErrors = number("Broken rules that are fatal", 0)
    semanticWarnings = number("Broken rules that are not", 2)
    processingTimeMs = fields.Integer(
        metadata={
            "description": "What checking took; null where it was not measured",
            "example": 3,
        },
        allow_none=True,
        required=True,
    )
    ruleSet = text("The rules that were asked", "peppol-bis-billing-3.0.21")
    format = text("ubl or cii; null where it is neither", "ubl", or_null=True)
    documentType = text("invoice or creditNote", "invoice", or_null=True)
    findings = fields.List(
        fields.Nested(FindingRecord()), metadata={"description": "Errors first"}, required=True
    )


class ValidateResponse(ValidationRecord):
    provider = text("This service", "eInvoice")
