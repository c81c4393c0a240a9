"""phase4 sends what is legal and seldom, into the store of the service."""

from __future__ import annotations

import uuid

import pytest
import sqlalchemy as sa
from as4_server import FixedDirectory, network, serving

from einvoice.domain.environments import Environment
from einvoice.network import samples
from einvoice.services.account import tenants
from einvoice.services.inbound.reception import Reception
from einvoice.store.core import db
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from einvoice_peppol.receiving import Receiver
from plugins.peppol.tests import test_sbdh
from tests.interop.peppol import foreign

pytestmark = [
    pytest.mark.interop,
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]


@pytest.fixture
def url(app, tenant, identity, trusted):
    """The address of our receiver, whose documents are stored."""
    tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)
    parts = runtime_of(app)
    inbox = Reception(app.app_context, parts.caches, parts.computing, parts.forms)
    directory = FixedDirectory("http://127.0.0.1:9/as4", identity("c3"))
    own = network(identity("c3"), trusted=trusted, directory=directory)
    with serving(Receiver(own, inbox).answer) as server:
        yield server.url


@pytest.fixture(scope="module")
def sender(folder):
    with foreign.java("phase4", "Phase4Sender", folder) as process:
        yield foreign.Sender(process)


@pytest.fixture
def sent(sender, url, tmp_path):
    """A function that lets phase4 send a document, or an envelope as it is; what it says."""

    def _sent(content, **values):
        file = tmp_path / "document.xml"
        file.write_bytes(content)
        values = {"sender": samples.SENDER, "receiver": samples.RECEIVER} | values
        return sender.send(doc=file, url=url, **values)

    return _sent


def stored():
    """Number, codes of warnings and rules of findings of all documents."""
    with db.reading() as connection:
        found = connection.execute(
            sa.select(Invoice.number, Invoice.warnings, Invoice.findings, Invoice.original)
        ).all()
    return {
        row.number: ([w["code"] for w in row.warnings], [f["ruleId"] for f in row.findings])
        for row in found
    }


def test_another_document_under_a_used_instance_identifier_is_stored(sent):
    """A repeat of either of them is not."""
    documents = [samples.envelope(number=number).document for number in ("A-1", "A-2")]
    said = [sent(each, instance="used-1") for each in documents + documents]

    assert said == ["SUCCESS"] * 4
    assert stored() == {"A-1": ([], []), "A-2": (["message-id-reused"], [])}


def test_a_pint_is_stored_and_judged_by_its_schema(sent):
    pint = b"urn:peppol:pint:billing-1@zz-1"
    document = samples.envelope(number="P-1").document.replace(
        test_sbdh.HEADER.document_type.value.partition("##")[2].removesuffix("::2.1").encode(), pint
    )
    assert pint in document

    assert sent(document, scheme="peppol-doctype-wildcard") == "SUCCESS"
    assert stored() == {"P-1": ([], ["NOT-JUDGED-KNOWN"])}


def test_legal_envelopes_are_stored(sent):
    """Sent as they are: by attributes of any form, the end of a day, and other encodings."""
    envelopes = {
        name: test_sbdh.WRITTEN.replace(*change).encode()
        for name, change in test_sbdh.LEGAL.items()
        if "without a scheme" not in name  # phase4 does not send them
    }
    for encoding in ("utf-16", "iso-8859-1"):
        declared = test_sbdh.WRITTEN.replace('encoding="UTF-8"', f'encoding="{encoding}"')
        envelopes[encoding] = declared.encode(encoding)
    own = test_sbdh.HEADER.instance_id
    said = {}
    for name, envelope in envelopes.items():
        encoding = name if name in ("utf-16", "iso-8859-1") else "utf-8"
        fresh = envelope.decode(encoding).replace(own, str(uuid.uuid4())).encode(encoding)
        said[name] = sent(fresh, envelope="yes")

    assert {name: each for name, each in said.items() if each != "SUCCESS"} == {}
    with db.reading() as connection:
        assert connection.execute(sa.select(sa.func.count(Invoice.id))).scalar() == len(said)
