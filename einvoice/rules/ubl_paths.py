"""Names of elements that the contexts of several UBL rule sets take."""

from __future__ import annotations

# With a currency; taxes beside these, as each rule set takes them.
AMOUNTS = (
    "cbc:Amount",
    "cbc:BaseAmount",
    "cbc:PriceAmount",
    "cbc:LineExtensionAmount",
    "cbc:TaxExclusiveAmount",
    "cbc:TaxInclusiveAmount",
    "cbc:AllowanceTotalAmount",
    "cbc:ChargeTotalAmount",
    "cbc:PrepaidAmount",
    "cbc:PayableRoundingAmount",
    "cbc:PayableAmount",
)
DATES = (
    "cbc:IssueDate",
    "cbc:DueDate",
    "cbc:TaxPointDate",
    "cbc:StartDate",
    "cbc:EndDate",
    "cbc:ActualDeliveryDate",
)
