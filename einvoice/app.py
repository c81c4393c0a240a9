"""create_app: the only module that knows all parts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from flask import Flask

from einvoice import clock, config, mail, web
from einvoice.archive.stores import stores_of
from einvoice.config import Settings, SettingsFault
from einvoice.network import calls, registry
from einvoice.observability import logging, span_export
from einvoice.security import sealing
from einvoice.security.identity_provider import IdentityProvider
from einvoice.security.jwt import Verifier
from einvoice.services import forms
from einvoice.services.caches import Caches
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.turns import turns_of
from einvoice.services.forms import Forms
from einvoice.services.grouping import Grouping
from einvoice.services.inbound.arrivals import BURST_WAIT_SECONDS
from einvoice.services.inbound.reception import Reception
from einvoice.services.plugin_store import DatabaseStore
from einvoice.services.readiness import Readiness
from einvoice.services.runtime import Runtime
from einvoice.services.send import batch
from einvoice.services.waiting_room import WaitingRoom
from einvoice.store.core import db, postgresql, resources
from einvoice.store.core.postgresql import Optimisations
from einvoice.store.core.redis_connection import RedisConnection
from einvoice.store.core.resources import StoreResources
from einvoice.store.installation import probe
from einvoice.web import runtime
from einvoice.web.admission import slots
from einvoice.web.application import Application


def create_app(
    settings: Settings | None = None,
    *,
    plugins: Iterable[object] | None = None,
    environ: Mapping[str, str] | None = None,
    store_optimisations: Optimisations = postgresql.ALL,
    computing: Computing | None = None,
) -> Flask:
    """The application, complete.

    plugins              exactly these; None: the installed ones
    environ              the variables of the service and its plugins; None: the ones of the process
    store_optimisations  those that the store may use, if the database allows them
    computing            None: computing processes for this application alone

    Raises SettingsFault or PluginFault: a service that cannot work does not start.
    """
    variables = dict(os.environ if environ is None else environ)
    settings = settings or Settings.from_env(variables)
    clock.run(settings.pace)
    _check(settings)
    config.name_authorities()
    logging.configure(settings.log_level, settings.log_format)
    span_export.check(settings)
    app = Application("einvoice", static_folder=None)
    computing = computing or Computing.of(settings, slots)
    plugins = None if plugins is None else list(plugins)
    runtime.install(app, _runtime(app, settings, computing, variables, plugins))
    _make_directory(settings)
    resources.install(app, _store_resources(app, settings, store_optimisations))
    web.init_app(app, settings)
    return app


def _check(settings: Settings) -> None:
    """Refuse what `config` does not read itself. Raises SettingsFault, which shows no secret."""
    if settings.secret_key:
        sealing.keyring(settings)
    urls = {
        "EINVOICE_DATABASE_URL": settings.database,
        "EINVOICE_DATABASE_REPLICA_URL": settings.database_replica_url,
    }
    for variable, url in urls.items():
        if url and not db.is_url(url):
            raise SettingsFault(
                f"{variable} is no URL of a database; write @, : and / in its password as %40, %3A "
                "and %2F"
            )


def _runtime(
    app: Flask,
    settings: Settings,
    computing: Computing,
    variables: Mapping[str, str],
    plugins: Sequence[object] | None,
) -> Runtime:
    """The parts that services share, with what the plugins offer. Raises PluginFault."""
    caches, installed = Caches(), forms.of_plugins(plugins)
    offered = registry.load_all(
        for_plugins(settings, variables),
        plugins,
        _inbox(app, caches, computing, installed),
        partial(DatabaseStore, app.app_context),
    )
    return Runtime(
        settings=settings,
        access_points=offered.access_points,
        endpoints=offered.endpoints,
        forms=installed,
        waiting_room=WaitingRoom(app.app_context, settings.max_waiters, slots),
        slot=slots,
        grouping=Grouping(app.app_context, slots.all_held, slots.left),
        batch_turns=turns_of(batch.limit_of_turns(settings)),
        readiness=Readiness(
            app.app_context,
            partial(probe.open_probe, settings.database, pooled=settings.database_pooled),
        ),
        session_verifier=Verifier.of(settings),
        identity_provider=IdentityProvider.of(settings),
        computing=computing,
        context=app.app_context,
        outgoing=mail.configured(settings),
        extras=offered.extras,
        caches=caches,
    )


def _inbox(app: Flask, caches: Caches, computing: Computing, installed: Forms) -> Reception:
    """The inbox of plugins. Its access points are made later, by the runtime."""
    return Reception(
        app.app_context,
        caches,
        computing,
        installed,
        partial(slots.held, app.app_context),
        lambda: runtime.runtime_of(app).access_points,
        grouping=Grouping(
            app.app_context, burst_wait=BURST_WAIT_SECONDS, expected=calls.endpoints.running
        ),
    )


def _store_resources(
    app: Flask, settings: Settings, optimisations: Optimisations
) -> StoreResources:
    """The connections to databases, Redis and archive."""
    pooled = settings.database_pooled
    if pooled:
        optimisations = postgresql.behind_pooler(optimisations)
    driver = db.init_app(app, settings.database, optimisations, pooled=pooled)
    redis = _redis(settings)
    replica = None
    if settings.database_replica_url:
        replica = db.open_replica(settings.database_replica_url, app, optimisations, pooled=pooled)
    archive = stores_of(settings, slots.released)
    return StoreResources(optimisations, driver, redis, replica, archive)


def _make_directory(settings: Settings) -> None:
    try:
        settings.data_path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as fault:
        message = f"EINVOICE_DATA_DIR: {settings.data_path} cannot be made: {fault.strerror}"
        raise SettingsFault(message) from fault


def _redis(settings: Settings) -> RedisConnection:
    try:
        return RedisConnection(settings.redis)
    except ValueError as fault:
        raise SettingsFault(f"EINVOICE_REDIS_URL: {fault}") from fault


def for_plugins(
    settings: Settings, variables: Mapping[str, str] | None = None
) -> Mapping[str, str]:
    """The variables that plugins get their settings from; by default the environment."""
    given = os.environ if variables is None else variables
    return {**given, "EINVOICE_DATA_DIR": str(settings.data_path)}
