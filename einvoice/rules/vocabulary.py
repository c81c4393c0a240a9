"""The prefixes that rule paths use for the namespaces of each syntax."""

from __future__ import annotations

import re
from collections.abc import Mapping

from einvoice.rules.book import Syntax

_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
_CII = "urn:un:unece:uncefact:data:standard:"

PREFIXES: Mapping[Syntax, Mapping[str, str]] = {
    Syntax.UBL: {
        f"{_UBL}Invoice-2": "ubl",
        f"{_UBL}CreditNote-2": "cn",
        f"{_UBL}CommonAggregateComponents-2": "cac",
        f"{_UBL}CommonBasicComponents-2": "cbc",
        f"{_UBL}CommonExtensionComponents-2": "ext",
    },
    Syntax.CII: {
        f"{_CII}CrossIndustryInvoice:100": "rsm",
        f"{_CII}ReusableAggregateBusinessInformationEntity:100": "ram",
        f"{_CII}UnqualifiedDataType:100": "udt",
        f"{_CII}QualifiedDataType:100": "qdt",
    },
}

# Names whose value counts even where elements stand inside it; other elements with elements inside
# are groups, whose string value no rule reads. In CII the end of the name tells one from the other.
TERMS: Mapping[Syntax, re.Pattern[str]] = {
    Syntax.UBL: re.compile("cbc:"),
    Syntax.CII: re.compile(
        "udt:|qdt:|ram:.*(?:ID|Code|Name|Amount|Quantity|Percent|Reason|Description|Value|Content"
        "|Information|Reference|LineOne|BinaryObject)$"
    ),
}
