"""The receiver of a new invoice is looked up while one types its id, and by a button."""

from __future__ import annotations

import html
import re
from urllib.parse import urlencode

import pytest

from einvoice import clock
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.domain.roles import Role
from einvoice.network import calls
from einvoice.network.access_points import SIMULATOR
from einvoice.services.directory import entries
from einvoice.store.sending import registrations
from tests.browser import accessibility, expect, serving, visiting
from tests.builders import RECEIVER
from tests.web.pages.invoice_form import FILLED, FORM, SCRIPT, UNREGISTERED, filled, value_of
from tests.web.pages.visitor import Visitor

FIELD = "routing.receiverParticipantId"
WITHOUT_BILLING, AWAY_ONCE = "0088:9520000000097", "0088:9520000000158"


@pytest.fixture
def visitor(caller):
    one = Visitor(caller.app, caller.tenant, Role.MEMBER)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def asking(participant: str, environment: str = "test", **more: str) -> str:
    return f"{FORM}/receiver?{urlencode({'environment': environment, FIELD: participant, **more})}"


def said(answer) -> str:
    """What the part says, as text."""
    text = html.unescape(re.sub(r"<[^>]+>", "", answer.text))
    return " ".join(text.split())


def found(visitor, participant: str) -> str:
    answer = visitor.get(asking(participant))
    assert answer.status_code == 200
    return said(answer)


@pytest.mark.parametrize(
    ("participant", "words"),
    [
        (
            RECEIVER,
            "Registered Reached over the network simulator. It receives invoices and credit",
        ),
        (WITHOUT_BILLING, "It receives neither invoices nor credit notes"),
        (UNREGISTERED, "Not registered The network does not deliver to this id."),
        ("0088", "Not complete Type the whole id, such as 0208:0123456749."),
        (f"0088:{'9' * 200}", "Not complete"),
        ("0088:\x00", "Not complete"),
    ],
)
def test_what_the_network_says_is_said_in_words(visitor, participant, words):
    assert words in found(visitor, participant)


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        (BIS_INVOICE, "It receives invoices, but no credit notes."),
        (BIS_CREDIT_NOTE, "It receives credit notes, but no invoices."),
    ],
)
def test_the_kinds_of_documents_that_the_receiver_lists_are_named(caller, visitor, listed, words):
    reference = caller.reference()
    with caller.app.app_context():
        types = [str(listed)]
        registrations.refresh(reference, registered=True, document_types=types, now=clock.now())

    assert words in found(visitor, RECEIVER)


@pytest.mark.parametrize("participant", ["", "  "])
def test_nothing_is_said_while_no_id_is_typed(visitor, participant):
    assert found(visitor, participant) == ""


def test_a_network_that_does_not_answer_is_no_reason_to_stop(visitor):
    assert "The network does not answer You can go on" in found(visitor, AWAY_ONCE)
    assert "Registered" in found(visitor, AWAY_ONCE)


def test_the_name_is_that_of_the_directory_of_the_account(app, caller, visitor):
    with caller.app.app_context():
        entries.create(CUSTOMER, caller.tenant, {"name": SCRIPT, "peppol_id": RECEIVER})
    stranger = Visitor(app)

    assert f"In your directory: {SCRIPT}" in found(visitor, RECEIVER)
    assert SCRIPT not in visitor.get(asking(RECEIVER)).text
    assert "In your directory" not in found(stranger, RECEIVER)


def test_the_network_is_asked_once_for_a_registered_receiver(visitor, monkeypatch):
    """The answer is stored and fresh for 15 minutes, as for sends."""
    first, asked = found(visitor, RECEIVER), []
    monkeypatch.setattr(calls.lookups, "call", lambda *given: asked.append(given))

    assert found(visitor, RECEIVER) == first
    assert asked == []


def test_participants_of_the_sandbox_are_refused_in_live(visitor):
    answer = visitor.get(asking(RECEIVER, environment="live"))

    assert "Not looked up 0088:9520000000004 is a participant of the sandbox." in said(answer)


def test_the_network_that_the_form_names_is_asked(visitor):
    """One that is not offered is refused, although another one has the receiver."""
    of_simulator, of_another = (
        said(visitor.get(asking(RECEIVER, **{"routing.network": network})))
        for network in (SIMULATOR, "nothing")
    )

    assert "Reached over the network simulator." in of_simulator
    assert "Not looked up" in of_another
    assert "Reached over" not in of_another


def test_without_scripts_a_button_looks_the_receiver_up(visitor):
    form = filled(visitor) | {"invoice.note": "Thanks"}
    answer = visitor.post(f"{FORM}/form", form | {"edit": "lookup"})

    assert "Reached over the network simulator." in said(answer)
    assert value_of(answer, FIELD) == RECEIVER
    assert ">Thanks</textarea>" in answer.text


def test_a_viewer_looks_nothing_up(caller):
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER)

    assert viewer.get(asking(RECEIVER)).status_code == 403


def test_in_the_browser_the_answer_appears_while_one_types_and_stays(caller, browser):
    person = Visitor(caller.app, caller.tenant, log_in=False)
    with serving(caller.app) as origin, visiting(browser, origin) as visit:
        page = visit.page
        page.goto(origin + person.link)
        page.goto(f"{origin}{FORM}?environment=test")
        receiver = page.locator("#receiver")
        page.locator(f'[name="{FIELD}"]').press_sequentially(UNREGISTERED)
        expect(receiver).to_contain_text("Not registered")
        page.locator(f'[name="{FIELD}"]').fill(RECEIVER)
        expect(receiver).to_contain_text("It receives invoices and credit notes.")
        page.locator('[name="invoice.number"]').fill(FILLED["invoice.number"])
        expect(page.locator("#draft-saved")).to_be_visible()
        expect(receiver).to_contain_text("Registered")
        wrong, _ = accessibility(page)
        page.get_by_role("button", name="Save as draft").click()
        expect(page.locator("#receiver")).to_contain_text("Registered")

    assert wrong == []
    assert visit.said == []
