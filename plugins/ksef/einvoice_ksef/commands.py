"""`einvoice ksef`: accounts with their limits, and companies at the test environment."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import click
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.http import HttpFault
from einvoice.network.own_address import OwnAddress
from einvoice.network.plugin_store import PluginStore
from einvoice_ksef import nip as tax_number
from einvoice_ksef.accounts import logged_in
from einvoice_ksef.answers import Kind, fault_of
from einvoice_ksef.client import Api
from einvoice_ksef.configuration import Side
from einvoice_ksef.limits import WATCHED, LimitsOf
from einvoice_ksef.refusals import READ, WRITE
from einvoice_ksef.warnings import Warnings

DAYS: Final = 365  # of the certificate
_ORGANIZATION_ID: Final = x509.ObjectIdentifier("2.5.4.97")
_NAME: Final = "Test company of einvoice"
_PESEL_WEIGHTS: Final = (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)


def group(sides: Iterable[Side], store: PluginStore) -> click.Group:
    """The commands for the environments that are switched on."""
    known = tuple(sides)
    test = next((side for side in known if side.environment is Environment.TEST), None)

    @click.group("ksef")
    def ksef() -> None:
        """Accounts at KSeF, and companies at its test environment."""

    @ksef.command()
    def accounts() -> None:
        """List the accounts: when they end, and the calls of the last hour beside the limits."""
        for side in known:
            for line in _listed(side, store):
                click.echo(line)

    @ksef.command("test-company")
    @click.option("--nip", required=True, callback=_nip, help="Any number of the form of a NIP.")
    @click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=".")
    @click.option("--tenant", help="Add a connection of this tenant.")
    def test_company(nip: str, out: Path, tenant: str | None) -> None:
        """Create a company at TEST, with its rights, a certificate and a connection.

        The certificate and its private key are written to a file that only its owner can read.
        Never use it for real invoices: data at TEST is public.
        """
        if test is None:
            raise click.ClickException("switch the sandbox on first: EINVOICE_KSEF_TEST=1")
        api = Api(test, Warnings(store, test.name), OwnAddress(store, test.name))
        _create(api, nip)
        file = out / f"ksef-{nip}.pem"
        _write(file, seal_of(nip))
        click.echo(f"company {nip} at {test.url}; its certificate is {file}")
        _connect(nip, file, tenant)

    return ksef


def _listed(side: Side, store: PluginStore) -> Iterator[str]:
    """A line for each account of an environment."""
    for nip, values in sorted(logged_in(store, side.name).items()):
        limits = LimitsOf(store, side.name, nip)
        used = ((group, *limits.used(group)) for group in WATCHED)
        calls = ", ".join(f"{group} {count}/{most}" for group, count, most in used)
        ends = values["ends"][:10] or "no known end"
        yield f"{side.name}  {nip}  {values['way']}  {ends}  {calls}"


def _create(api: Api, nip: str) -> None:
    """The company, and its rights to send and to receive; both may exist already."""
    _call(api, "person", {"nip": nip, "pesel": new_pesel(), "isBailiff": False})
    company = {"type": "Nip", "value": nip}
    rights = [{"permissionType": right, "description": _NAME} for right in (WRITE, READ)]
    body = {"contextIdentifier": company, "authorizedIdentifier": company, "permissions": rights}
    _call(api, "permissions", body)


def _call(api: Api, name: str, values: Mapping[str, Any]) -> None:
    body = dict(values) if name == "permissions" else {**values, "description": _NAME}
    try:
        response = api.call("POST", f"testdata/{name}", body=body)
    except HttpFault as fault:
        raise click.ClickException(f"KSeF does not answer: {fault}") from fault
    if response.status == 200:
        return
    fault_ = fault_of(response)
    if fault_.kind is not Kind.DONE:
        raise click.ClickException(f"testdata/{name}: {fault_.code} {fault_.text}")


def seal_of(nip: str) -> bytes:
    """A new EC key and the self-signed certificate of the company's seal, in PEM."""
    key, now = ec.generate_private_key(ec.SECP256R1()), clock.now()
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, _NAME),
            x509.NameAttribute(_ORGANIZATION_ID, f"VATPL-{nip}"),
            x509.NameAttribute(NameOID.COMMON_NAME, _NAME),
            x509.NameAttribute(NameOID.COUNTRY_NAME, "PL"),
        ]
    )
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name)
    made = made.public_key(key.public_key()).serial_number(x509.random_serial_number())
    made = made.not_valid_before(now - timedelta(hours=1))
    certificate = made.not_valid_after(now + timedelta(days=DAYS)).sign(key, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return certificate.public_bytes(Encoding.PEM) + private


def new_pesel() -> str:
    """A number of the form of a PESEL, with its check digit, of a person who may not exist."""
    born = date(1950, 1, 1) + timedelta(days=secrets.randbelow(15_000))
    digits = f"{born:%y%m%d}{secrets.randbelow(10_000):04}"
    total = sum(w * int(digit) for w, digit in zip(_PESEL_WEIGHTS, digits, strict=True))
    return f"{digits}{-total % 10}"


def _write(file: Path, content: bytes) -> None:
    """Write a file that only its owner can read. Files that exist are left alone."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as fault:
        raise click.ClickException(f"{file}: {fault.strerror}") from fault
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)


def _connect(nip: str, file: Path, tenant: str | None) -> None:
    """Add the connection by the command of the service, or say how."""
    given = ["ksef", nip, "--environment", "test", "--file", f"certificate={file}"]
    if tenant is None:
        click.echo(f"next: einvoice connections add TENANT {' '.join(given)}")
        return
    root = click.get_current_context().find_root()
    command: click.Command | None = root.command
    for name in ("connections", "add"):
        command = command.get_command(root, name) if isinstance(command, click.Group) else None
    if command is None:
        raise click.ClickException("run this as a command of einvoice")
    command.main([tenant, *given], prog_name="einvoice connections add", standalone_mode=False)


def _nip(_: click.Context, __: click.Parameter, text: str) -> str:
    if not tax_number.is_written(text):
        raise click.BadParameter(f"{text!r} is not of the form of a NIP: ten digits")
    return text
