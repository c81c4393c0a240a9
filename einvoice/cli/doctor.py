"""`einvoice doctor`: every unsafe or missing thing, and its mend."""

from __future__ import annotations

import base64
import secrets
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass

import click
import sqlalchemy as sa
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from flask import Flask
from redis import Redis
from redis.exceptions import RedisError
from sqlalchemy.exc import SQLAlchemyError

from einvoice.cli.application import application
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.store import db
from einvoice.store.migrating import MIGRATIONS


@dataclass(frozen=True, slots=True)
class Symptom:
    """What is wrong and what mends it; `serious` ones make the exit code 1."""

    words: str
    mend: str
    serious: bool = True


@click.command()
@click.option("--new-key", is_flag=True, help="Print a fresh EINVOICE_SECRET_KEY and stop.")
def doctor(new_key: bool) -> None:
    """Check settings, database, Redis and plugins. Exit 1 when something serious is wrong."""
    if new_key:
        click.echo(base64.b64encode(secrets.token_bytes(32)).decode())
        return
    app = application()
    with app.app_context():
        found = [*_settings(app), *_database(), *_redis(app), *_points(app), *_python()]
    for symptom in found:
        click.secho(f"✗ {symptom.words}" if symptom.serious else f"! {symptom.words}",
                    fg="red" if symptom.serious else "yellow")  # fmt: skip
        click.echo(f"  → {symptom.mend}")
    if not found:
        click.secho("✓ nothing to mend", fg="green")
    if any(symptom.serious for symptom in found):
        sys.exit(1)


def _settings(app: Flask) -> Iterator[Symptom]:
    settings: Settings = app.extensions["settings"]
    for problem in settings.production_problems():
        yield Symptom(problem, "set it before EINVOICE_MODE=production", settings.production)


def _database() -> Iterator[Symptom]:
    try:
        with db.reading() as connection:
            connection.execute(sa.text("SELECT 1"))
            here = MigrationContext.configure(connection).get_current_heads()
    except SQLAlchemyError as fault:
        yield Symptom(f"The database does not answer: {type(fault).__name__}", "check its URL")
        return
    newest = ScriptDirectory(str(MIGRATIONS)).get_heads()
    if set(here) != set(newest):
        yield Symptom(
            f"The database is at {', '.join(here) or 'nothing'}, the code at {', '.join(newest)}",
            "einvoice db upgrade",
        )
    if not db.is_postgresql():
        yield Symptom("The database is SQLite", "set EINVOICE_DATABASE_URL for production", False)


def _redis(app: Flask) -> Iterator[Symptom]:
    try:
        with Redis.from_url(app.extensions["settings"].redis, socket_timeout=2) as redis:
            version = str(redis.info("server")["redis_version"])
            persistent = str(redis.info("persistence").get("aof_enabled")) == "1"
    except (RedisError, OSError) as fault:
        yield Symptom(f"Redis does not answer: {type(fault).__name__}", "start it or set its URL")
        return
    if tuple(int(part) for part in version.split(".")[:2]) < (7, 0):
        yield Symptom(f"Redis {version} is out of support", "use Redis 7 or Valkey", False)
    if not persistent:
        yield Symptom("Redis has no append-only file", "appendonly yes", False)


def _points(app: Flask) -> Iterator[Symptom]:
    points = list(app.extensions["access_points"])
    for environment in Environment:
        if not any(point.environment is environment for point in points):
            yield Symptom(
                f"No access point serves {environment}: its keys get 503",
                "install a plugin and its settings (einvoice plugins)",
                False,
            )


def _python() -> Iterator[Symptom]:
    if "--enable-optimizations" not in (sysconfig.get_config_var("CONFIG_ARGS") or ""):
        yield Symptom("This Python is built without optimisations: 20 % slower",
                      "use the distribution's Python", False)  # fmt: skip
