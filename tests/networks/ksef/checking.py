"""What KSeF reads from an invoice, and what it checks of it after it was taken."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from lxml import etree

from einvoice.xml import NotXml, parse
from tests.networks.ksef.numbers import WARSAW
from tests.networks.ksef.schemas import invoice_fault

MAX_BYTES: Final = 1_000_000
MAX_BYTES_WITH_ATTACHMENT: Final = 3_000_000
_DISCOURAGED: Final = re.compile(
    "[\x7f-\x84\x86-\x9f\ufdd0-\ufdef"
    + "".join(chr(plane * 0x10000 + last) for plane in range(1, 17) for last in (0xFFFE, 0xFFFF))
    + "]"
)
_ENCODING: Final = re.compile(rb"""^<\?xml[^>]*encoding=["']([^"']+)["']""")
_INSTRUCTION: Final = re.compile(rb"<\?(?!xml[ \t\r\n])")
FA_TYPES: Final = {
    "VAT": "Vat",
    "ZAL": "Zal",
    "KOR": "Kor",
    "ROZ": "Roz",
    "UPR": "Upr",
    "KOR_ZAL": "KorZal",
    "KOR_ROZ": "KorRoz",
    "VAT_RR": "VatRr",
    "KOR_VAT_RR": "KorVatRr",
}


class Wrong(Exception):
    """An invoice that is not accepted: its status, with details and extensions."""

    def __init__(self, code: int, *details: str, **extensions: str) -> None:
        super().__init__(f"{code} {details}")
        self.code, self.details, self.extensions = code, details, extensions


@dataclass(frozen=True)
class Party:
    """A buyer or a third subject. `kind`: Nip, InternalId, VatUe, Other or None."""

    kind: str = "None"
    value: str | None = None
    name: str | None = None
    role: int = 0

    def shown(self) -> dict[str, Any]:
        identifier = {"type": self.kind} | ({"value": self.value} if self.value else {})
        return {"identifier": identifier} | ({"name": self.name} if self.name else {})


@dataclass(frozen=True)
class Facts:
    """What an invoice says."""

    seller: str
    seller_name: str
    number: str
    issued: str
    kind: str  # as the API shows it
    buyer: Party
    currency: str
    gross: Decimal
    net: Decimal
    vat: Decimal
    thirds: tuple[Party, ...] = ()
    authorised: str | None = None
    self_invoicing: bool = False
    attachment: bool = False
    nips: tuple[str, ...] = field(default=())

    @property
    def key(self) -> tuple[str, str, str]:
        """What no two invoices have in common."""
        return self.seller, self.kind, self.number


def read(document: bytes, form: str) -> Facts:
    """Check the file, and read it. Raises Wrong."""
    root = _parsed(document)
    if (fault := invoice_fault(form, root)) is not None:
        raise Wrong(430, fault)
    facts = _of_ubl(root) if form.startswith("PEF") else _of_fa(root)
    most = MAX_BYTES_WITH_ATTACHMENT if facts.attachment else MAX_BYTES
    if len(document) > most:
        raise Wrong(430, f"Rozmiar faktury przekracza {most} bajtów.")
    return facts


def _parsed(document: bytes) -> etree._Element:
    if document.startswith(b"\xef\xbb\xbf"):
        raise Wrong(430, "Plik zawiera BOM.")
    try:
        text = document.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise Wrong(430, "Plik nie jest kodowany w UTF-8.") from fault
    named = _ENCODING.match(document)
    if named and named[1].lower() != b"utf-8":
        raise Wrong(430, f"Kodowanie {named[1].decode()} jest niedozwolone.")
    if _INSTRUCTION.search(document):
        raise Wrong(430, "Plik zawiera instrukcje przetwarzania.")
    if _DISCOURAGED.search(text):
        raise Wrong(430, "Plik zawiera niezalecane znaki.")
    try:
        return parse(document)
    except NotXml as fault:
        raise Wrong(430, f"Plik nie jest poprawnym dokumentem XML: {fault}") from fault


def _amount(text: str | None) -> Decimal:
    try:
        return Decimal(text or "0")
    except InvalidOperation:
        return Decimal(0)


def _sum(root: etree._Element, start: str) -> Decimal:
    """The sum of amounts of a group; those in PLN beside a currency (…W) do not count."""
    found = list(root.iterfind("{*}Fa/{*}*"))
    names = [(etree.QName(each).localname, each.text) for each in found]
    return sum(
        (_amount(text) for name, text in names if name.startswith(start) and name[-1] != "W"),
        Decimal(0),
    )


def _party(element: etree._Element | None) -> Party:
    if element is None:
        return Party()
    data = element.find("{*}DaneIdentyfikacyjne")
    if data is None:
        return Party()
    value = lambda name: data.findtext("{*}" + name)  # noqa: E731
    name, role = value("Nazwa"), int(element.findtext("{*}Rola") or 0)
    if nip := value("NIP"):
        return Party("Nip", nip, name, role)
    if internal := value("IDWew"):
        return Party("InternalId", internal, name, role)
    if vat := value("NrVatUE"):
        return Party("VatUe", (value("KodUE") or "") + vat, name, role)
    if other := value("NrID"):
        return Party("Other", other, name, role)
    return Party("None", None, name, role)


def _of_fa(root: etree._Element) -> Facts:
    text = lambda path: root.findtext("/".join("{*}" + each for each in path.split("/"))) or ""  # noqa: E731
    thirds = tuple(_party(each) for each in root.iterfind("{*}Podmiot3"))
    buyer = _party(root.find("{*}Podmiot2"))
    seller = text("Podmiot1/DaneIdentyfikacyjne/NIP")
    authorised = text("PodmiotUpowazniony/DaneIdentyfikacyjne/NIP")
    nips = [each.value for each in (buyer, *thirds) if each.kind == "Nip" and each.value]
    return Facts(
        seller=seller,
        seller_name=text("Podmiot1/DaneIdentyfikacyjne/Nazwa"),
        number=text("Fa/P_2"),
        issued=text("Fa/P_1"),
        kind=FA_TYPES.get(text("Fa/RodzajFaktury"), "Vat"),
        buyer=buyer,
        currency=text("Fa/KodWaluty") or "PLN",
        gross=_amount(text("Fa/P_15")),
        net=_sum(root, "P_13_"),
        vat=_sum(root, "P_14_"),
        thirds=thirds,
        authorised=authorised or None,
        self_invoicing=text("Fa/Adnotacje/P_17") == "1",
        attachment=root.find("{*}Zalacznik") is not None,
        nips=tuple(each for each in (seller, *nips, authorised) if each),
    )


def _of_ubl(root: etree._Element) -> Facts:
    def nip(who: str) -> str:
        party = f"{{*}}Accounting{who}Party/{{*}}Party/"
        found = root.findtext(f"{party}{{*}}PartyTaxScheme/{{*}}CompanyID")
        found = found or root.findtext(f"{party}{{*}}PartyLegalEntity/{{*}}CompanyID") or ""
        return found.removeprefix("PL")

    def name(who: str) -> str:
        party = f"{{*}}Accounting{who}Party/{{*}}Party/"
        return root.findtext(f"{party}{{*}}PartyLegalEntity/{{*}}RegistrationName") or ""

    totals = "{*}LegalMonetaryTotal/{*}"
    gross, net = (
        _amount(root.findtext(totals + each))
        for each in ("TaxInclusiveAmount", "TaxExclusiveAmount")
    )
    correction = etree.QName(root).localname == "CreditNote"
    buyer = nip("Customer")
    return Facts(
        seller=nip("Supplier"),
        seller_name=name("Supplier"),
        number=root.findtext("{*}ID") or "",
        issued=root.findtext("{*}IssueDate") or "",
        kind="KorPef" if correction else "VatPef",
        buyer=Party("Nip", buyer, name("Customer")) if buyer else Party(),
        currency=root.findtext("{*}DocumentCurrencyCode") or "PLN",
        gross=gross,
        net=net,
        vat=gross - net,
        nips=tuple(each for each in (nip("Supplier"), buyer) if each),
    )


def check_meaning(facts: Facts, received: datetime, *, production: bool) -> None:
    """What the schema does not check. Raises Wrong."""
    today = received.astimezone(WARSAW).date().isoformat()
    if facts.issued > today:
        raise Wrong(450, f"Data wystawienia {facts.issued} jest późniejsza niż {today}.")
    if production:
        for nip in facts.nips:
            if not _has_check_digit(nip):
                raise Wrong(450, f"Nieprawidłowa suma kontrolna NIP {nip}.")


def _has_check_digit(nip: str) -> bool:
    weights = (6, 5, 7, 2, 3, 4, 5, 6, 7)
    return sum(int(d) * w for d, w in zip(nip, weights, strict=False)) % 11 == int(nip[9])
