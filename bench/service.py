"""The service with real servers for benchmarks and crash tests: PostgreSQL, Redis, a network.

Everything listens on loopback or on sockets in a temporary directory, and is removed afterwards.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import requests

from einvoice import clock
from einvoice.app import create_app
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.store.core import db
from einvoice.store.installation import schema_revisions
from tests import servers
from tests.access_points import http_access_point
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
SENDER = "0208:0123456749"
BY_SIMULATOR = "0088:9520000000004"
BY_HTTP = "0088:9520000000998"


@dataclass
class RunningService:
    """The running service with its servers, and the credentials of one tenant."""

    stack: Stack
    postgres: servers.Postgres
    servers: Children  # Redis and the network
    database: str
    key: str
    tenant: str
    ledger: Path
    references: dict[str, str] = field(default_factory=dict)

    @property
    def redis_url(self) -> str:
        return self.stack.environ["EINVOICE_REDIS_URL"]

    def start_redis(self) -> None:
        """Start a new, empty Redis at the same address."""
        for kept in (self.redis_directory).glob("appendonlydir/*"):
            kept.unlink()
        start_redis(self.servers, self.redis_directory)

    @property
    def redis_directory(self) -> Path:
        return self.stack.data_dir / "redis"

    def reference(self, receiver: str) -> str:
        """The accessPointRef for the receiver, looked up once."""
        if receiver not in self.references:
            answer = requests.get(
                f"{self.stack.url}/api/participants/lookup",
                params={"participantId": receiver},
                headers={"x-api-key": self.key},
                timeout=60,
            )
            self.references[receiver] = answer.json()["accessPointRef"]
        return self.references[receiver]

    def body(self, number: str, receiver: str) -> dict[str, object]:
        """A send of the contract's required fields, with two lines."""
        return send_body(number, receiver, self.reference(receiver))


def send_body(number: str, receiver: str, reference: str) -> dict[str, object]:
    """A send of the contract's required fields, with two lines."""
    lines = [("Consulting", 2, 80), ("Travel", 1, 40)]
    return {
        "invoice": {
            "number": number,
            "issueDate": clock.today().isoformat(),
            "currency": "EUR",
            "buyerReference": "PO-1",
            "supplier": {
                "name": "Acme NV", "taxId": "BE0123456749", "companyId": "0123456749",
                "address": {"line1": "Kerkstraat 1", "city": "Gent", "countryCode": "BE"},
            },
            "buyer": {
                "name": "Buyer NV",
                "address": {"line1": "Markt 2", "city": "Brugge", "countryCode": "BE"},
            },
            "lineItems": [
                {"description": what, "quantity": n, "unitPrice": price, "taxRate": 21}
                for what, n, price in lines
            ],
            "totals": {"subtotal": 200, "taxAmount": 42, "grandTotal": 242},
        },
        "routing": {
            "senderParticipantId": SENDER,
            "receiverParticipantId": receiver,
            "accessPointRef": reference,
        },
    }  # fmt: skip


@contextmanager
def running_service(
    moods: Mapping[str, object] | None = None,
    environ: Mapping[str, str] | None = None,
    workers: Mapping[str, int] | None = None,
    postgres: Sequence[str] = (),
) -> Iterator[RunningService]:
    """Run the whole service with one tenant.

    `moods` are the command line options of the simulated network (tests/access_points), such as its
    latency; `workers` is the number of workers per lane, `postgres` options of its server.
    """
    children = Children()
    with servers.cluster(postgres) as cluster, tempfile.TemporaryDirectory(prefix="bench-") as name:
        directory = Path(name)
        try:
            redis = start_redis(children, directory / "redis")
            network, ledger = simulated_network(children, directory, moods or {})
            variables = {
                "EINVOICE_DATABASE_URL": cluster.url,
                "EINVOICE_REDIS_URL": redis,
                "HTTP_ACCESS_POINT_URL": network,
                # One key sends everything: it is counted like any other, but never refused.
                "EINVOICE_LIMIT_GET": "1000000",
                "EINVOICE_LIMIT_POST": "1000000",
                "EINVOICE_LIMIT_DOCUMENTS": "1000000",
                "PYTHONPATH": _python_path(directory),
                **(environ or {}),
            }
            tenant, key = _prepared(directory, variables)
            listen = f"127.0.0.1:{free_port()}"
            with Stack(directory, listen, variables, workers=workers) as stack:
                yield RunningService(stack, cluster, children, cluster.url, key, tenant, ledger)
        finally:
            children.stop()


def simulated_network(
    children: Children, directory: Path, moods: Mapping[str, object]
) -> tuple[str, Path]:
    """Start a network (tests/access_points); its URL, and the file of what it took."""
    port, ledger = free_port(), directory / "ledger"
    options = [f"--{name}={value}" for name, value in moods.items()]
    children.start(
        "network",
        [sys.executable, "-m", "tests.access_points.http_access_point", f"--port={port}",
         f"--ledger={ledger}", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        log=directory / "network.log",
    )  # fmt: skip
    await_port(port)
    return f"http://127.0.0.1:{port}", ledger


def _python_path(directory: Path) -> str:
    http_access_point.announce(directory / "plugins")
    paths = [directory / "plugins", ROOT, ROOT / "plugins" / "loopback"]
    return os.pathsep.join(str(path) for path in paths)


def _prepared(directory: Path, variables: Mapping[str, str]) -> tuple[str, str]:
    """Migrate the database; a tenant and its sandbox key."""
    settings = Settings(
        data_dir=str(directory), database_url=variables["EINVOICE_DATABASE_URL"],
        log_level="ERROR",
    )  # fmt: skip
    app = create_app(settings, plugins=[])
    with app.app_context():
        schema_revisions.upgrade()
        tenant = tenants.create("Bench")
        key = credentials.create(API_KEY, tenant, "bench", Environment.TEST).secret
        db.db.engine.dispose()
        return tenant, key


def await_port(port: int, seconds: float = 60.0) -> None:
    """Wait until the port is open. Raises TimeoutError."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(f"nothing listens on port {port}")
