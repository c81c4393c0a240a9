"""openapi-core judges what the plugin and the stand-in say, and pyfrctc uses the stand-in.

Not part of `make test`: `make fr-interop` makes the environment, then runs this.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from einvoice_fr_ctc import form
from einvoice_fr_ctc.cdar import write
from tests.interop.fr import foreign
from tests.networks import fr
from tests.networks.fr import company, official
from tests.networks.fr.company import BUYER, SELLER
from tests.networks.fr.judging import by_own_rules
from tests.networks.fr.platform import Platform

pytestmark = [pytest.mark.interop, official.needed]


@pytest.fixture
def service():
    platform = Platform(by_own_rules)
    for siren, name in ((SELLER, "Vendeur SAS"), (BUYER, "Acheteur SA")):
        platform.company(siren, name)
    with fr.running(platform) as running:
        for siren, one in platform.companies.items():
            running.directory.add(siren, one.name)
        yield running


@pytest.fixture
def exchanges(service):
    """Those of the plugin: a check, sends, a refusal, statuses, purchases, lookups, a web-hook."""
    point = company.point_at(service, hooks="http://127.0.0.1:1/networks")
    connection = company.connected(point, service, SELLER)
    bound = company.bound(point, connection)
    one = company.envelope()
    company.sent(bound, one)
    company.sent(bound, company.envelope(number=one.number))
    company.sent(bound, company.envelope(company.french_invoice(notes=())))
    company.arrive(service, 2)
    point.fetch(connection, None)
    point.lookup(one.receiver)
    list(point.search_participants("vend", None, 5))
    return list(service.exchanges)


def test_openapi_core_finds_nothing_wrong(exchanges, tmp_path):
    found = {each: foreign.judged(exchanges, each, tmp_path) for each in foreign.SERVICES}

    assert found == {each: [] for each in foreign.SERVICES}


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"flowSyntax": "UBL"', b'"flowSyntax": "EDI"'), (b'"name": ', b'"nome": '),
     (b'name="flowInfo"', b'name="flowinfo"'), (b'"sha256": "', b'"sha256": "x')],
)  # fmt: skip
def test_openapi_core_finds_a_wrong_submission(exchanges, tmp_path, old, new):
    good = next(e for e in exchanges if e.path.endswith("/v1/flows") and e.method == "POST")
    wrong = replace(good, body=good.body.replace(old, new))

    assert wrong.body != good.body
    assert foreign.judged([wrong], fr.FLOWS, tmp_path) != []


def test_pyfrctc_uses_the_stand_in_and_reads_our_messages(service, tmp_path):
    (tmp_path / "invoice.xml").write_bytes(form.NAMED.write(company.french_invoice()))
    seller = write.Company(SELLER, "Vendeur SAS", write.SELLER)
    buyer = write.Company(BUYER, "Acheteur SA", write.BUYER, BUYER)
    for status in ("211", "212"):
        message = write.Message(
            status, "F1", "380", date(2026, 11, 23), SELLER, datetime(2026, 11, 24, tzinfo=UTC),
            seller, buyer, amounts=(write.Amount(Decimal(120), Decimal(20)),),
        )  # fmt: skip
        (tmp_path / f"cdar-{status}.xml").write_bytes(write.written(message))
    client = service.platform.companies[SELLER].client

    assert foreign.run("journey.py", service.origin, *client, SELLER, str(tmp_path)) == {
        "health": [True, True],
        "sent": True,
        "found": 3,
        "siren": True,
        "lines": 1,
        "read": [True, True],
    }
