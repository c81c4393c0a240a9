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

from flask import Flask

from bench.service import ROOT
from bench.week import alarms, settling, writing
from bench.week.accounts import Account
from bench.week.alarms import Watch
from bench.week.disks import Disk, disk
from bench.week.lives import Receivers
from bench.week.networks import Buyers, Networks, Switch
from bench.week.operator import Operator
from bench.week.plan import Plan
from bench.week.suppliers import TOKEN
from einvoice import clock
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children, einvoice
from einvoice.cli.stack import Stack
from einvoice.clock import Pace
from einvoice.config import Settings
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.store.core import db
from einvoice_peppol.practice import network
from einvoice_peppol.practice.network import PracticeNetwork
from tests import servers
from tests.access_points import http_access_point
from tests.networks import anaf, fr, ksef, zatca
from tests.networks.anaf.authority import Authority
from tests.networks.fr import company as french_company
from tests.networks.fr.platform import Platform
from tests.networks.ksef.authority import Authority as KsefAuthority
from tests.networks.stand_ins import serving
from tests.networks.zatca.authority import Authority as ZatcaAuthority
from tests.ports import free_port

SECOND, SEAT = "web-2", "POP000001"
SEND_WAIT = 1.0
DAY = 86_400
ANAF_DELAY, KSEF_DELAY = timedelta(minutes=2), timedelta(minutes=1)


@dataclass
class Town:
    """Everything that runs."""

    plan: Plan
    pace: Pace
    stack: Stack
    postgres: servers.Postgres
    children: Children  # Redis and Prometheus
    directory: Path
    disk: Disk  # of the data directory
    networks: Networks
    receivers: Receivers
    accounts: dict[int, Account]
    watch: Watch
    operator: Operator
    second: str = field(default_factory=lambda: f"http://127.0.0.1:{free_port()}")
    began: datetime = field(default_factory=clock.now)

    @property
    def url(self) -> str:
        return self.stack.url

    def begin(self) -> None:
        """The week begins now."""
        self.began = clock.now()

    def arrived(self) -> Counter[str]:
        """How often the invoice of each number is at its network."""
        return self.networks.arrived()

    def minute(self) -> float:
        """Minutes of the week that have passed."""
        return (clock.now() - self.began) / timedelta(minutes=1)

    @property
    def urls(self) -> tuple[str, str]:
        """The addresses of the web hosts."""
        return self.stack.url, self.second

    def restart(self, name: str, environ: Mapping[str, str] | None = None) -> None:
        """Let a process end its work and start it again, maybe with other variables."""
        child = dict(self.stack.children.running())[name]
        child.terminate()
        child.wait(60)
        usual = self.stack.environ
        self.stack.environ = {**usual, **(environ or {})}
        self.stack.command(name)
        self.stack.environ = usual

    def start_second(self) -> None:
        """Start the second web host; it has the data directory of the first one."""
        listen = self.second.removeprefix("http://")
        environ = {**self.stack.environ, "EINVOICE_LISTEN": listen}
        del environ["EINVOICE_METRICS_LISTEN"]
        self.children.start(
            SECOND, einvoice("serve"), env=environ, log=self.directory / f"{SECOND}.log"
        )

    def signal_second(self, number: int) -> None:
        """Send a signal to all processes of the second web host."""
        os.killpg(dict(self.children.running())[SECOND].pid, number)

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
        listen = f"127.0.0.1:{free_port()}"
        practice = _practice(running, directory / "practice", f"http://{listen}")
        networks = _networks(running, practice)
        space = running.enter_context(disk(directory / "disk"))
        receivers = running.enter_context(serving(Receivers(plan.tenants)))
        metrics = f"127.0.0.1:{free_port()}"
        environ = (
            _environ(directory, cluster.url, networks, pace)
            | practice.settings[SEAT]
            | {
                "EINVOICE_REDIS_URL": start_redis(children, directory / "redis"),
                "EINVOICE_METRICS_LISTEN": metrics,
                "EINVOICE_DATA_DIR": str(space.path),
            }
        )
        stack = Stack(directory, listen, environ)
        sys.path.append(str(directory / "plugins"))  # the plugin of the buyers' network
        operator = Operator(stack.environ)
        running.callback(_let_go, operator.app)
        accounts_ = settling.settled(plan, operator.app, stack.environ, receivers, networks)
        running.enter_context(stack)
        prometheus = alarms.started(directory, metrics, children, pace)
        town = Town(
            plan, pace, stack, cluster, children, directory, space, networks, receivers, accounts_,
            watch=Watch(prometheus, lambda: town.minute()), operator=operator,
        )  # fmt: skip
        receivers.minute = town.minute
        town.start_second()
        yield town


def _practice(running: ExitStack, folder: Path, address: str) -> PracticeNetwork:
    """A Peppol network in which the service has both access points, and a tax office."""
    folder.mkdir(mode=0o700)
    parties = (writing.SLOVAKIA.seller, writing.SLOVAKIA.buyer)
    own = {ParticipantId.parse(each): SEAT for each in parties}
    point = network.AccessPoint(SEAT, address)
    return running.enter_context(network.running(folder, [point], own, countries=["SK"]))


def _networks(running: ExitStack, practice: PracticeNetwork) -> Networks:
    """All stand-ins, started."""
    switches = {name: Switch() for name in ("buyers", "anaf", "ksef", "fr", "zatca")}
    buyers = Buyers(faults=switches["buyers"])
    romania = anaf.Service(Authority(ANAF_DELAY), faults=switches["anaf"])
    poland = ksef.Service(KsefAuthority(KSEF_DELAY), faults=switches["ksef"])
    france = fr.Service(Platform(), faults=switches["fr"])
    france.keeps = False
    for siren, name in (
        (french_company.SELLER, "Vendeur SAS"),
        (french_company.BUYER, "Acheteur SA"),
    ):
        france.platform.company(siren, name)
        france.directory.add(siren, name)
    arabia = zatca.Service(ZatcaAuthority(), faults=switches["zatca"])
    for one in (buyers, romania, poland, france, arabia):
        running.enter_context(serving(one))
    authority = practice.authority or ""
    return Networks(buyers, romania, poland, france, arabia, authority, switches)


def shifted(pace: Pace, ahead: timedelta) -> Pace:
    """The pace of a clock that is ahead of another one by so much."""
    return Pace(pace.rate, pace.since - ahead / (pace.rate - 1))


def _let_go(app: Flask) -> None:
    with app.app_context():
        db.db.engine.dispose()


def _environ(directory: Path, database: str, networks: Networks, pace: Pace) -> dict[str, str]:
    http_access_point.announce(directory / "plugins")
    plenty = "1000000"
    return _of_authorities(directory, networks) | {
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
        "EINVOICE_LIMIT_PLATFORM_GET": plenty,
        "EINVOICE_LIMIT_PLATFORM_POST": plenty,
        "EINVOICE_LIMIT_SESSION_GET": plenty,
        "EINVOICE_QUEUE_LEASE": "15",
        "EINVOICE_LEASE_MARGIN": "5",
        "HTTP_ACCESS_POINT_URL": networks.buyers.origin,
        "HTTP_ACCESS_POINT_TIMEOUT": "5",
        "HTTP_ACCESS_POINT_TOKEN": TOKEN,
        "PYTHONPATH": os.pathsep.join((str(directory / "plugins"), str(ROOT))),
    }


def _of_authorities(directory: Path, networks: Networks) -> dict[str, str]:
    """The settings of the plugins of authorities and platforms."""
    romania, france = networks.anaf, networks.fr
    signers = directory / "anaf.pem"
    signers.write_bytes(romania.authority.signer.pem())
    name, secret = romania.authority.client
    client, password = france.platform.companies[french_company.SELLER].client
    return {
        "EINVOICE_ANAF_TEST": "true",
        "EINVOICE_ANAF_TEST_URL": f"{romania.url}{anaf.BASE}",
        "EINVOICE_ANAF_OAUTH_URL": f"{romania.url}{anaf.OAUTH}",
        "EINVOICE_ANAF_CLIENT_ID": name,
        "EINVOICE_ANAF_CLIENT_SECRET": secret,
        "EINVOICE_ANAF_SIGNERS": str(signers),
        "EINVOICE_KSEF_TEST": "true",
        "EINVOICE_KSEF_TEST_URL": networks.ksef.url,
        "EINVOICE_FR_CTC_TEST": "true",
        "EINVOICE_FR_CTC_TEST_PRIVATE": "true",
        "EINVOICE_FR_CTC_POLL_SECONDS": "900",
        "EINVOICE_FR_CTC_TEST_DIRECTORY_URL": france.directory_url,
        "EINVOICE_FR_CTC_TEST_DIRECTORY_TOKEN_URL": france.token_url,
        "EINVOICE_FR_CTC_TEST_DIRECTORY_CLIENT_ID": client,
        "EINVOICE_FR_CTC_TEST_DIRECTORY_CLIENT_SECRET": password,
        "EINVOICE_ZATCA_TEST": "true",
        "EINVOICE_ZATCA_TEST_URL": networks.zatca.url,
    }
