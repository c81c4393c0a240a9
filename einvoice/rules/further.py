"""Rule sets of countries, Factur-X and PINT, imported when the first such document is judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from einvoice.domain.tax_data import SPECIFICATIONS
from einvoice.rules import br_fr, cius_ro, factur_x, nlcius, pint, tax_data
from einvoice.rules.book import DeferredBook
from einvoice.rules.en16931.cii import CEN_CII
from einvoice.rules.en16931.ubl import CEN_UBL
from einvoice.rules.layers import Layer
from einvoice.rules.packs import Pack
from einvoice.rules.rule_sets import Declared, RuleSet

_CIUS_RO = "einvoice.rules.cius_ro.ubl"
_EN16931_OF_CIUS_RO = "einvoice.rules.cius_ro.en16931"
_FACTUR_X = "einvoice.rules.factur_x.cii"
_EXTENDED = "einvoice.rules.br_fr.extended"
_OF_EXTENDED = "1.3.16 as EXTENDED-CTC-FR 1.4.0 has it"


def _is_nlcius(document: Declared) -> bool:
    return document.begins_with(nlcius.SPECIFICATION)


def _is_cius_ro(document: Declared) -> bool:
    """Whether it is a CIUS-RO of any version; rule BR-RO-001 refuses the old ones."""
    return document.begins_with(cius_ro.ANY_VERSION)


# 2.0.3.12, still named valid beside it, has the same rules.
NLCIUS = RuleSet(
    "nlcius",
    (
        Pack(
            id="nlcius-2.0.3.13",
            release="NLCIUS (SI-UBL 2.0.3.13) with EN 16931 1.3.16",
            valid_from=date(2026, 8, 17),
            valid_to=None,
            books=(
                CEN_UBL,
                DeferredBook(
                    Layer.NLCIUS_UBL, "2.0.3.13", "einvoice.rules.nlcius.ubl", "NLCIUS_UBL"
                ),
            ),
        ),
    ),
    recognises=_is_nlcius,
)
CIUS_RO = RuleSet(
    "cius-ro",
    (
        Pack(
            id="cius-ro-1.0.9",
            release="CIUS-RO 1.0.9 with EN 16931 1.3.16",
            valid_from=date(2024, 6, 5),
            valid_to=None,
            books=(
                DeferredBook(Layer.CEN_UBL, "1.3.16", _EN16931_OF_CIUS_RO, "CEN_OF_CIUS_RO"),
                DeferredBook(Layer.CIUS_RO_UBL, "1.0.9", _CIUS_RO, "CIUS_RO_UBL"),
            ),
        ),
    ),
    recognises=_is_cius_ro,
)

BR_FR = RuleSet(
    "br-fr",
    (
        Pack(
            id="br-fr-1.4.0.04",
            release="BR-FR 1.4.0.04 with EN 16931 1.3.16",
            valid_from=date(2026, 9, 4),
            valid_to=None,
            books=(
                CEN_UBL,
                CEN_CII,
                DeferredBook(Layer.BR_FR_UBL, "1.4.0.04", "einvoice.rules.br_fr.ubl", "BR_FR_UBL"),
                DeferredBook(Layer.BR_FR_CII, "1.4.0.04", "einvoice.rules.br_fr.cii", "BR_FR_CII"),
            ),
        ),
    ),
    recognises=br_fr.is_french,
)

BR_FR_EXTENDED = RuleSet(
    "br-fr-extended",
    (
        Pack(
            id="br-fr-extended-1.4.0",
            release="EXTENDED-CTC-FR 1.4.0 and BR-FR 1.4.0.04 with EN 16931 1.3.16",
            valid_from=date(2026, 6, 30),
            valid_to=None,
            books=(
                DeferredBook(Layer.CEN_UBL, _OF_EXTENDED, _EXTENDED, "CEN_UBL_OF_EXTENDED"),
                DeferredBook(Layer.CEN_CII, _OF_EXTENDED, _EXTENDED, "CEN_CII_OF_EXTENDED"),
                DeferredBook(Layer.BR_FR_EXTENDED_CII, "1.4.0", _EXTENDED, "EXTENDED_CII"),
                DeferredBook(Layer.BR_FR_EXTENDED_UBL, "1.4.0", f"{_EXTENDED}_ubl", "EXTENDED_UBL"),
                DeferredBook(Layer.BR_FR_UBL, "1.4.0.04", "einvoice.rules.br_fr.ubl", "BR_FR_UBL"),
                DeferredBook(Layer.BR_FR_CII, "1.4.0.04", "einvoice.rules.br_fr.cii", "BR_FR_CII"),
            ),
        ),
    ),
    recognises=br_fr.is_extended,
)

# The identifier of the profile EN 16931 is that of EN 16931: a document says it is of this profile
# by being in a PDF.
FACTUR_X = RuleSet(
    "factur-x",
    (
        Pack(
            id="factur-x-1.09.2",
            release="Factur-X 1.09.2 (ZUGFeRD 2.5.2) with EN 16931 1.3.16",
            valid_from=date(2026, 9, 1),
            valid_to=None,
            books=(
                DeferredBook(Layer.FACTURX_EN16931, "1.09.2", _FACTUR_X, "FACTURX_EN16931"),
                DeferredBook(Layer.FACTURX_BASIC, "1.09.2", _FACTUR_X, "FACTURX_BASIC"),
                DeferredBook(Layer.FACTURX_BASIC_WL, "1.09.2", _FACTUR_X, "FACTURX_BASIC_WL"),
                DeferredBook(Layer.FACTURX_MINIMUM, "1.09.2", _FACTUR_X, "FACTURX_MINIMUM"),
                DeferredBook(Layer.FACTURX_EXTENDED, "1.09.2", _FACTUR_X, "FACTURX_EXTENDED"),
                CEN_CII,
            ),
        ),
    ),
    recognises=factur_x.is_profile,
    scenario=factur_x.scenario_of,
)


@dataclass(frozen=True, slots=True)
class _Pint:
    """A rule set of PINT: its specification, releases, and books by module and name.

    releases  of each its name, first day, and the book of the shared rules with the types of the
              specification
    aligned   the book of the country's rules; "": there are none but the shared ones
    before    of releases whose book is another one, what its name ends with
    peppol    in the European Union, the book of the rules of Peppol
    """

    name: str
    country: str
    specification: pint.Specification
    layer: Layer
    module: str
    aligned: str
    releases: tuple[tuple[str, date, str], ...]
    before: Mapping[str, str] = field(default_factory=dict)
    peppol: str = ""

    def rule_set(self) -> RuleSet:
        return RuleSet(self.name, tuple(self._packs()), recognises=self._is_named)

    def _packs(self) -> Iterator[Pack]:
        following = (*(first for _, first, _ in self.releases[1:]), None)
        for (release, first, shared), later in zip(self.releases, following, strict=True):
            yield Pack(
                id=f"{self.name}-{release}",
                release=f"Peppol PINT {self.country} {release}",
                valid_from=first,
                valid_to=later and later - timedelta(days=1),
                books=tuple(self._books(release, shared)),
            )

    def _books(self, release: str, shared: str) -> Iterator[DeferredBook]:
        yield DeferredBook(Layer.PINT_UBL, release, self.module, shared)
        suffix = self.before.get(release, "")
        for layer, name in ((self.layer, self.aligned), (Layer.PEPPOL_UBL, self.peppol)):
            if name:
                yield DeferredBook(layer, release, self.module, f"{name}{suffix}")

    def _is_named(self, document: Declared) -> bool:
        if not self.aligned:
            return document.specification == self.specification.customization
        return document.begins_with(self.specification.customization)


_AE = (Layer.PINT_AE_UBL, "einvoice.rules.pint.ae.ubl")
_OM = (Layer.PINT_OM_UBL, "einvoice.rules.pint.om.ubl")
_AUNZ = (Layer.PINT_AUNZ_UBL, "einvoice.rules.pint.aunz")
_MY = (Layer.PINT_MY_UBL, "einvoice.rules.pint.my")
_SG = (Layer.PINT_SG_UBL, "einvoice.rules.pint.sg")
_EU = (Layer.CEN_UBL, "einvoice.rules.pint.eu")
_JP = (Layer.PINT_JP_UBL, "einvoice.rules.pint.jp")
_GULF_SINCE, _SPRING, _JP_SINCE = date(2026, 5, 25), date(2026, 3, 9), date(2026, 5, 18)
_NO_COUNTRY = pint.Specification(pint.BILLING.rstrip("@"), pint.BILLING_PROCESS)
_PINT_SETS = (
    _Pint("pint", "of no country", _NO_COUNTRY, Layer.PINT_UBL, _AUNZ[1], "",
          (("1.1.2", _SPRING, "PINT_UBL_1_1_2"), ("1.1.3", date(2026, 5, 21), "PINT_UBL_OF_AUNZ"))),
    _Pint("pint-ae", "AE (United Arab Emirates)", pint.billing("ae"), *_AE, "PINT_AE",
          (("1.0.4", _GULF_SINCE, "PINT_UBL_OF_AE"),)),
    _Pint("pint-ae-selfbilling", "AE self-billing (United Arab Emirates)", pint.self_billing("ae"),
          *_AE, "PINT_AE", (("1.0.4", _GULF_SINCE, "PINT_UBL_OF_AE_SELF_BILLING"),)),
    _Pint("pint-aunz", "A-NZ (Australia and New Zealand)", pint.billing("aunz"), *_AUNZ,
          "PINT_AUNZ", (("1.1.2", _SPRING, "PINT_UBL_1_1_2"),
                        ("1.1.3", date(2026, 5, 21), "PINT_UBL_OF_AUNZ"))),
    _Pint("pint-aunz-selfbilling", "A-NZ self-billing (Australia and New Zealand)",
          pint.self_billing("aunz"), *_AUNZ, "PINT_AUNZ_SELF_BILLING",
          (("1.1.2", _SPRING, "PINT_UBL_1_1_2_SELF_BILLING"),
           ("1.1.3", date(2026, 5, 21), "PINT_UBL_OF_AUNZ_SELF_BILLING"))),
    _Pint("pint-eu", "EU (European Union)", pint.billing("eu"), *_EU, "CEN_OF_EU",
          (("1.0.1", _SPRING, "PINT_UBL_1_1_2"), ("1.1.1", date(2026, 6, 9), "PINT_UBL_OF_EU")),
          {"1.0.1": "_1_0_1"}, "PEPPOL_OF_EU"),
    _Pint("pint-jp", "JP (Japan)", pint.billing("jp"), *_JP, "PINT_JP",
          (("1.1.2", _SPRING, "PINT_UBL_1_1_2"), ("1.1.3", _JP_SINCE, "PINT_UBL_OF_JP"))),
    _Pint("pint-jp-selfbilling", "JP self-billing (Japan)", pint.self_billing("jp"), *_JP,
          "PINT_JP_SELF_BILLING", (("1.1.2", _SPRING, "PINT_UBL_1_1_2_SELF_BILLING"),
                                   ("1.1.3", _JP_SINCE, "PINT_UBL_OF_JP_SELF_BILLING"))),
    _Pint("pint-jp-nontax", "JP, sellers without tax registration (Japan)", pint.non_tax("jp"),
          *_JP, "PINT_JP_NON_TAX", (("1.1.2", _SPRING, "PINT_UBL_1_1_2_NON_TAX"),
                                    ("1.1.3", _JP_SINCE, "PINT_UBL_OF_JP_NON_TAX"))),
    _Pint("pint-my", "MY (Malaysia)", pint.billing("my"), *_MY, "PINT_MY",
          (("1.3.0", _SPRING, "PINT_UBL_1_1_2"), ("1.3.1", date(2026, 6, 5), "PINT_UBL_OF_MY")),
          {"1.3.0": "_1_3_0"}),
    _Pint("pint-my-selfbilling", "MY self-billing (Malaysia)", pint.self_billing("my"), *_MY,
          "PINT_MY_SELF_BILLING", (("1.3.1", date(2026, 6, 5), "PINT_UBL_OF_MY_SELF_BILLING"),)),
    _Pint("pint-om", "OM (Oman)", pint.billing("om"), *_OM, "PINT_OM",
          (("1.0.1", _GULF_SINCE, "PINT_UBL_OF_OM"),)),
    _Pint("pint-om-selfbilling", "OM self-billing (Oman)", pint.self_billing("om"), *_OM,
          "PINT_OM_SELF_BILLING", (("1.0.1", _GULF_SINCE, "PINT_UBL_OF_OM_SELF_BILLING"),)),
    _Pint("pint-sg", "SG (Singapore)", pint.billing("sg"), *_SG, "PINT_SG",
          (("1.4.0", _SPRING, "PINT_UBL_1_1_2"), ("1.4.1", _GULF_SINCE, "PINT_UBL_OF_SG")),
          {"1.4.0": "_1_4_0"}),
)  # fmt: skip
PINT = tuple(each.rule_set() for each in _PINT_SETS)


_SK_INVOICE = "einvoice.rules.tax_data.sk_invoice"
_IN_SLOVAK_REPORTS = Pack(
    id="tdd-sk-1.0.0-invoice",
    release="EN 16931 and Peppol in TDD SK 1.0.0",
    valid_from=date(2026, 4, 14),
    valid_to=None,
    books=(
        DeferredBook(tax_data.SK_CEN_LAYER, "1.0.0", _SK_INVOICE, "TDD_SK_CEN"),
        DeferredBook(tax_data.SK_PEPPOL_LAYER, "1.0.0", _SK_INVOICE, "TDD_SK_PEPPOL"),
    ),
)


def _tax_data(country: str, release: str, valid_from: date, module: str, name: str) -> RuleSet:
    """The rule set of the tax data document of a country."""
    of, layer = SPECIFICATIONS[country], tax_data.LAYERS[country]
    book = DeferredBook(layer, release, f"einvoice.rules.tax_data.{module}", name)
    pack = Pack(
        id=f"tdd-{country.lower()}-{release}",
        release=f"Peppol tax data document {country} {release}",
        valid_from=valid_from,
        valid_to=None,
        books=(book,),
    )
    return RuleSet(
        f"tdd-{country.lower()}",
        (pack,),
        recognises=lambda document: document.root == of.root,
        within=None if of.holds_source else _IN_SLOVAK_REPORTS,
    )


TAX_DATA = (
    _tax_data("AE", "1.0.4", date(2026, 7, 22), "gulf", "TDD_AE"),
    _tax_data("OM", "1.0.1", date(2026, 7, 29), "gulf", "TDD_OM"),
    _tax_data("SK", "1.0.0", date(2026, 4, 14), "sk", "TDD_SK"),
)
FURTHER = (NLCIUS, CIUS_RO, BR_FR_EXTENDED, FACTUR_X, *PINT, *TAX_DATA)
