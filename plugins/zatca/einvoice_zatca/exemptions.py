"""Reasons why no VAT is charged: codes of ZATCA, and its words for each.

Source: ZATCA, XML implementation standard 1.2, 11.2.4, and samples of its SDK, which write both
languages. The words for VATEX-SA-OOS are the taxpayer's own, so that there are none of ZATCA.

>>> from einvoice.domain.invoice import TaxCategory
>>> from einvoice.domain.money import ZERO
>>> completed(TaxSubtotal(ZERO, ZERO, TaxCategory("O", None), "Wages")).exemption_code
'VATEX-SA-OOS'
>>> completed(
...     TaxSubtotal(ZERO, ZERO, TaxCategory("Z", ZERO), None, "VATEX-SA-32")
... ).exemption_reason
'Export of goods | صادرات السلع من المملكة'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from einvoice.domain.invoice import TaxSubtotal
from einvoice.domain.request import SendWarning

ASSUMED, CODE_FIELD = "exemption-reason-assumed", "invoice.taxExemption.reasonCode"
EUROPEAN_CODE_ASSUMED: Final = f"{ASSUMED} {CODE_FIELD}"
OUT_OF_SCOPE: Final = "VATEX-SA-OOS"
_NO_CODES: Final = (None, "VATEX-EU-O")  # what a send that names none gets
WORDS: Final[Mapping[str, str]] = {
    "VATEX-SA-29": "Financial services mentioned in Article 29 of the VAT Regulations"
    " | الخدمات المالية",
    "VATEX-SA-29-7": "Life insurance services mentioned in Article 29 of the VAT Regulations"
    " | عقد تأمين على الحياة",
    "VATEX-SA-30": "Real estate transactions mentioned in Article 30 of the VAT Regulations"
    " | التوريدات العقارية المعفاة من الضريبة",
    "VATEX-SA-32": "Export of goods | صادرات السلع من المملكة",
    "VATEX-SA-33": "Export of services | صادرات الخدمات من المملكة",
    "VATEX-SA-34-1": "The international transport of Goods | النقل الدولي للسلع",
    "VATEX-SA-34-2": "International transport of passengers | النقل الدولي للركاب",
    "VATEX-SA-34-3": "Services directly connected and incidental to a Supply of international"
    " passenger transport | الخدمات المرتبطة مباشرة أو عرضياً بتوريد النقل الدولي للركاب",
    "VATEX-SA-34-4": "Supply of a qualifying means of transport | توريد وسائل النقل المؤهلة",
    "VATEX-SA-34-5": "Any services relating to Goods or passenger transportation, as defined in"
    " article twenty five of these Regulations | الخدمات ذات الصلة بنقل السلع أو الركاب، وفقاً"
    " للتعريف الوارد بالمادة الخامسة والعشرين من اللائحة التنفيذية لنظام ضريبة القيمة المضافة",
    "VATEX-SA-35": "Medicines and medical equipment | الأدوية والمعدات الطبية",
    "VATEX-SA-36": "Qualifying metals | المعادن المؤهلة",
    "VATEX-SA-EDU": "Private education to citizen | الخدمات التعليمية الخاصة للمواطنين",
    "VATEX-SA-HEA": "Private healthcare to citizen | الخدمات الصحية الخاصة للمواطنين",
    "VATEX-SA-MLTRY": "Supply of qualified military goods | توريد السلع العسكرية المؤهلة",
    "VATEX-SA-DUTYFREE": "Qualified Supply of Goods in Duty Free area"
    " | التوريد المؤهل للسلع في الأسواق الحرة",
}


def completed(tax: TaxSubtotal) -> TaxSubtotal:
    """The breakdown with the only code of category O, and the words for a code without any."""
    code = tax.exemption_code
    if tax.category.code == "O" and code in _NO_CODES:
        code = OUT_OF_SCOPE
    words = tax.exemption_reason or WORDS.get(code or "")
    return replace(tax, exemption_code=code, exemption_reason=words)


def assumptions(before: TaxSubtotal, after: TaxSubtotal) -> Iterator[SendWarning]:
    """A warning for each term that was completed."""
    if after.exemption_code != before.exemption_code:
        words = f"What is out of the scope of VAT (O) has the code of ZATCA, {OUT_OF_SCOPE}."
        yield SendWarning(ASSUMED, words, CODE_FIELD)
    if after.exemption_reason != before.exemption_reason:
        words = f"The reason has ZATCA's words for {after.exemption_code}."
        yield SendWarning(ASSUMED, words, "invoice.taxExemption.reason")
