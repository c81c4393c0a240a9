"""Nothing on a page stays English in another language.

Every page of the URL map is rendered, with what an account has that fails, waits and is refused; a
word of the English files that the files of the language do not have is one that stayed English.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
import sqlalchemy as sa
from babel import Locale

import einvoice
import einvoice_anaf
import einvoice_fr_ctc
import einvoice_gateway
import einvoice_ksef
import einvoice_mail
import einvoice_peppol
import einvoice_zatca
from einvoice import clock
from einvoice.domain import errors
from einvoice.http import faults
from einvoice.network.reasons import REASONS as REASONS_OF_NETWORKS
from einvoice.store.core import db
from einvoice.store.tables import Transmission, WebhookDelivery, WebhookEndpoint
from einvoice.web.dashboard import sentences
from einvoice.web.dashboard.words import words_of
from einvoice.web.locales import DEFAULT_LANGUAGE, LANGUAGES
from tests.tables import each_row
from tests.web.buyer.shop import Shop
from tests.web.caller import Caller
from tests.web.inbox import Inbox
from tests.web.pages.test_protection import filled, rules
from tests.web.pages.visitor import Visitor

OTHERS = [each for each in LANGUAGES if each != DEFAULT_LANGUAGE]
# The ordinary tests have one language, that of the fewest words in common with English.
ORDINARY = "pl"
# Names of HTTP and of fields, and texts of the account itself.
NAMES = frozenset({"get", "post", "einvoice"})
DATA = frozenset({"Sample seller", "Sample buyer", "none", "Regatul Unit"})
UNKNOWN = "0193a1c2-0000-7000-8000-000000000000"
# Ends the session of the visitor, or is no page of the dashboard itself.
LEAVING = ("/dashboard/logout", "/dashboard/login", "/dashboard/settings/sessions")
_WORD = re.compile(r"[a-z]{3,}")
_NO_WORD = re.compile(r"\{\w+\}|\S*[@:/_]\S+|\S+\.\w+|\w*[^\W_a-z]\w*")
_SAID_IN = ("title", "aria-label", "placeholder", "alt", "data-confirm", "label")


class Page(HTMLParser):
    """The texts of a page that people read or hear; not names, codes and times."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        quiet = tag in {"code", "time", "pre", "script", "style"}
        quiet = quiet or "mono" in (given.get("class") or "").split()
        quiet = quiet or (tag == "option" and "lang" in given)
        if tag not in {"input", "meta", "link", "br", "img", "hr", "col", "use"}:
            self._open.append((tag, quiet))
        self.texts += [text for name in _SAID_IN if (text := given.get(name))]

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not any(quiet for _, quiet in self._open):
            self.texts.append(data.strip())


def vocabulary(language: str) -> frozenset[str]:
    """The words of the files of a language."""
    texts = (*words_of(language).values(), *sentences.texts(language).values())
    return frozenset(word for text in texts for word in words_in(text))


def words_in(text: str) -> Iterator[str]:
    """The words of a text in small letters: not addresses, pointers, file names and places."""
    return iter(_WORD.findall(_NO_WORD.sub(" ", text.lower())))


def english(answer, language: str) -> list[tuple[str, str]]:
    """The words of a page that stayed English, each with its text."""
    page = Page()
    page.feed(answer.text)
    months = Locale(language).months["format"]["abbreviated"].values()
    own = vocabulary(language) | {word for each in months for word in words_in(each)}
    stayed = vocabulary(DEFAULT_LANGUAGE) - own - NAMES
    return [
        (word, text)
        for text in page.texts
        if text not in DATA
        for word in words_in(text)
        if word in stayed
    ]


WEBHOOK_ERRORS = [
    "no connection: [Errno 111] Connection refused", "no answer within 15 s",
    "the receiver answered 503", "not attempted: the endpoint is disabled",
    "TLS: CERTIFICATE_VERIFY_FAILED", "acme.example has no address",
]  # fmt: skip
REASONS = [
    ("Simulated: The receiver's access point refused the document.", "rejected-by-receiver-ap"),
    ("Nieznany odbiorca, błąd 17", "receiver-unknown"),
    ("no answer within the access point's timeout", None),
]


class Account:
    """An account in which everything that pages show is there, without English words of its own."""

    def __init__(self, service) -> None:
        self.service = service
        self.shop = Shop(service)
        self.tenant = self.shop.tenant
        self.ids: dict[str, list[str]] = {}
        ann = Visitor(service, self.tenant).person
        caller = Caller(service, tenant=self.tenant)
        bill = Inbox(caller).arrives(number="R-1")
        delivered = self.shop.invoice(number="Q-1", buyer_name="Zoë BV")
        waiting = self.shop.invoice(number="Q-2", status="Processing", buyer_name="Zoë BV")
        self.ids["invoice_id"] = [delivered, waiting, bill, *map(self.failed, REASONS)]
        ann.post("/api/claims")
        made = ann.post("/api/webhooks", {"url": "https://erp.example/h", "environment": "test"})
        off = ann.post("/api/webhooks", {"url": "https://erp.example/o", "environment": "test"})
        self.ids["endpoint_id"] = [made.json["webhookId"], off.json["webhookId"]]
        self.log(self.ids["endpoint_id"][0])
        self.give_up(self.ids["endpoint_id"][1])
        ann.post("/api/keys", {"name": "Zoë", "environment": "test"})
        ann.post("/api/holds", {"reason": "Dossier 4711", "invoiceId": delivered})
        ann.post(
            "/api/participants", {"participantId": "0088:4035811991014", "environment": "live"}
        )
        ann.post("/api/tenant/exports")
        draft = {"environment": "test", "invoice": {"number": "C-1", "buyer": {"name": "Zoë BV"}}}
        self.ids["draft_id"] = [ann.post("/api/drafts", draft).json["draftId"]]
        for kind, more in (("customers", {}), ("suppliers", {"countryCode": "BE"})):
            entry = {"name": "Zoë BV", "peppolId": "0208:0123456749", **more}
            answer = ann.post(f"/api/{kind}", entry).json
            self.ids[kind] = [answer["customerId" if kind == "customers" else "supplierId"]]

    def failed(self, reason: tuple[str, str | None]) -> str:
        found = self.shop.invoice(number="Q-9", status="Failed", buyer_name="Zoë BV")
        with self.service.app_context(), db.writing() as connection:
            connection.execute(
                sa.update(Transmission)
                .where(Transmission.invoice_id == found)
                .values(reason=reason[0], reason_code=reason[1])
            )
        return found

    def log(self, endpoint: str) -> None:
        now = clock.now()
        rows = [
            {
                "id": f"0190f2a0-0000-7000-8000-{number:012}", "tenant_id": self.tenant,
                "endpoint_id": endpoint, "event_id": f"0190f2a0-0000-7000-9000-{number:012}",
                "event_type": "transaction.sent", "status": "failed", "trigger": "schedule",
                "attempts": 2, "last_error": error, "created_at": now - timedelta(minutes=number),
            }
            for number, error in enumerate(WEBHOOK_ERRORS)
        ]  # fmt: skip
        with self.service.app_context(), db.writing() as connection:
            connection.execute(sa.insert(WebhookDelivery), rows)

    def give_up(self, endpoint: str) -> None:
        with self.service.app_context(), db.writing() as connection:
            connection.execute(
                sa.update(WebhookEndpoint)
                .where(WebhookEndpoint.id == endpoint)
                .values(status="disabled", disabled_reason="nothing but failures for 5 days")
            )

    def addresses(self, rule: str) -> list[str]:
        """The addresses of a rule for what the account has, and for what nobody has."""
        kinds = re.search(r"<any\(([^)]*)\):\w+>", rule)
        found = []
        for kind in kinds[1].split(", ") if kinds else [""]:
            chosen = re.sub(r"<any\([^>]*>", kind, rule)
            place = re.search(r"<(?:\w+:)?(\w+)>", chosen)
            known = self.ids.get(
                kind if place and place[1] == "entry_id" else place[1] if place else ""
            )
            found += [chosen.replace(place[0], each) for each in known or ()] if place else [chosen]
            found += [re.sub(r"<[^>]+>", UNKNOWN, chosen)] if place else []
        return [filled(each) for each in found]


ON_SQLITE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


@pytest.fixture(scope="module")
def account(service) -> Account:
    return Account(service)


def pages_of(account: Account, method: str) -> list[str]:
    found = rules(account.service, method)
    return [each for each in found if method == "GET" or not each.startswith(LEAVING)]


@ON_SQLITE
@pytest.mark.parametrize(
    "language",
    [each if each == ORDINARY else pytest.param(each, marks=pytest.mark.more) for each in OTHERS],
)
def test_no_page_has_english_words_in_another_language(account, language):
    """By all addresses of the URL map, for what the account has and for what nobody has."""
    visitor = Visitor(account.service, account.tenant)
    seen, stayed = 0, {}
    for rule in pages_of(account, "GET"):
        for address in account.addresses(rule):
            answer = visitor.get(address, Accept_Language=language)
            if answer.mimetype != "text/html" or answer.status_code == 303:
                continue
            seen += 1
            assert answer.status_code < 500, address
            assert answer.headers["Content-Language"].startswith(language), address
            if found := english(answer, language):
                stayed[address] = found

    assert seen > 60
    assert not stayed, "\n".join(f"{at}: {found}" for at, found in stayed.items())


@ON_SQLITE
@pytest.mark.parametrize(
    "language",
    [each if each == ORDINARY else pytest.param(each, marks=pytest.mark.more) for each in OTHERS],
)
def test_no_refusal_of_a_form_has_english_words_in_another_language(account, language):
    """Of every form, sent empty, for what nobody has."""
    visitor, stayed = Visitor(account.service, account.tenant), {}
    for rule in pages_of(account, "POST"):
        for path in account.addresses(rule)[-1:]:
            answer = visitor.post(path, {"file": ""}, Accept_Language=language)
            if answer.mimetype == "text/html" and (found := english(answer, language)):
                stayed[path] = found

    assert not stayed, "\n".join(f"{at}: {found}" for at, found in stayed.items())


LATE, ABSENT = "no answer within 15 s", "Simulated: The network no longer knows the receiver."


@each_row("text", [LATE, ABSENT, "There is no invoice 'x'."])
def test_a_sentence_is_said_in_every_language_and_stays_in_english(text):
    said = {language: sentences.said(text, language) for language in LANGUAGES}

    assert said.pop(DEFAULT_LANGUAGE) == text
    assert text not in said.values()


@each_row("text", ["", "x" * 3_000, "Błąd 17", "no answer within", LATE + "\n"])
def test_other_texts_stay_as_they_came(text):
    assert sentences.said(text, "de") == text


def test_a_reason_in_other_words_is_told_by_its_code_with_those_words_beside_it():
    known = sentences.failure(ABSENT, "receiver-unknown", "de")
    foreign = sentences.failure("Błąd 17", "receiver-unknown", "de")

    assert (known.text, known.original) == (sentences.said(ABSENT, "de"), None)
    assert (foreign.text, foreign.original) == (
        "Das Netz kennt den Empfänger nicht mehr.", "Błąd 17",
    )  # fmt: skip
    assert sentences.failure("Błąd 17", "x", "de").text == "Błąd 17"


@each_row("reason", REASONS_OF_NETWORKS)
def test_every_reason_of_the_catalogue_is_a_sentence(reason):
    assert sentences.recognised(REASONS_OF_NETWORKS[reason].words)


@each_row("language", LANGUAGES)
def test_every_language_has_every_sentence_without_other_places(language):
    english, translated = sentences.texts(DEFAULT_LANGUAGE), sentences.texts(language)

    assert translated.keys() == english.keys()
    for name, text in translated.items():
        assert text.strip(), name
        assert places_of(text) <= places_of(english[name]), name


def places_of(text: str) -> set[str]:
    return set(re.findall(r"\{\w+\}", text))


# Modules whose refusals no page shows: of programs, platforms and the command line.
ELSEWHERE = re.compile(
    r"services/(send|delivery|computing|grouping)|"
    r"account/(access_tokens|authentication|claims|identifications|issuance|plat|plans|sessions|"
    r"tenants)|tenant_import|participants/(entries|lookup|routing|receivers)|answered|invoices/content|"
    r"connections/choice|directory/entries|account/operators|services/console|"
    r"amended_reports|purge|erasure|tenant_data/move_|inbound/simulated_arrivals|sandbox_clock"
)
SHOWN = ["services", "web/dashboard", "documents/directory_csv.py", "documents/csv_text.py",
         "documents/csv_table.py", "documents/payment_csv.py", "security/identity_provider.py",
         "http"]  # fmt: skip
# Said by other words of the pages, or put together of pieces.
OWN_WORDS = (
    "This link is not valid.", "This needs the role", "The draft was changed, sent",
    "value; these would be", "port value is not allowed", "no answer within value",
)  # fmt: skip
CLASSES = {
    name for module in (errors, faults) for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, (errors.RequestRefused, faults.HttpFault))
}  # fmt: skip


def raised() -> Iterator[tuple[str, str]]:
    """(module, text) of what is refused with a text that stands in the code."""
    folder = Path(einvoice.__file__).parent
    for path in (file for each in SHOWN for file in python_files(folder / each)):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and node.args and name_of(node.func) in CLASSES:
                text = text_of(node.args[0])
                if text and not ELSEWHERE.search(str(path)):
                    yield str(path), text


def python_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


def name_of(node: ast.expr) -> str:
    return getattr(node, "id", None) or getattr(node, "attr", "")


def text_of(node: ast.expr) -> str | None:
    """The text, with a word in each of its places."""
    if isinstance(node, ast.JoinedStr):
        parts = (each.value if isinstance(each, ast.Constant) else "value" for each in node.values)
        return "".join(map(str, parts))
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_what_is_refused_below_the_pages_is_a_sentence():
    found = list(raised())

    assert len(found) > 100
    assert [
        (module, text) for module, text in found
        if not sentences.recognised(text) and not text.startswith(OWN_WORDS)
    ] == []  # fmt: skip


def asked_by_networks() -> Iterator[str]:
    """What the plugins call the fields of an account, and their hints."""
    for plugin in OUR_NETWORKS:
        for path in python_files(Path(plugin.__file__).parent):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and name_of(node.func) in FORMS:
                    named = [each.value for each in node.keywords if each.arg in SHOWN_OF_FORMS]
                    values = [*node.args[1:2], *node.args[5:6], *named]
                    yield from (text for each in values if (text := text_of(each)))


FORMS = {"ConnectionField", "ConnectionForm"}
SHOWN_OF_FORMS = {"account_label", "label", "hint"}


def told_by_networks() -> Iterator[str]:
    """The labels of what the plugins say of an account."""
    for plugin in (einvoice_fr_ctc, einvoice_zatca):
        for path in python_files(Path(plugin.__file__).parent):
            for function in ast.walk(ast.parse(path.read_text())):
                if isinstance(function, ast.FunctionDef) and function.name in FACTS_OF_ACCOUNTS:
                    for node in ast.walk(function):
                        if isinstance(node, ast.Call) and name_of(node.func) == "Fact":
                            yield from (text for each in node.args if (text := text_of(each)))


FACTS_OF_ACCOUNTS = {"of_connection", "of_unit"}


def test_what_networks_say_of_accounts_has_a_text_in_every_language():
    found = set(told_by_networks())

    assert len(found) >= 8
    assert {text for text in found if not sentences.recognised(text)} == set()


def test_fields_of_accounts_at_networks_have_names_in_every_language():
    found = set(asked_by_networks())

    assert len(found) > 8
    assert {
        text for text in found if not sentences.recognised(text) and not EXAMPLE.fullmatch(text)
    } == set()


EXAMPLE = re.compile(r"[A-Z]+-?[0-9]+")  # of a hint


def reasons_of_networks() -> Iterator[tuple[str, str]]:
    """(plugin, text) of why a document or an account waits, where it stands in the code."""
    for plugin in OUR_NETWORKS:
        for path in python_files(Path(plugin.__file__).parent):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and name_of(node.func) in WAITING:
                    named = [each.value for each in node.keywords if each.arg == "reason"]
                    for each in (*node.args, *named):
                        if (text := text_of(each)) and " " in text:
                            yield plugin.__name__, text


OUR_NETWORKS = (
    einvoice_anaf, einvoice_fr_ctc, einvoice_gateway, einvoice_ksef, einvoice_mail,
    einvoice_peppol, einvoice_zatca,
)  # fmt: skip
WAITING = {"NeedsPerson", "NotChecked", "Blocked", "Broken", "NotSent", "_needs"}
# Put together of words of the network alone.
OF_NETWORKS = ("value: value", "value: HTTP", "value.")


def test_why_a_network_makes_documents_and_accounts_wait_is_a_sentence():
    found = list(reasons_of_networks())

    assert len(found) > 20
    assert [
        (plugin, text) for plugin, text in found
        if not sentences.recognised(text) and not text.startswith(OF_NETWORKS)
    ] == []  # fmt: skip
