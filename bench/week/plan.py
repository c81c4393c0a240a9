"""The plan of a week: drawn from the seed before it begins, so that it can happen again.

Times are minutes of the week, by the clock of the service.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

SHOP_SENDS, ERP_SENDS, GROUP_SENDS, GULF_SENDS = 240, 40, 30, 6  # of a day
BOOKKEEPER_SENDS, SMALL_SENDS, PUBLIC_SENDS = 4, 3, 2
SMALL_TENANTS = 6  # of a platform
BATCHES = (20, 60)  # sends in the batch of a shop, at least and at most
# Documents that arrive on a day.
ARRIVALS = {"public buyer": 60, "shop": 6, "erp": 12, "small": 2, "bookkeeper": 6, "trader": 24}
MONTHS_END, MONTHS_END_SENDS = 400.0, 6  # minute of the last whole day; of each, at once
QUIET_BEGIN, QUIET_END = 20.0, 45.0  # minutes without faults


class Shape(StrEnum):
    """The kinds of customers."""

    SHOP = "shop"  # a day's invoices in one hour
    ERP = "erp"  # through the working day
    BOOKKEEPER = "bookkeeper"  # a few, and the pages
    ROMANIAN = "romanian"  # sends to RO e-Factura
    POLISH = "polish"  # sends to KSeF
    FRENCH = "french"  # sends to an approved platform
    SAUDI = "saudi"  # sends to Fatoora
    SLOVAK = "slovak"  # sends over Peppol to itself; both access points report to the tax office
    EMIRATI = "emirati"  # as the Slovak one, by PINT
    OMANI = "omani"
    TRADER = "trader"  # sends to a foreign access point of Peppol, and receives from it
    PLATFORM = "platform"  # acts for small tenants, with one key and one receiver of events
    SMALL = "small"  # of a platform
    PUBLIC = "public buyer"  # receives, and answers bills


# Of each, the first one of the plan has an address for bills.
WITH_ADDRESS = frozenset({Shape.PUBLIC, Shape.BOOKKEEPER})
# Who sends over Peppol to itself, and whose tax office gets reports.
FIVE_CORNERS = frozenset({Shape.SLOVAK, Shape.EMIRATI, Shape.OMANI})
OVER_PEPPOL = FIVE_CORNERS | {Shape.TRADER}
NATIONAL = OVER_PEPPOL | {Shape.ROMANIAN, Shape.POLISH, Shape.FRENCH, Shape.SAUDI}


class Way(StrEnum):
    """How a client calls."""

    PLAIN = "plain"
    TWICE_AT_ONCE = "twice at once"  # the same request on two connections
    NO_PATIENCE = "no patience"  # hangs up before the answer, then repeats
    AGAIN_LATER = "again later"  # repeats a request that was answered


class Form(StrEnum):
    """The forms of a send."""

    JSON = "json"
    UBL = "ubl"  # a document, at /v1
    CII = "cii"
    FACTUR_X = "factur-x"  # a PDF with the document attached
    BATCH = "batch"  # several sends in one request
    ANSWERED = "answered"  # to a buyer of the simulator that responds
    BAD = "bad"  # whose totals are wrong: it is refused
    CONSUMER = "consumer"  # of the French company, in the way of others: it is reported
    MAIL = "mail"  # to a buyer on no network
    ANNOUNCED = "announced"  # what the next release of the rules will refuse: it is warned


class Arrival(StrEnum):
    """The kinds of arrivals from a supplier's access point."""

    GOOD = "good"
    REPEATED = "repeated"  # the same message twice, as a network that got no receipt
    SENT_TWICE = "sent twice"  # the same document in two messages
    ID_REUSED = "id reused"  # another document under the id of the message before
    ODD = "odd"  # legal and rare: a byte order mark, comments, CDATA, 300 KB of white space
    UNKNOWN_FORM = "unknown form"  # a customization that nobody knows
    INVALID = "invalid"  # its totals are wrong
    BROKEN = "broken"  # cut off
    CII = "cii"
    ANSWERED = "answered"  # over the simulator; the buyer responds to it
    MAILED = "mailed"  # to the address of the tenant, sometimes twice, in shapes of four clients
    LETTER = "letter"  # a mail without an invoice: the tenant is told
    AS4 = "by AS4"  # of a foreign access point of Peppol
    AS4_REPEATED = "repeated by AS4"  # the same message twice
    AS4_TWICE = "twice by AS4"  # the same envelope in two messages: one bill
    AS4_REUSED = "id reused by AS4"  # another document under the id of the envelope before
    AS4_ODD = "odd by AS4"  # an envelope in UTF-16, with comments and scopes of others
    AS4_LARGE = "40 MB by AS4"


BY_AS4 = (Arrival.AS4, Arrival.AS4_REPEATED, Arrival.AS4_TWICE, Arrival.AS4_REUSED, Arrival.AS4_ODD)
CODES = ("AB", "IP", "UQ", "CA", "RE", "AP", "PD")  # of responses


class Receiver(StrEnum):
    """How the receiver of a tenant's webhooks behaves."""

    GOOD = "good"
    SLOW = "slow"
    NIGHT = "away at night"
    TENTH = "500 on every tenth"
    GONE = "gone for good"


class Kind(StrEnum):
    """The kinds of faults."""

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
    DATABASE_RESTARTED = "database restarted"
    DATABASE_READ_ONLY = "database takes no writes"  # as with a full disk
    DISK_FULL = "disk full"  # that of the data directory
    RELEASE = "release"  # all processes are started again, one by one
    CLOCK_OFF = "clock of a worker an hour off"
    WEB_CUT_OFF = "one of two web hosts cut off"
    # Habits of networks
    BUYERS_SILENT = "network takes and does not answer"
    ANAF_MAINTENANCE = "maintenance of the authority"  # 503 and Retry-After
    ANAF_BUSY = "authority busy"  # 429 and Retry-After
    ANAF_TOKENS = "tokens of the authority ended"
    ANAF_LATE = "receipts of the authority after hours"
    KSEF_BUSY = "KSeF busy"
    KSEF_LATE = "receipts of KSeF after hours"
    FRANCE_AWAY = "French platform away"
    FRANCE_TOKENS = "tokens of the French platform ended"
    ARABIA_SILENT = "Fatoora takes and does not answer"
    MAIL_LATER = "mail server takes mails later"  # 451 of each
    PEPPOL_SILENT = "foreign access point takes and does not answer"
    DNS_AWAY = "DNS of Peppol away"
    CERTIFICATE = "certificate of the access point renewed"
    ANAF_NUMBERS = "numbers of the authority jump"


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
    Kind.DATABASE_RESTARTED: 0.0,
    Kind.DATABASE_READ_ONLY: 30.0,
    Kind.DISK_FULL: 30.0,
    Kind.RELEASE: 0.0,
    Kind.CLOCK_OFF: 60.0,
    Kind.WEB_CUT_OFF: 30.0,
    Kind.BUYERS_SILENT: 90.0,
    Kind.ANAF_MAINTENANCE: 90.0,
    Kind.ANAF_BUSY: 30.0,
    Kind.ANAF_TOKENS: 0.0,
    Kind.ANAF_LATE: 150.0,
    Kind.KSEF_BUSY: 30.0,
    Kind.KSEF_LATE: 150.0,
    Kind.FRANCE_AWAY: 90.0,
    Kind.FRANCE_TOKENS: 0.0,
    Kind.ARABIA_SILENT: 45.0,
    Kind.MAIL_LATER: 90.0,
    Kind.PEPPOL_SILENT: 90.0,
    Kind.DNS_AWAY: 90.0,
    Kind.CERTIFICATE: 60.0,
    Kind.ANAF_NUMBERS: 0.0,
}
# Whose documents a network has; the faults of the others concern everybody.
AT = {
    Kind.ANAF_FIREWALL: Shape.ROMANIAN,
    Kind.ANAF_HTML: Shape.ROMANIAN,
    Kind.ANAF_MAINTENANCE: Shape.ROMANIAN,
    Kind.ANAF_LATE: Shape.ROMANIAN,
    Kind.KSEF_FIREWALL: Shape.POLISH,
    Kind.KSEF_GATEWAY: Shape.POLISH,
    Kind.KSEF_LATE: Shape.POLISH,
    Kind.FRANCE_AWAY: Shape.FRENCH,
    Kind.BUYERS_AWAY: None,
    Kind.BUYERS_SILENT: None,
    Kind.MAIL_LATER: None,
    Kind.PEPPOL_SILENT: Shape.TRADER,
    Kind.DNS_AWAY: Shape.SLOVAK,
}
LEAST_SECONDS, LEAST_PAUSE_SECONDS = 30.0, 15.0  # of reality
PAUSE = 25.0  # minutes between the end of a fault and the next one


@dataclass(frozen=True, slots=True)
class Tenant:
    """A customer. `number` is its place in the plan.

    platform   the number of its platform
    gets_mail  it has an address to which suppliers mail bills
    """

    number: int
    shape: Shape
    receiver: Receiver
    platform: int | None = None
    gets_mail: bool = False

    @property
    def participant(self) -> str:
        """The id at which its bills arrive."""
        return f"9915:week-{self.number}"

    @property
    def mailbox(self) -> str:
        """The name of its address for bills."""
        return f"WEEK-{self.number}-BILLS"

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
    count: int = 1

    @property
    def numbers(self) -> tuple[str, ...]:
        """The numbers of its invoices."""
        return (self.number, *(f"{self.number}b{more}" for more in range(1, self.count)))


@dataclass(frozen=True, slots=True)
class Incoming:
    """A document that arrives for a tenant; its number is unique in the week.

    code  with which the tenant responds; "" if it does not
    """

    minute: float
    tenant: int
    number: str
    kind: Arrival
    code: str = ""

    @property
    def bills(self) -> dict[str, int]:
        """How many bills it becomes, by their numbers."""
        match self.kind:
            case Arrival.SENT_TWICE:
                return {self.number: 2}
            case Arrival.ID_REUSED | Arrival.AS4_REUSED:
                return {self.number: 1, f"{self.number}o": 1}
            case Arrival.LETTER:
                return {}
        return {self.number: 1}


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
    incoming: tuple[Incoming, ...]
    faults: tuple[Fault, ...]

    @property
    def rate(self) -> float:
        """Minutes of the week in one of reality."""
        return self.minutes / self.real_minutes

    def has_sends(
        self, kind: Kind, begin: float, end: float, accepted: Mapping[str, float]
    ) -> bool:
        """Whether documents for the network of a fault are accepted meanwhile; True for others.

        accepted  in which minutes documents were, by their numbers
        """
        if kind not in AT:
            return True
        shape = AT[kind]
        forms = (Form.MAIL,) if kind is Kind.MAIL_LATER else (Form.JSON, Form.BATCH)
        own = {one.number for one in self.tenants
               if (one.shape not in NATIONAL if shape is None else one.shape is shape)}  # fmt: skip
        return any(
            begin <= accepted.get(number, -1.0) <= end
            for one in self.sends if one.tenant in own and one.form in forms
            for number in one.numbers
        )  # fmt: skip


def draw(
    seed: int,
    hours: float,
    real_minutes: float,
    tenants: int,
    kinds: Sequence[Kind] = tuple(Kind),
) -> Plan:
    """The plan of a seed, with faults of these kinds.

    Small tenants of platforms are not counted in `tenants`.
    """
    dice, minutes = random.Random(seed), hours * 60
    people = tuple(_tenants(dice, tenants))
    sends = sorted(_sends(dice, people, minutes), key=lambda one: one.minute)
    incoming = sorted(_incoming(dice, people, minutes), key=lambda one: one.minute)
    faults = tuple(_faults(dice, minutes, minutes / real_minutes, kinds))
    return Plan(seed, minutes, real_minutes, people, tuple(sends), tuple(incoming), faults)


def _tenants(dice: random.Random, count: int) -> Iterator[Tenant]:
    # The national stand-ins know one company each.
    first = [
        Shape.SHOP, Shape.ERP, Shape.ROMANIAN, Shape.POLISH, Shape.BOOKKEEPER, Shape.PLATFORM,
        Shape.PUBLIC, Shape.FRENCH, Shape.SAUDI, Shape.SLOVAK,
        Shape.EMIRATI, Shape.OMANI, Shape.TRADER,
    ]  # fmt: skip
    others = [Shape.SHOP, Shape.ERP, Shape.BOOKKEEPER, Shape.PUBLIC]
    receivers, small = list(Receiver), 0
    for number in range(count):
        shape = first[number] if number < len(first) else dice.choice(others)
        receiver, gets_mail = receivers[number % len(receivers)], False
        if number < len(first):
            gets_mail = shape in WITH_ADDRESS
        yield Tenant(number, shape, receiver, gets_mail=gets_mail)
        if shape is Shape.PLATFORM:
            for _ in range(SMALL_TENANTS):
                yield Tenant(count + small, Shape.SMALL, Receiver.GOOD, number)
                small += 1


def _sends(dice: random.Random, tenants: tuple[Tenant, ...], minutes: float) -> Iterator[Send]:
    for tenant in tenants:
        for day in range(math.ceil(minutes / 1440)):
            for count, (minute, most) in enumerate(_minutes(dice, tenant.shape), 1):
                moment = day * 1440 + minute
                if moment < minutes:
                    number = f"W{tenant.number}-{day}-{count}"
                    yield _send(dice, moment, tenant, number, most)
        yield from _months_end(dice, tenant, minutes)


def _months_end(dice: random.Random, tenant: Tenant, minutes: float) -> Iterator[Send]:
    """All tenants send within five minutes, and everybody at once."""
    day = math.floor((minutes - MONTHS_END - QUIET_END) / 1440)
    if day < 0 or tenant.shape is Shape.PLATFORM:
        return
    for count in range(MONTHS_END_SENDS):
        moment = day * 1440 + MONTHS_END + dice.uniform(0, 5)
        yield _send(dice, moment, tenant, f"W{tenant.number}-end-{count}", 1)


def _send(dice: random.Random, moment: float, tenant: Tenant, number: str, count: int) -> Send:
    form = _form(dice, tenant) if count == 1 else Form.BATCH
    if form is Form.BATCH and count == 1:
        count = 2
    return Send(moment, tenant.number, number, _way(dice), form, count)


def _incoming(
    dice: random.Random, tenants: tuple[Tenant, ...], minutes: float
) -> Iterator[Incoming]:
    codes = 0
    for tenant in tenants:
        for day in range(math.ceil(minutes / 1440)):
            for count in range(ARRIVALS.get(tenant.shape.value, 0)):
                moment = day * 1440 + dice.uniform(0, min(minutes, 1440))
                kind = _arrival(dice, tenant, is_first=not (day or count))
                code = CODES[codes % len(CODES)] if kind is Arrival.ANSWERED else ""
                codes += bool(code)
                if moment < minutes - QUIET_END / 2:
                    number = f"B{tenant.number}-{day}-{count}"
                    yield Incoming(moment, tenant.number, number, kind, code)


def _arrival(dice: random.Random, tenant: Tenant, *, is_first: bool) -> Arrival:
    """The kind of an arrival for a tenant; the first one for a trader has 40 MB."""
    if tenant.shape is Shape.TRADER:
        drawn = dice.choices(BY_AS4, (5, 2, 2, 2, 2))[0]
        return Arrival.AS4_LARGE if is_first else drawn
    mails = (9, 2) if tenant.gets_mail else (0, 0)
    others = [one for one in Arrival if one not in (*BY_AS4, Arrival.AS4_LARGE)]
    return dice.choices(others, (9, 2, 2, 2, 2, 2, 2, 2, 2, 6, *mails))[0]


def _minutes(dice: random.Random, shape: Shape) -> list[tuple[float, int]]:
    """When a tenant sends on a day, which begins with the working day, and how many at once."""
    match shape:
        case Shape.SHOP:
            return _of_a_shop(dice)
        case Shape.ERP:
            return [(dice.uniform(0, 480), 1) for _ in range(ERP_SENDS)]
        case Shape.PLATFORM:
            return []
    a_day = {Shape.SMALL: SMALL_SENDS, Shape.PUBLIC: PUBLIC_SENDS,
             Shape.BOOKKEEPER: BOOKKEEPER_SENDS, Shape.EMIRATI: GULF_SENDS,
             Shape.OMANI: GULF_SENDS}  # fmt: skip
    return [(dice.uniform(0, 480), 1) for _ in range(a_day.get(shape, GROUP_SENDS))]


def _of_a_shop(dice: random.Random) -> list[tuple[float, int]]:
    """A day's invoices in one hour: a third one by one, the others in batches."""
    begin, left = dice.uniform(60, 240), SHOP_SENDS
    single = [(begin + dice.uniform(0, 60), 1) for _ in range(SHOP_SENDS // 3)]
    left -= len(single)
    batches = []
    while left > 0:
        size = min(left, dice.randint(*BATCHES))
        batches.append((begin + dice.uniform(0, 60), size))
        left -= size
    return single + batches


def _way(dice: random.Random) -> Way:
    chances = (0.8, 0.06, 0.08, 0.06)
    return dice.choices(list(Way), chances)[0]


def _form(dice: random.Random, tenant: Tenant) -> Form:
    """Networks of authorities take JSON sends here, which become documents of theirs."""
    drawn = dice.choices(list(Form), (0.53, 0.1, 0.04, 0.02, 0.08, 0.12, 0.06, 0, 0.03, 0.02))[0]
    if tenant.shape is Shape.FRENCH and drawn in (Form.UBL, Form.BATCH, Form.ANSWERED):
        return Form.CONSUMER
    is_national = tenant.shape in NATIONAL
    return Form.JSON if is_national and drawn is not Form.BAD else drawn


def _faults(
    dice: random.Random, minutes: float, rate: float, kinds: Sequence[Kind]
) -> Iterator[Fault]:
    """One after the other, each kind once before any comes again.

    `rate` is that of the clock: a fault lasts for LEAST_SECONDS of reality at least, in which
    processes start, answer and are scraped.
    """
    moment, order = QUIET_BEGIN + dice.uniform(0, 10), list[Kind]()
    least = LEAST_SECONDS * rate / 60
    while True:
        order = order or dice.sample(kinds, len(kinds))
        lasts = LASTS[order[-1]] and max(LASTS[order[-1]], least)
        fault = Fault(order[-1], moment, lasts)
        if fault.ends > minutes - QUIET_END:
            return
        order.pop()
        yield fault
        pause = max(PAUSE, LEAST_PAUSE_SECONDS * rate / 60) + dice.expovariate(
            1 / (10 + minutes / 400)
        )
        moment = fault.ends + pause
