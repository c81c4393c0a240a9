"""The page "An authority in an hour" works as printed, in its own tests and in the service."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.network import samples
from einvoice.services.inbound import mailboxes
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from tests.builders import SENDER, send_body
from tests.docs import printed
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.workers import LEASE, await_calls

PAGE = printed.page("authority.md")


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    """The page's files, written where a reader would write them."""
    directory = tmp_path_factory.mktemp("levy")
    printed.write_files(PAGE, directory)
    return directory


@pytest.fixture(scope="module")
def site(example, tmp_path_factory) -> Path:
    """The example built into a wheel, and the wheel installed."""
    wheels, site = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("site")
    printed.install(example, wheels, site)
    return site


def test_the_page_holds_the_whole_distribution(example):
    """A reader who copies every block has everything."""
    assert printed.files_in(example) == [
        "einvoice_levy/__init__.py",
        "einvoice_levy/access_point.py",
        "einvoice_levy/form.py",
        "einvoice_levy/office.py",
        "pyproject.toml",
        "setup.cfg",
        "tests/stand_in.py",
        "tests/test_contract.py",
    ]


def test_the_example_keeps_the_contracts(example, site):
    """Every test of the contracts that applies passes."""
    passed, skipped, said = printed.run_tests(example, site)

    assert passed >= 40, said
    assert skipped == 7, said
    for reason in ("authorised by credentials", "has no lookup", "has its outcome at once"):
        assert reason in said


def test_every_link_to_the_reference_has_its_section():
    """A heading that is renamed there would leave a dead link here."""
    wanted = printed.anchors_in_links(PAGE, "plugins.md")

    assert wanted
    assert wanted <= printed.anchors(printed.page("plugins.md"))


# -- in the service --------------------------------------------------------------------------------


@pytest.fixture
def imported(example, site, monkeypatch) -> Iterator[None]:
    """The modules of the example can be imported until the end of the test."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(example / "tests")
    monkeypatch.syspath_prepend(site)
    yield
    for name in set(sys.modules) - before:
        if name == "stand_in" or name.startswith("einvoice_levy"):
            del sys.modules[name]


@pytest.fixture
def books(imported) -> Iterator[Any]:
    """The books of the stand-in."""
    with importlib.import_module("stand_in").running() as running:
        yield running


@pytest.fixture
def plugin(imported) -> ModuleType:
    return importlib.import_module("einvoice_levy")


@pytest.fixture
def caller(make_app, plugin, books, monkeypatch) -> Caller:
    """A tenant with an account at the Levy."""
    monkeypatch.setenv("EINVOICE_LEVY_TEST_URL", books.url)
    caller = Caller(make_app([plugin]))
    account = {"network": "levy", "account": "BE0123456749", "credentials": {"refresh": "consent"}}
    person = Dashboard(caller.app, caller.tenant, role=Role.ADMIN)
    answer = person.post("/api/connections", {"environment": "test"} | account)
    assert (answer.status_code, answer.json["state"]) == (201, "active"), answer.text
    return caller


def sent(caller: Caller, number: str, **buyer: Any) -> Any:
    named = {"name": "Buyer BV", "taxId": "NL123456789B12", "address": {"countryCode": "NL"}}
    body = send_body("", number=number, buyer=named | buyer)
    body["routing"] = {"senderParticipantId": SENDER, "network": "levy"}
    return caller.send(body)


def test_bills_are_cleared_one_after_the_other(caller, books):
    """Also when the access token has ended; the sealed bill is kept as the legal original."""
    answers = [sent(caller, number) for number in ("A-1", "A-2", "B-1")]
    assert {answer.status_code for answer in answers} == {200}, answers[0].text
    assert caller.get(f"/api/invoices/{answers[0].json['invoiceId']}/pdf").status_code == 409
    books.access = "another"
    for _ in range(3):
        caller.work()

    assert {unit: counter for unit, (counter, _) in books.chains.items()} == {"A": 2, "B": 1}
    invoice = f"/api/invoices/{answers[1].json['invoiceId']}"
    shown = caller.get(invoice).json
    assert (shown["networkStatus"], shown["deliveredMeans"]) == ("Delivered", "authority")
    kept = {each["type"]: each for each in caller.get(f"{invoice}/artefacts").json["items"]}
    original = kept["AUTHORITY_DOCUMENT"]
    assert (original["legalOriginal"], original["retentionYears"]) == (True, 10)
    assert (original["authorityReference"], "AUTHORITY_RECEIPT" in kept) == ("LEVY-A-2", True)


def test_bills_wait_for_a_new_consent(caller, books):
    """They do not fail; the tenant gives a new code, and they go on in their order."""
    books.refresh, books.access = "another consent", "another"
    answers = [sent(caller, number) for number in ("A-1", "A-2")]
    for _ in range(2):
        caller.work()
    first, second = (f"/api/invoices/{answer.json['invoiceId']}" for answer in answers)
    assert "The consent has ended." in caller.get(first).json["waitingReason"]
    assert books.chains == {}

    person = Dashboard(caller.app, caller.tenant, role=Role.ADMIN)
    (connection,) = person.get("/api/connections").json["items"]
    new = {"credentials": {"refresh": "another consent"}}
    path = f"/api/connections/{connection['connectionId']}"
    assert person.patch(path, new).json["state"] == "active"
    for _ in range(3):
        caller.work()
    statuses = [caller.get(invoice).json["networkStatus"] for invoice in (first, second)]
    assert statuses == ["Delivered"] * 2
    assert books.chains["A"][0] == 2


def test_a_bill_is_judged_by_the_rules_of_the_page(caller):
    """In the answer to the send, with the words of its docstring."""
    answer = sent(caller, "A-1", taxId=None)

    assert answer.status_code == 400
    found = {each["ruleId"]: each for each in answer.json["findings"]}
    assert found["LEVY-01"]["message"] == "A bill names the tax number of its buyer."


def test_the_mailbox_is_fetched(caller, books, monkeypatch):
    """Each bill once, for the tenant of the account."""
    form = importlib.import_module("einvoice_levy.form")
    for number in range(4):
        bill = form.write(samples.invoice(number=f"M-{number}")).decode()
        books.mailbox.append({"id": str(number), "from": "9999:1", "bill": bill})
    fetch(caller, monkeypatch)

    received = caller.get("/api/invoices?direction=received").json["items"]
    assert len(received) == 3, "a page"
    assert [each["networkStatus"] for each in received] == ["Received"] * 3


def fetch(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetch a page of the mailbox, as a worker does."""
    parts, later = runtime_of(caller.app), clock.now() + timedelta(minutes=5)
    with caller.app.app_context():
        mailboxes.schedule(parts)
        monkeypatch.setattr(clock, "now", lambda: later)
        due = outbox.claim(outbox.PLUGINS, caller.tenant, 10, token="t", now=later, lease=LEASE)
        mailboxes.run([row.id for row in due], "t", parts)
        await_calls()
