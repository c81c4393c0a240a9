"""Calls that find invoices: metadata, exports, and the download of one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from tests.networks.ksef import keys, texts
from tests.networks.ksef.answers import Forbidden, Gone, Refused, result, shown
from tests.networks.ksef.books import Invoice
from tests.networks.ksef.callers import Login
from tests.networks.ksef.calls import READ, Request, Route, member
from tests.networks.ksef.checking import Facts, Party
from tests.networks.ksef.numbers import WARSAW, reference
from tests.networks.ksef.packages import packed
from tests.networks.ksef.sessions import FORM_CODES, encrypted, integer, unwrapped
from tests.networks.ksef.storage import Blob
from tests.networks.stand_ins import Answer

if TYPE_CHECKING:
    from tests.networks.ksef.authority import Authority

MAX_RANGE: Final = timedelta(days=100)
MAX_EXPORTS: Final = 10
PART_BYTES: Final = 50_000_000
KEPT: Final = timedelta(days=7)
_VERSIONS: Final = {system: (version, value) for system, version, value in FORM_CODES}
_DATES: Final[dict[str, Callable[[Invoice], datetime]]] = {
    "Invoicing": lambda each: each.received,
    "PermanentStorage": lambda each: each.stored or each.received,
    "Issue": lambda each: datetime.fromisoformat(_facts(each).issued).replace(tzinfo=WARSAW),
}


def _facts(invoice: Invoice) -> Facts:
    assert invoice.facts is not None
    return invoice.facts


def _is_party(invoice: Invoice, role: str, login: Login) -> bool:
    """Whether the context of a caller has a role in an invoice."""
    value, facts = login.context[1], _facts(invoice)
    match role:
        case "Subject1":
            return facts.seller == value
        case "Subject2":
            return facts.buyer.value == value
        case "Subject3":
            return any(each.value == value for each in facts.thirds)
        case _:
            return facts.authorised == value


# -- filters ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """What filters have found. `mark`: the high-water mark, of dates of storage."""

    invoices: Sequence[Invoice]
    dated: str
    truncated: bool
    mark: datetime | None


def _moment(values: dict[str, Any], path: str, *, needed: bool) -> datetime | None:
    text = member(values, path, needed=needed)
    if text is None:
        return None
    try:
        made = datetime.fromisoformat(text)
    except ValueError as fault:
        raise Refused(21405, f"Pole '{path}' nie jest datą.") from fault
    return made if made.tzinfo else made.replace(tzinfo=WARSAW)


def _found(
    authority: Authority, values: dict[str, Any], login: Login, most: int, *, ascending: bool
) -> Found:
    """The invoices that filters find. Raises Refused."""
    role, dated = member(values, "subjectType"), member(values, "dateRange.dateType")
    if role not in ("Subject1", "Subject2", "Subject3", "SubjectAuthorized") or dated not in _DATES:
        raise Refused(21405, "Nieprawidłowy typ podmiotu lub daty.")
    since = _moment(values, "dateRange.from", needed=True)
    until = _moment(values, "dateRange.to", needed=False) or authority.now()
    assert since is not None
    if until < since or until - since > MAX_RANGE:
        raise Refused(21405, f"Zakres dat ma najwyżej {MAX_RANGE.days} dni.")
    mark = authority.high_water_mark if dated == "PermanentStorage" else None
    limited = member(values, "dateRange.restrictToPermanentStorageHwmDate", bool, needed=False)
    if mark is not None and limited:
        if since > mark:
            raise Refused(21183, "Parametr dateRange.from jest późniejszy niż "
                                 "PermanentStorageHwmDate przy włączonym "
                                 "restrictToPermanentStorageHwmDate.")  # fmt: skip
        until = min(until, mark)
    date_of, now = _DATES[dated], authority.now()
    matching = [
        each
        for each in authority.archive.values()
        if each.stored is not None
        and each.stored <= now
        and _is_party(each, role, login)
        and since <= date_of(each) <= until
        and _matches(each, values)
    ]
    ordered = sorted(matching, key=date_of, reverse=not ascending)
    return Found(ordered[:most], dated, len(ordered) > most, mark)


def _matches(invoice: Invoice, values: dict[str, Any]) -> bool:
    facts = _facts(invoice)
    held = {
        "ksefNumber": invoice.ksef_number,
        "invoiceNumber": facts.number,
        "sellerNip": facts.seller,
        "invoicingMode": invoice.mode,
        "isSelfInvoicing": facts.self_invoicing,
        "formType": _VERSIONS[invoice.session.form][1],
        "hasAttachment": facts.attachment,
    }
    if any(values.get(name) not in (None, value) for name, value in held.items()):
        return False
    buyer = values.get("buyerIdentifier") or {}
    return (
        facts.currency in (values.get("currencyCodes") or [facts.currency])
        and facts.kind in (values.get("invoiceTypes") or [facts.kind])
        and buyer.get("value", facts.buyer.value) == facts.buyer.value
    )


def _third(party: Party) -> dict[str, Any]:
    return party.shown() | {"role": party.role}


def _listed(authority: Authority, invoices: Sequence[Invoice]) -> list[dict[str, Any]]:
    """The entries of a list, some of which may be as no invoice is."""
    changes = authority.listed_as
    return [shown_metadata(each) | changes.get(each.ksef_number or "", {}) for each in invoices]


def shown_metadata(invoice: Invoice) -> dict[str, Any]:
    """The metadata of an invoice."""
    facts = _facts(invoice)
    assert invoice.acquired is not None
    assert invoice.stored is not None
    version, value = _VERSIONS[invoice.session.form]
    values: dict[str, Any] = {
        "ksefNumber": invoice.ksef_number,
        "invoiceNumber": facts.number,
        "issueDate": facts.issued,
        "invoicingDate": shown(invoice.received),
        "acquisitionDate": shown(invoice.acquired),
        "permanentStorageDate": shown(invoice.stored),
        "seller": {"nip": facts.seller, "name": facts.seller_name},
        "buyer": facts.buyer.shown(),
        "netAmount": float(facts.net),
        "grossAmount": float(facts.gross),
        "vatAmount": float(facts.vat),
        "currency": facts.currency,
        "invoicingMode": invoice.mode,
        "invoiceType": facts.kind,
        "formCode": {
            "systemCode": invoice.session.form,
            "schemaVersion": version,
            "value": value,
        },
        "isSelfInvoicing": facts.self_invoicing,
        "hasAttachment": facts.attachment,
        "invoiceHash": invoice.hash,
    }
    if facts.thirds:
        values["thirdSubjects"] = [_third(each) for each in facts.thirds]
    if invoice.corrects is not None:
        values["hashOfCorrectedInvoice"] = invoice.corrects
    return values


def metadata(authority: Authority, request: Request) -> Answer:
    order = request.query.get("sortOrder", "Asc")
    if order not in ("Asc", "Desc"):
        raise Refused(21405, "Parametr 'sortOrder' ma wartość Asc lub Desc.")
    found = _found(authority, request.json(), request.login, authority.query_most,
                   ascending=order == "Asc")  # fmt: skip
    size = integer(request, "pageSize", 10, 10, 250)
    start = integer(request, "pageOffset", 0, 0, 10**6) * size
    page = found.invoices[start : start + size]
    more = start + size < len(found.invoices)
    values: dict[str, Any] = {
        "hasMore": more or found.truncated,
        "isTruncated": found.truncated and not more,
        "invoices": _listed(authority, page),
    }
    if found.mark is not None:
        values["permanentStorageHwmDate"] = shown(found.mark)
    return result(values)


# -- one invoice -----------------------------------------------------------------------------------


def download(authority: Authority, request: Request) -> Answer:
    invoice = authority.archive.get(request.params["ksefNumber"])
    roles = ("Subject1", "Subject2", "Subject3", "SubjectAuthorized")
    if invoice is None or not any(_is_party(invoice, each, request.login) for each in roles):
        number = request.params["ksefNumber"]
        raise Refused(21164, f"Faktura o numerze KSeF {number} nie została znaleziona.")
    if invoice.ksef_number in authority.withheld:
        raise Forbidden("insufficient-resource-access")
    is_late = invoice.stored is None or invoice.stored > authority.now()
    if is_late or invoice.ksef_number in authority.not_ready:
        raise Refused(21165, f"Faktura o numerze KSeF {invoice.ksef_number} została przetworzona, "
                             "ale nie jest jeszcze dostępna do pobrania. Spróbuj ponownie "
                             "później.")  # fmt: skip
    content = invoice.content or b""
    headers = {"x-ms-meta-hash": keys.digest(content)}
    return Answer(200, content, "application/xml", headers)


# -- exports ---------------------------------------------------------------------------------------


@dataclass
class Export:
    """An export of invoices."""

    reference: str
    login: Login
    key: bytes | None
    vector: bytes
    found: Found
    at: datetime
    delay: timedelta
    compression: str = "Zip"
    only_metadata: bool = False
    code: int = 100
    parts: tuple[tuple[bytes, Blob], ...] = ()  # plain and encrypted content


def export(authority: Authority, request: Request) -> Answer:
    values, now = request.json(), authority.now()
    key, vector = unwrapped(authority, values)
    running = [each for each in authority.exports.values() if each.code == 100]
    if sum(each.login.context == request.login.context for each in running) >= MAX_EXPORTS:
        raise Refused(21182, "Dla uwierzytelnionego podmiotu w bieżącym kontekście osiągnięto "
                             f"maksymalny limit {MAX_EXPORTS} równoczesnych eksportów faktur. "
                             "Spróbuj ponownie później.")  # fmt: skip
    filters = member(values, "filters", dict)
    found = _found(authority, filters, request.login, authority.export_most, ascending=True)
    delay = authority.delay if authority.export_delay is None else authority.export_delay
    made = Export(reference("EH", now), request.login, key, vector, found, now, delay)
    made.compression = member(values, "compressionType", needed=False) or "Zip"
    made.only_metadata = bool(member(values, "onlyMetadata", bool, needed=False))
    authority.exports[made.reference] = made
    return result({"referenceNumber": made.reference}, 201)


def settle(authority: Authority, export: Export, now: datetime) -> None:
    """Pack an export whose time has come."""
    if export.code != 100 or now - export.at < export.delay:
        return
    if export.key is None:
        export.code = 415
        return
    archive = packed(dict(_files(authority, export)), export.compression)
    plain = [archive[at : at + PART_BYTES] for at in range(0, len(archive), PART_BYTES)]
    export.parts = tuple((each, Blob(encrypted(each, export.key, export.vector))) for each in plain)
    export.code = 200


def _files(authority: Authority, export: Export) -> Iterator[tuple[str, bytes]]:
    for each in export.found.invoices if not export.only_metadata else ():
        yield f"{each.ksef_number}.xml", each.content or b""
    listed = {"invoices": _listed(authority, export.found.invoices)}
    yield "_metadata.json", json.dumps(listed, ensure_ascii=False).encode()


def export_status(authority: Authority, request: Request) -> Answer:
    found = authority.exports.get(request.params["referenceNumber"])
    if found is None or found.login.context != request.login.context:
        raise Refused(21175)
    now = authority.now()
    if now - found.at > KEPT:
        raise Gone
    settle(authority, found, now)
    values: dict[str, Any] = {
        "status": {"code": found.code, "description": texts.EXPORT[found.code]}
    }
    if found.code == 200:
        done = found.at + found.delay
        values |= {"completedDate": shown(done), "packageExpirationDate": shown(done + KEPT)}
        values["package"] = _package(authority, found, now)
    return result(values)


def _package(authority: Authority, export: Export, now: datetime) -> dict[str, Any]:
    found = export.found
    values: dict[str, Any] = {
        "invoiceCount": len(found.invoices),
        "size": sum(len(plain) for plain, _ in export.parts),
        "isTruncated": found.truncated,
        "parts": [
            _part(authority, export, number, now) for number in range(1, len(export.parts) + 1)
        ],
    }
    if found.mark is not None:
        values["permanentStorageHwmDate"] = shown(found.mark)
    if found.truncated:
        last = found.invoices[-1]
        dates = {
            "PermanentStorage": ("lastPermanentStorageDate", shown(last.stored or last.received)),
            "Invoicing": ("lastInvoicingDate", shown(last.received)),
            "Issue": ("lastIssueDate", _facts(last).issued),
        }
        values |= dict([dates[found.dated]])
    return values


def _part(authority: Authority, export: Export, number: int, now: datetime) -> dict[str, Any]:
    plain, blob = export.parts[number - 1]
    content = blob.content or b""
    ending = "tar.gz" if export.compression == "TarGz" else "zip"
    return {
        "ordinalNumber": number,
        "partName": f"{export.reference}-{number:03d}.{ending}.aes",
        "method": "GET",
        **authority.storage.shown(blob, now, ("url", "expirationDate")),
        "partSize": len(plain),
        "partHash": keys.digest(plain),
        "encryptedPartSize": len(content),
        "encryptedPartHash": keys.digest(content),
    }


ROUTES: Final = (
    Route("POST", "/invoices/query/metadata", metadata, group="invoiceMetadata", any_of=READ),
    Route("POST", "/invoices/exports", export, group="invoiceExport", any_of=READ),
    Route(
        "GET",
        "/invoices/exports/{referenceNumber}",
        export_status,
        group="invoiceExportStatus",
        any_of=READ,
    ),
    Route("GET", "/invoices/ksef/{ksefNumber}", download, group="invoiceDownload", any_of=READ),
)
