"""The service with its servers and everything around it, as processes on loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import dns.resolver
from flask import Flask

from bench.service import ROOT
from bench.week import alarms, post, settling, writing
from bench.week.accounts import Account
from bench.week.alarms import Watch
from bench.week.disks import Disk, disk
from bench.week.foreign import Foreign, resolving
from bench.week.lives import Receivers
from bench.week.networks import Buyers, Networks, Switch
from bench.week.operator import Operator
from bench.week.plan import Plan, Shape
from bench.week.post import Post
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
from einvoice_peppol import mls
from einvoice_peppol.configuration import configured
from einvoice_peppol.practice import dns as practice_dns
from einvoice_peppol.practice import network
from einvoice_peppol.practice.network import PracticeNetwork, Renewed
from einvoice_peppol.stages import TEST
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

SECOND, SEAT, FOREIGN_SEAT = "web-2", "POP000001", "POP000002"
REPORTING = ("SK", "AE", "OM")  # to whose tax offices our access points report
SWITCHES = ("buyers", "anaf", "ksef", "fr", "zatca", "mail", "peppol", "dns")
_PREFIX = "EINVOICE_PEPPOL_TEST_"
_STOP_SECONDS, _STOP_WORKER_SECONDS = 60, 120  # TimeoutStopSec of deploy/systemd
SEND_WAIT = 1.0
DAY = 86_400
ANAF_DELAY, KSEF_DELAY = timedelta(minutes=2), timedelta(minutes=1)


def _stop(children: Children, name: str) -> None:
    """As systemd: a process that has not ended its work in time is killed."""
    child = dict(children.running())[name]
    child.terminate()
    try:
        child.wait(_STOP_WORKER_SECONDS if name.startswith("worker-") else _STOP_SECONDS)
    except subprocess.TimeoutExpired:
        children.kill(name)


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
    renew: Callable[[], Renewed]  # makes a new key of our access point
    mail_port: int  # at which the service takes mails
    releases: deque[str]  # PYTHONPATH of each, first that of processes that start now
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
        _stop(self.stack.children, name)
        usual = self.stack.environ
        self.stack.environ = {**usual, **(environ or {})}
        self.stack.command(name)
        self.stack.environ = usual

    def configure(self, environ: Mapping[str, str]) -> None:
        """Give these variables to the operator at once, and to processes that start from now on."""
        self.stack.environ = dict(environ)
        before, self.operator = self.operator, Operator(environ)
        _let_go(before.app)

    def turn(self) -> None:
        """Let processes that start from now on be of the next release, if there is another one."""
        self.releases.rotate(-1)
        self.stack.environ |= {"PYTHONPATH": self.releases[0], "PYTHONSAFEPATH": "1"}

    def restart_second(self) -> None:
        """Let the second web host end its work and start it again."""
        _stop(self.children, SECOND)
        self.start_second()

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
def living(plan: Plan, other: str | None = None) -> Iterator[Town]:
    """Start everything for a plan; gone afterwards.

    other  the commit of another release, to which and back the fault `release` goes
    """
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
        switches = {name: Switch() for name in SWITCHES}
        foreign = free_port()
        practice = _practice(running, plan, directory / "practice", f"http://{listen}", foreign)
        networks = _networks(running, practice, switches, foreign)
        names = running.enter_context(resolving(practice.resolver, switches["dns"]))
        space = running.enter_context(disk(directory / "disk"))
        receivers = running.enter_context(serving(Receivers(plan.tenants)))
        metrics = f"127.0.0.1:{free_port()}"
        environ = (
            _environ(directory, cluster.url, networks, pace)
            | practice.settings[SEAT]
            | {
                "EINVOICE_PEPPOL_TEST_RESOLVERS": names,
                "EINVOICE_REDIS_URL": start_redis(children, directory / "redis"),
                "EINVOICE_METRICS_LISTEN": metrics,
                "EINVOICE_DATA_DIR": str(space.path),
            }
        )
        stack, mail_port = Stack(directory, listen, environ), free_port()
        networks.post.notices_to = mail_port
        stack.commands["mail"] = ["mail", "receive", "--listen", f"127.0.0.1:{mail_port}"]
        sys.path.append(str(directory / "plugins"))  # the plugin of the buyers' network
        operator = Operator(stack.environ)
        accounts_ = settling.settled(plan, operator.app, stack.environ, receivers, networks)
        running.enter_context(stack)
        prometheus = alarms.started(directory, metrics, children, pace)
        town = Town(
            plan, pace, stack, cluster, children, directory, space, networks, receivers, accounts_,
            watch=Watch(prometheus, lambda: town.minute()), operator=operator,
            renew=partial(practice.renew, SEAT), mail_port=mail_port,
            releases=deque(_releases(directory, environ["PYTHONPATH"], other)),
        )  # fmt: skip
        running.callback(lambda: _let_go(town.operator.app))
        receivers.minute = town.minute
        town.start_second()
        yield town


def _releases(directory: Path, present: str, other: str | None) -> Iterator[str]:
    """PYTHONPATH of this release, and of another one with the packages that are installed."""
    yield present
    if other is not None:
        source = directory / "other"
        source.mkdir()
        archive = subprocess.check_output(["git", "archive", other], cwd=ROOT)
        subprocess.run(["tar", "-x", "-C", source], input=archive, check=True)
        yield os.pathsep.join(map(str, (directory / "plugins", source, *source.glob("plugins/*"))))


def _practice(
    running: ExitStack, plan: Plan, folder: Path, address: str, foreign: int
) -> PracticeNetwork:
    """A Peppol network in which the service has access points of both sides, with tax offices and
    a foreign access point at a port of this machine."""
    folder.mkdir(mode=0o700)
    stories = (writing.STORIES[country] for country in REPORTING)
    parties = [party for story in stories for party in (story.seller, story.buyer)]
    parties += [one.participant for one in plan.tenants if one.shape is Shape.TRADER]
    own = dict.fromkeys(map(ParticipantId.parse, parties), SEAT)
    own[ParticipantId.parse(writing.FOREIGN_BUYER)] = FOREIGN_SEAT
    points = [
        network.AccessPoint(SEAT, address),
        network.AccessPoint(FOREIGN_SEAT, f"http://127.0.0.1:{foreign}"),
    ]
    return running.enter_context(network.running(folder, points, own, countries=REPORTING))


def _foreign(practice: PracticeNetwork, port: int, switch: Switch) -> Foreign:
    """The foreign access point, with its settings of the practice network."""
    asked = ("KEYS", "ANCHORS", "CRLS", "ZONE", "RESOLVERS", "MLS_TYPE")
    given = practice.settings[FOREIGN_SEAT]
    values: dict[str, object] = {f"{_PREFIX}{name}": given[f"{_PREFIX}{name}"] for name in asked}
    own = configured(TEST, values | {f"{_PREFIX}CLOSED": True})
    if own is None:
        raise RuntimeError("the foreign access point has no settings")
    return Foreign(own, mls.spid_of(SEAT), port, switch)


def _networks(
    running: ExitStack, practice: PracticeNetwork, switches: dict[str, Switch], foreign: int
) -> Networks:
    """All stand-ins, started."""
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
    abroad = _foreign(practice, foreign, switches["peppol"])
    for one in (buyers, romania, poland, france, arabia, abroad):
        running.enter_context(serving(one))
    running.enter_context(abroad.answering())
    authority = practice.authority or ""
    mails = running.enter_context(Post(switches["mail"]).serving())
    _name_mail_servers(running)
    return Networks(buyers, romania, poland, france, arabia, mails, abroad, authority, switches)


def _name_mail_servers(running: ExitStack) -> None:
    """DNS of the operator, whom the doctor asks for the mail server of its domain."""
    address = running.enter_context(
        practice_dns.serving([f"--mx-host={post.DOMAIN},mail.week.example,10"])
    )
    host, _, port = address.partition(":")
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = [host], int(port)
    usual, dns.resolver.default_resolver = dns.resolver.default_resolver, resolver
    running.callback(setattr, dns.resolver, "default_resolver", usual)


def shifted(pace: Pace, ahead: timedelta) -> Pace:
    """The pace of a clock that is ahead of another one by so much."""
    return Pace(pace.rate, pace.since - ahead / (pace.rate - 1))


def _let_go(app: Flask) -> None:
    with app.app_context():
        db.db.engine.dispose()


def _environ(directory: Path, database: str, networks: Networks, pace: Pace) -> dict[str, str]:
    http_access_point.announce(directory / "plugins")
    plenty = "1000000"
    return (
        _of_authorities(directory, networks)
        | _of_mail(networks.post)
        | {
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
            "EINVOICE_LIMIT_DOCUMENTS": plenty,
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
    )


def _of_mail(mails: Post) -> dict[str, str]:
    """The settings of mail, whose bounds are by the clock of the week."""
    plenty = "1000000"
    return {
        "EINVOICE_MAIL_FROM": post.SENDER,
        "EINVOICE_MAIL_BOUNCES": post.BOUNCES,
        "EINVOICE_MAIL_IN_DOMAIN": post.DOMAIN,
        "EINVOICE_MAIL_TEST_SMARTHOSTS": mails.url,
        "EINVOICE_MAIL_PER_HOUR": plenty,
        "EINVOICE_MAIL_PER_MINUTE": plenty,
        "EINVOICE_MAIL_IN_PER_SENDER": plenty,
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
