"""CSV files as spreadsheets write them: each case is one of other systems' users."""

from __future__ import annotations

import time

import pytest

from einvoice.documents import directory_csv
from einvoice.documents.csv_table import CsvTable
from einvoice.domain.directory import CUSTOMER, SUPPLIER
from einvoice.domain.errors import CsvTooManyRows, CsvUnreadable

HEADER = "Name,TaxId,PeppolId,Phone,CountryCode"
ROW = "Café Zoë,BE0403170701,0208:0403170701,1,BE"
FILE = f"{HEADER}\r\n{ROW}\r\n"


def read(content: bytes) -> CsvTable:
    return directory_csv.read(CUSTOMER, content)


def faults(cells: str, kind=CUSTOMER) -> list[tuple[int, str | None, str, str]]:
    text = f"{HEADER}\n{cells}\n" if kind is CUSTOMER else cells
    table = directory_csv.read(kind, text.encode())
    return [(each.row, each.column, each.code, each.message) for each in table.errors]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        # export-to-csv#43, ng-csv#28, phoebus#3321
        (f"sep=;\r\n{FILE.replace(',', ';')}".encode(), "utf-8"),
        (f'\ufeff"sep=;"\r\n{FILE.replace(",", ";")}'.encode(), "utf-8"),
        (f"SEP=,\n{FILE}".encode(), "utf-8"),
        (f"sep=\t\n{FILE.replace(',', chr(9))}".encode(), "utf-8"),
        (FILE.replace(",", "\t").encode(), "utf-8"),
        (FILE.replace(",", "|").encode(), "utf-8"),
        # woocommerce#33481, Vocabletrainer#3
        (FILE.encode("cp1252"), "windows-1252"),
        (f"sep=;\r\n{FILE.replace(',', ';')}".encode("cp1252"), "windows-1252"),
        (FILE.replace(",", "\t").encode("utf-16"), "utf-16"),
        (FILE.encode("utf-16-le"), "utf-16"),
        (FILE.encode("utf-16-be"), "utf-16"),
        (b"\xfe\xff" + FILE.encode("utf-16-be"), "utf-16"),
    ],
)
def test_a_file_is_read_as_excel_wrote_it(content, encoding):
    table = read(content)

    assert [row["name"] for row in table.rows] == ["Café Zoë"]
    assert table.rows[0]["peppol_id"] == "0208:0403170701"
    assert (table.failed, table.ignored_columns, table.encoding) == (0, [], encoding)


def test_rows_are_counted_from_the_first_line_of_the_file():
    assert read(b"sep=;\nName;CountryCode\nA;BE\nB;UK\n").errors[0].row == 4


def test_a_code_page_that_is_not_read_is_refused_with_its_line():
    """Polish letters would become signs."""
    with pytest.raises(CsvUnreadable, match="Line 2 is neither UTF-8 nor Windows-1252"):
        read("Name\nŻółw Sp. z o.o.\n".encode("cp1250"))


@pytest.mark.parametrize(
    ("cells", "column", "code", "words"),
    [
        # camptix#40, Laravel-Excel#300
        ("A,4.03E+08,,,", "TaxId", "shortened-number", "format the column as text"),
        ('A,"4,03E+08",,,', "TaxId", "shortened-number", "format the column as text"),
        ("A,,,4.42E+11,", "Phone", "shortened-number", "format the column as text"),
        ("A,N/A,,,", "TaxId", "not-a-number", "leave the cell empty"),
        ("A,geen,,,", "TaxId", "not-a-number", "leave the cell empty"),
        ("A,see invoice,,,", "TaxId", "not-a-number", "leave the cell empty"),
        # country-list#129
        ("A,,,,UK", "CountryCode", "unknown-code", "use GB if you mean that"),
        ("A,,,,EL", "CountryCode", "unknown-code", "use GR if you mean that"),
        ("A,,,,xk", "CountryCode", "unknown-code", "use 1A if you mean that"),
        # woocommerce-pdf-invoices-packing-slips#1426
        ("A,,0403170701,,", "PeppolId", "invalid-participant-id", "use 0208:0403170701 if you"),
    ],
)
def test_a_cell_that_is_not_what_it_should_be_is_an_error_of_its_row(cells, column, code, words):
    [(row, found, coded, message)] = faults(cells)

    assert (row, found, coded) == (2, column, code)
    assert words in message


@pytest.mark.parametrize(
    "written", ["iso6523-actorid-upis::0208:0403170701", "0208:BE0403.170.701", "0208:403170701"]
)
def test_a_participant_id_of_another_notation_is_taken(written):
    table = read(f"Name,PeppolId\nA,{written}\n".encode())

    assert table.rows[0]["peppol_id"] == "0208:0403170701"


def test_numbers_that_look_like_others_are_kept():
    table = read(b"Name,TaxId,Phone\nA,12E3,ext. 5\nB,NL123456789B01,+32 2 1\n")

    assert [row["tax_id"] for row in table.rows] == ["NL123456789B01"]
    assert read(b"Name,TaxId\nA,E12345\n").rows[0]["tax_id"] == "E12345"


def test_a_supplier_without_a_number_is_told_so():
    [(_, column, code, _)] = faults("CompanyName,CountryCode,TaxId\nA,BE,none\n", SUPPLIER)

    assert (column, code) == ("TaxId", "not-a-number")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16-le", "utf-16-be", "utf-16"])
def test_a_hostile_file_takes_time_in_proportion(encoding):
    """50,000 rows are refused after 10,000; a text without an end is looked at once."""

    def cost(rows: int) -> float:
        content = (HEADER + "\n" + (ROW + "\n") * rows).encode(encoding)
        begun = time.process_time()
        with pytest.raises(CsvTooManyRows) if rows > 10_000 else pytest.raises(ZeroDivisionError):
            read(content)
            raise ZeroDivisionError
        return time.process_time() - begun

    assert cost(50_000) < 3 * cost(10_000) + 0.5
    begun = time.process_time()
    for unit in ("sep=", '"sep=;', "³", "a³", "\t", "|"):
        with pytest.raises(Exception, match=r"."):
            read((unit * (200_000 // len(unit))).encode(encoding))
    assert time.process_time() - begun < 3
