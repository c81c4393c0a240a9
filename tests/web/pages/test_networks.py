"""The page that brings a company onto a network, step by step."""

from __future__ import annotations

import html
import io
import re
import secrets

import pytest
from werkzeug.datastructures import FileStorage, MultiDict
from werkzeug.test import encode_multipart

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.domain.roles import Role
from einvoice.services.account import claims, identifications
from einvoice.services.participants import entries
from einvoice.store import outbox
from einvoice.web.dashboard import csrf
from einvoice.web.runtime import runtime_of
from tests.networks import almanac
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.tables import each_row
from tests.web.pages.visitor import Visitor
from tests.workers import await_calls, claimed

PAGE = "/dashboard/networks"
PDF = b"%PDF-1.7 proof"


@pytest.fixture(scope="module")
def service(build):
    return build([almanac, TollAccountsPlugin()], limit_session_get=9_000, limit_session_post=9_000)


@pytest.fixture
def ann(service) -> Visitor:
    return Visitor(service, role=Role.ADMIN)


@pytest.fixture
def number() -> str:
    """A Belgian number that no other test has."""
    first = 10_000_000 + secrets.randbelow(89_999_999) % 9_000_000
    return f"{first:08d}{97 - first % 97:02d}".rjust(10, "0")


def book_of(service, environment="test"):
    return runtime_of(service).access_points[f"almanac-{environment}"].book


def at(participant: str, environment: str = "test") -> str:
    return f"{PAGE}?id={participant}&environment={environment}"


def post(ann, action: str, participant: str, environment: str = "test", **fields):
    form = {"participantId": participant, **fields}
    return ann.post(f"{PAGE}/{action}?environment={environment}", form)


def upload(ann, participant, signer, files):
    """Send the form of identification, in memory whatever the size of its files."""
    token = csrf.token_of(ann.client.get_cookie("einvoice").value)
    form = MultiDict({"csrf": token, "participantId": participant, "signer": signer})
    for content, name in files:
        form.add("file", FileStorage(io.BytesIO(content), filename=name))
    boundary, body = encode_multipart(form)
    kind = f"multipart/form-data; boundary={boundary}"
    return ann.client.post(f"{PAGE}/identify?environment=live", data=body, content_type=kind)


def turn(service, ann):
    """A worker writes what is due into the directory."""
    with service.app_context():
        entries.run(*claimed(outbox.PLUGINS, ann.tenant, kind=outbox.ENTRY), runtime_of(service))
        await_calls()


def stages(text: str) -> dict[str, str]:
    """The steps at the head of the page with their states."""
    (shown,) = re.findall(r'<ol class="steps" aria-label="Steps">(.*?)</ol>', text, re.DOTALL)
    return {
        name: state for state, name in re.findall(r'<li class="(\w+)"[^>]*><span>([^<]+)', shown)
    }


def text_of(answer) -> str:
    return html.unescape(answer.text)


def test_a_company_number_leads_step_by_step_onto_the_network_and_off_it(service, ann, number):
    """At each step the page says what is next; nothing but the address leads back to it."""
    first = text_of(ann.get(f"{PAGE}?environment=test&number=BE+{number}"))
    participant = f"0208:{number}"
    assert f"9925:be{number}" in first.lower()
    assert "Free: no provider has registered it at almanac." in first
    assert list(stages(first).values()) == ["done", "now", "later", "later", "later"]

    page = ann.followed(post(ann, "claim", participant))
    assert "It is being published." in page.text
    assert 'hx-trigger="every 3s"' in page.text
    turn(service, ann)
    page = ann.get(at(participant))
    assert "Published: senders find it" in page.text
    assert stages(page.text)["Sending and receiving"] == "now"
    assert 'hx-trigger="every' not in page.text

    out = ann.followed(post(ann, "unpublish", participant))
    assert "You have taken it out of the network" in out.text
    turn(service, ann)
    assert participant not in book_of(service).entries
    assert (
        "The network is being asked again." in ann.followed(post(ann, "publish", participant)).text
    )
    turn(service, ann)

    shown = ann.followed(post(ann, "move-out", participant))
    key = book_of(service).keys[participant]
    assert f'value="{key}"' in shown.text
    assert key not in ann.get(at(participant)).text

    gone = ann.followed(post(ann, "withdraw", participant))
    assert "Deleted." in gone.text
    turn(service, ann)
    assert participant not in book_of(service).entries
    assert list(stages(ann.get(at(participant)).text).values())[1] == "now"


def test_an_id_of_another_provider_is_taken_over_by_its_key(service, ann, number):
    participant, book = f"0208:{number}", book_of(service)
    book.entries[participant] = ("somebody", (BIS_INVOICE,), None)
    before = text_of(ann.get(f"{PAGE}?environment=test&number={number}&country=BE"))
    assert "Ask that provider for a migration key" in before
    post(ann, "claim", participant)
    turn(service, ann)
    page = text_of(ann.get(at(participant)))
    assert "Another provider has it." in page
    assert "The participant is registered already." in page
    book.keys[participant] = "the#key 1"

    wrong = post(ann, "move-in", participant, migrationKey='an"other')
    assert wrong.status_code == 409
    assert "The migration key is wrong." in text_of(wrong)
    assert 'value="an&#34;other"' in wrong.text
    book.is_away = True
    away = post(ann, "move-in", participant, migrationKey="the#key 1")
    book.is_away = False
    assert away.status_code == 409
    assert 'value="the#key 1"' in away.text
    done = ann.followed(post(ann, "move-in", participant, migrationKey=" the#key 1 "))
    assert "The participant id was taken over." in done.text
    assert "Published: senders find it" in done.text
    assert book.entries[participant][0] == "almanac-test"


def test_the_operator_decides_on_files_and_the_page_says_why(service, ann, number):
    """In live: what was sent, its state and the reason; a rejected claim is made again."""
    participant = f"0208:{number}"
    page = ann.followed(post(ann, "claim", participant, "live"))
    assert "The claim waits for a decision." in page.text
    files = {"file": [(io.BytesIO(PDF), "extract.pdf")], "documentKind": "company-register"}
    sent = [
        post(ann, "identify", participant, "live", signer="Ann Smith, director", **files)
        for files in (files, files | {"file": [(io.BytesIO(PDF), "extract.pdf")]})
    ]
    page = ann.followed(sent[0])
    assert "The files are sent and wait for a decision." in page.text
    assert "extract.pdf" in page.text
    with service.app_context():
        (waiting,) = identifications.of_tenant(ann.tenant)
        caches, decide = runtime_of(service).caches, identifications.decide
        assert waiting.record.numbers == [participant]
        assert waiting.record.identified_by == "Ann Smith, director"
        decide(waiting.record.id, verified=False, reason="The extract is of 2019", caches=caches)
        claims.reject(ann.tenant, Environment.LIVE, ParticipantId.parse(participant), "Who is it?")
    page = text_of(ann.get(at(participant, "live")))
    assert "The extract is of 2019" in page
    assert "The claim was rejected: Who is it?" in " ".join(
        page.replace('<span dir="auto">', "").split()
    )

    post(ann, "claim", participant, "live")
    files = {"file": [(io.BytesIO(PDF + b"2"), "new.pdf")]}
    post(ann, "identify", participant, "live", signer="Ann", **files)
    with service.app_context():
        newest = identifications.of_tenant(ann.tenant)[-1]
        decide(newest.record.id, verified=True, reason=None, caches=caches)
    page = text_of(ann.get(at(participant, "live")))
    assert "The id is yours." in page
    assert "It is being published." in page


@each_row(
    ("files", "says"),
    [
        ([], "choose at least one file"),
        ([(b"", "empty.pdf")], "empty.pdf is empty"),
        ([(b"<html>", "page.pdf")], "page.pdf is no PDF, PNG or JPEG"),
        ([(b"%PDF-" + b"x" * (2 << 20), "big.pdf")], "big.pdf has more than 2 MiB"),
        ([(PDF, f"{at}.pdf") for at in range(6)], "6 files were chosen; at most 5 are taken"),
        ([(PDF, "good.pdf"), (b"MZ", "a<b>.exe")], "a<b>.exe is no PDF, PNG or JPEG"),
    ],
)
def test_a_file_that_is_not_taken_is_named_with_its_reason(service, files, says):
    """Nothing of the form is stored then, and what was typed stays."""
    ann = Visitor(service, role=Role.ADMIN)
    participant = f"0208:0{secrets.randbelow(10**9):09d}"
    post(ann, "claim", participant, "live")
    answer = upload(ann, participant, 'Ann "A"', files)
    with service.app_context():
        stored = identifications.of_tenant(ann.tenant)

    assert answer.status_code == 409
    assert says in text_of(answer)
    assert 'value="Ann &#34;A&#34;"' in answer.text
    assert stored == []


def test_files_wait_in_a_bounded_number(service, ann, number):
    participant = f"0208:{number}"
    post(ann, "claim", participant, "live")
    answers = [
        post(ann, "identify", participant, "live", signer="Ann",
             file=[(io.BytesIO(PDF + bytes([at])), "a.pdf")])
        for at in range(identifications.MAX_OWN_PENDING + 1)
    ]  # fmt: skip

    assert [each.status_code for each in answers] == [303] * identifications.MAX_OWN_PENDING + [409]
    assert "wait for a decision already" in answers[-1].text


@each_row(
    ("query", "says"),
    [
        ("number=Acme+NV", "No participant id follows from this number."),
        ("number=12345678", "No participant id follows from this number."),
        ("number=" + "9" * 5_000, "No participant id follows from this number."),
        ("number=%00%ff<script>&country=%27", "No participant id follows from this number."),
        ("id=nonsense", "Company number or VAT number"),
        ("id=" + "0208:" + "1" * 500, "Company number or VAT number"),
        ("number=0192:991825827", "Free: no provider"),
    ],
)
def test_what_is_typed_is_kept_and_never_a_fault(service, query, says):
    answer = Visitor(service, role=Role.ADMIN).get(f"{PAGE}?environment=test&{query}")

    assert answer.status_code == 200
    assert says in text_of(answer)
    assert "<script>&" not in answer.text


def test_an_id_of_another_account_is_neither_shown_nor_changed(service, ann, number):
    participant, stranger = f"0208:{number}", Visitor(service, role=Role.ADMIN)
    post(ann, "claim", participant)
    turn(service, ann)

    for action in ("publish", "unpublish", "move-in", "move-out", "withdraw", "identify"):
        fields = {"migrationKey": "k", "signer": "Eve", "file": [(io.BytesIO(PDF), "a.pdf")]}
        assert post(stranger, action, participant, **fields).status_code == 404, action
    assert post(stranger, "claim", participant).status_code == 409
    assert 'id="leave"' not in stranger.get(at(participant)).text
    assert book_of(service).entries[participant][0] == "almanac-test"


def test_networks_with_accounts_have_the_steps_of_each_account(service, ann):
    start = ann.get(f"{PAGE}?environment=test")
    assert "There is no account of yours yet." in start.text
    assert "/dashboard/connections?environment=test#new-" in start.text
    ann.post("/dashboard/preferences", {"environment": "test"})
    ann.post("/dashboard/connections", {
        "network": "toll-station", "account": "RO 1", "name": "Head office",
        "credentials.user": "toll", "credentials.password": "hunter2-secret",
    })  # fmt: skip
    page = ann.get(f"{PAGE}?environment=test").text
    steps = re.search(r'aria-label="Steps of Head office">(.*?)</ol>', page, re.DOTALL)[1]

    assert re.findall(r'<li class="(\w+)"', steps) == ["done", "done"]
    assert "hunter2" not in page


def test_first_steps_are_ticked_as_they_are_done(service, ann, number):
    """All of them, until none is left; administrators see them."""

    def ticked() -> dict[str, str]:
        page = ann.get("/dashboard?environment=test").text
        found = re.search(r'id="first-steps".*?<ol class="steps">(.*?)</ol>', page, re.DOTALL)
        return {
            name: state
            for state, name in re.findall(r'<li class="(\w+)"><a[^>]*>([^<]+)', found[1])
        }

    assert set(ticked().values()) == {"now"}
    assert len(ticked()) == 6
    ann.person.call("PATCH", "/api/tenant", {"colour": "#0b5fff"})
    ann.person.post("/api/keys", {"name": "ERP", "environment": "test"})
    ann.person.post("/api/customers", {"name": "Acme"})
    post(ann, "claim", f"0208:{number}")
    assert ticked()["Onto the network"] == "now"
    turn(service, ann)
    found = ticked()

    assert {name for name, state in found.items() if state == "now"} == {
        "The first invoice", "A webhook",
    }  # fmt: skip
    assert (
        'id="first-steps"' not in Visitor(service, ann.tenant, Role.MEMBER).get("/dashboard").text
    )


def test_the_page_is_for_administrators(service, ann, number):
    member = Visitor(service, ann.tenant, Role.MEMBER)

    assert member.get(PAGE).status_code == 403
    assert post(member, "claim", f"0208:{number}").status_code == 403
