"""fatoority judges what a unit stamps, and its stamps are judged here; it knows rules 3.4.8.

Not part of `make test`: `make zatca-interop` makes the environment, then runs this.
"""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from einvoice_zatca import form, riyadh
from einvoice_zatca.chain import Chain
from einvoice_zatca.stamp import Place, stamped
from einvoice_zatca.verification import verify
from plugins.zatca.tests import saudi
from plugins.zatca.tests.test_stamp import sdk_identity, unstamped

DOCUMENTS = saudi.one_of_each() | {"standard after-prepayments": saudi.after_prepayments()}
pytestmark = pytest.mark.interop
HERE = Path(__file__).parent
PYTHON = HERE.parents[2] / ".cache" / "zatca" / "venv" / "bin" / "python"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Documents of each kind in one chain, and the same without a stamp."""
    place = tmp_path_factory.mktemp("documents")
    for name in ("stamped", "unsigned"):
        (place / name).mkdir()
    identity, chain = sdk_identity(), Chain()
    for name, invoice in DOCUMENTS.items():
        short = name.replace(" ", "-")
        document = form.PROFILE.write(form.adapt(invoice).invoice)
        uuid = f"00000000-0000-4000-8000-{chain.counter + 1:012}"
        made = stamped(
            document, Place(uuid, chain.counter + 1, chain.hash, "00:00:01"), identity,
            riyadh.local(riyadh.clock.now()),
        )  # fmt: skip
        (place / "stamped" / f"{short}.xml").write_bytes(made.content)
        (place / "stamped" / f"{short}.previous").write_text(chain.hash)
        (place / "unsigned" / f"{short}.xml").write_bytes(unstamped(made.content))
        chain = chain.after(made)
    (place / "certificate.der").write_bytes(base64.b64decode(identity.certificate_text))
    (place / "key.der").write_bytes(
        identity.key.private_bytes(
            serialization.Encoding.DER,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return place


@pytest.fixture(scope="module")
def verdicts(folder):
    command = [PYTHON, HERE / "witness.py", folder]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_document_that_is_stamped_here_is_valid_to_it(verdicts):
    invalid = {name: report for name, report in verdicts.items() if not report["is_valid"]}

    assert len(verdicts) == len(DOCUMENTS)
    assert invalid == {}


def test_every_document_that_it_signs_is_right_to_us(folder, verdicts):
    signed = sorted((folder / "signed").glob("*.xml"))
    faults = {path.stem: verify(path.read_bytes()).faults for path in signed}

    assert len(signed) == len(verdicts)
    assert {name: each for name, each in faults.items() if each} == {}
