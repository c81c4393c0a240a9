"""Drafts of the form of a new invoice: kept, with files, by one at a time, and sent once."""

from __future__ import annotations

import html
import io
import re
from pathlib import Path
from typing import Any

import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from einvoice.domain.roles import Role
from einvoice.services.invoices import drafts
from einvoice.store.tables import DraftFile, Invoice, InvoiceDraft
from einvoice.web import paging
from tests.browser import accessibility, expect, serving, visiting
from tests.web.dashboard import Dashboard
from tests.web.pages.invoice_form import FILLED, FORM, LINE, SCRIPT, error_at, value_of
from tests.web.pages.visitor import Visitor, titles

LIST = "/dashboard/invoices/drafts"
KEEP = f"{FORM}/draft"
CSV = ("hours.csv", b"day;hours\n1;8\n" * 200)
HELD = ("key", "version", "page")


@pytest.fixture
def visitor(caller):
    return member(caller, "ann")


def member(caller, name: str) -> Visitor:
    """A person of the account, who works in the test environment."""
    one = Visitor(caller.app, caller.tenant, Role.MEMBER, name)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def held(answer) -> dict[str, str]:
    """The fields of a page that name its draft."""
    return {
        name: html.unescape(re.search(rf'name="{name}" value="([^"]*)"', answer.text)[1])
        for name in HELD
    }


def begun(visitor, **changes: str) -> dict[str, str]:
    """The form of a new page, filled in."""
    return FILLED | held(visitor.get(FORM)) | changes


def opened(visitor, draft: str) -> dict[str, str]:
    return FILLED | held(visitor.get(f"{FORM}?draft={draft}"))


def draft_in(form: dict[str, str]) -> str:
    return form["key"].removeprefix("draft-")


def with_file(form: dict[str, str], name: str = CSV[0], content: bytes = CSV[1]) -> dict[str, Any]:
    return {**form, "files": (io.BytesIO(content), name)}


def saved(visitor, form: dict[str, Any], **more: Any):
    """The page of the draft, once the form is saved."""
    answer = visitor.post(KEEP, {**form, "edit": "save", **more})
    assert answer.status_code == 303, answer.text
    return visitor.get(answer.headers["Location"])


def live(visitor, form: dict[str, str]):
    """What the page shows after a change while one types."""
    answer = visitor.post(f"{FORM}/check", form, HX_Request="true")
    assert answer.status_code == 200
    return answer


def files_on(answer) -> list[str]:
    return re.findall(r'<li><span dir="auto">([^<]*)</span> <span class="quiet">', answer.text)


# -- keeping ---------------------------------------------------------------------------------------


def test_what_one_types_is_kept_without_a_button(visitor):
    form = begun(visitor, **{f"{LINE}quantity": "many", "invoice.note": "Thank you"})
    page = live(visitor, form)
    assert held(page)["version"] == "1"
    assert "Draft saved:" in page.text
    assert page.headers["HX-Replace-Url"] == f"{FORM}?environment=test&draft={draft_in(form)}"
    again = visitor.get(f"{FORM}?draft={draft_in(form)}")

    assert value_of(again, "invoice.buyer.name") == "Buyer BV"
    assert value_of(again, f"{LINE}quantity") == "many"
    assert value_of(again, f"{LINE}unitPrice") == "50.50"
    assert ">Thank you</textarea>" in again.text


def test_a_form_that_is_not_begun_is_not_kept(caller, visitor):
    page = visitor.get(FORM)
    live(visitor, held(page) | {"invoice.currency": "EUR", "search": "Buy"})

    assert caller.count(InvoiceDraft) == 0
    assert "HX-Replace-Url" not in live(visitor, held(page)).headers


def test_the_address_of_a_draft_that_was_sent_leads_to_its_invoice(app, visitor):
    form = begun(visitor)
    saved(visitor, form)
    sent = visitor.post(FORM, opened(visitor, draft_in(form))).headers["Location"]
    address = f"{FORM}?environment=test&draft={draft_in(form)}"
    answer = visitor.get(address)

    assert answer.headers["Location"] == sent.partition("?")[0]
    assert Visitor(app).get(address).status_code == 404


def test_a_key_of_a_caller_is_never_that_of_a_draft(caller, visitor):
    """The draft stays one, and is sent as an invoice of its own."""
    form = begun(visitor)
    saved(visitor, form)
    taken = caller.send(Idempotency_Key=form["key"])
    page = visitor.get(f"{FORM}?environment=test&draft={draft_in(form)}")
    sent = visitor.post(FORM, opened(visitor, draft_in(form))).headers["Location"]
    again = caller.send(Idempotency_Key=form["key"])

    assert (taken.status_code, page.status_code) == (200, 200)
    assert value_of(page, "invoice.buyer.name") == "Buyer BV"
    assert "notice=sent" in sent
    assert taken.json["invoiceId"] not in sent
    assert again.json["invoiceId"] == taken.json["invoiceId"]


def test_changes_of_one_page_follow_each_other_without_their_answers(caller, visitor):
    """The second is sent before the answer to the first has come."""
    form = begun(visitor)
    live(visitor, form)
    live(visitor, form | {"invoice.number": "P-2"})

    assert caller.count(InvoiceDraft) == 1
    assert value_of(visitor.get(f"{FORM}?draft={draft_in(form)}"), "invoice.number") == "P-2"


def test_a_draft_is_saved_by_a_button_without_scripts(visitor):
    form = begun(visitor)
    page = saved(visitor, form)

    assert "The draft is saved." in page.text
    assert value_of(page, "invoice.buyer.name") == "Buyer BV"
    assert held(page)["key"] == form["key"]


def test_two_pages_are_two_drafts(caller, visitor):
    for number in ("P-1", "P-2"):
        saved(visitor, begun(visitor, **{"invoice.number": number}))

    assert caller.count(InvoiceDraft) == 2


@pytest.mark.parametrize("key", ["", "page-1", "draft-1", "draft-\x00"])
def test_a_key_that_names_no_draft_keeps_nothing_while_one_types(caller, visitor, key):
    live(visitor, FILLED | {"key": key})

    assert caller.count(InvoiceDraft) == 0


def test_a_draft_with_more_than_the_form_has_keeps_it(caller, visitor):
    """Saving it drops nothing."""
    allowances = [{"amount": 1, "reasonCode": "95"}, {"amount": 2}]
    body = {"environment": "test", "invoice": {"allowances": allowances, "lineItems": [{}]}}
    person = Dashboard(caller.app, caller.tenant)
    made = person.post("/api/drafts", body).json["draftId"]
    page = visitor.get(f"{FORM}?draft={made}")
    form = held(page) | {"invoice.allowances.0.amount": "1", "invoice.allowances.1.amount": "2"}
    rest = re.search(r'name="rest" value="([^"]+)"', page.text)[1]
    visitor.post(f"{FORM}/draft", form | {"rest": html.unescape(rest), "edit": "save"})

    assert person.get(f"/api/drafts/{made}").json["invoice"]["allowances"] == allowances


def test_a_draft_with_more_lines_than_the_form_is_not_opened(caller, visitor):
    body = {"environment": "test", "invoice": {"lineItems": [{"quantity": 1}] * 201}}
    made = Dashboard(caller.app, caller.tenant).post("/api/drafts", body).json
    answer = visitor.get(f"{FORM}?draft={made['draftId']}")

    assert answer.status_code == 409


def test_a_draft_of_a_program_is_gone_on_with(caller, visitor):
    invoice = {
        "number": "K-1",
        "totals": {"subtotal": 1},
        "attachments": [{"filename": "a.csv", "mimeType": "text/csv", "content": "MSwy"}],
    }
    body = {"environment": "test", "invoice": invoice,
            "routing": {"accessPointRef": "x"}}  # fmt: skip
    made = Dashboard(caller.app, caller.tenant).post("/api/drafts", body).json
    page = visitor.get(f"{FORM}?draft={made['draftId']}")

    assert value_of(page, "invoice.number") == "K-1"
    assert files_on(page) == ["a.csv"]


# -- files -----------------------------------------------------------------------------------------


def test_a_file_is_added_without_scripts_and_everything_typed_is_kept(visitor):
    form = begun(visitor, **{"invoice.number": "P-7", "fileDescription": "Time sheet"})
    page = saved(visitor, with_file(form), edit="attach")

    assert files_on(page) == ["hours.csv"]
    assert "2 kB, " in page.text
    assert "Time sheet" in page.text
    assert value_of(page, "invoice.number") == "P-7"


def test_files_stay_with_findings_are_checked_and_sent_and_shown_at_the_invoice(caller, visitor):
    page = saved(visitor, with_file(begun(visitor), "hours (1).CSV"), edit="attach")
    form = FILLED | held(page)
    wrong = visitor.post(FORM, form | {"invoice.number": ""})
    assert wrong.status_code == 400
    assert files_on(wrong) == ["hours (1).CSV"]
    checked = visitor.post(f"{FORM}/check", form)
    assert "This invoice can be sent." in checked.text
    sent = visitor.post(FORM, form)
    assert sent.status_code == 303, sent.text
    address = sent.headers["Location"].partition("?")[0]
    assert f'href="{address}/attachments"' in visitor.get(address).text
    listed = visitor.get(f"{address}/attachments")
    assert ">hours (1).CSV</a>" in listed.text
    file = visitor.get(f"{address}/attachments/0")

    assert (file.data, file.mimetype) == (CSV[1], "text/csv")
    assert file.headers["Content-Disposition"] == 'attachment; filename="hours (1).CSV"'
    assert visitor.get(f"{address}/attachments/1").status_code == 404
    assert [caller.count(each) for each in (Invoice, InvoiceDraft, DraftFile)] == [1, 0, 0]


@pytest.mark.parametrize(
    ("path", "status"), [(f"{FORM}/check", 200), (FORM, 303)], ids=["check", "send"]
)
def test_a_chosen_file_is_added_by_whichever_button(caller, visitor, path, status):
    """What the page shows as chosen is sent with the invoice."""
    answer = visitor.post(path, with_file(begun(visitor)))

    assert answer.status_code == status
    if status == 303:
        address = answer.headers["Location"].partition("?")[0]
        assert "hours.csv" in visitor.get(f"{address}/attachments").text
    else:
        assert files_on(answer) == ["hours.csv"]


def test_a_file_is_removed_and_the_form_is_kept(caller, visitor):
    page = saved(visitor, with_file(begun(visitor)), edit="attach")
    file = re.search(r'name="remove" value="([^"]+)"', page.text)[1]
    form = FILLED | held(page) | {"invoice.number": "P-9"}
    answer = visitor.post(KEEP, form | {"remove": file})
    after = visitor.get(answer.headers["Location"])

    assert files_on(after) == []
    assert value_of(after, "invoice.number") == "P-9"
    assert caller.count(DraftFile) == 0


@pytest.mark.parametrize("file", ["0193a1c2-0000-7000-8000-000000000000", "", "\x00", "x" * 3000])
def test_a_file_that_is_not_there_is_removed_from_no_draft(caller, visitor, file):
    page = saved(visitor, with_file(begun(visitor)), edit="attach")
    answer = visitor.post(KEEP, FILLED | held(page) | {"remove": file})

    assert files_on(visitor.get(answer.headers["Location"])) == [CSV[0]]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("offer.docx", b"PK", "offer.docx cannot be attached"),
        ("offer", b"x", "offer cannot be attached"),
        ("empty.pdf", b"", "empty.pdf is empty."),
        ("", b"", "Choose a file first."),
    ],
)
def test_a_file_that_cannot_be_attached_is_refused_at_its_field(
    caller, visitor, name, content, words
):
    form = begun(visitor, **{"invoice.number": "P-7"})
    answer = visitor.post(KEEP, {**with_file(form, name, content), "edit": "attach"})

    assert answer.status_code == 400
    assert words in error_at(answer, "files")
    assert value_of(answer, "invoice.number") == "P-7"
    assert caller.count(DraftFile) == 0


def test_files_are_bounded_in_number_and_size(caller, visitor, monkeypatch):
    monkeypatch.setattr(drafts, "MAX_FILES", 1)
    monkeypatch.setattr(drafts, "MAX_FILES_BYTES", 10)
    form = begun(visitor)
    large = visitor.post(KEEP, {**with_file(form, content=b"x" * 11), "edit": "attach"})
    form |= held(saved(visitor, with_file(form, content=b"x"), edit="attach"))
    many = visitor.post(KEEP, {**with_file(form, content=b"y"), "edit": "attach"})

    assert (large.status_code, many.status_code) == (400, 400)
    assert 'href="/errors/file-too-large"' in large.text
    assert "at most 1 attachments" in many.text
    assert caller.count(DraftFile) == 1


def test_a_large_file_is_kept_whole(caller, visitor):
    """Above half a megabyte an upload is a file of its own, which is closed."""
    content = bytes(range(256)) * 4096
    csrf = re.search(r'name="csrf" value="([^"]+)"', visitor.get(FORM).text)[1]
    form = begun(visitor, csrf=csrf, edit="attach")
    file = FileStorage(io.BytesIO(content), "scan.pdf")
    boundary, body = encode_multipart({**form, "files": file})
    kind = f"multipart/form-data; boundary={boundary}"
    kept = visitor.client.post(KEEP, data=body, content_type=kind)
    page = visitor.get(kept.headers["Location"])
    sent = visitor.post(FORM, FILLED | held(page))
    address = sent.headers["Location"].partition("?")[0]

    assert "1,048 kB" in page.text
    assert visitor.get(f"{address}/attachments/0").data == content


def test_a_file_is_added_to_a_form_with_200_lines(visitor):
    form = begun(visitor)
    lines = {name.removeprefix(LINE): text for name, text in form.items() if LINE in name}
    many = {
        f"invoice.lineItems.{number}.{name}": text
        for number in range(200)
        for name, text in lines.items()
    }
    page = saved(visitor, with_file(form | many), edit="attach")

    assert files_on(page) == ["hours.csv"]
    assert "invoice.lineItems.199.description" in page.text


def test_names_and_descriptions_of_files_are_text(visitor):
    form = begun(visitor, fileDescription=SCRIPT)
    page = saved(visitor, with_file(form, f"{SCRIPT}.csv"), edit="attach")
    sent = visitor.post(FORM, FILLED | held(page))
    address = sent.headers["Location"].partition("?")[0]

    for answer in (page, visitor.get(f"{address}/attachments")):
        assert SCRIPT not in answer.text
        assert html.escape(SCRIPT) in answer.text
    assert files_on(page) == [html.escape("_script_alert(1)__script_.csv").replace("&quot;", '"')]


@pytest.mark.parametrize("wrong", ["\x00", "\x0b", "\ufffe"])
def test_a_file_gets_no_text_that_an_invoice_cannot_carry(visitor, wrong):
    """So the draft can be stored and sent."""
    form = begun(visitor, fileDescription=f"of{wrong}May")
    page = saved(visitor, with_file(form, f"a{wrong}b.csv"), edit="attach")
    sent = visitor.post(FORM, FILLED | held(page))

    assert files_on(page) == ["a_b.csv"]
    assert "of May" in page.text
    assert sent.status_code == 303


# -- two at once -----------------------------------------------------------------------------------


def test_of_two_people_at_one_draft_the_second_is_refused_and_keeps_what_was_typed(caller, visitor):
    bob = member(caller, "bob")
    draft = draft_in(held(saved(visitor, with_file(begun(visitor)), edit="attach")))
    own, other = opened(visitor, draft), opened(bob, draft)
    saved(visitor, own | {"invoice.number": "ANN"})
    answer = bob.post(KEEP, other | {"invoice.number": "BOB", "edit": "save"})
    typed = live(bob, other | {"invoice.number": "BOB-2"})
    assert answer.status_code == 409
    for page in (answer, typed):
        assert 'role="alert"' in page.text
        assert "nothing of it was overwritten" in page.text
        assert f"{FORM}?environment=test&amp;draft={draft}" in page.text
    assert value_of(answer, "invoice.number") == "BOB"
    assert value_of(bob.get(f"{FORM}?draft={draft}"), "invoice.number") == "ANN"
    copy = bob.post(KEEP, held(answer) | FILLED | {"invoice.number": "BOB", "edit": "copy"})
    page = bob.get(copy.headers["Location"])

    assert value_of(page, "invoice.number") == "BOB"
    assert files_on(page) == ["hours.csv"]
    assert caller.count(InvoiceDraft) == 2


def test_a_draft_that_two_tabs_send_is_one_invoice(caller, visitor):
    draft = draft_in(held(saved(visitor, with_file(begun(visitor)), edit="attach")))
    tabs = [opened(visitor, draft) for _ in range(2)]
    first, second = (visitor.post(FORM, tab) for tab in tabs)

    assert (first.status_code, second.status_code) == (303, 303)
    assert len({each.headers["Location"].partition("?")[0] for each in (first, second)}) == 1
    assert [caller.count(each) for each in (Invoice, InvoiceDraft)] == [1, 0]


def test_a_draft_that_was_changed_since_is_not_sent(caller, visitor):
    draft = draft_in(held(saved(visitor, begun(visitor))))
    own = opened(visitor, draft)
    saved(member(caller, "bob"), opened(visitor, draft) | {"invoice.number": "BOB"})
    answer = visitor.post(FORM, own)

    assert answer.status_code == 409
    assert "Open the draft as it is now" in answer.text
    assert value_of(answer, "invoice.number") == "P-1"
    assert caller.count(Invoice) == 0


def test_a_draft_that_was_deleted_is_not_sent_and_can_be_kept_as_another(caller, visitor):
    """It may have had files, which the form has not."""
    form = begun(visitor)
    form |= held(saved(visitor, form))
    visitor.post(f"{LIST}/{draft_in(form)}/delete", {"version": form["version"]})
    answer = visitor.post(FORM, form)
    again = saved(visitor, form, edit="copy")

    assert answer.status_code == 409
    assert "Open the draft as it is now" not in answer.text
    assert [caller.count(each) for each in (Invoice, InvoiceDraft)] == [0, 1]
    assert held(again)["key"] != form["key"]


def test_a_page_that_was_sent_is_not_kept_again(caller, visitor):
    """A change that arrives behind the send."""
    form = begun(visitor)
    visitor.post(FORM, form)
    page = live(visitor, form)

    assert caller.count(InvoiceDraft) == 0
    assert "nothing of it was overwritten" in page.text


# -- the list --------------------------------------------------------------------------------------


def test_without_drafts_the_list_says_what_to_do(visitor):
    page = visitor.get(LIST)

    assert titles(page) == ["Drafts"]
    assert "No drafts" in page.text
    assert f'href="{FORM}?environment=test"' in page.text


def test_the_list_is_paged_newest_first_with_who_began(caller, visitor, monkeypatch):
    monkeypatch.setattr(paging, "DEFAULT_PAGE_SIZE", 2)
    for number in ("P-1", "P-2", "P-3"):
        saved(visitor, begun(visitor, **{"invoice.number": number}))
    first = member(caller, "bob").get(LIST)
    following = html.unescape(re.search(r'rel="next" href="([^"]+)"', first.text)[1])
    rest = visitor.get(following)

    assert re.findall(r">(P-\d)</a>", first.text) == ["P-3", "P-2"]
    assert re.findall(r">(P-\d)</a>", rest.text) == ["P-1"]
    assert "ann@example.com" in first.text
    assert "Buyer BV" in first.text
    assert 'href="/dashboard/invoices/drafts?environment=test"' in rest.text


def test_a_draft_is_deleted_by_its_button_which_asks(caller, visitor):
    form = begun(visitor)
    form |= held(saved(visitor, form))
    page = visitor.get(LIST)
    stale = visitor.post(f"{LIST}/{draft_in(form)}/delete", {"version": "9"})
    left = caller.count(InvoiceDraft)
    answer = visitor.post(f"{LIST}/{draft_in(form)}/delete", {"version": form["version"]})

    assert 'data-confirm="The draft and its attachments cannot be restored.' in page.text
    assert (stale.status_code, left) == (409, 1)
    assert "read it again" in stale.text
    assert "Deleted." in visitor.get(answer.headers["Location"]).text
    assert caller.count(InvoiceDraft) == 0


@pytest.mark.parametrize("version", ["", "-1", "x", "9" * 5000, "²"])
def test_a_draft_is_not_deleted_by_a_form_without_its_version(caller, visitor, version):
    form = begun(visitor)
    saved(visitor, form)
    answer = visitor.post(f"{LIST}/{draft_in(form)}/delete", {"version": version})

    assert answer.status_code == 409
    assert caller.count(InvoiceDraft) == 1


@pytest.mark.parametrize("path", ["/dashboard/invoices", FORM])
def test_drafts_are_offered_on_the_list_of_invoices_and_the_form(visitor, path):
    assert f'href="{LIST}?environment=test"' in visitor.get(path).text


# -- others ----------------------------------------------------------------------------------------


def test_a_draft_of_another_account_or_environment_is_not_there(app, caller, visitor):
    form = begun(visitor)
    form |= held(saved(visitor, form))
    stranger = Visitor(app)
    taken = stranger.post(f"{KEEP}?environment=test", form | {"version": "0", "edit": "save"})

    assert stranger.get(f"{FORM}?environment=test&draft={draft_in(form)}").status_code == 404
    assert visitor.get(f"{FORM}?environment=live&draft={draft_in(form)}").status_code == 404
    assert visitor.get(f"{FORM}?draft=%00").status_code == 404
    assert taken.status_code == 400
    assert "There is no draft" in taken.text
    assert "P-1" not in stranger.get(f"{LIST}?environment=test").text
    deleting = stranger.post(f"{LIST}/{draft_in(form)}/delete", {"version": form["version"]})
    assert deleting.status_code == 404
    assert caller.count(InvoiceDraft) == 1


def test_an_invoice_that_names_the_draft_of_another_account_leaves_it_there(app, caller, visitor):
    form = begun(visitor)
    saved(visitor, with_file(form), edit="attach")
    stranger = Visitor(app)
    stranger.post("/dashboard/preferences", {"environment": "test"})
    sent = stranger.post(FORM, form | {"version": "0"})

    assert sent.status_code == 303
    assert (caller.count(InvoiceDraft), caller.count(DraftFile)) == (1, 1)


def test_a_draft_is_not_sent_in_the_other_environment(caller, visitor):
    """As from a page whose address was changed."""
    form = begun(visitor)
    kept = visitor.post(f"{KEEP}?environment=live", form | {"edit": "save"})
    form |= held(visitor.get(kept.headers["Location"]))
    sent = visitor.post(f"{FORM}?environment=test", form)

    assert sent.status_code == 409
    assert (caller.count(Invoice), caller.count(InvoiceDraft)) == (0, 1)


def test_a_viewer_reads_the_list_and_changes_nothing(caller, visitor):
    form = begun(visitor)
    form |= held(saved(visitor, form))
    viewer = Visitor(caller.app, caller.tenant, Role.VIEWER)
    page = viewer.get(f"{LIST}?environment=test")

    assert "P-1" in page.text
    assert FORM not in page.text
    assert "data-confirm" not in page.text
    assert viewer.post(KEEP, form).status_code == 403
    assert viewer.post(f"{LIST}/{draft_in(form)}/delete").status_code == 403


# -- in the browser --------------------------------------------------------------------------------


def test_in_the_browser_a_form_is_kept_with_its_file_and_another_change_is_shown(
    caller, browser, tmp_path: Path
):
    """By keyboard, without a violation of axe in any state."""
    file = tmp_path / "hours.csv"
    file.write_bytes(CSV[1])
    person = Visitor(caller.app, caller.tenant, log_in=False)
    bob = member(caller, "bob")
    with serving(caller.app) as origin, visiting(browser, origin) as visit:
        page = visit.page
        page.goto(origin + person.link)
        page.goto(f"{origin}{FORM}?environment=test")
        page.locator("#files").set_input_files(str(file))
        expect(page.locator(".files li")).to_contain_text("hours.csv")
        page.locator('[name="invoice.number"]').press_sequentially("B-1")
        expect(page.locator("#draft-saved")).to_be_visible()
        chosen = page.evaluate("document.querySelector('#files').files.length")
        page.wait_for_url("**draft=**")
        begun_at = page.url
        page.locator("#add-line").click()
        expect(page.locator(".line")).to_have_count(2)
        focused = page.evaluate("document.activeElement.name")
        page.locator('[name="invoice.lineItems.1.taxRate"]').press("Enter")
        expect(page.locator(".line")).to_have_count(3)
        for line in (2, 1):
            page.locator(f'[name="edit"][value="{line}"]').click()
            expect(page.locator(".line")).to_have_count(line)
        expect(page.locator(".line")).to_have_count(1)
        expect(page.locator(".files li")).to_have_count(1)
        expect(page.locator('[name="invoice.number"]')).to_have_value("B-1")
        kept, _ = accessibility(page)
        draft = re.search(r"draft=([0-9a-f-]{36})", page.url)[1]
        assert f"draft={draft}" in begun_at
        saved(bob, opened(bob, draft) | {"invoice.number": "BOB"})
        page.locator('[name="invoice.number"]').fill("B-19")
        expect(page.get_by_role("alert")).to_contain_text("nothing of it was overwritten")
        refused, _ = accessibility(page)
        expect(page.locator('[name="invoice.number"]')).to_have_value("B-19")
        page.get_by_role("button", name="Keep what you typed as another draft").press("Enter")
        expect(page.locator(".message")).to_contain_text("The draft is saved.")
        page.get_by_role("link", name="Drafts").click()
        expect(page.locator("tbody tr")).to_have_count(2)
        page.once("dialog", lambda dialog: dialog.accept())
        page.get_by_role("button", name="Delete the draft B-19").click()
        expect(page.locator("tbody tr")).to_have_count(1)

    assert chosen == 0  # it is uploaded
    assert focused == "invoice.lineItems.1.description"
    assert kept + refused == []
    assert visit.said == []
