"""A network that does not respond, loses, is busy or repeats receipts gets each document
exactly once, counted in its own ledger."""

from __future__ import annotations

import pytest

from einvoice import clock
from tests.access_points import http_access_point
from tests.access_points.http_network import Behaviour, deliveries, running
from tests.sandbox import Sandbox

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

BEHAVIOURS = {
    "silent": Behaviour(silent=0.5, seed=1),
    "lost": Behaviour(lost=0.5, seed=2),
    "busy": Behaviour(busy=0.5, seed=3),
    "everything": Behaviour(silent=0.2, lost=0.2, busy=0.2, later=0.2, takes=0.0, duplicates=0.5),
}


@pytest.mark.parametrize("bulk", [1, 100], ids=["a thread each", "one thread"])
@pytest.mark.parametrize("behaviour", BEHAVIOURS.values(), ids=BEHAVIOURS)
def test_each_document_is_delivered_once_whatever_the_network_does(
    make_app, monkeypatch, tmp_path, behaviour, bulk
):
    """Each with its receipt and one event."""
    with running(tmp_path / "ledger", behaviour) as url:
        monkeypatch.setenv("HTTP_ACCESS_POINT_URL", url)
        monkeypatch.setenv("HTTP_ACCESS_POINT_TIMEOUT", "0.3")
        monkeypatch.setenv("HTTP_ACCESS_POINT_BULK", str(bulk))
        app = make_app(plugins=[http_access_point], retry_for_test=86400)
        with app.app_context():
            sandbox = Sandbox.of(app)
            monkeypatch.setattr(clock, "now", lambda: sandbox.moment)
            sent = [sandbox.send("0088:9520000000998") for _ in range(12)]
            for _ in range(30):
                sandbox.work(20)

            assert [sandbox.status(invoice) for invoice in sent] == ["Delivered"] * 12
            assert all(sandbox.evidence(invoice) == ["RECEIPT"] for invoice in sent)
            assert all(sandbox.events(invoice) == ["transaction.sent"] for invoice in sent)
    assert sorted(deliveries(tmp_path / "ledger").values()) == [1] * 12
