"""Syntaxes of documents, and layers: the rules of one publisher for one syntax.

Both are open: a rule set of a plugin may bring a syntax and layers of its own. A syntax and a layer
are texts, their ids, so that findings, logs and JSON show them as they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import ClassVar, Self

SchemaSource = Path | Callable[[], bytes]  # a file, or a function that makes the bytes of one
_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
_CII = "urn:un:unece:uncefact:data:standard:"


class Syntax(str):
    """A syntax of documents, and how the paths of rules name its elements.

    roots     the tags of document elements, `{namespace}name` → invoice or creditNote
    prefixes  namespace → the prefix that paths use
    terms     names of elements whose string value counts even if they have child elements. No rule
              reads the string value of another element with children
    schema    the XML Schema of a syntax that `documents.schemas` does not know: a file, or a
              function that makes its bytes; None: unchecked
    """

    __slots__ = ("prefixes", "roots", "schema", "terms")

    UBL: ClassVar[Syntax]
    CII: ClassVar[Syntax]

    roots: Mapping[str, str]
    prefixes: Mapping[str, str]
    terms: re.Pattern[str]
    schema: SchemaSource | None

    def __new__(
        cls,
        id: str,  # noqa: A002
        roots: Mapping[str, str],
        prefixes: Mapping[str, str],
        terms: str,
        schema: SchemaSource | None = None,
    ) -> Self:
        made = super().__new__(cls, id)
        made.roots, made.prefixes = roots, prefixes
        made.terms, made.schema = re.compile(terms), schema
        return made


class Layer(str):
    """A publisher's rules for one syntax: the first half of every rule's key.

    source  what findings name as the origin of the rule: en16931, peppol, country, network
    words   a folder with the words of its rules, `<language>/*.toml` (validation/texts); None:
            the words of the service
    binding_from  the first day of a release that is not in force yet; None: it is in force
    """

    __slots__ = ("binding_from", "source", "syntax", "words")

    CEN_UBL: ClassVar[Layer]
    CEN_CII: ClassVar[Layer]
    PEPPOL_UBL: ClassVar[Layer]
    PEPPOL_CII: ClassVar[Layer]
    SELFBILLING_UBL: ClassVar[Layer]
    XRECHNUNG_UBL: ClassVar[Layer]
    XRECHNUNG_CII: ClassVar[Layer]
    NLCIUS_UBL: ClassVar[Layer]
    FACTURX_EN16931: ClassVar[Layer]
    FACTURX_BASIC: ClassVar[Layer]
    FACTURX_BASIC_WL: ClassVar[Layer]
    FACTURX_MINIMUM: ClassVar[Layer]
    FACTURX_EXTENDED: ClassVar[Layer]
    CIUS_RO_UBL: ClassVar[Layer]
    BR_FR_UBL: ClassVar[Layer]
    BR_FR_CII: ClassVar[Layer]
    BR_FR_EXTENDED_CII: ClassVar[Layer]
    BR_FR_EXTENDED_UBL: ClassVar[Layer]
    PINT_UBL: ClassVar[Layer]
    PINT_AE_UBL: ClassVar[Layer]
    PINT_OM_UBL: ClassVar[Layer]
    PINT_MY_UBL: ClassVar[Layer]
    PINT_AUNZ_UBL: ClassVar[Layer]
    PINT_JP_UBL: ClassVar[Layer]
    PINT_SG_UBL: ClassVar[Layer]

    syntax: Syntax
    source: str
    words: Path | None
    binding_from: date | None

    def __new__(
        cls,
        id: str,  # noqa: A002
        syntax: Syntax,
        source: str,
        words: Path | None = None,
        binding_from: date | None = None,
    ) -> Self:
        made = super().__new__(cls, id)
        made.syntax, made.source, made.words = syntax, source, words
        made.binding_from = binding_from
        return made

    def announced(self, binding_from: date) -> Layer:
        """The layer of rules of the next release, before it is in force."""
        name = f"{self} from {binding_from}"
        return Layer(name, self.syntax, self.source, self.words, binding_from)


# In CII terms differ from groups by the end of the name.
Syntax.UBL = Syntax(
    "UBL",
    roots={
        f"{{{_UBL}Invoice-2}}Invoice": "invoice",
        f"{{{_UBL}CreditNote-2}}CreditNote": "creditNote",
    },
    prefixes={
        f"{_UBL}Invoice-2": "ubl",
        f"{_UBL}CreditNote-2": "cn",
        f"{_UBL}CommonAggregateComponents-2": "cac",
        f"{_UBL}CommonBasicComponents-2": "cbc",
        f"{_UBL}CommonExtensionComponents-2": "ext",
    },
    terms="cbc:",
)
Syntax.CII = Syntax(
    "CII",
    roots={f"{{{_CII}CrossIndustryInvoice:100}}CrossIndustryInvoice": "invoice"},
    prefixes={
        f"{_CII}CrossIndustryInvoice:100": "rsm",
        f"{_CII}ReusableAggregateBusinessInformationEntity:100": "ram",
        f"{_CII}UnqualifiedDataType:100": "udt",
        f"{_CII}QualifiedDataType:100": "qdt",
    },
    terms="udt:|qdt:|ram:.*(?:ID|Code|Name|Amount|Quantity|Percent|Reason|Description|Value|Content"
    "|Information|Reference|LineOne|BinaryObject|CompleteNumber)$",
)

Layer.CEN_UBL = Layer("CEN-UBL", Syntax.UBL, "en16931")
Layer.CEN_CII = Layer("CEN-CII", Syntax.CII, "en16931")
Layer.PEPPOL_UBL = Layer("PEPPOL-UBL", Syntax.UBL, "peppol")
Layer.PEPPOL_CII = Layer("PEPPOL-CII", Syntax.CII, "peppol")
Layer.SELFBILLING_UBL = Layer("SELFBILLING-UBL", Syntax.UBL, "peppol")
Layer.XRECHNUNG_UBL = Layer("XRECHNUNG-UBL", Syntax.UBL, "country")
Layer.XRECHNUNG_CII = Layer("XRECHNUNG-CII", Syntax.CII, "country")
Layer.NLCIUS_UBL = Layer("NLCIUS-UBL", Syntax.UBL, "country")
Layer.CIUS_RO_UBL = Layer("CIUS-RO-UBL", Syntax.UBL, "country")
Layer.BR_FR_UBL = Layer("BR-FR-UBL", Syntax.UBL, "country")
Layer.BR_FR_CII = Layer("BR-FR-CII", Syntax.CII, "country")
Layer.BR_FR_EXTENDED_UBL = Layer("BR-FR-EXTENDED-UBL", Syntax.UBL, "country")
Layer.BR_FR_EXTENDED_CII = Layer("BR-FR-EXTENDED-CII", Syntax.CII, "country")
Layer.PINT_UBL = Layer("PINT-UBL", Syntax.UBL, "peppol")
Layer.PINT_AE_UBL = Layer("PINT-AE-UBL", Syntax.UBL, "country")
Layer.PINT_OM_UBL = Layer("PINT-OM-UBL", Syntax.UBL, "country")
Layer.PINT_MY_UBL = Layer("PINT-MY-UBL", Syntax.UBL, "country")
Layer.PINT_AUNZ_UBL = Layer("PINT-AUNZ-UBL", Syntax.UBL, "country")
Layer.PINT_JP_UBL = Layer("PINT-JP-UBL", Syntax.UBL, "country")
Layer.PINT_SG_UBL = Layer("PINT-SG-UBL", Syntax.UBL, "country")
Layer.FACTURX_EN16931 = Layer("FACTURX-EN16931", Syntax.CII, "en16931")
Layer.FACTURX_BASIC = Layer("FACTURX-BASIC", Syntax.CII, "en16931")
Layer.FACTURX_BASIC_WL = Layer("FACTURX-BASIC-WL", Syntax.CII, "en16931")
Layer.FACTURX_MINIMUM = Layer("FACTURX-MINIMUM", Syntax.CII, "en16931")
Layer.FACTURX_EXTENDED = Layer("FACTURX-EXTENDED", Syntax.CII, "en16931")
