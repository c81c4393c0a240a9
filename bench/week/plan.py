"""What happens in a week: drawn from the seed before it begins, so that it can happen again.

Times are minutes of the week, by the clock of the service.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

SHOP_SENDS, ERP_SENDS, BOOKKEEPER_SENDS, GROUP_SENDS = 240, 40, 4, 30  # of a day
QUIET_BEGIN, QUIET_END = 20.0, 45.0  # minutes without faults


class Shape(StrEnum):
    """What kind of customer a tenant is."""

    SHOP = "shop"  # a day's invoices in one hour
    ERP = "erp"  # through the working day
    BOOKKEEPER = "bookkeeper"  # a few, and the pages
    ROMANIAN = "romanian"  # sends to RO e-Factura
    POLISH = "polish"  # sends to KSeF


class Way(StrEnum):
    """How a client calls."""

    PLAIN = "plain"
    TWICE_AT_ONCE = "twice at once"  # the same request on two connections
    NO_PATIENCE = "no patience"  # hangs up before the answer, then repeats
    AGAIN_LATER = "again later"  # repeats a request that was answered


class Form(StrEnum):
    """What a client sends."""

    JSON = "json"
    UBL = "ubl"  # a document, at /v1
    BATCH = "batch"  # two sends in one request
    BAD = "bad"  # whose totals are wrong: it is refused


class Receiver(StrEnum):
    """How the receiver of a tenant's webhooks behaves."""

    GOOD = "good"
    SLOW = "slow"
    NIGHT = "away at night"
    TENTH = "500 on every tenth"
    GONE = "gone for good"


class Kind(StrEnum):
    """What breaks."""

    WEB_KILLED = "web killed"
    RELAY_KILLED = "relay killed"
    WORKER_KILLED = "worker killed"
    RELAY_AWAY = "no relay"
    REDIS_AWAY = "redis gone"
    REDIS_FULL = "redis full"
    DATABASE_AWAY = "database gone"
    BUYERS_AWAY = "network away"
    ANAF_FIREWALL = "firewall of the authority"
    ANAF_HTML = "pages in place of JSON"
    KSEF_FIREWALL = "firewall of KSeF"
    KSEF_GATEWAY = "KSeF away"


# Minutes that each lasts.
LASTS = {
    Kind.WEB_KILLED: 0.0,
    Kind.RELAY_KILLED: 0.0,
    Kind.WORKER_KILLED: 0.0,
    Kind.RELAY_AWAY: 35.0,
    Kind.REDIS_AWAY: 30.0,
    Kind.REDIS_FULL: 30.0,
    Kind.DATABASE_AWAY: 30.0,
    Kind.BUYERS_AWAY: 90.0,
    Kind.ANAF_FIREWALL: 30.0,
    Kind.ANAF_HTML: 90.0,
    Kind.KSEF_FIREWALL: 30.0,
    Kind.KSEF_GATEWAY: 90.0,
}
PAUSE = 25.0  # minutes between the end of a fault and the next one


@dataclass(frozen=True, slots=True)
class Tenant:
    """A customer. `number` is its place in the plan."""

    number: int
    shape: Shape
    receiver: Receiver

    @property
    def name(self) -> str:
        return f"{self.shape.value} {self.number}"


@dataclass(frozen=True, slots=True)
class Send:
    """An invoice that a tenant sends; its number is unique in the week."""

    minute: float
    tenant: int
    number: str
    way: Way
    form: Form = Form.JSON

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers of its invoices."""
        return (self.number, f"{self.number}b") if self.form is Form.BATCH else (self.number,)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something breaks for some minutes; 0: it is started again at once."""

    kind: Kind
    begins: float
    lasts: float

    @property
    def ends(self) -> float:
        return self.begins + self.lasts


@dataclass(frozen=True, slots=True)
class Plan:
    """A week. `minutes` is what it has, `real_minutes` what it takes."""

    seed: int
    minutes: float
    real_minutes: float
    tenants: tuple[Tenant, ...]
    sends: tuple[Send, ...]
    faults: tuple[Fault, ...]

    @property
    def rate(self) -> float:
        """Minutes of the week in one of reality."""
        return self.minutes / self.real_minutes


def draw(seed: int, hours: float, real_minutes: float, tenants: int) -> Plan:
    """The plan of a seed."""
    dice, minutes = random.Random(seed), hours * 60
    people = tuple(_tenants(dice, tenants))
    sends = sorted(_sends(dice, people, minutes), key=lambda one: one.minute)
    faults = tuple(_faults(dice, minutes))
    return Plan(seed, minutes, real_minutes, people, tuple(sends), faults)


def _tenants(dice: random.Random, count: int) -> Iterator[Tenant]:
    shapes = [Shape.SHOP, Shape.ERP, Shape.ROMANIAN, Shape.POLISH, Shape.BOOKKEEPER]
    for number in range(count):
        # The national stand-ins know one company each.
        others = [Shape.SHOP, Shape.ERP, Shape.BOOKKEEPER]
        shape = shapes[number] if number < len(shapes) else dice.choice(others)
        receiver = list(Receiver)[number % len(Receiver)]
        yield Tenant(number, shape, receiver)


def _sends(dice: random.Random, tenants: tuple[Tenant, ...], minutes: float) -> Iterator[Send]:
    for tenant in tenants:
        for day in range(math.ceil(minutes / 1440)):
            for count, minute in enumerate(_minutes(dice, tenant.shape), 1):
                moment = day * 1440 + minute
                if moment < minutes:
                    number = f"W{tenant.number}-{day}-{count}"
                    yield Send(moment, tenant.number, number, _way(dice), _form(dice, tenant))


def _minutes(dice: random.Random, shape: Shape) -> list[float]:
    """When a tenant sends on a day, which begins with the working day."""
    match shape:
        case Shape.SHOP:
            begin = dice.uniform(60, 240)
            return [begin + dice.uniform(0, 60) for _ in range(SHOP_SENDS)]
        case Shape.ERP:
            return [dice.uniform(0, 480) for _ in range(ERP_SENDS)]
        case Shape.ROMANIAN | Shape.POLISH:
            return [dice.uniform(0, 480) for _ in range(GROUP_SENDS)]
    return [dice.uniform(0, 480) for _ in range(BOOKKEEPER_SENDS)]


def _way(dice: random.Random) -> Way:
    chances = (0.8, 0.06, 0.08, 0.06)
    return dice.choices(list(Way), chances)[0]


def _form(dice: random.Random, tenant: Tenant) -> Form:
    """Networks of authorities take JSON sends here, which become documents of theirs."""
    drawn = dice.choices(list(Form), (0.72, 0.12, 0.1, 0.06))[0]
    is_national = tenant.shape in (Shape.ROMANIAN, Shape.POLISH)
    return Form.JSON if is_national and drawn is not Form.BAD else drawn


def _faults(dice: random.Random, minutes: float) -> Iterator[Fault]:
    """One after the other, each kind once before any comes again."""
    moment, order = QUIET_BEGIN + dice.uniform(0, 10), list[Kind]()
    while True:
        order = order or dice.sample(list(Kind), len(Kind))
        fault = Fault(order[-1], moment, LASTS[order[-1]])
        if fault.ends > minutes - QUIET_END:
            return
        order.pop()
        yield fault
        moment = fault.ends + PAUSE + dice.expovariate(1 / (10 + minutes / 100))
