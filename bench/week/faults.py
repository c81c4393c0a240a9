"""The faults of a week, how each is mended, and the alerts that tell of it."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Final, Protocol

import psycopg
from redis import Redis

from bench.week.plan import Fault, Kind
from bench.week.town import ANAF_DELAY, KSEF_DELAY, Town, shifted
from einvoice.clock import Pace

RELAY = "relay"
NUMBERS = 10**15  # by which those of RO e-Factura jump
_KEYS, _NEXT = "EINVOICE_PEPPOL_TEST_KEYS", "EINVOICE_PEPPOL_TEST_NEXT_KEYS"
CLOCK_OFF = timedelta(hours=1)
HOURS = timedelta(hours=24)  # until its fault ends


class Slow(Protocol):
    """An authority that takes its time."""

    delay: timedelta


# Alerts of which one has to tell; none: the processes are back before a person could do anything.
TOLD_BY: Final[dict[Kind, tuple[str, ...]]] = {
    Kind.WEB_KILLED: (),
    Kind.RELAY_KILLED: (),
    Kind.WORKER_KILLED: (),
    Kind.RELAY_AWAY: ("EinvoiceRelayStopped",),
    Kind.REDIS_AWAY: ("EinvoiceRedisRefusesWrites",),
    Kind.REDIS_FULL: ("EinvoiceRedisRefusesWrites",),
    Kind.DATABASE_AWAY: ("EinvoiceDatabaseDown", "EinvoiceDatabaseRefusesWrites"),
    Kind.BUYERS_AWAY: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled"),
    Kind.ANAF_FIREWALL: ("EinvoiceNetworkRefuses",),
    Kind.ANAF_HTML: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled"),
    Kind.KSEF_FIREWALL: ("EinvoiceNetworkRefuses",),
    Kind.KSEF_GATEWAY: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled"),
    Kind.DATABASE_RESTARTED: (),
    Kind.DATABASE_READ_ONLY: ("EinvoiceDatabaseRefusesWrites",),
    Kind.DISK_FULL: ("EinvoiceDataDirectoryFull",),
    Kind.RELEASE: (),
    Kind.CLOCK_OFF: (),
    Kind.WEB_CUT_OFF: (),
    Kind.BUYERS_SILENT: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled"),
    Kind.ANAF_MAINTENANCE: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled"),
    Kind.ANAF_BUSY: (),
    Kind.ANAF_TOKENS: (),
    Kind.ANAF_LATE: ("EinvoiceDocumentsUnsettled",),
    Kind.KSEF_BUSY: (),
    Kind.KSEF_LATE: ("EinvoiceDocumentsUnsettled",),
    Kind.FRANCE_AWAY: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled"),
    Kind.FRANCE_TOKENS: (),
    Kind.ARABIA_SILENT: (),
    Kind.MAIL_LATER: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled"),
    Kind.PEPPOL_SILENT: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled"),
    Kind.DNS_AWAY: ("EinvoiceNetworkFails", "EinvoiceDocumentsUnsettled", "EinvoiceDirectoryFails"),
    Kind.CERTIFICATE: (),
    Kind.ANAF_NUMBERS: (),
}
# What lasts and needs nobody: what is refused is repeated in time, the balancer leaves a host out.
# The clocks of machines are compared in real time, so that of one process tells nobody here.
NOBODY: Final = frozenset({
    Kind.ANAF_BUSY, Kind.KSEF_BUSY, Kind.ARABIA_SILENT, Kind.CLOCK_OFF, Kind.WEB_CUT_OFF,
    Kind.CERTIFICATE
})  # fmt: skip
LATE_MINUTES: Final = 60.0  # after which a document is late, by the rule about it
# Minutes until it is time to tell, by the rule itself; 0 where it is time at once. A network that
# takes few documents is away for an hour before its documents are late.
TIME_TO_TELL: Final[dict[Kind, float]] = dict.fromkeys((
    Kind.BUYERS_AWAY, Kind.ANAF_HTML, Kind.KSEF_GATEWAY, Kind.BUYERS_SILENT, Kind.ANAF_MAINTENANCE,
    Kind.ANAF_LATE, Kind.KSEF_LATE, Kind.FRANCE_AWAY, Kind.MAIL_LATER, Kind.PEPPOL_SILENT,
    Kind.DNS_AWAY
), LATE_MINUTES + 5.0)  # fmt: skip
# The operator's answer, and the page that says so.
DONE: Final[dict[Kind, tuple[str, str]]] = {
    Kind.RELAY_AWAY: ("started a relay", "operators.md, Metrics"),
    Kind.REDIS_AWAY: ("started Redis, empty", "states.md, Crashes"),
    Kind.REDIS_FULL: ("gave Redis memory", "operators.md, Metrics"),
    Kind.DATABASE_AWAY: ("started PostgreSQL", "states.md, Crashes"),
    Kind.BUYERS_AWAY: ("waited for the network", "operators.md, Alerts"),
    Kind.ANAF_FIREWALL: ("asked the authority", "operators.md, Alerts"),
    Kind.ANAF_HTML: ("waited for the authority", "operators.md, Alerts"),
    Kind.KSEF_FIREWALL: ("asked the authority", "operators.md, Alerts"),
    Kind.KSEF_GATEWAY: ("waited for the authority", "operators.md, Alerts"),
    Kind.DATABASE_READ_ONLY: ("gave PostgreSQL space", "operators.md, Alerts"),
    Kind.DISK_FULL: ("deleted what is not ours", "operators.md, Alerts"),
    Kind.CLOCK_OFF: ("set the clock", "operators.md, Alerts"),
    Kind.WEB_CUT_OFF: ("connected it again", "operators.md, Limits"),
    Kind.BUYERS_SILENT: ("waited for the network", "operators.md, Alerts"),
    Kind.ANAF_MAINTENANCE: ("waited for the authority", "operators.md, Alerts"),
    Kind.ANAF_LATE: ("waited for the authority", "operators.md, Alerts"),
    Kind.KSEF_LATE: ("waited for the authority", "operators.md, Alerts"),
    Kind.FRANCE_AWAY: ("waited for the platform", "operators.md, Alerts"),
    Kind.MAIL_LATER: ("waited for the mail server", "operators.md, Alerts"),
    Kind.PEPPOL_SILENT: ("waited for the access point", "operators.md, Alerts"),
    Kind.DNS_AWAY: ("waited for DNS", "operators.md, Alerts"),
    Kind.CERTIFICATE: ("made the next key the only one", "peppol.md, Renewing the certificate"),
}


# Faults of a network: its switch, and how the network answers until it is mended.
SWITCHED: Final[dict[Kind, tuple[str, str]]] = {
    Kind.BUYERS_AWAY: ("buyers", "gateway"),
    Kind.ANAF_FIREWALL: ("anaf", "refused-json"),
    Kind.ANAF_HTML: ("anaf", "html"),
    Kind.KSEF_FIREWALL: ("ksef", "refused-json"),
    Kind.KSEF_GATEWAY: ("ksef", "gateway"),
    Kind.BUYERS_SILENT: ("buyers", "lost"),
    Kind.ANAF_MAINTENANCE: ("anaf", "maintenance"),
    Kind.ANAF_BUSY: ("anaf", "busy"),
    Kind.KSEF_BUSY: ("ksef", "busy"),
    Kind.FRANCE_AWAY: ("fr", "gateway"),
    Kind.ARABIA_SILENT: ("zatca", "lost"),
    Kind.MAIL_LATER: ("mail", "busy"),
    Kind.PEPPOL_SILENT: ("peppol", "lost"),
    Kind.DNS_AWAY: ("dns", "lost"),
}


@dataclass(slots=True)
class Happened:
    """A fault, in minutes of the week: when it began and ended, and when all was well again.

    oldest  the age of the oldest document without an outcome, at most, while the fault lasted
    """

    kind: Kind
    began: float
    ended: float | None = None
    well: float | None = None
    oldest: float = 0.0


class Breaker:
    """Begins and ends the faults of a plan."""

    def __init__(self, town: Town) -> None:
        self._town = town
        self.happened: list[Happened] = []
        self._begin: dict[Kind, Callable[[], None]] = {
            **{kind: partial(self._switch, *how) for kind, how in SWITCHED.items()},
            Kind.WEB_KILLED: lambda: self._kill("web"),
            Kind.RELAY_KILLED: lambda: self._kill(RELAY),
            Kind.WORKER_KILLED: self._kill_workers,
            Kind.RELAY_AWAY: lambda: town.stack.children.kill(RELAY),
            Kind.REDIS_AWAY: lambda: town.children.kill("redis"),
            Kind.REDIS_FULL: lambda: self._limit_redis("1"),
            Kind.DATABASE_AWAY: town.postgres.crash,
            Kind.DATABASE_RESTARTED: town.postgres.restart,
            Kind.DATABASE_READ_ONLY: lambda: self._read_only("on"),
            Kind.DISK_FULL: town.disk.fill,
            Kind.RELEASE: self._next_release,
            Kind.CLOCK_OFF: lambda: self._clock_of_worker(shifted(town.pace, CLOCK_OFF)),
            Kind.WEB_CUT_OFF: lambda: town.signal_second(signal.SIGSTOP),
            Kind.ANAF_TOKENS: town.networks.anaf.authority.access.clear,
            Kind.ANAF_LATE: lambda: self._delay(town.networks.anaf.authority, HOURS),
            Kind.KSEF_LATE: lambda: self._delay(town.networks.ksef.authority, HOURS),
            Kind.FRANCE_TOKENS: town.networks.fr.platform.tokens.clear,
            Kind.CERTIFICATE: self._renew_certificate,
            Kind.ANAF_NUMBERS: lambda: town.networks.anaf.authority.jump(NUMBERS),
        }
        self._end: dict[Kind, Callable[[], None]] = {
            **{kind: partial(self._switch, name, None) for kind, (name, _) in SWITCHED.items()},
            Kind.RELAY_AWAY: lambda: town.stack.command(RELAY),
            Kind.REDIS_AWAY: town.start_redis,
            Kind.REDIS_FULL: lambda: self._limit_redis("0"),
            Kind.DATABASE_AWAY: town.postgres.start,
            Kind.DATABASE_READ_ONLY: lambda: self._read_only("off"),
            Kind.DISK_FULL: town.disk.clear,
            Kind.CLOCK_OFF: lambda: self._clock_of_worker(town.pace),
            Kind.WEB_CUT_OFF: lambda: town.signal_second(signal.SIGCONT),
            Kind.ANAF_LATE: lambda: self._delay(town.networks.anaf.authority, ANAF_DELAY),
            Kind.KSEF_LATE: lambda: self._delay(town.networks.ksef.authority, KSEF_DELAY),
            Kind.CERTIFICATE: self._end_renewal,
        }

    def begin(self, fault: Fault) -> Happened:
        """Break it."""
        happened = Happened(fault.kind, self._town.minute())
        self.happened.append(happened)
        self._begin[fault.kind]()
        if not fault.lasts:
            happened.ended = self._town.minute()
        return happened

    def end(self, happened: Happened) -> None:
        """Mend it."""
        if happened.ended is None:
            self._end[happened.kind]()
            happened.ended = self._town.minute()

    def _kill(self, name: str) -> None:
        self._town.stack.children.kill(name)
        time.sleep(0.2)
        self._town.stack.command(name)

    def _kill_workers(self) -> None:
        for name in list(self._town.stack.commands):
            if name.startswith("worker-"):
                self._kill(name)

    def _next_release(self) -> None:
        self._town.turn()
        self._release()

    def _release(self) -> None:
        """Processes end their work, and new ones begin; as `systemctl restart` of each unit."""
        for name in list(self._town.stack.commands):
            self._town.restart(name)
        self._town.restart_second()

    def _renew_certificate(self) -> None:
        """Give all processes the next key beside the one in use; then the SMP names it."""
        renewed, environ = self._town.renew(), self._town.stack.environ
        self._town.configure({**environ, _NEXT: str(renewed.file)})
        self._release()
        renewed.publish()

    def _end_renewal(self) -> None:
        environ = dict(self._town.stack.environ)
        environ[_KEYS] = environ.pop(_NEXT)
        self._town.configure(environ)
        self._release()

    def _clock_of_worker(self, pace: Pace) -> None:
        name = next(each for each in self._town.stack.commands if each.startswith("worker-"))
        self._town.restart(name, {"EINVOICE_CLOCK_RATE": str(pace)})

    def _read_only(self, value: str) -> None:
        with psycopg.connect(self._town.postgres.url, autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET default_transaction_read_only = {value}")
            connection.execute("SELECT pg_reload_conf()")

    def _limit_redis(self, size: str) -> None:
        with Redis.from_url(self._town.stack.environ["EINVOICE_REDIS_URL"]) as redis:
            redis.config_set("maxmemory-policy", "noeviction")
            redis.config_set("maxmemory", size)

    def _delay(self, authority: Slow, delay: timedelta) -> None:
        authority.delay = delay

    def _switch(self, network: str, fault: str | None) -> None:
        self._town.networks.switches[network].fault = fault
