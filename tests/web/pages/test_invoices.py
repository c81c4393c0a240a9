"""The pages of invoices: list, filters, export, one invoice, and what is done to it."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile
from decimal import Decimal

import pytest

from einvoice.domain.roles import Role
from einvoice.services.invoices import lists
from einvoice.store.invoices import lists as store_lists
from einvoice.web.admission import slots
from einvoice.web.dashboard import invoices
from tests.web.buyer.shop import Shop
from tests.web.pages.visitor import Visitor, titles

LIST = "/dashboard/invoices"
REJECTING = "0088:9520000000059"  # rejects at once, for good
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def shop(app):
    return Shop(app)


@pytest.fixture
def visitor(shop):
    one = Visitor(shop.app, shop.tenant)
    one.post("/dashboard/preferences", {"environment": "test"})
    return one


def numbers(answer) -> list[str]:
    """The numbers of the listed invoices."""
    return re.findall(r'<a href="/dashboard/invoices/[0-9a-f-]{36}">([^<]*)</a>', answer.text)


def rows(answer) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_an_account_without_invoices_is_told_what_to_do(visitor):
    answer = visitor.get(LIST)

    assert titles(answer) == ["Invoices"]
    assert "Write the first invoice here" in answer.text
    assert "with these filters" not in answer.text


def test_filters_that_nothing_passes_are_what_is_to_be_changed(visitor):
    answer = visitor.get(f"{LIST}?q=nothing")

    assert "No invoices with these filters" in answer.text
    assert "Remove a filter or look in the other environment." in answer.text
    assert "Write the first invoice here" not in answer.text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", ["A", "B", "C"]),
        ("?networkStatus=Failed", ["B"]),
        ("?q=ali", ["A"]),
        ("?number=A", ["A"]),
        ("?q=+&number=&currency=&issueDateFrom=", ["A", "B", "C"]),
        ("?environment=live", []),
        ("?direction=received", []),
        ("?issueDateFrom=2026-11-22", []),
        ("?issueDateTo=2026-11-21", ["A", "B", "C"]),
        ("?party=ALICE", ["A"]),
        ("?grandTotalFrom=121&grandTotalTo=121.00&currency=EUR", ["A", "B", "C"]),
        ("?grandTotalFrom=121.01", []),
        ("?q=121.00", ["A", "B", "C"]),
        ("?q=121.01", []),
        ("?q=121", []),
    ],
)
def test_filters_are_those_of_the_api_and_in_the_address(shop, visitor, query, found):
    shop.invoice(number="A", buyer_name="Alice BV")
    shop.invoice(number="B", status="Failed")
    shop.invoice(number="C", status="Processing")

    assert sorted(numbers(visitor.get(LIST + query))) == found


def test_amounts_are_written_as_people_write_them(shop, visitor):
    """A comma is no separator of thousands where people write a decimal one."""
    shop.invoice(number="A")
    visitor.post("/dashboard/preferences", {"language": "nl"})
    cases = {
        "grandTotalFrom=120,50&grandTotalTo=121,50": ["A"], "grandTotalFrom=121,01": [],
        "q=121,00": ["A"], "q=120,99": [], "grandTotalTo=1.121,00": ["A"],
    }  # fmt: skip

    for query, found in cases.items():
        page = visitor.get(f"{LIST}?{query}")
        assert numbers(page) == found, query
        assert 'type="number"' not in page.text
        if found:
            exported = html.unescape(re.search(r'href="([^"]+export[^"]+)"', page.text)[1])
            assert [row["number"] for row in rows(visitor.get(exported))] == found


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("?issueDateFrom=yesterday", "issueDateFrom"),
        ("?currency=EURO", "currency"),
        ("?networkStatus=lost", "networkStatus"),
        ("?grandTotalTo=1e3", "grandTotalTo"),
    ],
)
def test_a_wrong_filter_is_shown_at_its_field_and_kept(visitor, query, field):
    answer = visitor.get(LIST + query)

    assert answer.status_code == 400
    assert f'id="{field}-error"' in answer.text


def test_pages_follow_each_other_to_the_end(shop, visitor):
    for number in range(53):
        shop.invoice(number=f"N{number}")
    first = visitor.get(LIST)
    following = re.search(r'rel="next" href="([^"]+)"', first.text)[1].replace("&amp;", "&")
    second = visitor.get(following)

    assert len(numbers(first)) == 50
    assert len(numbers(second)) == 3
    assert 'rel="next"' not in second.text
    assert set(numbers(first)) | set(numbers(second)) == {f"N{n}" for n in range(53)}


def heads(answer) -> dict[str, tuple[str | None, str]]:
    """The direction and the link of each head of the table."""
    found = re.findall(
        r'<th scope="col"[^>]*?(?: aria-sort="(\w+)")?><a class="sort" href="([^"]+)">([^<]+)',
        answer.text,
    )
    return {
        label.strip(): (direction or None, html.unescape(link)) for direction, link, label in found
    }


def test_the_heads_of_the_table_sort_it_and_keep_the_filters(shop, visitor):
    """The first click as one expects of the column, the next in the other direction."""
    shop.invoice(number="B", grand_total=Decimal("90.00"))
    shop.invoice(number="A", grand_total=Decimal("1000.00"))
    shop.invoice(number="C", currency="SEK")
    plain = visitor.get(f"{LIST}?currency=EUR")
    link = heads(plain)["Amount"][1]
    largest = visitor.get(link)
    smallest = visitor.get(heads(largest)["Amount"][1])

    assert {direction for direction, _ in heads(plain).values()} == {None}
    assert list(heads(plain)) == ["Number", "Customer or supplier", "Issued", "Amount", "Status"]
    assert numbers(largest) == ["A", "B"]
    assert numbers(smallest) == ["B", "A"]
    assert heads(largest)["Amount"][0] == "descending"
    assert heads(smallest)["Amount"][0] == "ascending"
    assert "currency=EUR" in heads(smallest)["Number"][1]
    assert '<input type="hidden" name="sort" value="grandTotal">' in smallest.text


def test_sorted_pages_and_the_export_have_one_order(shop, visitor):
    for number in range(53):
        shop.invoice(number=f"N{number:02}")
    first = visitor.get(f"{LIST}?sort=number")
    following = html.unescape(re.search(r'rel="next" href="([^"]+)"', first.text)[1])
    shown = numbers(first) + numbers(visitor.get(following))
    exported = visitor.get(html.unescape(re.search(r'href="([^"]+export[^"]+)"', first.text)[1]))

    assert shown == [f"N{number:02}" for number in range(53)]
    assert [row["number"] for row in rows(exported)] == shown


def test_too_many_to_sort_by_name_says_what_to_do(shop, visitor, monkeypatch):
    monkeypatch.setattr(store_lists, "MAX_EXAMINED", 1)
    for _ in range(2):
        shop.invoice()
    answer = visitor.get(f"{LIST}?sort=party")

    assert answer.status_code == 400
    assert "Too many invoices to sort by name." in answer.text


def test_the_export_has_the_rows_of_the_filters_and_no_formulas(shop, visitor):
    shop.invoice(number="=1+1", buyer_name="@SUM(A1)", status="Failed")
    shop.invoice(number="B")
    everything = visitor.get(f"{LIST}/export.csv")
    failed = visitor.get(f"{LIST}/export.csv?networkStatus=Failed")

    assert everything.headers["Content-Disposition"] == 'attachment; filename="invoices.csv"'
    assert {row["number"] for row in rows(everything)} == {"B", "'=1+1"}
    assert [(row["buyerName"], row["grandTotal"]) for row in rows(failed)] == [
        ("'@SUM(A1)", "121.00")
    ]


@pytest.mark.parametrize(("most", "status"), [(3, 200), (2, 409)])
def test_an_export_is_whole_or_refused(shop, visitor, monkeypatch, most, status):
    monkeypatch.setattr(invoices, "MAX_EXPORTED", most)
    for _ in range(3):
        shop.invoice()

    assert visitor.get(f"{LIST}/export.csv").status_code == status


@pytest.mark.parametrize(
    ("path", "function", "held"),
    [
        (LIST, "invoices", 1),
        (f"{LIST}?q=acme", "invoices", 0),
        (f"{LIST}?party=acme", "invoices", 0),
        ("/dashboard/bills?party=acme", "invoices", 0),
        (f"{LIST}/export.csv", "every", 0),
        ("/api/invoices", "invoices", 1),
        ("/api/invoices?q=acme", "invoices", 0),
        ("/api/invoices?include=total", "total", 0),
    ],
)
def test_searches_and_counts_hold_no_computing_slot(
    shop, visitor, monkeypatch, path, function, held
):
    """PostgreSQL may take seconds for them; two requests of one tenant would stop all others."""
    found, run = [], getattr(lists, function)

    def _noted(*given):
        found.append(slots._slots.used)
        return run(*given)

    monkeypatch.setattr(lists, function, _noted)
    answer = visitor.get(path, Authorization=f"Bearer {visitor.person.token}")

    assert answer.status_code == 200
    assert found == [held]


def test_an_export_of_invoices_that_are_too_rare_to_find_in_time_is_refused(
    shop, visitor, monkeypatch
):
    monkeypatch.setattr(store_lists, "MAX_EXAMINED", 1)
    for _ in range(3):
        shop.invoice()
    rare = f"{LIST}/export.csv?currency=SEK"
    before = visitor.get(rare)
    monkeypatch.setattr(lists, "MAX_SECONDS", -1.0)

    assert before.status_code == 200
    assert visitor.get(rare).status_code == 409


def test_one_invoice_says_what_it_says_and_what_happened(caller, work):
    invoice = caller.sent()
    visitor = Visitor(caller.app, caller.tenant)
    page = visitor.get(f"{LIST}/{invoice}")
    assert "In progress" in page.text
    assert 'hx-trigger="every 2s"' in page.text
    assert visitor.get(f"{LIST}/{invoice}", HX_Request="true").text.count('id="state"') == 1
    work()
    assert visitor.get(f"{LIST}/{invoice}", HX_Request="true").headers["HX-Refresh"] == "true"
    page = visitor.get(f"{LIST}/{invoice}")

    assert "every 2s" not in page.text
    for text in (
        "the receiver",
        "Given to the network",
        "Receipt of the network",
        "Report of the check",
        "transaction.sent",
    ):
        assert text in page.text, text


def test_every_artefact_and_the_pdf_can_be_opened(caller, work):
    invoice = caller.sent()
    work()
    visitor = Visitor(caller.app, caller.tenant)
    page = visitor.get(f"{LIST}/{invoice}").text
    links = re.findall(rf'href="({LIST}/{invoice}/artefacts/[^"]+)"', page)

    assert len(links) >= 4
    for link in links:
        answer = visitor.get(link)
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"].startswith("attachment")
    pdf = visitor.get(f"{LIST}/{invoice}/pdf")
    assert pdf.data.startswith(b"%PDF")
    assert "frame-ancestors 'self'" in pdf.headers["Content-Security-Policy"]


def test_where_there_is_no_pdf_the_frame_says_why(shop, visitor):
    answer = visitor.get(f"{LIST}/{shop.invoice()}/pdf")

    assert answer.status_code == 409
    assert titles(answer) == ["No PDF"]
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]


def test_a_failed_invoice_is_sent_again_once(caller):
    invoice = caller.sent(REJECTING)
    visitor = Visitor(caller.app, caller.tenant)
    caller.work()
    page = visitor.get(f"{LIST}/{invoice}").text
    assert f'action="{LIST}/{invoice}/resend"' in page
    done = visitor.post(f"{LIST}/{invoice}/resend")
    page = visitor.get(done.headers["Location"]).text
    assert "The invoice is being sent again." in page
    assert "In progress" in page
    refused = visitor.post(f"{LIST}/{invoice}/resend")

    assert refused.status_code == 409
    assert re.search(r'role="alert"><p dir="auto">[^<]+Failed', refused.text)


def test_chosen_documents_are_downloaded_and_failed_ones_sent_again(caller, work):
    """Of what a stranger chooses there is nothing, and a replaced one stays."""
    visitor = Visitor(caller.app, caller.tenant)
    failed, other = (caller.sent("0088:9520000000059", number=n) for n in ("C-1", "C-2"))
    work()
    page = visitor.get(f"{LIST}?environment=test").text
    chosen = {"invoice": [failed, "x", "0" * 36], "back": f"{LIST}?environment=test"}
    answer = visitor.post(f"{LIST}/again?environment=test", chosen)
    shown = visitor.followed(answer).text
    file = visitor.post(f"{LIST}/chosen.zip?environment=test", chosen)
    stranger = Visitor(caller.app).post(f"{LIST}/chosen.zip?environment=test", chosen)

    assert f'name="invoice" value="{failed}"' in page
    assert "Failed <small>2</small>" in page
    assert "Failed <small>1</small>" in shown
    assert "In progress <small>1</small>" in shown
    assert "being sent again" in shown
    with zipfile.ZipFile(io.BytesIO(file.data)) as archive:
        assert "C-1" in " ".join(archive.namelist())
        assert "C-2" not in " ".join(archive.namelist())
    with zipfile.ZipFile(io.BytesIO(stranger.data)) as archive:
        assert archive.namelist() == ["invoices.csv"]
    assert other in page


def test_the_buyer_s_link_is_shown_once_and_revoked(shop, visitor):
    invoice = shop.invoice()
    page = visitor.followed(visitor.post(f"{LIST}/{invoice}/share"))
    link = re.search(r'id="link" readonly value="([^"]+)"', page.text)[1]
    token = link.rpartition("/")[2]

    assert shop.open(token).status_code == 200
    later = visitor.get(f"{LIST}/{invoice}").text
    assert token not in later
    assert "The buyer has a link." in later
    done = visitor.post(f"{LIST}/{invoice}/share/revoke")
    assert "The link is revoked." in visitor.get(done.headers["Location"]).text
    assert shop.open(token).status_code == 404


def test_what_cannot_be_shared_says_why(shop, visitor):
    answer = visitor.post(f"{LIST}/{shop.invoice(status='Processing')}/share")

    assert answer.status_code == 409
    assert "only a Delivered one can be shared" in answer.text


def test_a_viewer_reads_and_changes_nothing(shop):
    invoice, viewer = shop.invoice(), Visitor(shop.app, shop.tenant, Role.VIEWER)
    page = viewer.get(f"{LIST}/{invoice}").text

    assert "/share" not in page
    for what in ("share", "share/revoke", "resend"):
        assert viewer.post(f"{LIST}/{invoice}/{what}").status_code == 403


def test_another_account_s_invoice_is_not_found(shop, app):
    invoice, stranger = shop.invoice(), Visitor(app)
    for path in ("", "/pdf", "/artefacts/UBL", "/artefacts/0193a1c2-0000-7000-8000-000000000000"):
        assert stranger.get(f"{LIST}/{invoice}{path}").status_code == 404
    for path in ("share", "share/revoke", "resend"):
        assert stranger.post(f"{LIST}/{invoice}/{path}").status_code == 404
    assert numbers(stranger.get(f"{LIST}?environment=test")) == []
    assert rows(stranger.get(f"{LIST}/export.csv?environment=test")) == []


def test_text_of_an_invoice_is_text_on_the_pages(shop, visitor):
    invoice = shop.invoice(number=SCRIPT, buyer_name=SCRIPT, supplier_name=SCRIPT)
    for path in (LIST, f"{LIST}/{invoice}", "/dashboard", f"{LIST}?q={SCRIPT}"):
        page = visitor.get(path).text
        assert SCRIPT not in page
    assert "&lt;script&gt;" in visitor.get(LIST).text
