"""Code lists of the Saudi rules, most of them as EN 16931 has them in older releases."""

from __future__ import annotations

from typing import Final

from einvoice.rules.codelists import code_list
from einvoice.rules.values import normalized

_FORMER: Final = "BGN MRO ANG ZWL SLL HRK CUC VEF"
_LATER_TYPES: Final = "71 81 102 218 219 331 382 471 472 473 500 501 553 817 870 875 876 877"
_LATER: Final = "ZWG VED MRU UYW CNH VES SLE XCG"
CURRENCIES: Final = (code_list("iso4217_cen").codes | {*_FORMER.split()}) - {*_LATER.split()}
COUNTRIES: Final = code_list("iso3166_cen").codes
PAYMENT_MEANS: Final = code_list("uncl4461").codes - {"98"}
PAYMENT_MEANS_KSA: Final = PAYMENT_MEANS - {"69"}
TYPES: Final = (code_list("uncl1001_invoice_cen").codes | {"381"}) - {*_LATER_TYPES.split()}
KSA_TYPES: Final = frozenset({"388", "383", "381", "386"})
CATEGORIES: Final = frozenset(["AE", "L", "M", "E", "S", "Z", "G", "O", "K", "B"])
MEDIA_TYPES: Final = frozenset(
    {
        "text/csv",
        "text/plain",
        "application/pdf",
        "image/png",
        "image/jpeg",
        "image/tiff",
        "application/acad",
        "application/dwg",
        "drawing/dwg",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
    }
)
CHARGE_REASONS: Final = f" {' '.join(code_list('uncl7161').ordered)} "

_ZERO_RATED: Final = "32 33 34-1 34-2 34-3 34-4 34-5 35 36 EDU HEA MLTRY DIPLOMAT DUTYFREE"
LINE_EXEMPTIONS: Final = {
    "Z": frozenset(f"VATEX-SA-{code}" for code in _ZERO_RATED.split()),
    "E": frozenset({"VATEX-SA-29", "VATEX-SA-29-7", "VATEX-SA-30"}),
    "O": frozenset({"VATEX-SA-OOS"}),
}
EXEMPTIONS: Final = LINE_EXEMPTIONS | {
    "Z": LINE_EXEMPTIONS["Z"] | {"VATEX-SA-ROYALDECREE", "VATEX-SA-32(bis)"}
}

SELLER_SCHEMES: Final = ("CRN", "MOM", "MLS", "700", "SAG", "OTH")
BUYER_SCHEMES: Final = (
    "TIN", "CRN", "MOM", "MLS", "700", "SAG", "NAT", "GCC", "IQA", "OTH", "PAS"
)  # fmt: skip


def listed(text: str, codes: frozenset[str]) -> bool:
    """Whether a text, white space around it aside, is a code."""
    return normalized(text) in codes
