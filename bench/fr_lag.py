"""From a flow at a French platform to the event at the tenant: `python -m bench.fr_lag`.

The stand-in of a platform (tests/networks/fr) gets a purchase, its web-hook is called as the
platform would, and the database is read until it has the event of the purchase. The service runs
with all its processes. The first one is not counted. The feed of events shows each some seconds
later (`COMMIT_MARGIN`), webhooks do not wait for that.

With --without-hook nothing calls, and a search finds the purchase. With --idle the searches of so
many seconds are counted in which nothing happens.
"""

from __future__ import annotations

import argparse
import os
import time

import psycopg
import requests

from bench.service import ROOT, RunningService, running_service
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.store.core import db
from einvoice.web.runtime import runtime_of
from einvoice_fr_ctc.names import NETWORK
from tests.networks import fr
from tests.networks.fr import company, selling
from tests.networks.fr.judging import by_own_rules
from tests.networks.fr.platform import Platform

ENVIRON = {
    "EINVOICE_FR_CTC_TEST": "true",
    "EINVOICE_FR_CTC_TEST_PRIVATE": "true",
    "EINVOICE_FR_CTC_HOOKS_URL": selling.HOOKS,
}


def run(flows: int, pause: float, *, hook: bool = True, idle: float = 0.0) -> list[float]:
    """The seconds of each flow.

    hook  whether the web-hook is called
    idle  seconds in which nothing happens, after which the searches are printed
    """
    platform = Platform(by_own_rules)
    platform.company(company.SELLER, "Vendeur SAS")
    paths = (ROOT, *sorted((ROOT / "plugins").iterdir()))
    environ = ENVIRON | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    with fr.running(platform) as stand_in, running_service(None, environ) as service:
        _connect(service, stand_in)
        (made,) = platform.companies[company.SELLER].hooks
        address = made["callbackUrl"].removeprefix(selling.HOOKS)
        found = []
        for number in range(flows + 1):
            company.arrive(stand_in, 1)
            begun = time.monotonic()
            if hook:
                url = f"{service.stack.url}/networks{address}"
                requests.post(url, timeout=30).raise_for_status()
            _await_events(service, number + 1)
            found.append(time.monotonic() - begun)
            time.sleep(pause)
        if idle:
            _count_searches(stand_in, idle)
        return found[1:]


def _count_searches(stand_in: fr.Service, seconds: float) -> None:
    """Print the searches of a time in which nothing happens."""
    before = len(stand_in.exchanges)
    time.sleep(seconds)
    searches = [each for each in stand_in.exchanges[before:] if each.path.endswith("/flows/search")]
    print(f"{len(searches)} searches in {seconds:.0f} s", flush=True)


def _connect(service: RunningService, stand_in: fr.Service) -> None:
    settings = Settings(
        data_dir=str(service.stack.data_dir), database_url=service.database, log_level="ERROR"
    )
    os.environ.update(ENVIRON)  # the installed plugin, whose store is that of the service
    app = create_app(settings)
    with app.app_context():
        given = company.credentials(stand_in, company.SELLER)
        new = NewConnection(Environment.TEST, NETWORK, company.SELLER, credentials=given)
        made = accounts.create(service.tenant, new, runtime_of(app))
        assert made.state == "active", made.reason
        db.db.engine.dispose()


def _await_events(service: RunningService, count: int, seconds: float = 120.0) -> None:
    """Until there are so many events of received documents. Raises TimeoutError."""
    until = time.monotonic() + seconds
    query = "SELECT count(*) FROM events WHERE type = 'transaction.received'"
    with psycopg.connect(service.database, autocommit=True) as connection:
        while time.monotonic() < until:
            row = connection.execute(query).fetchone()
            if row is not None and row[0] >= count:
                return
            time.sleep(0.02)
    raise TimeoutError(f"{count} events did not come")


def main() -> None:
    parser = argparse.ArgumentParser(description="From a flow at a platform to the event.")
    parser.add_argument("--flows", type=int, default=10)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two flows")
    parser.add_argument("--without-hook", dest="hook", action="store_false")
    parser.add_argument("--idle", type=float, default=0.0, help="seconds to count searches of")
    found = sorted(run(**vars(parser.parse_args())))
    median, longest = found[len(found) // 2], found[-1]
    print(f"{len(found)} flows: {median:.2f} s in the median, {longest:.2f} s at most", flush=True)


if __name__ == "__main__":
    main()
