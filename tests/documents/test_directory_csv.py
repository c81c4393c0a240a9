"""CSV files of the directory: decisions 3, cell by cell."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from einvoice.documents import directory_csv
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.errors import (
    CsvMissingColumns,
    CsvTooManyColumns,
    CsvTooManyRows,
    CsvUnreadable,
)

HEADER = "Name,TaxId,PeppolId,Email,Phone,DefaultCurrencyCode,DefaultPaymentTermsDays,CountryCode"
SUPPLIERS = "CompanyName,CountryCode,TaxId,Email,Phone,DefaultGlAccountCode"
FULL = "Buyer BV,NL123,0106:12345678,ap@x.nl,+31 20 1,EUR,30,NL"
VALUES = {
    "name": "Buyer BV", "tax_id": "NL123", "peppol_id": "0106:12345678", "email": "ap@x.nl",
    "phone": "+31 20 1", "default_currency_code": "EUR", "default_payment_terms_days": 30,
    "country_code": "NL",
}  # fmt: skip


def read(text, kind=CUSTOMER):
    return directory_csv.read(kind, text if isinstance(text, bytes) else text.encode())


def errors(table):
    return [(f.row, f.column, f.code, f.value) for f in table.errors]


def test_the_headers_are_those_of_the_contract():
    """In their order; the suppliers' required columns first."""
    assert directory_csv.header(CUSTOMER) == f"{HEADER}\r\n"
    assert directory_csv.header(SUPPLIER) == f"{SUPPLIERS}\r\n"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEADER}\n{FULL}",
        f"{HEADER}\r\n{FULL}\r\n",
        f"{HEADER}\r{FULL}\r",
        f"\ufeff{HEADER}\n{FULL}\n\n , ,\n,,,,,,,\n",
        f"{HEADER}\n{FULL}".replace(",", ";"),
        f"{HEADER.upper()}\n  Buyer BV ,{FULL.partition(',')[2]}",
        f'"Name";{HEADER[5:]}\n"Buyer BV";{FULL[9:]}'.replace(",", ";").replace(
            "EUR;30", "eur;030"
        ),
        f"{HEADER}\n{FULL.replace('+31', chr(39) + '+31')}",
        f"CountryCode,{HEADER.removesuffix(',CountryCode')}\nNL,{FULL.removesuffix(',NL')}",
    ],
)
def test_encodings_separators_and_quoting_do_not_change_the_rows(text):
    table = read(text)

    assert (table.rows, table.failed, table.ignored_columns) == ([VALUES], 0, [])


def test_quoted_cells_hold_separators_quotes_and_lines():
    """`row` is the line of the file; the header is line 1."""
    table = read('Name,Email\n"Acme, ""the""\nFirm",\n"B",wrong\n')

    assert table.rows == [{"name": 'Acme, "the"\nFirm', "email": None}]
    assert errors(table) == [(4, "Email", "wrong-form", "wrong")]


@pytest.mark.parametrize(
    ("column", "good", "bad", "code"),
    [
        ("Name", "x" * 512, "x" * 513, "too-long"),
        ("Name", "x\ty", "x\x07", "invalid-character"),
        ("TaxId", "1" * 50, "1" * 51, "too-long"),
        ("PeppolId", "0208:1", "208:1", "invalid-participant-id"),
        ("PeppolId", "0208:" + "1" * 130, "0208:" + "1" * 131, "invalid-participant-id"),
        ("Email", "a@b", "a b@c", "wrong-form"),
        ("Phone", "+" * 50, "1" * 51, "too-long"),
        ("DefaultCurrencyCode", "sek", "KRO", "unknown-code"),
        ("DefaultPaymentTermsDays", "0", "-1", "wrong-type"),
        ("DefaultPaymentTermsDays", "365", "366", "out-of-range"),
        ("DefaultPaymentTermsDays", "30", "30.0", "wrong-type"),
        ("DefaultPaymentTermsDays", "30", "٣", "wrong-type"),
        ("CountryCode", "be", "UK", "unknown-code"),
    ],
)
def test_each_column_accepts_only_its_own_values(column, good, bad, code):
    header = "Name" if column == "Name" else f"Name,{column}"
    first = "" if column == "Name" else "N,"
    table = read(f'{header}\n{first}"{good}"\n{first}"{bad}"\nX{"," * bool(first)}\n')

    assert len(table.rows) == 2
    assert [(f.row, f.column, f.code) for f in table.errors] == [(3, column, code)]


def test_all_errors_of_a_row_are_reported():
    table = read("Name,PeppolId,CountryCode\n,1,UK,too\n")

    assert (table.failed, table.total) == (1, 1)
    assert [(f.column, f.code) for f in table.errors] == [
        ("Name", "required"), ("PeppolId", "invalid-participant-id"),
        ("CountryCode", "unknown-code"), (None, "too-many-cells"),
    ]  # fmt: skip


def test_a_supplier_needs_name_country_and_tax_id():
    table = read(f"{SUPPLIERS}\nAcme,BE,1,,,4000\nAcme,,,,,\n", SUPPLIER)

    assert table.rows[0]["default_gl_account_code"] == "4000"
    assert [f.column for f in table.errors] == ["CountryCode", "TaxId"]


def test_unknown_columns_are_ignored_and_reported():
    table = read("Name,Colour,\nAcme,red,\n")

    assert table.rows == [{"name": "Acme"}]
    assert [(n.code, n.column) for n in table.ignored_columns] == [("column-ignored", "Colour")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf \r\n", "empty"),
        (b"Name\nCaf\x81\n", "Line 2 is neither UTF-8 nor Windows-1252"),
        ("Name\nA\nŁąka\n".encode("cp1250"), "Line 3 is neither UTF-8 nor Windows-1252"),
        (b"sep=;\r\n", "empty"),
        (b"\xff\xfeN\x00a\x00\x00\xd8", "no valid UTF-16"),
        (b"Name\nA\x00\n", "not text"),
        (b"PK\x03\x04rest", "spreadsheet"),
        (b'Name\n"A', "line 2"),
        (b'Name\nA\n"B"C\n', "line 3"),
        (b"Name,NAME\nA,B\n", "more than once"),
    ],
)
def test_a_file_that_is_not_csv_is_refused_with_the_line(content, words):
    with pytest.raises(CsvUnreadable, match=words):
        read(content)


@pytest.mark.parametrize(
    ("text", "kind", "missing"),
    [
        ("Company,TaxId\nA,1\n", CUSTOMER, ["Name"]),
        ("CompanyName\nA\n", SUPPLIER, ["CountryCode", "TaxId"]),
        ("Buyer BV,NL123\n", CUSTOMER, ["Name"]),
    ],
)
def test_missing_columns_are_named(text, kind, missing):
    with pytest.raises(CsvMissingColumns) as refusal:
        read(text, kind)
    assert refusal.value.missing == missing


def test_a_header_has_at_most_a_hundred_columns():
    """Each column is looked at in every row; the ignored ones are reported."""
    table = read("Name" + ",more" * 99 + "\nA\n")
    assert (len(table.rows), len(table.ignored_columns)) == (1, 99)
    with pytest.raises(CsvTooManyColumns, match="has 101 columns; at most 100") as refusal:
        read("Name" + "," * 100 + "\nA\n")

    assert refusal.value.extras() == {"maxColumns": 100}


def test_a_file_has_at_most_ten_thousand_rows():
    table = read("Name\n" + "A\n" * 10_000)
    assert table.total == 10_000

    with pytest.raises(CsvTooManyRows) as refusal:
        read("Name\n" + "A\n\n" * 10_001)
    assert refusal.value.max_rows == 10_000


@pytest.mark.parametrize(("rows", "listed", "more"), [(500, 500, False), (501, 500, True)])
def test_at_most_five_hundred_errors_are_listed(rows, listed, more):
    table = read("Name,Email\n" + "A,x\n" * rows)

    assert (len(table.errors), table.errors_truncated, table.failed) == (listed, more, rows)


# -- writing ---------------------------------------------------------------------------------------


def entry(**values):
    return SimpleNamespace(**dict.fromkeys(VALUES) | values)


@pytest.mark.parametrize("cell", ["=1+1", "+32", "-x", "@cmd", "'=1", "''@x", "'plain", "a=b"])
def test_no_written_cell_is_a_formula(cell):
    """Reading the file returns the same values."""
    text = directory_csv.header(CUSTOMER) + directory_csv.lines(CUSTOMER, [entry(name=cell)])
    (_, row) = csv.reader(io.StringIO(text))

    assert row[0][0] not in "=+-@"
    assert read(text).rows[0]["name"] == cell


_cells = st.text(
    st.characters(exclude_categories=("Cs", "Cc")) | st.sampled_from("=+-@'\",;\n"),
    min_size=1, max_size=20,
).map(str.strip).filter(lambda text: text and not set(text) & {"\ufffe", "\uffff"})  # fmt: skip


@given(_cells, _cells)
def test_written_values_are_read_back_the_same(name, phone):
    text = directory_csv.header(CUSTOMER)
    text += directory_csv.lines(CUSTOMER, [entry(**VALUES | {"name": name, "phone": phone})])

    assert read(text).rows == [VALUES | {"name": name, "phone": phone}]
