"""The service with its servers and everything around it, as processes on loopback."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from flask import Flask

from bench.service import ROOT
from bench.week import alarms
from bench.week.alarms import Watch
from bench.week.lives import Receivers
from bench.week.networks import Buyers, Switch, arrived_at_anaf, arrived_at_ksef
from bench.week.operator import Operator
from bench.week.plan import Plan, Shape
from einvoice import clock
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.cli.stack import Stack
from einvoice.clock import Pace
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.security.api_keys import SCOPES
from einvoice.services.account import credentials, tenants
from einvoice.services.connections import accounts, consents
from einvoice.services.connections.accounts import NewConnection
from einvoice.services.principal import Session
from einvoice.services.webhooks import endpoints
from einvoice.store.core import db
from einvoice.store.installation import schema_revisions
from einvoice.web.runtime import runtime_of
from plugins.anaf.tests import company
from tests import servers
from tests.access_points import http_access_point
from tests.networks import anaf, ksef
from tests.networks.anaf.authority import Authority
from tests.networks.ksef import samples as papers
from tests.networks.ksef.authority import Authority as KsefAuthority
from tests.networks.stand_ins import serving
from tests.ports import free_port

SEND_WAIT = 1.0
DAY = 86_400


@dataclass
class Account:
    """A tenant as its programs and people know it."""

    tenant: str
    key: str
    number: int


@dataclass
class Town:
    """Everything that runs."""

    plan: Plan
    pace: Pace
    stack: Stack
    postgres: servers.Postgres
    children: Children  # Redis and Prometheus
    directory: Path
    buyers: Buyers
    anaf: anaf.Service
    ksef: ksef.Service
    switches: Mapping[str, Switch]
    receivers: Receivers
    accounts: list[Account]
    watch: Watch
    operator: Operator
    began: datetime = field(default_factory=clock.now)

    @property
    def url(self) -> str:
        return self.stack.url

    def begin(self) -> None:
        """The week begins now."""
        self.began = clock.now()

    def arrived(self) -> Counter[str]:
        """How often the invoice of each number is at its network."""
        return self.buyers.arrived + arrived_at_anaf(self.anaf) + arrived_at_ksef(self.ksef)

    def minute(self) -> float:
        """Minutes of the week that have passed."""
        return (clock.now() - self.began) / timedelta(minutes=1)

    def start_redis(self) -> None:
        """Start a new, empty Redis at the same address."""
        shutil.rmtree(self.directory / "redis" / "appendonlydir", ignore_errors=True)
        start_redis(self.children, self.directory / "redis")

    def token(self, account: Account) -> str:
        """A token of a person of the account, for an hour of the week."""
        return dev_issuer.mint(
            Settings.from_env(self.stack.environ),
            tenant_id=account.tenant, role=Role.OWNER, subject=f"person-{account.number}",
        )  # fmt: skip


@contextmanager
def living(plan: Plan) -> Iterator[Town]:
    """Start everything for a plan; gone afterwards."""
    pace = Pace(plan.rate, clock.real_now())
    clock.run(pace)
    with ExitStack() as running:
        children = Children()
        running.callback(clock.run, clock.REALITY)
        running.callback(children.stop)
        cluster = running.enter_context(servers.cluster())
        name = running.enter_context(
            tempfile.TemporaryDirectory(prefix="week-", ignore_cleanup_errors=True)
        )
        directory = Path(name)
        switches = {"buyers": Switch(), "anaf": Switch(), "ksef": Switch()}
        buyers = running.enter_context(serving(Buyers(faults=switches["buyers"])))
        authority = Authority(timedelta(minutes=2))
        romania = running.enter_context(serving(anaf.Service(authority, faults=switches["anaf"])))
        poland = running.enter_context(
            serving(ksef.Service(KsefAuthority(timedelta(minutes=1)), faults=switches["ksef"]))
        )
        receivers = running.enter_context(serving(Receivers(plan.tenants)))
        metrics = f"127.0.0.1:{free_port()}"
        environ = _environ(directory, cluster.url, buyers, romania, poland, pace) | {
            "EINVOICE_REDIS_URL": start_redis(children, directory / "redis"),
            "EINVOICE_METRICS_LISTEN": metrics,
        }
        stack = Stack(directory, f"127.0.0.1:{free_port()}", environ)
        sys.path.append(str(directory / "plugins"))  # the plugin of the buyers' network
        operator = Operator(stack.environ)
        running.callback(_let_go, operator.app)
        accounts_ = _prepared(plan, operator.app, stack, receivers, authority, poland)
        running.enter_context(stack)
        prometheus = alarms.started(directory, metrics, children, pace)
        town = Town(
            plan, pace, stack, cluster, children, directory, buyers, romania, poland,
            switches, receivers, accounts_,
            watch=Watch(prometheus, lambda: town.minute()), operator=operator,
        )  # fmt: skip
        receivers.minute = town.minute
        yield town


def _let_go(app: Flask) -> None:
    with app.app_context():
        db.db.engine.dispose()


def _environ(
    directory: Path,
    database: str,
    buyers: Buyers,
    romania: anaf.Service,
    poland: ksef.Service,
    pace: Pace,
) -> dict[str, str]:
    http_access_point.announce(directory / "plugins")
    signers = directory / "anaf.pem"
    signers.write_bytes(romania.authority.signer.pem())
    name, secret = romania.authority.client
    plenty = "1000000"
    return {
        "EINVOICE_DATABASE_URL": database,
        "EINVOICE_CLOCK_RATE": str(pace),
        "EINVOICE_WEB_WORKERS": "1",
        "EINVOICE_SEND_WAIT": str(SEND_WAIT),
        # As in live: the networks are reached in the sandbox, whose documents wait two minutes.
        "EINVOICE_RETRY_FOR_TEST": str(DAY),
        "EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true",
        # The budgets of Redis are by reality, in which a week's requests are made in an hour.
        "EINVOICE_LIMIT_GET": plenty,
        "EINVOICE_LIMIT_POST": plenty,
        "EINVOICE_LIMIT_SESSION_GET": plenty,
        "EINVOICE_QUEUE_LEASE": "15",
        "EINVOICE_LEASE_MARGIN": "5",
        "HTTP_ACCESS_POINT_URL": buyers.origin,
        "HTTP_ACCESS_POINT_TIMEOUT": "5",
        "EINVOICE_ANAF_TEST": "true",
        "EINVOICE_ANAF_TEST_URL": f"{romania.url}{anaf.BASE}",
        "EINVOICE_ANAF_OAUTH_URL": f"{romania.url}{anaf.OAUTH}",
        "EINVOICE_ANAF_CLIENT_ID": name,
        "EINVOICE_ANAF_CLIENT_SECRET": secret,
        "EINVOICE_ANAF_SIGNERS": str(signers),
        "EINVOICE_KSEF_TEST": "true",
        "EINVOICE_KSEF_TEST_URL": poland.url,
        "PYTHONPATH": os.pathsep.join((str(directory / "plugins"), str(ROOT))),
    }


def _prepared(
    plan: Plan,
    app: Flask,
    stack: Stack,
    receivers: Receivers,
    authority: Authority,
    poland: ksef.Service,
) -> list[Account]:
    """Migrate the database, and make the tenants with keys, webhooks and connections."""
    settings = Settings.from_env(stack.environ)
    made = []
    with app.app_context():
        schema_revisions.upgrade()
        for one in plan.tenants:
            tenant = tenants.create(one.name)
            key = credentials.create(API_KEY, tenant, "erp", Environment.TEST, scopes=SCOPES)
            url = receivers.url(one)
            endpoints.create(tenant, Environment.TEST, url=url, settings=settings)
            if one.shape is Shape.ROMANIAN:
                _connect(app, tenant, authority)
            if one.shape is Shape.POLISH:
                _connect_to_ksef(app, tenant, poland.authority)
            made.append(Account(tenant, key.secret, one.number))
    return made


def _connect(app: Flask, tenant: str, authority: Authority) -> None:
    """A person of a company consents at the authority, as in the browser."""
    person = Session(tenant, "ann", "ann@example.com", "owner")
    new = NewConnection(Environment.TEST, "ro-efactura", f"RO{company.SELLER}", credentials={})
    made = accounts.create(tenant, new, runtime_of(app))
    consent = consents.begin(tenant, made.id, runtime_of(app), person)
    (state,) = parse_qs(urlsplit(consent.url).query)["state"]
    code = authority.consent(f"person of {tenant}", company.SELLER)
    ended = consents.finish(state, consent.browser, code, runtime_of(app))
    if ended.connection.state != "active":
        raise RuntimeError(f"the connection is {ended.connection.state}")


def _connect_to_ksef(app: Flask, tenant: str, authority: KsefAuthority) -> None:
    """The account of a company, with a token of its own."""
    credentials_ = {"token": authority.issue_token(papers.SELLER)}
    new = NewConnection(Environment.TEST, "ksef", papers.SELLER, credentials=credentials_)
    made = accounts.create(tenant, new, runtime_of(app))
    if made.state != "active":
        raise RuntimeError(f"the connection is {made.state}: {made.reason}")
