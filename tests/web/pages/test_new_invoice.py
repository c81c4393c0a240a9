"""The form of a new invoice: from empty fields to Delivered, and what it refuses."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest

from einvoice import clock
from einvoice.domain.directory import CUSTOMER
from einvoice.domain.roles import Role
from einvoice.services.account import days, profile
from einvoice.services.directory import entries
from einvoice.store.tables import Invoice
from einvoice.web.dashboard import invoice_form
from einvoice.web.runtime import runtime_of
from tests.browser import expect, serving, visiting
from tests.builders import RECEIVER, SENDER
from tests.web.caller import Caller
from tests.web.dashboard import Dashboard
from tests.web.inbox import Inbox
from tests.web.pages.invoice_form import (
    FILLED,
    FORM,
    LINE,
    SCRIPT,
    UNREGISTERED,
    error_at,
    filled,
    value_of,
)
from tests.web.pages.visitor import Visitor, titles

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

REJECTED = "0088:9520000000059"
ATTACHED = {"filename": "a.csv", "mimeType": "text/csv", "content": "MSwy"}


@pytest.fixture
def caller(app):
    return Caller(app)


@pytest.fixture
def visitor(caller):
    one = Visitor(caller.app, caller.tenant, Role.MEMBER)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def lines(answer) -> list[str]:
    """The numbers of the lines on the page."""
    return re.findall(r'name="invoice\.lineItems\.(\d+)\.description"', answer.text)


def customer(caller, **values: str) -> str:
    with caller.app.app_context():
        given = {"name": "Buyer BV", "peppol_id": RECEIVER, **values}
        return entries.create(CUSTOMER, caller.tenant, given).id


def test_an_empty_form_has_the_profile_of_the_account_and_one_line(caller, visitor):
    with caller.app.app_context():
        known = {"displayName": "Acme", "email": "a@acme.test"}
        profile.change(caller.tenant, known, None, runtime_of(caller.app).caches)
    caller.own()
    page = visitor.get(FORM)

    assert titles(page) == ["New invoice"]
    assert value_of(page, "invoice.supplier.name") == "Acme"
    assert value_of(page, "invoice.supplier.contact.email") == "a@acme.test"
    assert value_of(page, "routing.senderParticipantId") == SENDER
    today = days.today_of(caller.tenant, runtime_of(caller.app).caches)
    assert value_of(page, "invoice.issueDate") == today.isoformat()
    assert lines(page) == ["0"]


def test_a_new_form_repeats_supplier_sender_and_currency_of_the_last_invoice(caller, visitor):
    visitor.post(FORM, filled(visitor) | {"invoice.currency": "SEK"})
    page = visitor.get(FORM)
    visitor.post("/dashboard/preferences", {"environment": "live"})
    live = visitor.get(FORM)

    repeated = {name for name in FILLED if name.startswith("invoice.supplier.")}
    for name in repeated | {"routing.senderParticipantId"}:
        assert value_of(page, name) == FILLED[name]
    assert value_of(page, "invoice.currency") == "SEK"
    assert value_of(page, "invoice.buyer.name") == ""
    assert value_of(page, "invoice.number") == "P-2"
    assert value_of(live, "invoice.supplier.taxId") == ""


def test_an_invoice_is_checked_sent_and_followed_to_delivered(caller, visitor, monkeypatch):
    form = filled(visitor)
    checked = visitor.post(f"{FORM}/check", form)
    assert checked.status_code == 200, checked.text
    assert "This invoice can be sent." in checked.text
    assert "€122.21" in checked.text
    assert caller.count(Invoice) == 0
    sent = visitor.post(FORM, form)
    page = visitor.get(sent.headers["Location"])
    assert "The invoice is on its way." in page.text
    assert titles(page) == ["Invoice P-1"]
    began = clock.now()
    caller.work()
    monkeypatch.setattr(clock, "now", lambda: began + timedelta(minutes=2))
    caller.work()

    assert '<span class="badge good">Delivered</span>' in visitor.get(sent.headers["Location"]).text


def test_a_credit_note_is_sent_as_one(visitor):
    form = filled(visitor) | {
        "invoice.type": "creditNote",
        "invoice.precedingInvoice.number": "P-0",
    }
    sent = visitor.post(FORM, form)

    assert sent.status_code == 303, sent.text
    assert titles(visitor.get(sent.headers["Location"])) == ["Credit note P-1"]


def test_a_form_that_is_sent_twice_is_one_invoice(caller, visitor):
    form = filled(visitor)
    first, second = visitor.post(FORM, form), visitor.post(FORM, form)
    changed = visitor.post(FORM, form | {"invoice.note": "Thanks"})

    assert first.headers["Location"] == second.headers["Location"]
    assert caller.count(Invoice) == 1
    assert "notice=sentBefore" in changed.headers["Location"]
    assert (
        "Later changes of the form were not sent." in visitor.get(changed.headers["Location"]).text
    )


def test_a_persons_send_is_once_in_the_audit_log(caller, visitor):
    """A send with a key is not: invoices and events have it."""
    form = filled(visitor)
    visitor.post(FORM, form | {"invoice.number": ""})  # refused
    visitor.post(FORM, form)
    visitor.post(FORM, form)
    assert caller.send(caller.body()).status_code == 200
    owner = Dashboard(caller.app, caller.tenant)
    (entry,) = owner.get("/api/audit?action=invoice.sent").json["items"]
    invoice = owner.get(f"/api/invoices/{entry['target']}").json

    assert (entry["actor"], entry["actorKind"], entry["email"]) == (
        "ann",
        "person",
        "ann@example.com",
    )
    assert invoice["number"] == "P-1"
    assert entry["detail"] == {"transactionId": invoice["transactionId"], "environment": "test"}


def test_two_pages_are_two_invoices(caller, visitor):
    for number in ("P-1", "P-2"):
        visitor.post(FORM, filled(visitor) | {"invoice.number": number})

    assert caller.count(Invoice) == 2


@pytest.mark.parametrize("key", ["", "ä", "x" * 129])
def test_a_form_without_a_usable_key_is_not_sent(caller, visitor, key):
    answer = visitor.post(FORM, FILLED | {"key": key})

    assert answer.status_code == 400
    assert 'href="/errors/invalid-idempotency-key"' in answer.text
    assert caller.count(Invoice) == 0


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ({"invoice.number": ""}, "invoice.number", "is required"),
        ({"invoice.issueDate": "today"}, "invoice.issueDate", "YYYY-MM-DD"),
        ({"invoice.currency": "EURO"}, "invoice.currency", "ISO 4217"),
        ({f"{LINE}quantity": "many"}, f"{LINE}quantity", "must be a number"),
        ({f"{LINE}unitPrice": "1,234"}, f"{LINE}unitPrice", "must be a number"),
        ({f"{LINE}taxRate": "210"}, f"{LINE}taxRate", "at most 100"),
        ({f"{LINE}taxRate": ""}, f"{LINE}taxRate", "is required"),
        ({"routing.receiverParticipantId": ""}, "routing.receiverParticipantId", "Fill in"),
        ({"routing.receiverParticipantId": "x"}, "routing.receiverParticipantId", "'x'"),
        ({"routing.receiverParticipantId": SENDER}, "routing.receiverParticipantId", "both"),
        ({"routing.senderParticipantId": "x"}, "routing.senderParticipantId", "'x'"),
        ({"invoice.buyer.address.countryCode": ""}, "invoice.buyer.address.countryCode", ""),
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        FORM,
        pytest.param(f"{FORM}/check", marks=pytest.mark.long),
        pytest.param(f"{FORM}/pdf", marks=pytest.mark.long),
    ],
)
def test_a_fault_is_shown_at_its_field_and_everything_typed_is_kept(
    caller, visitor, path, change, field, words
):
    form = filled(visitor) | {"invoice.note": "Thank you"} | change
    answer = visitor.post(path, form)

    assert answer.status_code == 400, answer.text
    assert words in error_at(answer, field)
    assert 'role="alert"' in answer.text
    assert 'href="/errors/' in answer.text
    assert value_of(answer, "invoice.buyer.name") == "Buyer BV"
    assert value_of(answer, "key") == form["key"]
    assert ">Thank you</textarea>" in answer.text
    assert caller.count(Invoice) == 0


def test_faults_of_parties_and_of_other_fields_are_shown_together(visitor):
    wrong = {"routing.senderParticipantId": "", f"{LINE}quantity": "many", "invoice.number": ""}
    answer = visitor.post(FORM, filled(visitor) | wrong)

    assert error_at(answer, "routing.senderParticipantId") == "Fill in this field."
    assert error_at(answer, "invoice.number") == "is required"
    assert error_at(answer, f"{LINE}quantity") == "must be a number, not text"


def test_an_unregistered_receiver_is_shown_at_its_field(visitor):
    form = filled(visitor) | {"routing.receiverParticipantId": UNREGISTERED}
    answer = visitor.post(FORM, form)

    assert answer.status_code == 400
    assert "not registered" in error_at(answer, "routing.receiverParticipantId")


def test_findings_name_the_line_on_the_page_though_blank_lines_are_left_out(visitor):
    form = filled(visitor)
    later = {name.replace(".0.", ".3."): text for name, text in form.items()}
    blank = {f"{LINE}description": "", f"{LINE}quantity": "1", f"{LINE}taxCategory": "S"}
    bad = {"invoice.lineItems.3.quantity": "many"}
    answer = visitor.post(FORM, {**later, **blank, **bad})

    assert error_at(answer, f"{LINE}quantity") is None
    assert "must be a number" in error_at(answer, "invoice.lineItems.3.quantity")


def test_while_one_types_blank_fields_are_not_wrong_yet(visitor):
    wrong = {"invoice.currency": "EURO"}
    blank = filled(visitor) | wrong | {"invoice.number": " "}
    live = visitor.post(f"{FORM}/check", blank, HX_Request="true")
    whole = visitor.post(f"{FORM}/check", filled(visitor) | wrong, HX_Request="true")

    assert live.status_code == 200
    assert error_at(live, "invoice.number") is None
    assert "ISO 4217" in error_at(live, "invoice.currency")
    assert "122.21" in live.text
    assert ('role="alert"' in live.text, 'role="alert"' in whole.text) == (False, True)


def test_the_live_check_judges_by_the_rules_without_asking_the_network(visitor):
    form = filled(visitor) | {"routing.receiverParticipantId": UNREGISTERED}
    right = visitor.post(f"{FORM}/check", form, HX_Request="true")
    wrong = visitor.post(
        f"{FORM}/check",
        form | {f"{LINE}taxCategory": "E", f"{LINE}taxRate": "0"},
        HX_Request="true",
    )

    assert "Correct by the rules." in right.text
    assert "Correct by the rules." not in wrong.text
    assert '<span class="badge bad">Error</span>' in wrong.text


def test_categories_without_vat_need_no_rate(visitor):
    answer = visitor.post(
        f"{FORM}/check",
        filled(visitor)
        | {
            f"{LINE}taxCategory": "E",
            f"{LINE}taxRate": "",
            "invoice.taxExemption.reason": "Education",
        },
    )

    assert answer.status_code == 200, answer.text
    assert "€101.00" in answer.text


def test_lines_are_added_and_removed_without_scripts(visitor):
    form = filled(visitor)
    two = visitor.post(f"{FORM}/form", form | {"edit": "add"})
    assert lines(two) == ["0", "1"]
    assert value_of(two, f"{LINE}description") == "Consulting"
    assert value_of(two, "invoice.lineItems.1.taxRate") == "21"
    assert re.search(r'lineItems\.1\.unitCode".*?value="HUR" selected', two.text, re.DOTALL)
    second = {"invoice.lineItems.1.description": "Paper", "invoice.lineItems.1.unitPrice": "1"}
    one = visitor.post(f"{FORM}/form", form | second | {"edit": "0"})

    assert lines(one) == ["0"]
    assert value_of(one, f"{LINE}description") == "Paper"
    assert lines(visitor.post(f"{FORM}/form", {"edit": "0"})) == ["0"]


@pytest.mark.parametrize("edit", ["", "²", "-1", "9" * 5000, "nothing"])
def test_an_unknown_edit_changes_nothing(visitor, edit):
    answer = visitor.post(f"{FORM}/form", filled(visitor) | {"edit": edit})

    assert answer.status_code == 200
    assert lines(answer) == ["0"]


def test_a_form_has_at_most_200_lines(visitor):
    many = {f"invoice.lineItems.{number}.description": "x" for number in range(205)}
    answer = visitor.post(f"{FORM}/form", many | {"edit": "add"})

    assert len(lines(answer)) == 200
    assert 'value="add"' not in answer.text
    assert "at most 200 lines" in answer.text


@pytest.mark.parametrize("name", ["invoice.lineItems.².description", "invoice.totals.subtotal",
                                  "options.dryRun", "invoice.lineItems", "routing"])  # fmt: skip
def test_a_field_that_the_form_does_not_have_is_left_out(visitor, name):
    answer = visitor.post(FORM, filled(visitor) | {name: "1"})

    assert answer.status_code == 303, answer.text


def test_a_customer_is_found_by_a_part_of_the_name_and_fills_in_the_form(caller, visitor):
    entry = customer(
        caller, name="Søren & Co", country_code="BE", address={"line1": "Road 2", "city": "Gent"},
        buyer_reference="REF-7", default_currency_code="SEK", default_payment_terms_days=14,
    )  # fmt: skip
    found = visitor.get(f"{FORM}/customers?search=ren")
    again = visitor.post(f"{FORM}/form", filled(visitor) | {"edit": "search", "search": "Søren"})
    nothing = visitor.get(f"{FORM}/customers?search=nobody")
    assert f'name="customer" value="{entry}"' in found.text
    assert f'name="customer" value="{entry}"' in again.text
    assert value_of(again, "invoice.number") == "P-1"
    assert "No customer has this name" in nothing.text
    chosen = visitor.post(f"{FORM}/form", filled(visitor) | {"customer": entry})

    for name, text in (
        ("invoice.buyer.name", "Søren & Co"),
        ("invoice.buyer.address.line1", "Road 2"),
        ("routing.receiverParticipantId", RECEIVER),
        ("invoice.buyerReference", "REF-7"),
        ("invoice.currency", "SEK"),
        ("invoice.dueDate", "2026-12-05"),
        ("invoice.number", "P-1"),
    ):
        assert value_of(chosen, name) == text
    assert value_of(visitor.get(f"{FORM}?customer={entry}"), "invoice.buyer.name") == "Søren & Co"


def test_another_account_s_customer_is_neither_found_nor_usable(app, caller, visitor):
    other = Caller(app)
    entry = customer(other, name="Secret BV")

    assert "Secret" not in visitor.get(f"{FORM}/customers?search=Secret").text
    for answer in (
        visitor.post(f"{FORM}/form", FILLED | {"customer": entry}),
        visitor.get(f"{FORM}?customer={entry}"),
        visitor.post(f"{FORM}/form", FILLED | {"customer": "\x00"}),
    ):
        assert answer.status_code == 404
        assert "Secret" not in answer.text


def test_the_pdf_is_that_of_the_form_and_nothing_is_sent(caller, visitor):
    answer = visitor.post(f"{FORM}/pdf", filled(visitor))

    assert answer.content_type == "application/pdf"
    assert answer.data.startswith(b"%PDF")
    assert caller.count(Invoice) == 0


def test_an_invoice_is_sent_in_the_environment_that_the_page_shows(caller, visitor):
    """Though the person has chosen the other one in another window meanwhile."""
    page = visitor.get(f"{FORM}?environment=test").text
    assert f'action="{FORM}?environment=test"' in page
    visitor.post("/dashboard/preferences", {"environment": "live"})
    form = filled(visitor)
    refused = visitor.post(FORM, form)
    sent = visitor.post(f"{FORM}?environment=test", form)

    assert refused.status_code == 400
    assert sent.status_code == 303
    assert caller.count(Invoice) == 1


def test_text_of_every_field_is_text_on_the_page(visitor):
    form = dict.fromkeys(FILLED, SCRIPT) | dict.fromkeys(invoice_form.FIELDS, SCRIPT)
    given = {**form, "key": SCRIPT, "search": SCRIPT}
    for path in (FORM, f"{FORM}/check", f"{FORM}/form", f"{FORM}/pdf"):
        for headers in ({}, {"HX_Request": "true"}):
            answer = visitor.post(path, given, **headers)
            assert SCRIPT not in answer.text
            assert html.escape(SCRIPT) in answer.text


def test_a_viewer_sees_no_form_and_no_way_to_it(caller):
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER)

    for path in ("/dashboard", "/dashboard/invoices"):
        assert FORM not in viewer.get(path).text
    for path in (FORM, f"{FORM}/customers"):
        assert viewer.get(path).status_code == 403
    for path in (FORM, f"{FORM}/check", f"{FORM}/form", f"{FORM}/pdf"):
        assert viewer.post(path, FILLED).status_code == 403


@pytest.mark.parametrize("path", ["/dashboard", "/dashboard/invoices"])
def test_the_form_is_offered_on_overview_and_list(visitor, path):
    assert f'href="{FORM}?environment=test"' in visitor.get(path).text


def test_a_credit_note_begins_with_its_invoice(visitor):
    sent = visitor.post(FORM, filled(visitor) | {"invoice.note": "Thanks"}).headers["Location"]
    link = re.search(rf'href="({FORM}\?[^"]*credits=[^"]+)"', visitor.get(sent).text)[1]
    page = visitor.get(html.unescape(link))

    for name, text in (
        ("invoice.number", "P-2"),
        ("invoice.precedingInvoice.number", "P-1"),
        ("invoice.precedingInvoice.issueDate", "2026-11-21"),
        ("invoice.buyer.name", "Buyer BV"),
        ("routing.receiverParticipantId", RECEIVER),
        (f"{LINE}unitPrice", "50.50"),
    ):
        assert value_of(page, name) == text
    assert '<option value="creditNote" selected>' in page.text
    assert "Thanks" not in page.text


def fields_of(page) -> dict[str, str]:
    """The fields of the form of a page, as a browser sends them."""
    form = page.text.partition('<form id="form"')[2].partition("</form>")[0]
    found = {
        html.unescape(name): html.unescape(value)
        for name, value in re.findall(r'<input [^>]*?name="([^"]+)"[^>]*? value="([^"]*)"', form)
    }
    for name, options in re.findall(r'(?s)<select [^>]*?name="([^"]+)".*?>(.*?)</select>', form):
        chosen = re.search(r'value="([^"]*)" selected', options)
        found[name] = chosen[1] if chosen else ""
    areas = re.findall(r'<textarea [^>]*?name="([^"]+)"[^>]*>([^<]*)', form)
    return found | {name: html.unescape(text) for name, text in areas}


def original(caller, invoice: str) -> dict[str, object]:
    """The invoice as it was sent."""
    artefact = caller.artefacts(invoice)["ORIGINAL"]["artefactId"]
    found = caller.get(f"/api/invoices/{invoice}/artefacts/{artefact}")
    assert found.status_code == 200, found.text
    return json.loads(found.data)["invoice"]


def test_whatever_was_sent_is_credited_and_copied_whole(caller, visitor):
    """Rows of the form, and what it has no field for, which is said."""
    discount = {"amount": 5.0, "reason": "Discount", "reasonCode": "95", "taxRate": 21.0}
    invoice = caller.sent(
        number="WHOLE-1",
        allowances=[discount] * 2,
        totals={"subtotal": 90.0, "taxAmount": 18.9, "grandTotal": 108.9},
        period={"startDate": "2026-11-01", "endDate": "2026-11-20"},
        projectReference="Project 7",
        deliveryAddress={"line1": "Quay 5", "city": "Gent", "countryCode": "BE", "region": "VOV"},
        cashDiscounts=[{"days": 8, "percent": 2.0}],
    )
    caller.work()
    before = original(caller, invoice)
    for kind, number in (("credits", "WHOLE-C"), ("copies", "WHOLE-2")):
        page = visitor.get(f"{FORM}?environment=test&{kind}={invoice}")
        assert page.status_code == 200, page.text
        assert "invoice.allowances.1.reasonCode" in page.text
        sent = visitor.post(
            f"{FORM}?environment=test", fields_of(page) | {"invoice.number": number}
        )
        assert sent.status_code == 303, sent.text
        made = sent.headers["Location"].rpartition("/")[2].partition("?")[0]
        after = original(caller, made)
        names = {"allowances", "period", "projectReference", "deliveryAddress", "totals"}
        names |= {"cashDiscounts"} if kind == "copies" else set()
        assert {n: after.get(n) for n in names} == {n: before.get(n) for n in names}, kind


def test_the_rest_goes_with_its_line_and_its_row_and_can_be_left_out():
    line = {"description": "A", "quantity": Decimal(1), "unitPrice": Decimal(2)}
    body = {
        "invoice": {
            "lineItems": [
                {**line, "extra": "first"},
                {**line, "allowances": [{"amount": Decimal(1), "reasonCode": "95"}]},
            ],
            "allowances": [{"amount": Decimal(1), "reasonCode": "95"}],
            "payeeFlag": True,
        },
        "routing": {},
        "metadata": {"order": "7"},
    }
    values = invoice_form.values_of(body)
    assert invoice_form.body_of(values) == body

    without = invoice_form.body_of(invoice_form.without_line(values, 0))
    blanked = invoice_form.body_of(values | {"invoice.allowances.0.amount": " "})
    plain = invoice_form.body_of({n: v for n, v in values.items() if n != invoice_form.REST})
    wild = invoice_form.body_of({invoice_form.REST: json.dumps(
        {"invoice": 1, "routing.0": 1, "a.b.c.d.e.f.g.h.i.j.k.l.m": 1, "invoice.number.x": "1",
         "": 1, "..": 1, "invoice.lineItems.999.x": 1, "invoice.q.²": 1}
    )})  # fmt: skip

    assert without["invoice"]["lineItems"] == body["invoice"]["lineItems"][1:]
    assert "allowances" not in blanked["invoice"]
    assert "reasonCode" not in str(plain)
    assert isinstance(wild["invoice"], dict)


@pytest.mark.parametrize(
    ("quantity", "price", "shown"),
    [("7.5", "1999.99", "€18,149.91"), ("1", "0.005", "€0.01"), ("3", "33.333", "€121.00")],
)
def test_totals_are_shown_in_cents_and_such_an_invoice_can_be_credited(
    visitor, quantity, price, shown
):
    form = filled(visitor) | {f"{LINE}quantity": quantity, f"{LINE}unitPrice": price}
    checked = visitor.post(f"{FORM}/check", form)
    sent = visitor.post(FORM, form | {"invoice.number": f"R-{quantity}-{price}"})
    link = re.search(
        rf'href="({FORM}\?[^"]*credits=[^"]+)"', visitor.get(sent.headers["Location"]).text
    )
    credit = visitor.get(html.unescape(link[1]))

    assert shown in checked.text
    assert credit.status_code == 200
    assert value_of(credit, f"{LINE}quantity") == quantity


def test_rows_of_allowances_and_charges_follow_each_other(visitor):
    """One more row than is filled in, up to the most."""
    for count, rows in ((0, 1), (1, 2), (4, 5), (5, 5)):
        form = filled(visitor) | {f"invoice.allowances.{n}.amount": "1" for n in range(count)}
        page = visitor.post(f"{FORM}/check", form, HX_Request="true").text
        assert len(re.findall(r'name="invoice\.allowances\.\d\.amount"', page)) == rows


def test_only_an_invoice_of_the_account_and_environment_is_credited(app, caller, visitor):
    own, other = caller.sent(), Caller(app).sent()

    assert visitor.get(f"{FORM}?environment=test&credits={own}").status_code == 200
    assert visitor.get(f"{FORM}?environment=live&credits={own}").status_code == 404
    assert visitor.get(f"{FORM}?environment=test&credits={other}").status_code == 404


def test_a_bill_cannot_be_credited(caller, visitor):
    """It is not there to be credited: 404, as an unknown invoice, and no advice to do it by API."""
    answer = visitor.get(f"{FORM}?environment=test&credits={Inbox(caller).arrives()}")

    assert answer.status_code == 404


def test_a_viewer_is_not_offered_a_credit_note(caller):
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER)
    page = viewer.get(f"/dashboard/invoices/{caller.sent()}").text

    assert "credits=" not in page
    assert "copies=" not in page


def copy_of(visitor, invoice: str):
    """The form that the page of an invoice leads to."""
    page = visitor.get(f"/dashboard/invoices/{invoice}").text
    return visitor.get(html.unescape(re.search(rf'href="({FORM}\?[^"]*copies=[^"]+)"', page)[1]))


def test_a_failed_invoice_is_corrected_with_what_it_has(caller, visitor, work):
    """It was delivered to nobody, so its number is still free, and there is nothing to credit."""
    failed = caller.sent(receiver=REJECTED, number="F-1", attachments=[ATTACHED])
    work()
    page = visitor.get(f"/dashboard/invoices/{failed}").text
    form = copy_of(visitor, failed)

    assert "Correct and send" in page
    assert "credits=" not in page
    assert value_of(form, "invoice.number") == "F-1"
    assert value_of(form, "routing.receiverParticipantId") == REJECTED
    assert value_of(form, "invoice.issueDate") == "2026-11-21"
    assert "The attachments of that invoice are not taken over" in form.text


def test_the_overview_leads_to_the_form_of_a_failed_invoice_where_it_helps(caller, visitor, work):
    """Not for one of another program's XML, and not for one that succeeds as it is."""
    failed = caller.sent(receiver=REJECTED, number="F-2")
    work()
    bill = Inbox(caller).arrives()
    leads = [
        visitor.get(f"/dashboard/invoices/{each}/correct").headers["Location"]
        for each in (failed, bill)
    ]

    assert leads == [
        f"{FORM}?environment=test&copies={failed}",
        f"/dashboard/invoices/{bill}",
    ]


def test_the_first_credit_note_is_numbered_with_the_invoices_and_the_next_by_itself(visitor):
    """Either is proposed, and can be changed."""
    sent = visitor.post(FORM, filled(visitor) | {"invoice.number": "2026-07"}).headers["Location"]
    link = re.search(rf'href="({FORM}\?[^"]*credits=[^"]+)"', visitor.get(sent).text)[1]
    page = visitor.get(html.unescape(link))
    proposed = value_of(page, "invoice.number")
    visitor.post(FORM, fields_of(page) | {"invoice.number": "CN-1"})

    assert proposed == "2026-08"
    assert value_of(visitor.get(html.unescape(link)), "invoice.number") == "CN-2"
    assert value_of(visitor.get(FORM), "invoice.number") == "2026-08"


def test_an_invoice_like_another_has_a_number_and_a_day_of_its_own(caller, visitor, monkeypatch):
    sent = caller.sent(number="S-1", dueDate="2026-12-21")
    late = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)  # the next day in Belgium
    monkeypatch.setattr(clock, "now", lambda: late)
    form = copy_of(Visitor(caller.app, caller.tenant), sent)

    assert value_of(form, "invoice.number") == "S-2"
    assert value_of(form, "invoice.dueDate") == ""
    assert value_of(form, "invoice.issueDate") == "2026-12-01"
    assert value_of(form, "routing.receiverParticipantId") == RECEIVER
    assert "are not taken over" not in form.text


def test_only_an_invoice_of_the_account_and_environment_is_copied(app, caller, visitor):
    own, other = caller.sent(), Caller(app).sent()

    assert visitor.get(f"{FORM}?environment=test&copies={own}").status_code == 200
    assert visitor.get(f"{FORM}?environment=live&copies={own}").status_code == 404
    assert visitor.get(f"{FORM}?environment=test&copies={other}").status_code == 404


@pytest.mark.parametrize(
    ("price", "shown"),
    [
        ("1.234,50", "€2,469.00"),
        ("1,234.50", "€2,469.00"),
        ("1.234.567", "€2,469,134.00"),
        ("1 234,50", "€2,469.00"),
        ("0,125", "€0.25"),
    ],
)
def test_separators_of_thousands_are_read_where_they_mean_one_number(visitor, price, shown):
    page = visitor.post(f"{FORM}/check", filled(visitor, **{f"{LINE}unitPrice": price}))

    assert f"<dd>{shown}</dd>" in page.text


@pytest.mark.parametrize("price", ["1,234", "1,23,45", "12.34,5"])
def test_a_number_that_may_mean_two_is_refused_with_how_to_write_it(visitor, price):
    page = visitor.post(f"{FORM}/check", filled(visitor, **{f"{LINE}unitPrice": price}))

    assert "without separators of thousands" in error_at(page, f"{LINE}unitPrice")
    assert value_of(page, f"{LINE}unitPrice") == price


@pytest.mark.parametrize(("language", "is_refused"), [("de", True), ("en", False)])
def test_a_point_before_three_digits_is_doubtful_where_people_write_a_comma(
    visitor, language, is_refused
):
    visitor.post("/dashboard/preferences", {"language": language})
    page = visitor.post(f"{FORM}/check", filled(visitor, **{f"{LINE}unitPrice": "1.234"}))

    assert bool(error_at(page, f"{LINE}unitPrice")) is is_refused


def test_three_decimals_of_a_draft_are_read_by_people_of_another_language(visitor):
    typed = filled(visitor, **{f"{LINE}unitPrice": "1.234"})
    kept = visitor.post(f"{FORM}/draft", {**typed, "edit": "save"}).headers["Location"]
    visitor.post("/dashboard/preferences", {"language": "de"})
    page = visitor.get(kept)

    assert value_of(page, f"{LINE}unitPrice") == "1,2340"
    assert error_at(page, f"{LINE}unitPrice") is None


@pytest.mark.parametrize(("language", "price"), [("de", "50,50"), ("en", "50.50")])
def test_numbers_of_a_stored_invoice_are_written_in_the_language_of_the_page(
    caller, visitor, language, price
):
    sent = visitor.post(FORM, filled(visitor)).headers["Location"].partition("?")[0]
    visitor.post("/dashboard/preferences", {"language": language})

    assert value_of(copy_of(visitor, sent.rpartition("/")[2]), f"{LINE}unitPrice") == price


@pytest.mark.parametrize(("language", "said"), [("en", "Correct the"), ("de", "Berichtigen Sie")])
def test_a_form_with_blank_fields_names_no_members_of_the_api(visitor, language, said):
    visitor.post("/dashboard/preferences", {"language": language})
    page = visitor.post(FORM, {"key": "k-1"})

    assert said in page.text
    assert "missing:" not in page.text
    assert "/invoice/" not in page.text


def test_in_the_browser_totals_and_faults_appear_while_one_types(caller, browser):
    customer(caller, country_code="BE", buyer_reference="REF-7")
    person = Visitor(caller.app, caller.tenant, log_in=False)
    with serving(caller.app) as origin, visiting(browser, origin) as visit:
        page = visit.page
        page.goto(origin + person.link)
        page.goto(f"{origin}{FORM}?environment=test")
        page.locator("#search").press_sequentially("buy")
        page.locator(".hits button").click()
        expect(field(page, "invoice.buyer.name")).to_have_value("Buyer BV")
        page.locator("#more-buyer summary").click()
        field(page, "invoice.buyer.contact.name").fill("Ann")
        for name in ("description", "unitPrice", "taxRate"):
            field(page, LINE + name).fill(FILLED[LINE + name])
        field(page, f"{LINE}quantity").fill("many")
        expect(page.locator(f'[id="{LINE}quantity-error"]')).to_have_text(
            "must be a number, not text"
        )
        expect(field(page, f"{LINE}quantity")).to_be_focused()
        field(page, f"{LINE}quantity").fill("2")
        expect(page.locator(".sums")).to_contain_text("€122.21")
        expect(field(page, "invoice.buyer.contact.name")).to_have_value("Ann")
        expect(field(page, "invoice.buyer.contact.name")).to_be_visible()

    assert visit.said == []


def field(page: Page, name: str) -> Locator:
    return page.locator(f'[name="{name}"]')


def test_the_closed_rows_become_members_and_count_in_the_totals():
    """Numbers are read wherever they are, as people of the page's language write them."""
    typed = {
        "invoice.lineItems.0.description": "Paper",
        "invoice.lineItems.0.quantity": "2",
        "invoice.lineItems.0.unitPrice": "10,5",
        "invoice.lineItems.0.taxRate": "20",
        "invoice.lineItems.0.allowances.0.amount": "1,00",
        "invoice.lineItems.0.period.startDate": "2026-11-01",
        "invoice.lineItems.0.attributes.0.name": "Colour",
        "invoice.lineItems.0.attributes.0.value": "Black",
        "invoice.charges.0.amount": "5,5",
        "invoice.cashDiscounts.0.days": "14",
        "invoice.cashDiscounts.0.percent": "2,5",
        "invoice.paymentMeans.card.number": "1234",
        "invoice.taxRepresentative.address.countryCode": "BE",
    }
    body = invoice_form.body_of(invoice_form.known(typed), has_comma=True)
    invoice = body["invoice"]
    found = invoice_form.totals_of(body)

    assert invoice["lineItems"][0]["allowances"] == [{"amount": Decimal("1.00")}]
    assert invoice["lineItems"][0]["period"] == {"startDate": "2026-11-01"}
    assert invoice["cashDiscounts"] == [{"days": 14, "percent": Decimal("2.5")}]
    assert invoice["paymentMeans"] == {"card": {"number": "1234"}}
    assert invoice["taxRepresentative"] == {"address": {"countryCode": "BE"}}
    assert (found.subtotal, found.tax) == (Decimal("25.5"), Decimal("5.10"))
    assert set(invoice_form.values_of(body)) == typed.keys()


@pytest.mark.parametrize(("country", "shown"), [("AE", True), ("om", True), ("BE", False)])
def test_a_seller_in_a_country_of_pint_sees_its_fields(visitor, country, shown):
    """So does one who filled them in, whatever the country."""
    seller = {"invoice.supplier.address.countryCode": country}
    kind = "invoice.transactionTypes.0"

    page = visitor.post(f"{FORM}/check", filled(visitor) | seller).text
    typed = visitor.post(f"{FORM}/check", filled(visitor) | seller | {kind: "export"}).text

    assert (f'name="{kind}"' in page) is shown
    assert '<option value="export" selected>Export</option>' in typed
    assert ('value="thirdParty"' in typed) is (country != "AE")
