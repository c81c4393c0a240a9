"""The resources of an application's store besides the engine of Flask-SQLAlchemy."""

from __future__ import annotations

from dataclasses import dataclass, field

from flask import Flask, current_app

from einvoice.archive.stores import ObjectStores
from einvoice.store.core.driver import DriverConnections
from einvoice.store.core.postgresql import Optimisations
from einvoice.store.core.redis_connection import RedisConnection
from einvoice.store.core.replica import Replica

_EXTENSION = "einvoice_store"


@dataclass(frozen=True, slots=True)
class StoreResources:
    """The connections and switches of one application.

    `driver` is None on SQLite, and if the optimisation `accepting_statement` is off; `replica`
    without the setting.
    """

    optimisations: Optimisations
    driver: DriverConnections | None
    redis: RedisConnection
    replica: Replica | None = None
    archive: ObjectStores = field(default_factory=ObjectStores)

    def close(self) -> None:
        """Close idle connections; the next use opens new ones."""
        self.redis.close()
        if self.driver is not None:
            self.driver.dispose()
        if self.replica is not None:
            self.replica.dispose()


def install(app: Flask, resources: StoreResources) -> None:
    """Make these the resources of the application."""
    app.extensions[_EXTENSION] = resources


def resources_of(app: Flask) -> StoreResources:
    """The resources of an application."""
    found: StoreResources = app.extensions[_EXTENSION]
    return found


def resources() -> StoreResources:
    """The resources of the application whose context this is."""
    return resources_of(current_app)
