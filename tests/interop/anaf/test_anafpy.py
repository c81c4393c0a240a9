"""The stand-in for ANAF as a foreign client reads it: anafpy, in an environment of its own.

Not part of `make test`: `make anaf-interop` makes the environment, then runs this.
"""

from __future__ import annotations

import json
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from plugins.anaf.tests import company
from tests.networks import anaf
from tests.networks.anaf import texts
from tests.networks.anaf.authority import Authority
from tests.networks.anaf.judging import official_or_own

pytestmark = pytest.mark.interop


class Earlier(Authority):
    """With messages of a minute ago: anafpy lists none of the last seconds."""

    def __init__(self) -> None:
        super().__init__(timedelta(0), official_or_own())
        self.pages_status = 200  # as the authors of anafpy have seen it

    def _announce(self, *given: str) -> None:
        super()._announce(*given)
        self.messages[-1].at -= timedelta(minutes=1)


HERE = Path(__file__).parent
PYTHON = HERE.parents[2] / ".cache" / "anaf" / "venv" / "bin" / "python"


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What anafpy has read, with the invoice that it has uploaded."""
    authority = Earlier()
    invoice = company.envelope().document
    files = {"invoice": invoice, "refused": invoice.replace(b"cbc:ID>", b"cbc:Id>")}
    folder = tmp_path_factory.mktemp("documents")
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with anaf.running(authority) as service:
        connection = company.connected(company.point_at(service), authority, company.SELLER)
        url, token = f"{service.url}{anaf.BASE}", connection.credentials["accessToken"]
        command = [PYTHON, HERE / "journey.py", url, token, company.SELLER]
        command += [folder / name for name in files]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"invoice": invoice.decode()}


def test_an_invoice_is_uploaded_cleared_listed_and_downloaded(found):
    assert (found["upload"].isdecimal(), found["state"]) == (True, "ok")
    assert (found["content"], found["has signature"]) == (found["invoice"], True)
    assert found["listed"] == [[found["upload"], company.SELLER, company.BUYER]]


def test_a_list_without_messages_is_no_error(found):
    assert found["received"] == 0


def test_a_duplicate_names_the_upload_before(found):
    assert found["duplicate"] == "nok"
    assert texts.DUPLICATE.partition("{}")[0] + found["upload"] in found["errors"]


def test_refusals_are_read_with_their_texts(found):
    accepted, errors = found["refused"]
    assert not accepted
    assert errors[0].startswith("Fisierul transmis nu este valid.")
    assert found["no right"] == [False, [texts.NO_RIGHT.format("1234")]]
    assert texts.STATE_UNKNOWN.format("15000") in found["unknown"]
    assert texts.FILE_UNKNOWN.format("21") in found["no file"]
