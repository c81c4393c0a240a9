"""The second act of `einvoice demo --peppol`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from einvoice.cli import peppol_demo
from einvoice.cli.demo import demo
from einvoice.cli.demo_countries import STORIES
from tests.ports import free_port

installed = pytest.mark.skipif(
    not any(one.name == "peppol" for one in entry_points(group="einvoice")),
    reason="plugins/peppol is not installed (make installs it)",
)


def test_without_the_plugin_one_line_says_so_and_nothing_starts(monkeypatch, tmp_path):
    monkeypatch.setattr(peppol_demo, "entry_points", lambda group: [])
    listen = f"127.0.0.1:{free_port()}"
    folder = tmp_path / "demo"
    given = ["--peppol", "--oneshot", "--listen", listen, "--data-dir", str(folder)]
    result = CliRunner().invoke(demo, given)

    assert result.exit_code == 1
    assert result.output == "Error: the second act needs einvoice-peppol (plugins/peppol)\n"
    assert not folder.exists()


@installed
def test_without_dnsmasq_one_line_says_what_to_install(monkeypatch, tmp_path):
    """Before the first act, and nothing is left."""
    einvoice = peppol_demo.einvoice
    monkeypatch.setattr(
        peppol_demo, "einvoice",
        lambda *words: [einvoice()[0], "-c", "print('Error: dnsmasq is not installed')"],
    )  # fmt: skip
    listen = f"127.0.0.1:{free_port()}"
    given = ["--peppol", "--oneshot", "--listen", listen, "--data-dir", str(tmp_path)]
    result = CliRunner().invoke(demo, given)

    assert result.output == "Error: the second act cannot start: dnsmasq is not installed\n"
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def short_path() -> Iterator[Path]:
    """An empty directory; `tmp_path` can be too long for the socket of Redis two levels below."""
    with TemporaryDirectory(prefix="demo-") as name:
        yield Path(name)


@pytest.mark.long  # fifteen processes
@installed
def test_an_invoice_goes_from_one_service_to_the_other_and_its_status_comes_back(
    short_path, capsys
):
    """All steps, with their commands; at the end everything is stopped and removed."""
    listen = f"127.0.0.1:{free_port()}"
    with peppol_demo.prepared(short_path, listen, free_port()) as second:
        second.play(oneshot=True, quiet=False)
    shown = capsys.readouterr().out

    assert "0208:0403019261 is registered with peppol-test." in shown
    assert '"networkStatus": "Delivered"' in shown
    assert "good: signed by this access point, and not changed since" in shown
    assert '"direction": "received"' in shown
    assert "<cbc:ResponseCode>AB</cbc:ResponseCode>" in shown
    assert shown.count("$ curl ") == 8
    assert shown.count(": is published already") == 2
    assert "0242:000001" in shown
    delivered_to = [line for line in shown.splitlines() if "endpoint: http://" in line]
    assert len(delivered_to) == 2, "before and after the move"
    assert f"endpoint: http://{listen}/" in delivered_to[1]
    assert f"endpoint: http://{listen}/" not in delivered_to[0]
    assert list(short_path.iterdir()) == []


@pytest.mark.long  # fifteen processes
@installed
@pytest.mark.parametrize("country", STORIES)
def test_both_access_points_report_the_invoice_and_the_authority_has_it_in_its_book(
    short_path, capsys, country
):
    listen = f"127.0.0.1:{free_port()}"
    with peppol_demo.prepared(short_path, listen, free_port(), country) as second:
        second.play(oneshot=True, quiet=False)
    book = capsys.readouterr().out.rpartition("stand-in of a tax authority, for practice")[2]

    assert book.count("accepted") == 2
    assert book.count(f"  {country}  ") == 2
