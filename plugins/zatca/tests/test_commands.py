"""The command that recomputes stamps."""

from __future__ import annotations

from click.testing import CliRunner

from einvoice.network.connection_testing import left
from einvoice.network.types import ClosedInbox
from einvoice_zatca.commands import commands
from plugins.zatca.tests import official, unit

zatca = commands(ClosedInbox(), ["zatca-test"])
SAMPLE = "samples/3.4.6/Standard/Invoice/Standard_Invoice.xml"


def test_right_documents_are_named_right_and_a_changed_one_makes_the_exit_code_1(tmp_path):
    good = official.there() / SAMPLE
    changed, text = tmp_path / "changed.xml", tmp_path / "text.xml"
    changed.write_bytes(good.read_bytes().replace(b">Riyadh", b">Jeddah", 1).replace(b"SME", b"SM"))
    text.write_text("no XML")

    right = CliRunner().invoke(zatca, ["verify", str(good)])
    wrong = CliRunner().invoke(zatca, ["verify", str(good), str(changed), str(text)])

    assert (right.exit_code, wrong.exit_code) == (0, 1)
    assert "right" in right.output
    assert "wrong: hash, signature, qr-6" in wrong.output
    assert "not XML" in wrong.output


def kept(point, connection, folder, count):
    """Send documents, and write them into a folder."""
    for number in range(1, count + 1):
        bound, one = unit.bound(point, connection), unit.envelope()
        made = bound.prepare(one)
        assert bound.submit(one, made).evidence
        connection = left(connection, made)
        (folder / f"{number}.xml").write_bytes(made.content)


def test_a_whole_chain_is_right_and_one_with_a_missing_or_changed_document_is_not(
    point, connection, tmp_path
):
    kept(point, connection, tmp_path, 4)
    whole = CliRunner().invoke(zatca, ["chain", str(tmp_path)])
    (tmp_path / "2.xml").unlink()
    torn = CliRunner().invoke(zatca, ["chain", str(tmp_path)])
    changed = tmp_path / "4.xml"
    changed.write_bytes(changed.read_bytes().replace(b"Riyadh", b"Jeddah"))
    wrong = CliRunner().invoke(zatca, ["chain", str(tmp_path / "4.xml")])

    assert (whole.exit_code, whole.output) == (0, "4 documents, counters 1 to 4\n")
    assert torn.exit_code == 1
    assert "3.xml: the document before it (counter 2) is not here" in torn.output
    assert "4.xml: wrong hash, signature, qr-6" in wrong.output


def test_a_place_that_is_nothing_here_is_said_so():
    found = CliRunner().invoke(zatca, ["chain", "nowhere"])

    assert found.exit_code == 1
    assert "'nowhere' is no file, no folder and no unit" in found.output
