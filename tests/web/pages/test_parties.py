"""The pages of customers and suppliers."""

from __future__ import annotations

import io
import re

import pytest

from einvoice.domain.codes import COUNTRIES
from einvoice.domain.roles import Role
from einvoice.web.dashboard import kept_files
from tests.web.buyer.shop import Shop
from tests.web.pages.visitor import Visitor, titles

CUSTOMERS, SUPPLIERS = "/dashboard/customers", "/dashboard/suppliers"
FORM = {
    "name": "Acme NV", "taxId": "BE0123456749", "countryCode": "BE", "address.city": "Gent",
    "defaultPaymentTermsDays": "30",
}  # fmt: skip


@pytest.fixture
def visitor(app) -> Visitor:
    return Visitor(app)


def names(answer) -> list[str]:
    return re.findall(
        r'<a href="/dashboard/(?:customers|suppliers)/[0-9a-f-]{36}">([^<]*)<', answer.text
    )


def added(visitor, path=CUSTOMERS, **fields) -> str:
    """The id of an entry that was added by the form."""
    form = (
        {**FORM, **fields}
        if path == CUSTOMERS
        else {"name": "Steel AG", "countryCode": "DE"} | fields
    )
    answer = visitor.post(f"{path}/new", form)
    assert answer.status_code == 303, answer.text
    return re.search(rf"{path}/([0-9a-f-]{{36}})", visitor.get(path).text)[1]


def version_of(visitor, path) -> str:
    return re.search(r'name="version" value="(\d+)"', visitor.get(path).text)[1]


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (f"{CUSTOMERS}/new", ["countryCode", "address.countryCode"]),
        (
            "/dashboard/invoices/new",
            ["invoice.buyer.address.countryCode", "invoice.supplier.address.countryCode"],
        ),
    ],
)
def test_countries_are_found_by_their_names_in_the_language_of_the_page(visitor, path, fields):
    """The page loads them when such a field is entered: they are as large as half of it."""
    page = visitor.get(path, accept_language="sv").text
    address = re.search(r'<datalist id="countries" hx-get="([^"]+)"', page)[1]
    names = visitor.get(address, accept_language="sv").text
    offered = dict(re.findall(r'<option value="([0-9A-Z]{2})" label="([^"]*)">', names))

    assert offered.keys() == COUNTRIES
    assert (offered["AT"], offered["1A"]) == ("Österrike", "Kosovo")
    for name in fields:
        assert re.search(rf'<input id="{re.escape(name)}"[^>]* list="countries"', page)


@pytest.mark.parametrize("path", [CUSTOMERS, SUPPLIERS])
def test_an_entry_is_added_shown_and_deleted(visitor, path):
    entry = added(visitor, path)
    page = visitor.get(f"{path}/{entry}").text
    assert 'id="name" name="name" type="text" value="' in page
    done = visitor.post(f"{path}/{entry}/delete")

    assert "Deleted." in visitor.get(done.headers["Location"]).text
    assert names(visitor.get(path)) == []


@pytest.mark.parametrize(
    ("kind", "title"), [("customers", "New customer"), ("suppliers", "New supplier")]
)
def test_the_form_of_a_new_entry_says_what_is_added(visitor, kind, title):
    assert titles(visitor.get(f"/dashboard/{kind}/new")) == [title]


def test_a_search_that_finds_nothing_does_not_call_the_directory_empty(visitor):
    assert "None here yet" in visitor.get("/dashboard/customers").text
    page = visitor.get("/dashboard/customers?q=nobody").text

    assert "No entry has this name, number or address" in page
    assert "None here yet" not in page


def test_a_change_keeps_what_is_in_the_form_and_removes_what_is_blank(visitor):
    entry = added(visitor, phone="+32 2 1")
    path = f"{CUSTOMERS}/{entry}"
    form = FORM | {"version": version_of(visitor, path), "phone": "", "address.line1": "Street 1"}
    visitor.post(path, form)
    stored = visitor.person.get(f"/api/customers/{entry}").json

    assert (stored["phone"], stored["defaultPaymentTermsDays"]) == (None, 30)
    assert (stored["address"]["city"], stored["address"]["line1"]) == ("Gent", "Street 1")


def test_the_second_of_two_people_is_told_and_nothing_is_overwritten(visitor):
    entry = added(visitor)
    path = f"{CUSTOMERS}/{entry}"
    seen = version_of(visitor, path)
    visitor.post(path, FORM | {"version": seen, "name": "First BV"})
    answer = visitor.post(path, FORM | {"version": seen, "name": "Second BV"})

    assert answer.status_code == 409
    assert 'value="Second BV"' in answer.text
    assert "Show the present values" in answer.text
    assert names(visitor.get(CUSTOMERS)) == ["First BV"]


@pytest.mark.parametrize("version", ["", "x", "²", "9" * 5000])
def test_a_form_without_its_version_changes_nothing(visitor, version):
    path = f"{CUSTOMERS}/{added(visitor)}"
    answer = visitor.post(path, FORM | {"name": "Second BV", "version": version})

    assert answer.status_code == 409
    assert 'id="name" name="name" type="text" value="Acme NV"' in visitor.get(path).text


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": " "}, "name"),
        ({"countryCode": "Belgium"}, "countryCode"),
        ({"email": "nowhere"}, "email"),
        ({"defaultPaymentTermsDays": "366"}, "defaultPaymentTermsDays"),
        ({"defaultPaymentTermsDays": "soon"}, "defaultPaymentTermsDays"),
        ({"defaultPaymentTermsDays": "²"}, "defaultPaymentTermsDays"),
        ({"defaultPaymentTermsDays": "9" * 5000}, "defaultPaymentTermsDays"),
        ({"address.countryCode": "XX"}, "address.countryCode"),
    ],
)
@pytest.mark.parametrize("is_new", [True, False])
def test_a_wrong_field_is_shown_and_what_was_typed_is_kept(visitor, change, field, is_new):
    path = f"{CUSTOMERS}/new"
    form = FORM | {"taxId": "BE0000000097"} | change
    if not is_new:
        path = f"{CUSTOMERS}/{added(visitor)}"
        form["version"] = version_of(visitor, path)
    answer = visitor.post(path, form)

    assert answer.status_code == 409
    assert f'id="{field}-error"' in answer.text
    assert 'value="BE0000000097"' in answer.text


def test_the_directory_is_searched_and_paged_by_name(visitor):
    rows = "".join(f"Party {number:03},BE{number:010}\n" for number in range(60))
    done = visitor.post(
        f"{CUSTOMERS}/import", {"file": (io.BytesIO(f"name,taxId\n{rows}".encode()), "c.csv")}
    )
    assert "60 added" in done.text
    first = visitor.get(CUSTOMERS)
    following = re.search(r'rel="next" href="([^"]+)"', first.text)[1].replace("&amp;", "&")

    assert names(first) == [f"Party {number:03}" for number in range(50)]
    assert names(visitor.get(following)) == [f"Party {number:03}" for number in range(50, 60)]
    assert names(visitor.get(f"{CUSTOMERS}?q=party+007")) == ["Party 007"]


@pytest.mark.parametrize("text", ["%00", "Ac%00me%00", "%EF%BF%BE", "+Acme+"])
def test_characters_that_no_name_has_are_left_out_of_a_search(visitor, text):
    added(visitor)

    assert names(visitor.get(f"{CUSTOMERS}?q={text}")) == ["Acme NV"]
    assert "Acme NV" in visitor.get(f"/dashboard/invoices/new/customers?search={text}").text


def test_a_file_is_checked_before_it_is_imported(visitor):
    content = b"name,countryCode\nAlpha,BE\nBeta,Belgium\n"
    checked = visitor.post(
        f"{CUSTOMERS}/import", {"file": (io.BytesIO(content), "c.csv"), "check": "yes"}
    )
    assert "Nothing was stored. 1 would be added" in checked.text
    assert "<td>3</td>" in checked.text
    assert names(visitor.get(CUSTOMERS)) == []
    visitor.post(f"{CUSTOMERS}/import", {"file": (io.BytesIO(content), "c.csv")})

    assert names(visitor.get(CUSTOMERS)) == ["Alpha"]


def kept_of(answer) -> dict[str, str]:
    """The form of a preview, which has the file."""
    return {"kept": re.search(r'name="kept" value="([^"]+)"', answer.text)[1]}


def import_of(content: str, **fields: str) -> dict:
    return {"file": (io.BytesIO(content.encode()), "c.csv"), **fields}


MIXED = (
    "companyName,countryCode,taxId,town\n"
    "Alpha,BE,BE0123456749,Gent\n"
    "Beta,Belgium,BE0403019261,\n"
    '"Steel\nAG",DE,DE1,\n'
    "Old,DE,DE2,\n"
    ",FR,FR3,\n"
)


def test_a_preview_says_of_each_row_and_column_what_would_happen(visitor):
    """With the line of the file, also after a cell of two lines; nothing is stored."""
    added(visitor, SUPPLIERS, name="Old")
    page = visitor.post(f"{SUPPLIERS}/import", import_of(MIXED, check="yes")).text
    rows = [
        re.findall(r"<td[^>]*>(?:<span[^>]*>)?([^<]*)", row)
        for row in re.findall("<tr>(.*?)</tr>", page, re.DOTALL)
    ]

    assert [row[:5] for row in rows if row and row[0].isdigit()] == [
        ["2", "Added", "Alpha", "BE", "BE0123456749"],
        ["4", "Added", "Steel\nAG", "DE", "DE1"],
        ["6", "Exists, stays as it is", "Old", "DE", "DE2"],
        [
            "3",
            "Country, two letters",
            "Belgium",
            "is not an ISO 3166-1 alpha-2 country code",
        ],
        ["7", "Name", "–", "must not be empty"],
    ]
    assert "Columns that are not imported: town" in page
    assert names(visitor.get(SUPPLIERS)) == ["Old"]


def test_a_checked_file_is_imported_without_being_chosen_again_and_once(visitor):
    checked = visitor.post(f"{SUPPLIERS}/import", import_of(MIXED, check="yes"))
    first = visitor.post(f"{SUPPLIERS}/import", kept_of(checked))
    again = visitor.post(f"{SUPPLIERS}/import", kept_of(checked))

    assert "Import 3 entries" in checked.text
    assert "3 added, 0 existed already, 2 wrong, of 5 rows." in first.text
    assert "0 added, 3 existed already, 2 wrong, of 5 rows." in again.text
    assert len(names(visitor.get(SUPPLIERS))) == 3


def test_the_errors_of_an_import_are_a_file_in_the_language_of_the_page(visitor):
    checked = visitor.post(f"{SUPPLIERS}/import", import_of(MIXED, check="yes"))
    form = {**kept_of(checked), "report": "yes"}
    report = visitor.post(f"{SUPPLIERS}/import", form, Accept_Language="de")
    lines = report.text.removeprefix("\ufeff").split("\r\n")

    assert report.mimetype == "text/csv"
    assert lines[1].startswith("3,CountryCode,Belgium,ist kein Ländercode")
    assert lines[2:] == ["7,CompanyName,,darf nicht leer sein", ""]
    assert names(visitor.get(SUPPLIERS)) == []


@pytest.mark.parametrize(
    "kept", ["", "x", "é", "QUJD", kept_files.packed(b"x" * 6_000_000), kept_files.packed(b"\0")]
)
def test_what_is_no_kept_file_is_refused_like_one(visitor, kept):
    assert visitor.post(f"{CUSTOMERS}/import", {"kept": kept}).status_code == 409


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"no header of ours\n1\n"])
def test_a_file_that_is_no_csv_says_why(visitor, content):
    answer = visitor.post(f"{CUSTOMERS}/import", {"file": (io.BytesIO(content), "c.csv")})

    assert answer.status_code == 409
    assert 'role="alert"' in answer.text


def test_the_export_is_a_file_that_can_be_imported(visitor, app):
    added(visitor)
    exported = visitor.get(f"{CUSTOMERS}/export.csv").data
    other = Visitor(app)
    other.post(f"{CUSTOMERS}/import", {"file": (io.BytesIO(exported), "c.csv")})

    assert names(other.get(CUSTOMERS)) == ["Acme NV"]


def test_parties_of_invoices_are_taken_over(app):
    shop = Shop(app)
    shop.invoice(buyer_name="Buyer of an invoice")
    visitor = Visitor(app, shop.tenant)
    done = visitor.post(f"{CUSTOMERS}/seed")

    assert (
        "The parties of your invoices are here now." in visitor.get(done.headers["Location"]).text
    )
    assert names(visitor.get(CUSTOMERS)) == ["Buyer of an invoice"]


def test_another_account_s_entries_are_not_found(visitor, app):
    entry, stranger = added(visitor), Visitor(app)
    path = f"{CUSTOMERS}/{entry}"

    assert stranger.get(path).status_code == 404
    assert stranger.post(path, FORM | {"version": "1"}).status_code == 404
    assert stranger.post(f"{path}/delete").status_code == 404
    assert visitor.get(f"{SUPPLIERS}/{entry}").status_code == 404
    assert names(stranger.get(CUSTOMERS)) == []


def test_a_viewer_reads_and_changes_nothing(visitor, app):
    entry, viewer = added(visitor), Visitor(app, visitor.tenant, Role.VIEWER)
    page = viewer.get(f"{CUSTOMERS}/{entry}").text

    assert "<fieldset disabled>" in page
    assert "/delete" not in page
    for path in ("new", entry, f"{entry}/delete", "import", "seed"):
        assert viewer.post(f"{CUSTOMERS}/{path}").status_code == 403
