"""A company whose authority's firewall refuses the address of the service, for hours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from einvoice.cli import doctor_work
from einvoice.services.connections import accounts, periodic
from einvoice.services.gauges import Gauges
from einvoice.store import outbox
from einvoice.web.runtime import runtime_of
from tests.networks.stand_ins import REFUSALS
from tests.web.caller import Caller
from tests.workers import await_calls, claimed

GAUGE = "einvoice_network_refuses_seconds"


def check_connections(caller: Caller) -> None:
    """Check those that are due, as a worker does."""
    with caller.app.app_context():
        runtime = runtime_of(caller.app)
        periodic.schedule(runtime)
        periodic.run(*claimed(outbox.PLUGINS, caller.tenant, kind=outbox.CONNECTION), runtime)
        await_calls()


def told(caller: Caller) -> list[str]:
    """What the doctor says about refusals of the service."""
    with caller.app.app_context():
        points = runtime_of(caller.app).access_points
        return [each.message for each in doctor_work.check_refused_address(points)]


def refused_seconds(caller: Caller) -> float:
    """The metric of the only access point that is guarded."""
    with caller.app.app_context():
        found = Gauges(runtime_of(caller.app)).collect()
        metrics = {each.name: each for each in found}
        return max(sample.value for sample in metrics[GAUGE].samples)


def states(caller: Caller) -> set[str]:
    """The states of the tenant's connections, and the events that blame an account."""
    events = caller.get("/api/events?limit=100").json["items"]
    with caller.app.app_context():
        found = {one.state for one in accounts.of_all(caller.tenant)}
    kinds = {each["eventType"] for each in events} - {"connection.opened"}
    return found | {kind for kind in kinds if kind.startswith("connection.")}


def goes_through(
    caller: Caller, service: Any, move: Callable[..., None], send: Callable[[str], str]
) -> list[str]:
    """What went wrong when the firewall refused the address, in each of its forms, and then did
    not any more: once, and for two hours, longer than documents of the sandbox wait otherwise."""
    wrong = []
    for fault in REFUSALS:
        for hours in (0, 2):
            case = f"{fault} {hours} h"
            wrong += [f"{case}: {each}" for each in _faults(caller, service, move, send, case)]
    return wrong


def _faults(
    caller: Caller, service: Any, move: Callable[..., None], send: Callable[[str], str], case: str
) -> list[str]:
    fault, hours, _ = case.split()
    service.faults = lambda _: fault
    invoice = send(case.replace(" ", "-"))
    wrong = []
    caller.work()
    for _ in range(int(hours) * 4):
        move(minutes=15)
        check_connections(caller)
        caller.work()
    if int(hours):
        if not any("refuses this service" in each for each in told(caller)):
            wrong.append("the doctor says nothing")
        if refused_seconds(caller) < 6000:
            wrong.append(f"the metric is {refused_seconds(caller)}")
    service.faults = lambda _: None
    for _ in range(12):
        move(seconds=30)
        caller.work()
    status = caller.get(f"/api/invoices/{invoice}").json["networkStatus"]
    if status != "Delivered":
        wrong.append(f"{status} after six minutes")
    if states(caller) != {"active"}:
        wrong.append(f"blamed: {states(caller)}")
    if told(caller) or refused_seconds(caller):
        wrong.append(f"still told: {told(caller)}")
    return wrong
