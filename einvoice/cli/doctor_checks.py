"""The checks of `einvoice doctor`: what is unsafe or missing, each with its fix.

`doctor_work` has the checks of what is stored in the database.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import requests
import sqlalchemy as sa
from flask import Flask
from redis import Redis
from redis.exceptions import RedisError
from rq import Queue, Worker
from sqlalchemy.engine import Connection
from sqlalchemy.exc import SQLAlchemyError

from einvoice import clock, config
from einvoice.cli import doctor_work
from einvoice.cli.doctor_problem import Problem
from einvoice.config import Settings, SettingsFault
from einvoice.domain.environments import Environment
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import AccessPoint
from einvoice.rules.rule_sets import RuleSets, UnusableRules
from einvoice.security.identity_provider import IdentityProvider
from einvoice.security.sealing import ID_BYTES, KEY_FILE, keyring
from einvoice.services import believed_clock, operator_notes
from einvoice.services.delivery import recovery
from einvoice.services.tenant_data import export_places
from einvoice.store import outbox
from einvoice.store.core import db, redis_servers
from einvoice.store.core.resources import resources
from einvoice.store.installation import schema, sealed, server_state
from einvoice.store.installation.schema import SchemaState
from einvoice.store.invoices import text_index
from einvoice.web.runtime import runtime_of

REDIS_TIMEOUT_SECONDS = 10.0
METRICS_TIMEOUT_SECONDS = 3.0
MIN_FREE_BYTES = 200 * 1024**2
MAX_REDIS_SHARE = 0.8
MAX_BACKUP_AGE = timedelta(hours=36)
MAX_RESTORED_AGE = timedelta(days=35)  # of a check every month
# Settings of PostgreSQL with which an accepted invoice would be lost in a power failure.
_DURABLE = ("fsync", "synchronous_commit", "full_page_writes")
_RECORDS_COLLATION = 150_000  # the version of PostgreSQL since which a database has one
_COLLATION = sa.text(
    "SELECT datname, datcollversion, pg_database_collation_actual_version(oid) "
    "FROM pg_database WHERE datname = current_database()"
)


def problems(app: Flask) -> Iterator[Problem]:
    """All problems, in the order in which to fix them. Needs the application context."""
    settings: Settings = runtime_of(app).settings
    yield from check_settings(settings)
    yield from check_names(each.setting.name for each in runtime_of(app).extras.settings)
    yield from check_directory(settings)
    yield from check_metrics(settings)
    yield from check_database(runtime_of(app).access_points)
    yield from check_reporting_gaps(runtime_of(app).access_points, settings)
    yield from check_sealed(settings)
    yield from check_archive()
    yield from check_backup(settings)
    yield from check_exports(settings)
    yield from check_redis(settings)
    yield from check_access_points(app)
    yield from check_identity_provider(runtime_of(app).identity_provider)
    yield from check_rules(runtime_of(app).forms.rule_sets)
    yield from check_python()


# -- settings --------------------------------------------------------------------------------------


def check_settings(settings: Settings) -> Iterator[Problem]:
    for problem in settings.production_problems():
        yield Problem(
            problem, "set it before EINVOICE_MODE=production", serious=settings.production
        )
    if settings.production:
        yield from _check_production(settings)
    elif settings.base_url.startswith("https://"):
        yield Problem(
            "The mode is development, but the base URL looks public",
            "set EINVOICE_MODE=production, which refuses unsafe settings",
            serious=False,
        )


def check_names(declared: Iterable[str]) -> Iterator[Problem]:
    """No setting is given under a name that nobody reads."""
    for variable, meant in config.misspelt(declared):
        yield Problem(f"{variable} is no setting and changes nothing", f"did you mean {meant}?",
                      serious=False)  # fmt: skip


def _check_production(settings: Settings) -> Iterator[Problem]:
    if not settings.trusted_proxies:
        yield Problem(
            "No proxy is trusted: all callers seem to have the proxy's address",
            "set EINVOICE_TRUSTED_PROXIES=1 behind one TLS proxy",
            serious=False,
        )
    if not settings.metrics_listen:
        yield Problem(
            "No metrics are served",
            "set EINVOICE_METRICS_LISTEN=127.0.0.1:9100, and the alerts of docs/operators.md",
            serious=False,
        )
    if not settings.jwt_issuer:
        yield Problem(
            "Signing in at the dashboard is impossible: no identity provider is set",
            "set EINVOICE_JWT_ISSUER, EINVOICE_JWT_AUDIENCE and EINVOICE_JWT_JWKS_URL",
            serious=False,
        )
    if settings.log_level.upper() == "DEBUG":
        yield Problem(
            "The log level is DEBUG: the log grows quickly and shows internal details",
            "set EINVOICE_LOG_LEVEL=INFO",
            serious=False,
        )


def check_directory(settings: Settings) -> Iterator[Problem]:
    path = settings.data_path
    if not os.access(path, os.W_OK):
        yield Problem(
            f"The data directory {path} is not writable", "chown it to the user of the service"
        )
    elif (path / KEY_FILE).exists() and path.stat().st_mode & 0o077:
        yield Problem(
            f"Other users can read the data directory {path}, which holds the key",
            f"chmod 700 {path}",
            serious=settings.production,
        )
    yield from _check_space(path)


def _check_space(path: Path) -> Iterator[Problem]:
    """Metrics, spooled bodies and SQLite need room in the data directory."""
    if not path.exists():
        return
    disk = shutil.disk_usage(path)
    if disk.free < MIN_FREE_BYTES:
        free = f"{disk.free / 1024**2:,.0f} MiB"
        yield Problem(
            f"The disk of the data directory {path} has {free} left",
            f"free at least {MIN_FREE_BYTES // 1024**2} MiB",
        )


def check_metrics(settings: Settings) -> Iterator[Problem]:
    """Nothing, or our own /metrics, listens at the address."""
    if not settings.metrics_listen:
        return
    host, _, port = settings.metrics_listen.rpartition(":")
    if host in {"", "0.0.0.0", "[::]"}:  # noqa: S104 - asked from this machine
        host = "127.0.0.1"
    try:
        answer = requests.get(f"http://{host}:{port}/metrics", timeout=METRICS_TIMEOUT_SECONDS)
        ours = "einvoice_" in answer.text
    except requests.ConnectionError as fault:
        ours = "refused" in str(fault)  # nothing listens
    except requests.RequestException:
        ours = False
    if not ours:
        yield Problem(
            f"Another program has the address of the metrics, {settings.metrics_listen}",
            "set EINVOICE_METRICS_LISTEN to a free port",
            serious=False,
        )


def check_identity_provider(provider: IdentityProvider | None) -> Iterator[Problem]:
    fault = None if provider is None else provider.fault()
    if fault is not None:
        yield Problem(
            f"Nobody can log in at the dashboard. {fault}",
            "check EINVOICE_JWT_ISSUER, EINVOICE_OIDC_CLIENT_ID and EINVOICE_OIDC_CLIENT_SECRET",
            serious=False,
        )


# -- database --------------------------------------------------------------------------------------


def check_database(points: Iterable[AccessPoint] = ()) -> Iterator[Problem]:
    try:
        with db.reading() as connection:
            connection.execute(sa.text("SELECT 1"))
            yield from _check_schema(connection)
            old = not _has_tables(connection)
            if db.is_postgresql():
                yield from _check_postgresql(connection)
                yield from _check_text_index(connection)
            else:
                yield Problem(
                    "The database is SQLite",
                    "set EINVOICE_DATABASE_URL for production",
                    serious=False,
                )
        yield from _check_replica()
        if not old:  # an old schema may lack the tables
            yield from _check_hold()
            yield from doctor_work.problems(points)
    except SQLAlchemyError as fault:
        message = str(getattr(fault, "orig", fault)).partition("\n")[0]
        yield Problem(f"Database error: {message}", "check EINVOICE_DATABASE_URL and the server")


def check_sealed(settings: Settings) -> Iterator[Problem]:
    """The key opens what is stored: one that is valid may still be another installation's."""
    with suppress(SQLAlchemyError, SettingsFault):  # reported by other checks
        with db.reading() as connection:
            found = sealed.key_ids(connection, ID_BYTES)
        unknown = sum(n for key, n in found.items() if not keyring(settings).knows(key))
        if unknown:
            yield Problem(
                f"{unknown} of {sum(found.values())} stored secrets (of webhook endpoints and "
                "connections) are sealed with a key that EINVOICE_SECRET_KEY does not have",
                "add the key they were sealed with after the present one, with a comma",
            )


def _has_tables(connection: Connection) -> bool:
    """Whether the database has all tables of this code."""
    here, _ = schema.place(connection)
    return schema.beside(connection, here) in {SchemaState.CURRENT, SchemaState.NEWER}


def _check_schema(connection: Connection) -> Iterator[Problem]:
    here, newest = schema.place(connection)
    state = schema.beside(connection, here)
    if state is SchemaState.INCOMPATIBLE:
        yield Problem(
            f"The schema of the database is {here}, of a release that is more than one ahead of "
            f"this one ({newest}): documents may be lost",
            "install the release before that one, or a newer one",
        )
    elif state is SchemaState.NEWER:
        yield Problem(
            f"The schema of the database is {here}, of a newer release than this one ({newest}), "
            "which runs beside it",
            "install the newer release again when its fault is repaired: deploy/install --upgrade, "
            "or its image",
            note=True,
        )
    elif state is SchemaState.UNKNOWN:
        yield Problem(
            f"The schema of the database is {here}, which is none of this service",
            "check EINVOICE_DATABASE_URL",
        )
    elif state is not SchemaState.CURRENT:
        yield Problem(
            f"The schema of the database is {here or 'missing'}, the code needs {newest}",
            "einvoice db upgrade",
        )


def _check_postgresql(connection: Connection) -> Iterator[Problem]:
    for name in _DURABLE:
        if connection.execute(sa.text(f"SHOW {name}")).scalar() == "off":
            yield Problem(
                f"PostgreSQL runs with {name} off: a power failure loses accepted invoices",
                f"ALTER SYSTEM SET {name} = on; SELECT pg_reload_conf()",
            )
    version = int(connection.execute(sa.text("SHOW server_version_num")).scalar_one())
    if version < 140_000:
        yield Problem(
            f"PostgreSQL {version // 10_000} is not supported", "use 14 or newer", serious=False
        )
    yield from _check_collation(connection, version)
    server = server_state.read_over(connection)
    if (reason := believed_clock.apart(server, believed_clock.SYNCHRONOUS)) is not None:
        nothing = believed_clock.apart(server, believed_clock.MAX_DIFFERENCE) is not None
        consequence = ": nothing that is old is deleted" if nothing else ""
        yield Problem(f"{reason.capitalize()}{consequence}", "run NTP on both")


def _check_collation(connection: Connection, version: int) -> Iterator[Problem]:
    """Indexes are in the order of the operating system that the database was made on."""
    if version < _RECORDS_COLLATION:
        return
    name, made_with, here = connection.execute(_COLLATION).one()
    if made_with is not None and made_with != here:
        yield Problem(
            f"The database {name} was made with version {made_with} of the collations, and its "
            f"server has {here or 'none'}: indexes miss rows, unique ones let duplicates in",
            f"stop the service, then REINDEX DATABASE {name}, and ALTER DATABASE {name} REFRESH "
            "COLLATION VERSION (docs/operators.md#collations)",
        )


def _check_replica() -> Iterator[Problem]:
    replica = resources().replica
    fault = None if replica is None else replica.fault()
    if fault is not None:
        yield Problem(
            f"Lists are read from the primary, as the replica is not used: {fault}",
            "check EINVOICE_DATABASE_REPLICA_URL and the standby",
            serious=False,
        )


def _check_text_index(connection: Connection) -> Iterator[Problem]:
    if not text_index.is_there(connection):
        created = "; ".join(f"CREATE EXTENSION {name}" for name in text_index.EXTENSIONS)
        yield Problem(
            "The text search has no index: a page examines 5,000 invoices, and a total all of them",
            f"{created} (package postgresql-contrib), then einvoice db text-index",
            serious=False,
        )


def _check_hold() -> Iterator[Problem]:
    held = recovery.held()
    if held is not None:
        yield Problem(
            f"Deliveries are held since {clock.timestamp(held.held_at)}, after a restore of the "
            "database: nothing is sent, fetched or posted",
            "einvoice recover --since MOMENT (docs/disaster.md)",
        )


def check_archive() -> Iterator[Problem]:
    """Each store that the settings name: reachable, writable, and with object lock if asked for."""
    for name, store in resources().archive.all.items():
        for message in store.problems():
            yield Problem(f"The archive in a {name}: {message}", "see docs/operators.md, Archive")


def check_backup(settings: Settings) -> Iterator[Problem]:
    """A backup was noted lately, if ever: one by other means than ours may not be noted."""
    if not settings.production:
        return
    with suppress(SQLAlchemyError):  # reported by other checks
        last = operator_notes.last_backup()
        if last is None:
            yield Problem(
                "No backup has been noted",
                "einvoice db note-backup, after each (docs/disaster.md), for the alert on its age",
                note=True,
            )
            return
        if clock.now() - last > MAX_BACKUP_AGE:
            yield Problem(f"The last backup is of {last:%Y-%m-%d %H:%M}", "look at its log")
        yield from _check_restored()


def _check_restored() -> Iterator[Problem]:
    """A backup that was noted was restored and read lately."""
    restored = operator_notes.last_restored()
    if restored is None:
        yield Problem(
            "No backup has been restored to see whether it can be",
            "systemctl start einvoice-restore-check, or restore one elsewhere, then einvoice db "
            "note-backup --restored (docs/disaster.md)",
            serious=False,
        )
    elif clock.now() - restored > MAX_RESTORED_AGE:
        yield Problem(
            f"The last backup that was restored and read is of {restored:%Y-%m-%d %H:%M}",
            "look at the log of the monthly check: journalctl -u einvoice-restore-check",
            serious=False,
        )


def check_exports(settings: Settings) -> Iterator[Problem]:
    """Workers that write exports share their directory with this process."""
    with suppress(SQLAlchemyError):
        for host in export_places.unseen(settings):
            yield Problem(
                f"The worker on {host} writes exports of tenants into another directory than "
                f"{settings.export_path} is here: web refuses to make them",
                "set EINVOICE_EXPORT_DIR to a directory that web and the workers of the lane "
                "plugins share (docs/operators.md, A tenant's own data)",
                serious=False,
            )


# -- the rest --------------------------------------------------------------------------------------


def check_redis(settings: Settings) -> Iterator[Problem]:
    try:
        with redis_servers.client(settings.redis, socket_timeout=REDIS_TIMEOUT_SECONDS) as redis:
            yield from _check_queues(redis)
            yield from _check_memory(redis)
            yield from _check_relay(redis)
            yield from _check_workers(redis)
    except (RedisError, OSError, ValueError) as fault:
        yield Problem(
            f"Redis does not answer: {type(fault).__name__}", "start it, or set EINVOICE_REDIS_URL"
        )


def _check_queues(redis: Redis) -> Iterator[Problem]:
    version = str(redis.info("server")["redis_version"])
    if tuple(int(part) for part in version.split(".")[:2]) < (7, 0):
        yield Problem(
            f"Redis {version} is old", "use Redis 7 or Valkey for production", serious=False
        )
    if str(redis.info("persistence").get("aof_enabled")) != "1":
        yield Problem("Redis has no append-only file", "appendonly yes", serious=False)
    policy = redis.info("memory").get("maxmemory_policy", "noeviction")
    if policy != "noeviction":
        yield Problem(
            f"Redis evicts queues when its memory is full (maxmemory-policy {policy})",
            "maxmemory-policy noeviction",
            serious=False,
        )


def _check_memory(redis: Redis) -> Iterator[Problem]:
    memory = redis.info("memory")
    used, limit = int(memory.get("used_memory", 0)), int(memory.get("maxmemory", 0))
    if limit and used > MAX_REDIS_SHARE * limit:
        yield Problem(
            f"Redis uses {used / limit:.0%} of its memory: full, it takes no jobs and nothing is "
            "delivered",
            "start workers for the jobs that are queued, or enlarge maxmemory",
            serious=used >= limit,
        )


def _check_relay(redis: Redis) -> Iterator[Problem]:
    if not redis.exists(outbox.RELAY_KEY):
        seconds = outbox.RELAY_KEY_SECONDS
        yield Problem(
            f"No relay has run for {seconds} seconds: nothing accepted is sent",
            "einvoice relay",
            serious=False,
        )


def _check_workers(redis: Redis) -> Iterator[Problem]:
    for lane in outbox.LANES:
        if not Worker.count(queue=Queue(f"einvoice-{lane}", connection=redis)):
            yield Problem(
                f"No worker serves the lane {lane}", f"einvoice worker {lane}", serious=False
            )


def check_reporting_gaps(points: AccessPoints, settings: Settings) -> Iterator[Problem]:
    with suppress(SQLAlchemyError):  # which check_database says
        yield from doctor_work.reporting_gaps(points, settings)


def check_access_points(app: Flask) -> Iterator[Problem]:
    points = list(runtime_of(app).access_points)
    for environment in Environment:
        if not any(point.environment is environment for point in points):
            yield Problem(
                f"No access point serves {environment}: sends get 503",
                "install a plugin and its settings (einvoice plugins)",
                serious=False,
            )


def check_rules(rule_sets: RuleSets) -> Iterator[Problem]:
    """The rules of every network can be loaded: they are when its first document is judged."""
    try:
        rule_sets.load()
    except UnusableRules as fault:
        yield Problem(str(fault), "install another release, or deploy/install --rules plain")


def check_python() -> Iterator[Problem]:
    if sys.base_prefix == "/usr":  # Debian optimises without the option of configure
        return
    if "--enable-optimizations" not in (sysconfig.get_config_var("CONFIG_ARGS") or ""):
        yield Problem(
            "This Python was built without optimisations, and is 20 % slower",
            "use the distribution's Python",
            note=True,
        )
