"""Services with all of their processes on a closed network: dnsmasq as SML, an SMP, a PKI."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass

import requests

from einvoice.cli.stack import Stack
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE
from plugins.peppol.tests import key_files, smp_servers
from plugins.peppol.tests.dns_servers import ZONE, dnsmasq, name_of
from plugins.peppol.tests.smp_servers import endpoint, group, information, path_of, signed
from tests.ports import free_port

PATIENCE_SECONDS = 240.0


@dataclass
class Side:
    """One of the services, with the key of its tenant."""

    stack: Stack
    tenant: str
    key: str

    @property
    def endpoint(self):
        """Where other access points send to."""
        return f"{self.stack.url}/networks/peppol-test/"

    def call(self, method, path, **given):
        headers = {"x-api-key": self.key} | given.pop("headers", {})
        url = f"{self.stack.url}{path}"
        return requests.request(method, url, headers=headers, timeout=60, **given)

    def get(self, path):
        return self.call("GET", path).json()

    def when(self, path, ready):
        """What is at the path once it is ready."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not ready(found := self.get(path)):
            assert time.monotonic() < end, found
            time.sleep(0.2)
        return found

    def bills(self):
        """The numbers of all bills."""
        numbers, path = [], "/api/invoices?direction=received&limit=100"
        while path:
            page = self.get(path)
            numbers += [bill["number"] for bill in page["items"]]
            cursor = page.get("nextCursor")
            path = cursor and f"/api/invoices?direction=received&limit=100&cursor={cursor}"
        return numbers

    def restart(self, name):
        """Kill one of its processes with SIGKILL, and start it again."""
        self.stack.children.kill(name)
        self.stack.command(name)


def command(stack, *words):
    return subprocess.run(
        [sys.executable, "-m", "einvoice.cli", *words],
        env=stack.environ, capture_output=True, text=True, check=True, timeout=180,
    ).stdout.strip()  # fmt: skip


@contextmanager
def closed_network(pki, folder, *participants):
    """An SMP that DNS names for the participants, and the settings that all services share."""
    anchors = key_files.anchors(folder / "anchors", pki.access_points, pki.publishers, pki.root)
    lists = {"access-points.crl": pki.revocation_list, "smps.crl": pki.publishers.crl()}
    for name, content in lists.items():
        (folder / name).write_bytes(content)
    with smp_servers.serving() as smp:
        target = f"100,10,U,Meta:SMP,!.*!{smp.url}!"
        records = [f"--naptr-record={name_of(each)},{target}" for each in participants]
        with dnsmasq(f"--local=/{ZONE}/", *records) as dns:
            yield (
                smp,
                {
                    "PASSWORD": "secret",
                    "ANCHORS": str(anchors),
                    "ZONE": ZONE,
                    "RESOLVERS": dns,
                    "CRLS": ",".join(str(folder / name) for name in lists),
                    "CLOSED": "true",
                },
            )


def register(
    smp, participant, leaf, url, pki, document_type=BIS_INVOICE, process=BIS_BILLING_PROCESS
):
    """Publish that an access point with this certificate takes invoices for a participant."""
    content = information(
        participant, endpoint(leaf.certificate, url), document_type=document_type, process=process
    )
    smp.put(path_of(participant), group(participant, document_type))
    smp.put(path_of(participant, document_type), signed(content, pki.smp))


@contextmanager
def running(directory, leaf, shared, **variables):
    """A service with a tenant, whose access point has this certificate; `shared`: its network."""
    (directory / "ap.p12").write_bytes(key_files.as_pkcs12(leaf))
    settings = shared | {"KEYS": str(directory / "ap.p12")}
    environ = {f"EINVOICE_PEPPOL_TEST_{name}": each for name, each in settings.items()}
    environ |= {
        "EINVOICE_WEB_WORKERS": "1",
        "EINVOICE_LIMIT_GET": "100000",
        "EINVOICE_LIMIT_POST": "100000",
    }
    stack = Stack(directory, f"127.0.0.1:{free_port()}", environ | variables)
    command(stack, "db", "upgrade")
    with stack:
        tenant = command(stack, "tenants", "add", "Tenant")
        yield Side(stack, tenant, command(stack, "keys", "add", tenant, "--name", "e2e"))
