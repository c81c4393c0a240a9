"""The parts of a running service in one typed object, built by `create_app` and passed down."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from einvoice.config import Settings
from einvoice.mail import Outgoing
from einvoice.network.access_points import AccessPoints
from einvoice.network.endpoints import Endpoint
from einvoice.network.registry import Extras
from einvoice.network.types import AccessPoint
from einvoice.security.identity_provider import IdentityProvider
from einvoice.security.jwt import Verifier
from einvoice.services.caches import Caches
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.slot import Slot
from einvoice.services.computing.turns import Turns
from einvoice.services.forms import Forms
from einvoice.services.grouping import Grouping
from einvoice.services.readiness import Readiness
from einvoice.services.waiting_room import WaitingRoom

_OF_ACCOUNTS = "-accounts"


class AccessPointThreads:
    """The threads that call access points, and those that work for their accounts: two pools for
    each, kept between jobs. Starting a hundred threads would cost 10 ms a job.
    """

    def __init__(self) -> None:
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._lock = threading.Lock()

    def of(self, point: AccessPoint) -> ThreadPoolExecutor:
        """The pool of the access point, with a thread for each concurrent call."""
        return self._pool(point.name, point)

    def of_accounts(self, point: AccessPoint) -> ThreadPoolExecutor:
        """The pool for parts of jobs, which may wait for calls in the other one."""
        return self._pool(f"{point.name}{_OF_ACCOUNTS}", point)

    def _pool(self, name: str, point: AccessPoint) -> ThreadPoolExecutor:
        with self._lock:
            if name not in self._pools:
                count = point.capabilities.concurrency
                self._pools[name] = ThreadPoolExecutor(count, thread_name_prefix=name)
            return self._pools[name]

    def abandon(self, point: AccessPoint) -> None:
        """Drop pools whose threads hang; the next job gets new ones."""
        with self._lock:
            names = (point.name, f"{point.name}{_OF_ACCOUNTS}")
            pools = [self._pools.pop(name, None) for name in names]
        for pool in pools:
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Runtime:
    """The parts of a running service that use cases need.

    context      opens an application context, for threads that a use case starts
    extras       settings, checks and duties of plugins
    slot         the computing slot of a request, which is released while it waits
    batch_turns  the turns of the chunks of batches
    outgoing     sends e-mails; None: the operator has named no mail server
    """

    settings: Settings
    access_points: AccessPoints
    endpoints: Mapping[str, Endpoint]
    forms: Forms = field(repr=False)
    waiting_room: WaitingRoom
    slot: Slot = field(repr=False)
    grouping: Grouping
    batch_turns: Turns = field(repr=False)
    readiness: Readiness = field(repr=False)
    session_verifier: Verifier
    identity_provider: IdentityProvider | None = field(repr=False)
    computing: Computing = field(repr=False)
    context: Callable[[], AbstractContextManager[object]] = field(repr=False)
    outgoing: Outgoing | None = field(default=None, repr=False)
    extras: Extras = field(default_factory=Extras, repr=False)
    caches: Caches = field(default_factory=Caches, repr=False)
    threads: AccessPointThreads = field(default_factory=AccessPointThreads, repr=False)
