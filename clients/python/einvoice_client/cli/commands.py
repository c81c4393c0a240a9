"""The commands: send, status, bills, validate and events."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from einvoice_client.cli.output import FAILED, Output
from einvoice_client.client import Client, with_reference
from einvoice_client.problems import InvalidRequest

Commands = Any  # the type that argparse has for them is private
MAX_FILE_BYTES = 20 * 1024 * 1024
Json = dict[str, Any]


class WrongFile(Exception):
    """A file cannot be read, or is not what the command takes."""


def add_to(commands: Commands) -> None:
    send = commands.add_parser("send", help="send invoices, each once however often it is run")
    send.add_argument("files", nargs="+", metavar="FILE", help="JSON of a send; - is the input")
    send.add_argument("--key", help="idempotency key; default: the digest of the file")
    send.add_argument("--check", action="store_true", help="check only: nothing is stored or sent")
    send.add_argument("--wait", type=int, metavar="SECONDS", help="wait for the final status")
    send.set_defaults(run=_send)
    status = commands.add_parser("status", help="the status of an invoice")
    status.add_argument("invoice_id", metavar="ID")
    status.add_argument("--wait", type=int, metavar="SECONDS", help="wait for the final status")
    status.set_defaults(run=_status)
    bills = commands.add_parser("bills", help="received invoices that are not processed yet")
    bills.add_argument("--all", action="store_true", help="the processed ones too")
    bills.add_argument("--content", metavar="FOLDER", help="write each as data, <id>.json")
    bills.add_argument("--mark", action="store_true", help="mark each as processed, at the end")
    bills.set_defaults(run=_bills)
    validate = commands.add_parser("validate", help="judge documents by the rules of today")
    validate.add_argument("files", nargs="+", metavar="FILE", help="XML, PDF or JSON of a send")
    validate.set_defaults(run=_validate)
    events = commands.add_parser("events", help="the events of the last 30 days")
    events.add_argument("--type", help="of this type only, such as transaction.sent")
    events.add_argument("--since", metavar="TIME", help="at this time or later")
    events.set_defaults(run=_events)


def _send(client: Client, given: argparse.Namespace, output: Output) -> int:
    if given.key and len(given.files) > 1:
        raise WrongFile("--key is for one file: two invoices with one key are one invoice")
    return max(_attempt(client, given, output, *read) for read in _each(given.files))


def _attempt(
    client: Client, given: argparse.Namespace, output: Output, name: str, content: bytes
) -> int:
    """The code of one file. A refused one does not keep the others; a service that is away does."""
    try:
        return _send_one(client, given, output, name, content)
    except InvalidRequest as refused:
        output.note(f"{name}:")
        output.error(refused)
        return FAILED


def _send_one(
    client: Client, given: argparse.Namespace, output: Output, name: str, content: bytes
) -> int:
    body = with_reference(client, _object(name, content))
    if given.check:
        found = client.check(body).to_dict()
        output.result({"file": name} | found, f"{name}: would be sent{_warnings(found)}")
        return 0
    key = given.key or "sha256-" + hashlib.sha256(content).hexdigest()
    sent = client.send(body, idempotency_key=key)
    status = sent.network_status
    if given.wait and status == "Processing":
        status = client.wait(sent.invoice_id, seconds=given.wait).network_status
    members = {"file": name} | sent.to_dict() | {"networkStatus": str(status)}
    output.result(members, f"{name}: {sent.invoice_id} {status}{_warnings(members)}")
    return FAILED if status == "Failed" else 0


def _warnings(found: Json) -> str:
    return "".join(f"\n  {w.get('code')}: {w.get('message')}" for w in found.get("warnings") or [])


def _status(client: Client, given: argparse.Namespace, output: Output) -> int:
    found = client.invoice(given.invoice_id)
    if given.wait and found.network_status == "Processing":
        found = client.wait(given.invoice_id, seconds=given.wait)
    members = found.to_dict()
    reason = members.get("failureReason") or members.get("waitingReason") or ""
    line = f"{members.get('number')} {found.network_status} {reason}".rstrip()
    output.result(members, line)
    return FAILED if found.network_status == "Failed" else 0


def _bills(client: Client, given: argparse.Namespace, output: Output) -> int:
    folder = Path(given.content) if given.content else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    for bill in list(client.bills(**({} if given.all else {"processed": False}))):
        members = bill.to_dict()
        if folder:
            _store(folder / f"{bill.invoice_id}.json", client.content(bill.invoice_id))
        if given.mark:
            client.request("POST", f"/api/invoices/{bill.invoice_id}/mark-processed")
        amount = f"{members.get('grandTotal')} {members.get('currency')}"
        line = f"{bill.invoice_id} {members.get('number')} {members.get('supplierName')} {amount}"
        output.result(members, line)
    return 0


def _store(path: Path, content: Json) -> None:
    """Write a file as a whole or not at all: it is marked as processed afterwards."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    part.replace(path)


def _validate(client: Client, given: argparse.Namespace, output: Output) -> int:
    red = False
    for name, content in _each(given.files):
        report = client.validate(content)
        red |= report["trafficLight"] == "red"
        lines = [f"{name}: {report['trafficLight']} ({report.get('ruleSet')})"]
        lines += [f"  {_place(f)}: {f.get('message')}" for f in report.get("findings", [])]
        output.result({"file": name} | report, "\n".join(lines))
    return FAILED if red else 0


def _place(finding: Json) -> str:
    return " ".join(str(finding[n]) for n in ("severity", "ruleId", "field") if finding.get(n))


def _events(client: Client, given: argparse.Namespace, output: Output) -> int:
    for event in client.items("/api/events", eventType=given.type, since=given.since):
        output.result(event, f"{event['createdAt']} {event['eventType']} {event.get('invoiceId')}")
    return 0


def _each(names: list[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        try:
            with sys.stdin.buffer if name == "-" else Path(name).open("rb") as opened:
                content = opened.read(MAX_FILE_BYTES + 1)
        except OSError as error:
            raise WrongFile(f"{name} cannot be read: {error.strerror}") from None
        if len(content) > MAX_FILE_BYTES:
            raise WrongFile(f"{name} has more than {MAX_FILE_BYTES} bytes")
        yield name, content


def _object(name: str, content: bytes) -> Json:
    try:
        found = json.loads(content, parse_float=Decimal)
    except ValueError as error:
        raise WrongFile(f"{name} is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise WrongFile(f"{name} is not the JSON object of a send")
    return found
