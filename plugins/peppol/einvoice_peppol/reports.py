"""The two monthly reports to OpenPeppol, made of items and checked.

Source: Transaction Statistics Report 1.0 and End User Statistics Report 1.1. The rules that the
checks follow are named by their ids (SCH-TSR-…, SCH-EUSR-…).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Final, TypeVar
from xml.sax.saxutils import escape, quoteattr

from lxml import etree

from einvoice.domain.identifiers import DocumentTypeId, ParticipantId, ProcessId
from einvoice.xml import parse
from einvoice_peppol.reporting import SENT, Item, bounds

RECIPIENT: Final = ParticipantId("9925", "be0848934496")  # OpenPeppol
PROCESS: Final = ProcessId("cenbii-procid-ubl", "urn:fdc:peppol.eu:edec:bis:reporting:1.0")
TSR_NAMESPACE: Final = "urn:fdc:peppol:transaction-statistics-report:1.0"
TSR_CUSTOMIZATION: Final = "urn:fdc:peppol.eu:edec:trns:transaction-statistics-reporting:1.0"
TSR_TYPE: Final = DocumentTypeId(
    "busdox-docid-qns", f"{TSR_NAMESPACE}::TransactionStatisticsReport##{TSR_CUSTOMIZATION}::1.0"
)
EUSR_NAMESPACE: Final = "urn:fdc:peppol:end-user-statistics-report:1.1"
EUSR_CUSTOMIZATION: Final = "urn:fdc:peppol.eu:edec:trns:end-user-statistics-report:1.1"
EUSR_TYPE: Final = DocumentTypeId(
    "busdox-docid-qns", f"{EUSR_NAMESPACE}::EndUserStatisticsReport##{EUSR_CUSTOMIZATION}::1.1"
)

Key = tuple[str, str, str]  # meta scheme, scheme, value
Keys = tuple[Key, ...]
Part = TypeVar("Part")


@dataclass(slots=True)
class _Counts:
    incoming: int = 0
    outgoing: int = 0

    def add(self, item: Item) -> None:
        if item.direction == SENT:
            self.outgoing += 1
        else:
            self.incoming += 1


@dataclass(slots=True)
class _Users:
    sending: set[str] = field(default_factory=set)
    receiving: set[str] = field(default_factory=set)

    def add(self, item: Item) -> None:
        if item.end_user is not None:
            (self.sending if item.direction == SENT else self.receiving).add(item.end_user)


def transaction_statistics(items: Iterable[Item], month: date, seat: str) -> bytes:
    """The TSR of a month, also of one without items. `seat`: our seat id."""
    total = _Counts()
    subtotals: dict[tuple[str, Keys], _Counts] = defaultdict(_Counts)
    for item in items:
        total.add(item)
        for key in _transaction_keys(item):
            subtotals[key].add(item)
    parts = [f"<Total>{_counts(total)}</Total>"]
    for (kind, keys), counts in _in_order(subtotals):
        parts.append(f'<Subtotal type="{kind}">{_keys(keys)}{_counts(counts)}</Subtotal>')
    root = "TransactionStatisticsReport"
    return _document(root, TSR_NAMESPACE, TSR_CUSTOMIZATION, month, seat, parts)


def _transaction_keys(item: Item) -> Iterator[tuple[str, Keys]]:
    yield "PerTP", (("TP", "Peppol", item.transport),)
    provider = ("SP", "CertSubjectCN", item.other)
    by_type = (provider, _type_key(item), _process_key(item))
    yield "PerSP-DT-PR", by_type
    if item.direction != SENT:
        sender = ("CC", "SenderCountry", item.country_c1)
        receiver = ("CC", "ReceiverCountry", item.country_c4 or "ZZ")
        yield "PerSP-DT-PR-CC", (*by_type, sender, receiver)


def end_user_statistics(items: Iterable[Item], month: date, seat: str) -> bytes:
    """The EUSR of a month, also of one without items. `seat`: our seat id."""
    everybody = _Users()
    subsets: dict[tuple[str, Keys], _Users] = defaultdict(_Users)
    for item in items:
        if item.end_user is None:
            continue
        everybody.add(item)
        for key in _user_keys(item):
            subsets[key].add(item)
    parts = [f"<FullSet>{_users(everybody)}</FullSet>"]
    for (kind, keys), users in _in_order(subsets):
        parts.append(f'<Subset type="{kind}">{_keys(keys)}{_users(users)}</Subset>')
    root = "EndUserStatisticsReport"
    return _document(root, EUSR_NAMESPACE, EUSR_CUSTOMIZATION, month, seat, parts)


def _user_keys(item: Item) -> Iterator[tuple[str, Keys]]:
    by_type, process = _type_key(item), _process_key(item)
    yield "PerDT-PR", (by_type, process)
    if item.end_user_country is not None:
        country = ("CC", "EndUserCountry", item.end_user_country)
        yield "PerEUC", (country,)
        yield "PerDT-EUC", (by_type, country)
        yield "PerDT-PR-EUC", (by_type, process, country)


def _type_key(item: Item) -> Key:
    return "DT", item.document_type.scheme, item.document_type.value


def _process_key(item: Item) -> Key:
    return "PR", item.process.scheme, item.process.value


_ORDER: Final = (
    "PerTP", "PerSP-DT-PR", "PerSP-DT-PR-CC", "PerDT-PR", "PerEUC", "PerDT-EUC", "PerDT-PR-EUC",
)  # fmt: skip


def _in_order(parts: dict[tuple[str, Keys], Part]) -> list[tuple[tuple[str, Keys], Part]]:
    return sorted(parts.items(), key=lambda part: (_ORDER.index(part[0][0]), part[0][1]))


def _document(
    root: str, namespace: str, customization: str, month: date, seat: str, parts: Sequence[str]
) -> bytes:
    since, until = bounds(month)
    last = (until - timedelta(days=1)).date()
    body = "\n  ".join(parts)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<{root} xmlns="{namespace}">
  <CustomizationID>{customization}</CustomizationID>
  <ProfileID>{PROCESS.value}</ProfileID>
  <Header>
    <ReportPeriod>
      <StartDate>{since.date()}</StartDate>
      <EndDate>{last}</EndDate>
    </ReportPeriod>
    <ReporterID schemeID="CertSubjectCN">{escape(seat)}</ReporterID>
  </Header>
  {body}
</{root}>
""".encode()


def _keys(keys: Keys) -> str:
    return "".join(
        f'<Key metaSchemeID="{meta}" schemeID={quoteattr(scheme)}>{escape(value)}</Key>'
        for meta, scheme, value in keys
    )


def _counts(counts: _Counts) -> str:
    return f"<Incoming>{counts.incoming}</Incoming><Outgoing>{counts.outgoing}</Outgoing>"


def _users(users: _Users) -> str:
    either = users.sending | users.receiving
    return (
        f"<SendingEndUsers>{len(users.sending)}</SendingEndUsers>"
        f"<ReceivingEndUsers>{len(users.receiving)}</ReceivingEndUsers>"
        f"<SendingOrReceivingEndUsers>{len(either)}</SendingOrReceivingEndUsers>"
    )


# -- checks --------------------------------------------------------------------------------------


def check_transaction_statistics(content: bytes) -> list[str]:
    """The faults of the sums of a TSR, by the ids of the rules."""
    root = parse(content)
    wrong: list[str] = []
    rules = {
        "PerTP": ("SCH-TSR-04", "SCH-TSR-05", "SCH-TSR-06"),
        "PerSP-DT-PR": ("SCH-TSR-08", "SCH-TSR-09", "SCH-TSR-10"),
        "PerSP-DT-PR-CC": ("SCH-TSR-12", None, "SCH-TSR-14"),
    }
    for kind, (incoming, outgoing, once) in rules.items():
        parts = root.findall(f"{{*}}Subtotal[@type='{kind}']")
        for rule, name in ((incoming, "Incoming"), (outgoing, "Outgoing")):
            total = _number(root, f"{{*}}Total/{{*}}{name}")
            if rule and sum(_number(each, f"{{*}}{name}") for each in parts) != total:
                wrong.append(f"{rule}: the sum of {name} {kind} is not that of all")
        wrong += _repeated(parts, once)
    return wrong


def check_end_user_statistics(content: bytes) -> list[str]:
    """The faults of the numbers of an EUSR, by the ids of the rules."""
    root = parse(content)
    subsets = root.findall("{*}Subset")
    names = {
        "SendingEndUsers": "SCH-EUSR-03",
        "ReceivingEndUsers": "SCH-EUSR-04",
        "SendingOrReceivingEndUsers": "SCH-EUSR-22",
    }
    wrong = [
        f"{rule}: a subset has more {name} than there are"
        for name, rule in names.items()
        if any(
            _number(e, f"{{*}}{name}") > _number(root, f"{{*}}FullSet/{{*}}{name}") for e in subsets
        )
    ]
    for each in subsets:
        sending, receiving, either = (_number(each, f"{{*}}{name}") for name in names)
        if not max(sending, receiving, 1) <= either <= sending + receiving:
            wrong.append("SCH-EUSR-33 to 36: a subset has impossible numbers")
    for kind in ("PerDT-PR", "PerEUC", "PerDT-EUC"):
        parts = [each for each in subsets if each.get("type") == kind]
        wrong += _repeated(parts, "SCH-EUSR-13, 38, 40")
        if subsets and not parts:
            wrong.append(f"SCH-EUSR-15, 37, 39: there is no subset {kind}")
    return wrong


def _repeated(parts: Sequence[etree._Element], rule: str) -> list[str]:
    keys = Counter(
        tuple((key.get("schemeID"), key.text) for key in each.iterfind("{*}Key")) for each in parts
    )
    return [f"{rule}: a combination of keys occurs twice" for count in keys.values() if count > 1]


def _number(parent: etree._Element, path: str) -> int:
    text = parent.findtext(path)
    return int(text) if text and text.isdecimal() else -1
