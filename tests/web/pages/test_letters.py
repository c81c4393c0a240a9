"""Letters: e-mails to people about what needs them, and the link that stops them."""

from __future__ import annotations

import email
import re
from datetime import timedelta
from email.policy import default

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.letters import offered
from einvoice.domain.roles import Role
from einvoice.services.letters import sending, texts, writing
from einvoice.services.tenant_data import erasure
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Invoice, Letter, Preferences, WebhookEndpoint
from einvoice.store.webhooks import events
from einvoice.web.locales import LANGUAGES
from einvoice.web.runtime import runtime_of
from tests.mail_server import CLOSE, mail_server
from tests.web.caller import Caller
from tests.web.inbox import Inbox
from tests.web.pages.visitor import Visitor
from tests.workers import claimed

PAGE = "/dashboard/settings/you"
WANTED = {
    "letters": "at-once",
    "topics": [each.value for each in offered(Role.OWNER)],
    "sandbox": "yes",
}


class Post:
    """A mail server, and an application that sends to it."""

    def __init__(self, server, app) -> None:
        self.server, self.app = server, app

    @property
    def letters(self):
        return [email.message_from_bytes(each, policy=default) for each in self.server.messages]


@pytest.fixture(scope="module")
def post(build):
    with mail_server() as server:
        yield Post(server, build(mail_smarthosts=server.url, mail_from="e@operator.example"))


@pytest.fixture
def app(post):
    post.server.messages.clear()
    post.server.replies.update(END="250 2.0.0 queued", RCPT="250 ok", CONNECT="220 here")
    return post.app


@pytest.fixture
def move(monkeypatch):
    began, passed = clock.now(), timedelta()

    def _move(**by):
        nonlocal passed
        passed += timedelta(**by)
        monkeypatch.setattr(clock, "now", lambda: began + passed)

    return _move


class Bookkeeper:
    """A person who has chosen letters, and what happens in the account."""

    def __init__(self, app, role=Role.OWNER, **wanted) -> None:
        self.app = app
        self.caller = Caller(app, Environment.TEST)
        self.visitor = Visitor(app, self.caller.tenant, role)
        assert self.visitor.post(PAGE, WANTED | wanted).status_code == 303
        self.inbox = Inbox(self.caller)

    def emit(self, event_type, payload=None, environment="test") -> None:
        with self.app.app_context(), db.writing() as connection:
            events.emit(
                connection, tenant_id=self.caller.tenant, environment=environment,
                event_type=event_type, invoice_id=None, payload=payload or {},
            )  # fmt: skip

    def needs_person(self, name="Head office") -> None:
        self.emit("connection.needsPerson", {"name": name, "connectionId": "c"})

    def write(self) -> None:
        """What the relay does once a minute."""
        with self.app.app_context():
            writing.write(runtime_of(self.app))

    def send(self) -> None:
        """What a worker does with the letters that are due."""
        with self.app.app_context():
            ids, token = claimed(outbox.CHORES, self.caller.tenant, kind=outbox.LETTER)
            sending.run(ids, token, runtime_of(self.app))

    def states(self) -> list[str]:
        with self.app.app_context(), db.reading() as connection:
            query = sa.select(Letter.state).where(Letter.tenant_id == self.caller.tenant)
            return list(connection.execute(query.order_by(Letter.created_at)).scalars())


def body(letter) -> str:
    return letter.get_content().replace("\r\n", "\n")


def link(letter) -> str:
    return re.search(r"/dashboard/letters/[\w-]+", body(letter))[0]


def test_a_person_is_told_once_of_what_happened(app, post, move):
    """Looking again, and a worker that runs again, tells nothing twice."""
    person = Bookkeeper(app)
    bill = person.inbox.arrives(number="R-7")
    person.needs_person()
    move(seconds=10)
    for _ in range(2):
        person.write()
        person.send()
    move(hours=1)
    person.write()
    person.send()
    [letter] = post.letters

    assert person.states() == ["sent"]
    assert letter["To"] == "ann@example.com"
    assert letter["Subject"].startswith("A connection needs a person: 1, Bills received: 1 – ")
    assert f"/dashboard/invoices/{bill}" in body(letter)
    assert "R-7" in body(letter)
    assert "Head office (Sandbox)" in body(letter)
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link(letter) in letter["List-Unsubscribe"]
    assert letter.get_content_type() == "text/plain"


@pytest.mark.parametrize(("kind", "named"), [("invoice", "Seller"), ("selfBilledInvoice", "Buyer")])
def test_a_document_is_told_with_the_name_of_the_other_side(app, post, move, kind, named):
    """What a buyer has billed in the name of the account comes from the buyer."""
    person = Bookkeeper(app)
    bill = person.inbox.arrives(number="R-7")
    values = {"kind": kind, "supplier_name": "Seller", "buyer_name": "Buyer"}
    with app.app_context(), db.writing() as connection:
        connection.execute(sa.update(Invoice).where(Invoice.id == bill).values(values))
    move(hours=1)
    person.write()
    person.send()
    [letter] = post.letters

    assert {name for name in ("Seller", "Buyer") if name in body(letter)} == {named}


def test_what_comes_within_a_quarter_of_an_hour_is_in_the_next_letter(app, post, move):
    person = Bookkeeper(app)
    person.needs_person("A")
    move(seconds=10)
    person.write()
    for name in ("B", "C"):
        person.needs_person(name)
        move(seconds=10)
        person.write()
    move(minutes=15)
    person.write()
    person.send()
    first, second = post.letters

    assert ("- A " in body(first), "- B " in body(first)) == (True, False)
    assert "A connection needs a person (2)" in body(second)


def test_a_day_has_twelve_letters_at_most(app, move):
    """The next one is that of the morning; a day begins at noon here."""
    move(hours=(12 - clock.now().hour) % 24)
    person = Bookkeeper(app)
    for _ in range(30):
        person.needs_person()
        move(minutes=16)
        person.write()

    assert len(person.states()) == 12


def test_a_daily_letter_comes_at_seven_and_only_if_there_is_something_to_say(app, post, move):
    person = Bookkeeper(app, letters="daily")
    person.needs_person()
    person.write()
    assert person.states() == []
    for _ in range(3):
        move(days=1)
        person.write()
        person.send()

    assert person.states() == ["sent"]


def test_only_the_chosen_topics_and_environments_are_told(app, move):
    of_failures = Bookkeeper(app, topics=["failed"])
    of_live = Bookkeeper(app, sandbox=None)
    for person in (of_failures, of_live):
        person.needs_person()
    move(seconds=10)
    of_live.write()

    assert (of_failures.states(), of_live.states()) == ([], [])


def test_a_document_that_waits_is_told_where_a_law_wants_it_there(app, post, move):
    """To people who have chosen failures; so is a report that was refused."""
    person = Bookkeeper(app, topics=["failed"])
    person.emit("transaction.delayed", {"dueBy": None})
    move(minutes=1)
    person.write()
    assert person.states() == []

    person.emit("transaction.delayed", {"dueBy": "2026-11-29T10:00:00Z"})
    person.emit("periodReport.refused", {"name": "sales 2026-11-01 – 2026-11-10"})
    move(minutes=1)
    person.write()
    person.send()
    (letter,) = post.letters

    assert letter["subject"].startswith("Failed: 1, Waits for its network: 1 – ")
    assert "sales 2026-11-01 – 2026-11-10" in body(letter)
    assert "/dashboard/connections/reports" in body(letter)


def test_a_response_that_refuses_is_told_and_others_are_not(app, post, move):
    person = Bookkeeper(app)
    for status in ("accepted", "rejected"):
        person.emit("invoice.responded", {"response": {"status": status}})
    move(seconds=10)
    person.write()
    person.send()

    assert post.letters[0]["Subject"].startswith("Rejected by the buyer: 1 – ")


def test_a_member_is_told_of_no_connection(app, move):
    """Its page is one of administrators, also where a form asks for it."""
    member = Bookkeeper(app, Role.MEMBER)
    member.needs_person()
    move(seconds=10)
    member.write()
    page = member.visitor.get(PAGE).text

    assert member.states() == []
    assert ('value="failed"' in page, 'value="connection"' in page) == (True, False)


def test_a_webhook_that_fails_for_half_an_hour_is_told_by_its_host(app, post, move):
    """Once, and not by its URL, whose path may be a secret."""
    person = Bookkeeper(app)
    hook = {"url": "https://erp.example.com/hook/s3cret", "environment": "test"}
    made = person.visitor.person.post("/api/webhooks", hook).json["webhookId"]
    move(minutes=1)
    with app.app_context(), db.writing() as connection:
        failing = sa.update(WebhookEndpoint).where(WebhookEndpoint.id == made)
        connection.execute(failing.values(failing_since=clock.now()))
    for _ in range(4):
        move(minutes=20)
        person.write()
        person.send()

    assert [each["Subject"].partition(" –")[0] for each in post.letters] == ["A webhook is down: 1"]
    assert "erp.example.com" in body(post.letters[0])
    assert "s3cret" not in body(post.letters[0])


@pytest.mark.parametrize(
    ("replies", "state", "commands"),
    [
        ({"END": CLOSE}, "unknown", 1),
        ({"RCPT": "550 5.1.1 no such user"}, "refused", 1),
        ({"RCPT": "451 4.3.0 later"}, "queued", 2),
        ({"CONNECT": "421 4.3.2 busy"}, "queued", 2),
    ],
)
def test_a_letter_is_repeated_only_if_no_server_has_it(app, post, move, replies, state, commands):
    person = Bookkeeper(app)
    person.needs_person()
    move(seconds=10)
    person.write()
    post.server.replies.update(replies)
    person.send()
    first = person.states()
    post.server.replies.update(END="250 ok", RCPT="250 ok", CONNECT="220 here")
    move(minutes=5)
    person.send()

    assert first == [state]
    assert person.states() == ["sent" if state == "queued" else state]
    assert len(post.letters) == (1 if state in ("queued", "unknown") else 0)


def test_a_letter_whose_worker_was_killed_is_not_repeated(app, post, move, monkeypatch):
    person = Bookkeeper(app)
    person.needs_person()
    move(seconds=10)
    person.write()

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sending, "_settle", killed)
        with pytest.raises(KeyboardInterrupt):
            person.send()
    move(minutes=10)
    with app.app_context():
        outbox.release_expired(clock.now())
    person.send()

    assert (person.states(), len(post.letters)) == (["unknown"], 1)


def test_a_letter_is_given_up_after_a_day_without_a_server(app, post, move):
    person = Bookkeeper(app)
    person.needs_person()
    move(seconds=10)
    person.write()
    post.server.replies.update(CONNECT="421 4.3.2 busy")
    for _ in range(30):
        person.send()
        move(hours=1)
    post.server.replies.update(CONNECT="220 here")

    assert (person.states(), post.letters) == (["refused"], [])


def told(app, post, move) -> tuple[Bookkeeper, str]:
    """A person who got a letter, and the link in it."""
    person = Bookkeeper(app)
    person.needs_person()
    move(seconds=10)
    person.write()
    person.send()
    return person, link(post.letters[-1])


def test_the_link_stops_letters_without_a_login_and_only_by_its_button(app, post, move):
    """Programs that open the links of a mail stop nothing."""
    person, address = told(app, post, move)
    client = app.test_client()
    asked = client.get(address)
    person.needs_person()
    move(minutes=16)
    person.write()
    done = [client.post(address, data={"List-Unsubscribe": "One-Click"}) for _ in range(2)]
    person.send()
    person.needs_person()
    move(minutes=16)
    person.write()
    log = person.visitor.person.get("/api/audit").json["items"]

    assert (asked.status_code, "Stop the e-mails" in asked.text) == (200, True)
    assert [each.status_code for each in done] == [200, 200]
    assert person.states() == ["sent", "dropped"]
    assert [(e["action"], e["actor"]) for e in log if e["action"] == "letters.stopped"] == [
        ("letters.stopped", "ann")
    ]


def test_a_link_that_nobody_was_sent_stops_nothing(app, post, move):
    _, address = told(app, post, move)
    client = app.test_client()
    for wrong in (f"{address}x", address[:-1], "/dashboard/letters/" + "a" * 5_000):
        assert client.get(wrong).status_code == client.post(wrong).status_code == 404, wrong


def test_who_lost_access_or_stays_away_gets_no_letters(app, post, move):
    """Until the next login."""
    person = Bookkeeper(app)
    owner = Visitor(app, person.caller.tenant, subject="boss")
    listed = owner.get("/dashboard/settings/sessions").text
    owner.post("/dashboard/settings/sessions", {"subject": "ann"})
    person.needs_person()
    move(minutes=16)
    person.write()
    ended = person.states()
    Visitor(app, person.caller.tenant)
    person.write()
    back = person.states()
    move(days=91)
    person.needs_person()
    move(minutes=16)
    person.write()

    assert 'value="ann"' in listed
    assert (ended, back, person.states()) == ([], ["queued"], ["queued"])


def test_hostile_names_stay_on_their_line(app, post, move):
    person = Bookkeeper(app)
    person.needs_person("x\r\nBcc: all@evil.example\r\n\r\n" + "A" * 100_000)
    move(seconds=10)
    person.write()
    person.send()
    [letter] = post.letters

    assert letter["Bcc"] is None
    assert len(body(letter)) < 2_000
    assert max(map(len, post.server.messages[0].split(b"\r\n"))) <= 998


def test_hundreds_of_failures_are_one_short_letter(app, post, move):
    person = Bookkeeper(app)
    for number in range(250):
        person.emit("transaction.failed", {"n": number})
    move(seconds=10)
    person.write()
    person.send()
    [letter] = post.letters

    assert letter["Subject"].startswith("Failed: 200+ – ")
    assert body(letter).count("\n- ") == texts.MAX_LISTED + 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_the_words_of_letters(language):
    mine, english = texts.words(language), texts.words("en")

    assert set(mine) == set(english)
    assert language == "en" or mine["why"] != english["why"]
    for name, text in mine.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[name])), name


def test_a_letter_and_the_page_of_its_link_are_in_the_language_of_the_person(app, post, move):
    person = Bookkeeper(app, language="nl")
    person.needs_person()
    move(seconds=10)
    person.write()
    person.send()

    assert "Een verbinding heeft iemand nodig: 1" in post.letters[0]["Subject"]
    assert "E-mails stoppen" in app.test_client().get(link(post.letters[0])).text


def test_an_erased_person_has_no_preferences(app, move):
    person = Bookkeeper(app)
    with app.app_context():
        erasure.erase(
            person.caller.tenant, "ann@example.com", runtime_of(app).settings, dry_run=False
        )
        with db.reading() as connection:
            query = sa.select(sa.func.count()).where(Preferences.tenant_id == person.caller.tenant)
            assert connection.execute(query).scalar_one() == 0


def test_without_a_mail_server_the_page_says_so(service):
    page = Visitor(service).get(PAGE).text

    assert "has set no mail server" in page
    assert 'name="letters"' not in page


def test_preferences_go_with_the_person_to_another_browser(app):
    first = Visitor(app)
    first.post(PAGE, {"language": "nl", "dates": "iso"})
    second = Visitor(app, first.tenant)
    page = second.get(PAGE).text

    assert '<html lang="nl"' in page
    assert 'data-dates="yyyy-MM-dd"' in page
    assert re.search(r'value="iso" selected>\d{4}-\d\d-\d\d<', page)


@pytest.mark.parametrize(
    "given", [{"dates": "x" * 100_000}, {"language": "xx", "letters": "often"}]
)
def test_what_is_no_choice_is_none(app, given):
    visitor = Visitor(app)
    assert visitor.post(PAGE, given).status_code == 303
    page = visitor.get(PAGE).text

    assert '<option value="never" selected>' in page
    assert '<html lang="en">' in page
