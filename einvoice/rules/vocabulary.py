"""The prefixes and terms of each syntax, as the paths of rules name them."""

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

# Names of terms: their string value counts even if they have child elements. Other elements with
# children are groups, whose string value no rule reads. In CII terms differ by the end of the name.
TERMS: Mapping[Syntax, re.Pattern[str]] = {
    Syntax.UBL: re.compile("cbc:"),
    Syntax.CII: re.compile(
        "udt:|qdt:|ram:.*(?:ID|Code|Name|Amount|Quantity|Percent|Reason|Description|Value|Content"
        "|Information|Reference|LineOne|BinaryObject)$"
    ),
}
