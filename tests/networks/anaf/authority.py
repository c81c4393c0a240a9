"""The books of the stand-in for ANAF: companies, tokens, uploads, messages, quotas.

Its answers are those of `texts`. The clock can be moved (`pass_time`), so that documents leave the
queue, quotas begin again, tokens end, and messages are forgotten after 60 days.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from lxml import etree

from einvoice import clock
from einvoice.xml import NotXml, parse
from tests.networks.anaf import texts
from tests.networks.anaf.judging import Judge, by_own_rules, schema_fault
from tests.networks.anaf.seal import ministry
from tests.networks.stand_ins import Answer

BUCHAREST = ZoneInfo("Europe/Bucharest")
MAX_BYTES = 10 * 1024 * 1024
PAGE = 500
KEPT = timedelta(days=60)
ROOTS = {"UBL": "Invoice", "CN": "CreditNote"}


@dataclass
class Upload:
    """A document that was taken, and what became of it."""

    index: str
    cif: str
    standard: str
    call: str
    flags: dict[str, str]
    document: bytes
    at: datetime
    seller: str = ""
    buyer: str = ""
    number: str = ""
    state: str = "in prelucrare"
    file_id: str = ""
    file: bytes = b""
    errors: list[str] = field(default_factory=list)


@dataclass
class Message:
    """A message of a company's list."""

    id: str
    index: str
    cif: str
    type: str
    text: str
    at: datetime


class Authority:
    """The authority. `delay`: how long an upload waits for its check."""

    def __init__(self, delay: timedelta = timedelta(0), judge: Judge = by_own_rules) -> None:
        self.delay, self.judge = delay, judge
        self.moved = timedelta(0)
        self.lock = threading.RLock()
        self.signer = ministry()
        self.client = ("client-1", "client-secret-1")
        self.rights: dict[str, set[str]] = {}  # person → companies
        self.codes: dict[str, str] = {}  # code → person
        self.access: dict[str, tuple[str, datetime]] = {}
        self.refresh: dict[str, tuple[str, datetime]] = {}
        self.revoked: list[str] = []
        self.used_refresh: list[str] = []  # a second use of a refresh token
        self.uploads: dict[str, Upload] = {}
        self.messages: list[Message] = []
        self.counts: Counter[tuple[object, ...]] = Counter()
        self.calls: list[tuple[datetime, str, str]] = []  # when, call, index or id
        self.limits = {"state": 100, "file": 10, "list": 1500, "pages": 100_000, "RASP": 1000}
        self.per_minute = 1000
        # Of faults of the list with pages: as published. Clients have seen 200.
        self.pages_status = 400
        self._numbers = 5_000_000_000

    # -- time, people ------------------------------------------------------------------------------

    def now(self) -> datetime:
        return clock.now() + self.moved

    def pass_time(self, **given: float) -> None:
        self.moved += timedelta(**given)

    def jump(self, by: int) -> None:
        """Let the next index and file be further by so much."""
        with self.lock:
            self._numbers += by

    def local(self, moment: datetime, form: str) -> str:
        return moment.astimezone(BUCHAREST).strftime(form)

    def consent(self, person: str, *companies: str) -> str:
        """A person with rights for companies consents; the code."""
        with self.lock:
            self.rights.setdefault(person, set()).update(companies)
            code = secrets.token_urlsafe(8)
            self.codes[code] = person
            return code

    def tokens(
        self, form: dict[str, str], client: tuple[str, str]
    ) -> tuple[int, dict[str, object]]:
        """The token endpoint."""
        with self.lock:
            if client != self.client:
                return 401, {"error": "invalid_client"}
            if form.get("token_content_type") != "jwt":
                return 400, {"error": "invalid_request"}
            if form.get("grant_type") == "authorization_code":
                person = self.codes.pop(form.get("code", ""), None)
            else:
                person = self._refreshed(form.get("refresh_token", ""))
            return (
                (400, {"error": "invalid_grant"}) if person is None else (200, self._issue(person))
            )

    def revoke(
        self, form: dict[str, str], client: tuple[str, str]
    ) -> tuple[int, dict[str, object]]:
        """The endpoint that ends a token (RFC 7009), and with it the access of its person."""
        with self.lock:
            if client != self.client:
                return 401, {"error": "invalid_client"}
            token = form.get("token", "")
            person = self.refresh.get(token, self.access.get(token, (None,)))[0]
            if person is None:
                return 400, {"error": "invalid_token"}
            self.revoked.append(token)
            for tokens in (self.refresh, self.access):
                for each in [each for each, (of, _) in tokens.items() if of == person]:
                    del tokens[each]
            return 200, {}

    def _refreshed(self, token: str) -> str | None:
        person, ends = self.refresh.pop(token, (None, self.now()))
        if person is None:
            self.used_refresh.append(token)
        return person if ends > self.now() else None

    def _issue(self, person: str) -> dict[str, object]:
        access, refresh = (secrets.token_urlsafe(12) for _ in range(2))
        self.access[access] = person, self.now() + timedelta(days=90)
        self.refresh[refresh] = person, self.now() + timedelta(days=365)
        return {
            "access_token": access,
            "refresh_token": refresh,
            "token_type": "Bearer",
            "expires_in": 90 * 86400,
        }

    def person(self, token: str) -> str | None:
        person, ends = self.access.get(token, (None, self.now()))
        return person if ends > self.now() else None

    # -- upload ------------------------------------------------------------------------------------

    def upload(self, person: str, call: str, query: dict[str, str], body: bytes) -> Answer:
        standard, cif = query.get("standard"), query.get("cif")
        if not standard or not cif:
            return self._bad_request(texts.UPLOAD_PARAMETERS)
        if not body:
            return self._bad_request(texts.NO_BODY)
        with self.lock:
            refusal = self._refusal(person, standard, cif, query, body)
            if refusal is not None:
                return self._uploaded({"ExecutionStatus": "1"}, refusal)
            self._numbers += 1
            flags = {n: query[n] for n in ("extern", "autofactura", "executare") if n in query}
            made = Upload(str(self._numbers), cif, standard, call, flags, body, self.now())
            _read(made)
            self.uploads[made.index] = made
            return self._uploaded({"ExecutionStatus": "0", "index_incarcare": made.index})

    def _uploaded(self, attributes: dict[str, str], *errors: str) -> Answer:
        moment = {"dateResponse": self.local(self.now(), "%Y%m%d%H%M")}
        return _header(texts.UPLOAD, moment | attributes, *errors)

    def _refusal(
        self, person: str, standard: str, cif: str, query: dict[str, str], body: bytes
    ) -> str | None:
        if standard not in ("UBL", "CN", "CII", "RASP"):
            return texts.STANDARD
        if len(body) > MAX_BYTES:
            return texts.TOO_LARGE
        if not cif.isdecimal():
            return texts.CIF.format(cif)
        if (words := self._no_right(person, cif)) is not None:
            return words
        for flag, name in (("extern", "extern"), ("autofactura", "autofacturare"),
                           ("executare", "executare")):  # fmt: skip
            if query.get(flag, "DA") != "DA":
                return texts.FLAG.format(name)
        if standard == "RASP" and self._is_spent("RASP", cif):
            return texts.MESSAGES.format(self.limits["RASP"], cif)
        return _form_fault(standard, body)

    def _no_right(self, person: str, cif: str) -> str | None:
        if not self.rights.get(person):
            return texts.NO_CIF
        return None if cif in self.rights[person] else texts.NO_RIGHT.format(cif)

    # -- the check ---------------------------------------------------------------------------------

    def settle(self) -> None:
        """Check the documents whose time has come, in the order of their uploads."""
        for each in list(self.uploads.values()):
            if each.state == "in prelucrare" and each.at + self.delay <= self.now():
                self._check(each)

    def _check(self, one: Upload) -> None:
        if one.standard == "RASP":
            self._pass_on(one)
            return
        if etree.QName(parse(one.document)).localname != ROOTS.get(one.standard):
            one.state = "XML cu erori nepreluat de sistem"
            return
        one.errors = self._errors(one)
        one.state = "nok" if one.errors else "ok"
        content = one.document
        if one.errors:
            content = texts.error_file(one.index, one.cif, one.errors)
        self._keep(one, content)
        if one.errors:
            self._announce(one, one.cif, "ERORI FACTURA", texts.FAILED.format(one.index))
            return
        words = texts.SENT.format(one.index, one.seller, one.buyer)
        self._announce(one, one.seller, "FACTURA TRIMISA", words)
        self._announce(one, one.buyer, "FACTURA PRIMITA", words)

    def _errors(self, one: Upload) -> list[str]:
        issuer = one.buyer if "autofactura" in one.flags else one.seller
        if issuer != one.cif:
            return [f"E: validari globale  eroare: R_VANZATOR CUI={issuer} nu corespunde"]
        same = [
            each
            for each in self.uploads.values()
            if each.state == "ok" and (each.seller, each.number) == (one.seller, one.number)
        ]
        if same:
            day = self.local(same[0].at, "%Y-%m-%d")
            return [texts.DUPLICATE.format(same[0].index, day)]
        return self.judge(one.document)

    def _pass_on(self, one: Upload) -> None:
        """Show the message of a buyer to the seller."""
        of = self.uploads.get(parse(one.document).get("index_incarcare", ""))
        if of is None or of.buyer != one.cif:
            one.state = "XML cu erori nepreluat de sistem"
            return
        one.state = "ok"
        self._keep(one, one.document)
        words = texts.MESSAGE.format(of.index, of.seller, of.buyer)
        self._announce(one, of.seller, "MESAJ CUMPARATOR PRIMIT", words, of.index)
        self._announce(one, of.buyer, "MESAJ CUMPARATOR TRANSMIS", words, of.index)

    def _keep(self, one: Upload, content: bytes) -> None:
        self._numbers += 1
        one.file_id, one.file = str(self._numbers), self.signer.archive(one.index, content)

    def _announce(self, one: Upload, cif: str, kind: str, text: str, index: str = "") -> None:
        self.messages.append(Message(one.file_id, index or one.index, cif, kind, text, self.now()))

    # -- state, files ------------------------------------------------------------------------------

    def state(self, person: str, index: str) -> Answer:
        if not index:
            return self._bad_request(texts.STATE_PARAMETER)
        with self.lock:
            self.settle()
            one = self.uploads.get(index)
            if not index.isdecimal():
                return _state_fault(texts.STATE_NUMBER.format(index))
            if one is None:
                return _state_fault(texts.STATE_UNKNOWN.format(index))
            if one.cif not in self.rights[person]:
                return _state_fault(texts.STATE_NO_RIGHT.format(index))
            if self._is_spent("state", index):
                return _state_fault(texts.STATE_QUOTA.format(self.limits["state"]))
            found = {"stare": one.state} | ({"id_descarcare": one.file_id} if one.file_id else {})
            return _header(texts.STATE, found)

    def file(self, person: str, file_id: str) -> Answer:
        if not file_id:
            return self._bad_request(texts.FILE_PARAMETER)
        with self.lock:
            self.settle()
            one = next((u for u in self.uploads.values() if u.file_id == file_id), None)
            if not file_id.isdecimal():
                words = texts.FILE_NUMBER.format(file_id)
            elif one is None or self._is_forgotten(file_id):
                words = texts.FILE_UNKNOWN.format(file_id)
            elif not self.rights[person] & self._readers(file_id, one):
                words = texts.FILE_NO_RIGHT
            elif self._is_spent("file", file_id):
                words = texts.FILE_QUOTA.format(self.limits["file"])
            else:
                return Answer(200, one.file, "application/zip")
            return Answer(200, texts.fault("Descarcare mesaj", words))

    def _readers(self, file_id: str, one: Upload) -> set[str]:
        return {one.cif} | {each.cif for each in self.messages if each.id == file_id}

    def _is_forgotten(self, file_id: str) -> bool:
        times = [each.at for each in self.messages if each.id == file_id]
        return bool(times) and max(times) < self.now() - KEPT

    # -- lists -------------------------------------------------------------------------------------

    def recent(self, person: str, query: dict[str, str]) -> Answer:
        """The list without pages: every fault is 200."""
        days, cif = query.get("zile"), query.get("cif")
        if not days or not cif:
            return self._bad_request(texts.LIST_PARAMETERS)
        with self.lock:
            self.settle()
            words = None
            if not cif.isdecimal():
                words = texts.CIF.format(cif)
            elif not days.isdecimal():
                words = texts.LIST_DAYS_NUMBER.format(days)
            elif not 1 <= int(days) <= 60:
                words = texts.LIST_DAYS
            else:
                words = self._list_fault(person, cif, query, "list")
            if words is not None:
                return _list_fault(200, words)
            since = self.now() - timedelta(days=int(days))
            found = self._found(cif, since, self.now(), query.get("filtru"))
            if len(found) > PAGE:
                return _list_fault(200, texts.LIST_TOO_MANY)
            if not found:
                return _list_fault(200, texts.LIST_NOTHING.format(days))
            title = f"Lista Mesaje disponibile din ultimele {days} zile"
            return _listed({"mesaje": self._shown(found), **_ends(cif, title)})

    def pages(self, person: str, query: dict[str, str]) -> Answer:
        """The list with pages: every fault is 400."""
        names = ("startTime", "endTime", "cif", "pagina")
        if not all(query.get(name) for name in names):
            return self._bad_request(texts.PAGES_PARAMETERS)
        cif = query["cif"]
        with self.lock:
            self.settle()
            for name in ("startTime", "endTime", "pagina"):
                if not query[name].isdecimal():
                    return self._pages_fault(texts.PAGES_VALUE.format(name, query[name]))
            if not cif.isdecimal():
                return self._pages_fault(texts.PAGES_CIF.format(cif))
            since, until = (_moment(query[name]) for name in ("startTime", "endTime"))
            words = self._time_fault(since, until)
            words = words or self._list_fault(person, cif, query, "pages")
            if words is not None:
                return self._pages_fault(words)
            return self._page(cif, self._found(cif, since, until, query.get("filtru")), query)

    def _page(self, cif: str, found: list[Message], query: dict[str, str]) -> Answer:
        page, pages = int(query["pagina"]), -(-len(found) // PAGE)
        if not found:
            return self._pages_fault(texts.PAGES_NOTHING)
        if not 1 <= page <= pages:
            return self._pages_fault(texts.PAGES_BEYOND.format(page, pages))
        shown = self._shown(found[(page - 1) * PAGE : page * PAGE])
        return _listed(
            {
                "mesaje": shown,
                "numar_inregistrari_in_pagina": len(shown),
                "numar_total_inregistrari_per_pagina": PAGE,
                "numar_total_inregistrari": len(found),
                "numar_total_pagini": pages,
                "index_pagina_curenta": page,
                **_ends(cif, "Lista Mesaje disponibile din intervalul selectat"),
            }
        )

    def _pages_fault(self, text: str) -> Answer:
        return _list_fault(self.pages_status, text)

    def _time_fault(self, since: datetime, until: datetime) -> str | None:
        form = "%d-%m-%Y %H:%M:%S"
        start, end = (self.local(each, form) for each in (since, until))
        if since < self.now() - KEPT:
            return texts.PAGES_TOO_OLD.format(start)
        if until <= since:
            return texts.PAGES_ORDER.format(end, start)
        return texts.PAGES_FUTURE.format(end) if until > self.now() else None

    def _list_fault(self, person: str, cif: str, query: dict[str, str], quota: str) -> str | None:
        if query.get("filtru", "E") not in ("E", "T", "P", "R"):
            return texts.LIST_FILTER
        if (words := self._no_right(person, cif)) is not None:
            return words
        if self._is_spent(quota, cif):
            return texts.LIST_QUOTA.format(self.limits[quota])
        return None

    def _found(self, cif: str, since: datetime, until: datetime, kind: str | None) -> list[Message]:
        kinds = {"E": "ERORI", "T": "FACTURA T", "P": "FACTURA P", "R": "MESAJ"}
        since = max(since, self.now() - KEPT)
        return [
            each
            for each in self.messages
            if each.cif == cif
            and since <= each.at < until
            and each.type.startswith(kinds[kind] if kind else "")
        ]

    def _shown(self, found: list[Message]) -> list[dict[str, str]]:
        return [
            {
                "data_creare": self.local(each.at, "%Y%m%d%H%M"),
                "cif": each.cif,
                "id_solicitare": each.index,
                "detalii": each.text,
                "tip": each.type,
                "id": each.id,
            }
            for each in found
        ]

    # -- quotas ------------------------------------------------------------------------------------

    def _is_spent(self, what: str, key: str) -> bool:
        """Count a call of today, and say whether it is one too many."""
        counted = (what, key, self.local(self.now(), "%Y%m%d"))
        self.counts[counted] += 1
        return self.counts[counted] > self.limits[what]

    def is_spent_minute(self) -> bool:
        """Count a call of this minute, and say whether it is one too many."""
        with self.lock:
            since = self.now() - timedelta(minutes=1)
            recent = 0
            for at, _, _ in reversed(self.calls):
                if at < since:
                    break
                recent += 1
            return recent >= self.per_minute

    def note(self, call: str, of: str) -> None:
        with self.lock:
            self.calls.append((self.now(), call, of))

    def _bad_request(self, text: str) -> Answer:
        moment = self.local(self.now(), "%d-%m-%Y %H:%M:%S")
        return Answer(400, texts.bad_request(moment, text))


def _read(one: Upload) -> None:
    """Note the numbers of the parties and of the invoice."""
    if one.standard == "RASP":
        return
    root = parse(one.document)
    one.number = root.findtext("{*}ID") or ""
    one.seller, one.buyer = (_cif(root, who) for who in ("Supplier", "Customer"))


def _cif(root: etree._Element, who: str) -> str:
    party = f"{{*}}Accounting{who}Party/{{*}}Party/"
    vat = root.findtext(f"{party}{{*}}PartyTaxScheme/{{*}}CompanyID")
    legal = root.findtext(f"{party}{{*}}PartyLegalEntity/{{*}}CompanyID")
    return (vat or legal or "").removeprefix("RO")


def _form_fault(standard: str, body: bytes) -> str | None:
    try:
        root = parse(body)
    except NotXml as fault:
        return texts.INVALID.format(f"org.xml.sax.SAXParseException; {fault}")
    if standard == "RASP":
        named = root.get("index_incarcare") and root.get("message")
        return None if named else texts.INVALID.format("cvc-complex-type.4")
    fault = schema_fault(root)
    return None if fault is None else texts.INVALID.format(fault)


def _moment(milliseconds: str) -> datetime:
    return datetime.fromtimestamp(int(milliseconds) / 1000, BUCHAREST)


def _header(namespace: str, attributes: dict[str, str], *errors: str) -> Answer:
    return Answer(200, texts.header(namespace, attributes, *errors), "application/xml")


def _state_fault(text: str) -> Answer:
    return _header(texts.STATE, {}, text)


def _list_fault(status: int, text: str) -> Answer:
    return Answer(status, texts.fault("Lista Mesaje", text))


def _ends(cif: str, title: str) -> dict[str, str]:
    return {"serial": "1234AA456", "cui": cif, "titlu": title}


def _listed(values: dict[str, object]) -> Answer:
    return Answer(200, json.dumps(values).encode())
