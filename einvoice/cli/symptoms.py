"""What may be unsafe or missing, each with the words of its mend: the knowledge of the doctor."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import sqlalchemy as sa
from flask import Flask
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, Worker
from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError

from einvoice import clock
from einvoice.config import Settings, SettingsFault
from einvoice.domain.environments import Environment
from einvoice.security.sealing import KEY_FILE, keyring
from einvoice.services.delivery import operations
from einvoice.store import db, migrating, outbox

TOO_LATE = 60.0  # seconds that work may be due
PATIENCE = 10.0  # seconds Redis has to answer: slow is not away
CLOCKS_APART = timedelta(seconds=5)
# What PostgreSQL must not be told: an accepted invoice would be lost with the power.
_DURABLE = ("fsync", "synchronous_commit", "full_page_writes")


@dataclass(frozen=True, slots=True)
class Symptom:
    """What is wrong and what mends it; `serious` ones make the exit code 1."""

    words: str
    mend: str
    serious: bool = True


def found(app: Flask) -> Iterator[Symptom]:
    """Everything, in the order in which one would mend it. Inside the application's context."""
    settings: Settings = app.extensions["settings"]
    yield from of_settings(settings)
    yield from of_directory(settings)
    yield from of_database()
    yield from of_redis(settings)
    yield from of_access_points(app)
    yield from of_python()


# -- settings --------------------------------------------------------------------------------------


def of_settings(settings: Settings) -> Iterator[Symptom]:
    for problem in settings.production_problems():
        yield Symptom(problem, "set it before EINVOICE_MODE=production", settings.production)
    try:
        if settings.secret_key:
            keyring(settings)
    except SettingsFault as fault:
        yield Symptom(str(fault), "einvoice doctor --new-key prints one that works")
    if settings.production:
        yield from _of_production(settings)
    elif settings.base_url.startswith("https://"):
        yield Symptom(
            "The mode is development, though the base address looks public",
            "EINVOICE_MODE=production refuses what is unsafe",
            False,
        )


def _of_production(settings: Settings) -> Iterator[Symptom]:
    if not settings.trusted_proxies:
        yield Symptom(
            "No proxy is trusted: every caller seems to come from the proxy's address",
            "EINVOICE_TRUSTED_PROXIES=1 behind one TLS proxy",
            False,
        )
    if not settings.metrics_listen:
        yield Symptom(
            "Nobody can watch: there are no metrics",
            "EINVOICE_METRICS_LISTEN=127.0.0.1:9100, and the alarms of docs/operators.md",
            False,
        )
    if not settings.jwt_issuer:
        yield Symptom(
            "Nobody can sign in at the dashboard: no identity provider is set",
            "set EINVOICE_JWT_ISSUER, EINVOICE_JWT_AUDIENCE and EINVOICE_JWT_JWKS_URL",
            False,
        )
    if settings.log_level.upper() == "DEBUG":
        yield Symptom(
            "The log is at DEBUG: it grows quickly, and tells much",
            "EINVOICE_LOG_LEVEL=INFO",
            False,
        )


def of_directory(settings: Settings) -> Iterator[Symptom]:
    path = settings.data_path
    if not os.access(path, os.W_OK):
        yield Symptom(
            f"The data directory {path} cannot be written", "give it to the user of the service"
        )
    elif (path / KEY_FILE).exists() and path.stat().st_mode & 0o077:
        yield Symptom(
            f"Others may look into the data directory {path}, where the key is",
            f"chmod 700 {path}",
            settings.production,
        )


# -- database --------------------------------------------------------------------------------------


def of_database() -> Iterator[Symptom]:
    try:
        with db.reading() as connection:
            connection.execute(sa.text("SELECT 1"))
            old = list(_of_schema(connection))
            yield from old
            if db.is_postgresql():
                yield from _of_postgresql(connection)
            else:
                yield Symptom(
                    "The database is SQLite", "set EINVOICE_DATABASE_URL for production", False
                )
        if not old:  # its tables may not be there
            yield from _of_work()
    except SQLAlchemyError as fault:
        words = str(getattr(fault, "orig", fault)).partition("\n")[0]
        yield Symptom(f"The database does not answer: {words}", "check its URL, and that it runs")


def _of_schema(connection: Connection) -> Iterator[Symptom]:
    here, newest = migrating.place(connection)
    if here != newest:
        yield Symptom(
            f"The database is at {here or 'nothing'}, the code at {newest}", "einvoice db upgrade"
        )


def _of_postgresql(connection: Connection) -> Iterator[Symptom]:
    for name in _DURABLE:
        if connection.execute(sa.text(f"SHOW {name}")).scalar() == "off":  # a name of ours
            yield Symptom(
                f"PostgreSQL runs with {name} off: what was accepted is lost with the power",
                f"ALTER SYSTEM SET {name} = on",
            )
    version = int(connection.execute(sa.text("SHOW server_version_num")).scalar_one())
    if version < 140_000:
        yield Symptom(f"PostgreSQL {version // 10_000} is out of support", "use 14 or newer", False)
    asked = clock.now()
    there = connection.execute(sa.text("SELECT clock_timestamp()")).scalar_one()
    if not asked - CLOCKS_APART <= there <= clock.now() + CLOCKS_APART:
        yield Symptom("The clocks of this machine and of the database are apart", "run NTP on both")


def _of_work() -> Iterator[Symptom]:
    now = clock.now()
    for lane in outbox.LANES:
        age = outbox.oldest_due([lane], now)
        if age > TOO_LATE:
            yield Symptom(
                f"Work of the lane {lane} has been due for {age:.0f} seconds",
                f"run einvoice relay and einvoice worker {lane}, or more workers",
            )
    waiting = len(operations.waiting_for_a_person())
    if waiting:
        yield Symptom(
            f"{waiting} transmissions wait for a person", "einvoice transmissions attention", False
        )


# -- the rest --------------------------------------------------------------------------------------


def of_redis(settings: Settings) -> Iterator[Symptom]:
    try:
        with Redis.from_url(settings.redis, socket_timeout=PATIENCE) as redis:
            yield from _of_queues(redis)
            yield from _of_workers(redis)
    except (RedisError, OSError, ValueError) as fault:
        yield Symptom(f"Redis does not answer: {type(fault).__name__}", "start it or set its URL")


def _of_queues(redis: Redis) -> Iterator[Symptom]:
    version = str(redis.info("server")["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < (7, 0):
        yield Symptom(f"Redis {version} is out of support", "use Redis 7 or Valkey", False)
    if str(redis.info("persistence").get("aof_enabled")) != "1":
        yield Symptom("Redis has no append-only file", "appendonly yes", False)
    policy = redis.info("memory").get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        yield Symptom(
            f"Redis throws queues away when it is full (maxmemory-policy {policy})",
            "maxmemory-policy noeviction",
            False,
        )


def _of_workers(redis: Redis) -> Iterator[Symptom]:
    for lane in outbox.LANES:
        if not Worker.count(queue=Queue(f"einvoice-{lane}", connection=redis)):
            yield Symptom(f"Nobody works on the lane {lane}", f"einvoice worker {lane}", False)


def of_access_points(app: Flask) -> Iterator[Symptom]:
    points = list(app.extensions["access_points"])
    for environment in Environment:
        if not any(point.environment is environment for point in points):
            yield Symptom(
                f"No access point serves {environment}: its keys get 503",
                "install a plugin and its settings (einvoice plugins)",
                False,
            )


def of_python() -> Iterator[Symptom]:
    if "--enable-optimizations" not in (sysconfig.get_config_var("CONFIG_ARGS") or ""):
        yield Symptom(
            "This Python is built without optimisations: 20 % slower",
            "use the distribution's Python",
            False,
        )
