"""The command that recomputes stamps."""

from __future__ import annotations

from click.testing import CliRunner

from einvoice_zatca.commands import zatca
from plugins.zatca.tests import official

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
