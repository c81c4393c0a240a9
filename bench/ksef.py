"""Invoices through KSeF: an hour of one seller, many sellers, and the cost of a login.

    python -m bench.ksef

The stand-in of tests/networks/ksef has the limits of production. The hour is one of a clock that
moves as fast as the work is done; calls take at least 80 ms of it.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from einvoice import clock
from einvoice.network.types import Delivered
from einvoice_ksef import xades
from einvoice_ksef.encryption import wrapped
from einvoice_ksef.identity import Identity
from einvoice_ksef.xades import Context
from plugins.ksef.tests import company, hour
from tests.networks import ksef
from tests.networks.ksef import samples
from tests.networks.ksef.authority import Authority

CHALLENGE = "20250514-CR-226FB7B000-3ACF9BE4C0-10"
INVOICES = 2000
SELLERS, EACH = 100, 20
REPEATS = 200


def main() -> None:
    for name, spread in (("at once", 0), ("evenly in 55 minutes", 55)):
        hour_of_one(name, timedelta(minutes=spread))
    many_sellers()
    logins()


def hour_of_one(name: str, spread: timedelta) -> None:
    """2,000 invoices of one seller."""
    begun = time.process_time()
    with hour.moving() as moved:
        authority = Authority(timedelta(seconds=3))
        authority.use_production_limits()
        with ksef.running(authority) as service:
            point = company.point_at(service.url)
            one = hour.seller(point, authority, company.SELLER, INVOICES, spread)
            took = hour.run([one], moved, timedelta(hours=3))
            calls = Counter(each.name for each in service.exchanges if each.route)
    good = sum(isinstance(each.state, Delivered) for each in one.documents)
    print(f"{INVOICES} invoices {name}: {good} delivered in {took}, ", end="")
    print(
        f"{len(authority.archive)} numbers, {len(authority.limits.refusals)} answers 429, ", end=""
    )
    print(f"{time.process_time() - begun:.1f} s CPU with the stand-in")
    for call, count in calls.most_common():
        print(f"    {count:5} {call}")


def many_sellers() -> None:
    """100 sellers side by side, each in a thread, at the speed of this machine."""
    authority = Authority()
    authority.use_production_limits()
    with ksef.running(authority) as service:
        point = company.point_at(service.url)
        nips = [f"52658{number:05}" for number in range(11, 11 + SELLERS)]

        def work(nip: str) -> int:
            one = hour.seller(point, authority, nip, EACH)
            until = clock.now() + timedelta(minutes=2)
            while one.open and clock.now() < until:
                one.work()
                time.sleep(0.05)
            return sum(isinstance(each.state, Delivered) for each in one.documents)

        begun, used = time.monotonic(), time.process_time()
        with ThreadPoolExecutor(SELLERS) as pool:
            good = sum(pool.map(work, nips))
        took, used = time.monotonic() - begun, time.process_time() - used
    print(f"{SELLERS} sellers with {EACH} invoices: {good} delivered in {took:.1f} s ", end="")
    print(f"({used:.1f} s CPU with the stand-in), ", end="")
    print(f"{len(authority.archive)} numbers, {len(authority.limits.refusals)} answers 429")


def logins() -> None:
    """Our own CPU of a login: signature, or encryption of the token."""
    public = samples.keys.private_key(1).public_key()
    ways = {
        f"certificate, {name}": lambda seal=seal: xades.signed(  # type: ignore[misc]
            xades.request(CHALLENGE, (Context.NIP, company.SELLER)), seal, clock.now()
        )
        for name, seal in (("RSA-2048", _seal(None)), ("P-256", _seal(samples.elliptic_key())))
    } | {"token": lambda: wrapped(b"t" * 160 + b"|1", public)}
    for name, way in ways.items():
        begun = time.process_time()
        for _ in range(REPEATS):
            way()
        print(f"login by {name}: {1000 * (time.process_time() - begun) / REPEATS:.2f} ms CPU")


def _seal(key: samples.PrivateKey | None) -> Identity:
    used, certificate = samples.seal_of(company.SELLER, key)
    return Identity(certificate, used)


if __name__ == "__main__":
    main()
