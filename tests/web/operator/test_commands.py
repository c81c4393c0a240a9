"""Each command of `einvoice` has a page and a route of operators, or a reason to have neither."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from einvoice.cli import main
from einvoice.web.operator.api import OperatorFamily
from einvoice.web.operator.pages import OperatorPages

# Why a command stays in the shell.
HOST: Final = "is about this host: its files, processes, settings or database"
SCHEDULED: Final = "is done by the relay or a timer; what it finds is on the page Doctor"
TRYING: Final = "is for trying the service out, never for customers in live"
NO_SELF_SERVICE: Final = "gives access to the console itself, which nobody at the console gives"
FILE: Final = "reads or writes files of any size for another installation, once for each tenant"
OTHER_TOOL: Final = "checks files without the service"

# Of a command: the view of the page and the view of the route, without `operator_`; or the reason.
PLACES: Final[dict[str, tuple[str, str] | str]] = {
    "archive drop": SCHEDULED,
    "archive hold": ("hold_pages.place_hold", "holds.place_operator_hold"),
    "archive holds": ("hold_pages.list_holds", "holds.list_operator_holds"),
    "archive move": SCHEDULED,
    "archive release": ("hold_pages.release_hold", "holds.release_operator_hold"),
    "archive status": SCHEDULED,
    "archive verify": SCHEDULED,
    "audit verify": SCHEDULED,
    "connections add": (
        "connection_pages.add_connection", "connections.create_tenant_connection",
    ),
    "connections check": (
        "connection_pages.change_connection", "connections.check_tenant_connection",
    ),
    "connections link": (
        "connection_pages.make_link", "connections.create_tenant_connection_link",
    ),
    "connections list": ("network_pages.show_networks", "all_connections.list_all_connections"),
    "connections mailboxes": ("network_pages.show_networks", "installation.get_network_state"),
    "connections revoke": (
        "connection_pages.change_connection", "connections.revoke_tenant_connection",
    ),
    "db current": ("release_pages.show_release", "installation.get_release"),
    "db downgrade": HOST,
    "db note-backup": HOST,
    "db text-index": HOST,
    "db upgrade": HOST,
    "demo": TRYING,
    "dev-token": TRYING,
    "doctor": ("doctor_pages.show_doctor", "installation.list_doctor_reports"),
    "inbound": TRYING,
    "incidents begin": ("incident_pages.begin_incident", "incidents.create_incident"),
    "incidents list": ("incident_pages.list_incidents", "incidents.list_incidents"),
    "incidents update": ("incident_pages.update_incident", "incidents.update_incident"),
    "keys add": ("access_pages.issue_credential", "access.create_tenant_credential"),
    "keys limit": ("access_pages.change_credential", "access.set_tenant_credential_limits"),
    "keys list": ("access_pages.show_access", "access.list_tenant_credentials"),
    "keys revoke": ("access_pages.change_credential", "access.revoke_tenant_credential"),
    "keys rotate": ("access_pages.change_credential", "access.rotate_tenant_credential"),
    "lookup": ("network_pages.look_up", "all_participants.lookup_participant_as_operator"),
    "operator-keys add": NO_SELF_SERVICE,
    "operator-keys list": NO_SELF_SERVICE,
    "operator-keys revoke": NO_SELF_SERVICE,
    "participants add": (
        "administration_pages.assign_participant", "administration.add_operator_participant",
    ),
    "participants approve": ("decision_pages.decide_claim", "claims.approve_claim"),
    "participants list": (
        "tenant_pages.show_tenant", "participants.list_operator_participants",
    ),
    "participants move-in": (
        "participant_pages.change_participant", "participants.move_operator_participant_in",
    ),
    "participants move-out": (
        "participant_pages.change_participant", "participants.move_operator_participant_out",
    ),
    "participants network": (
        "participant_pages.show_participant", "participants.list_operator_registrations",
    ),
    "participants pending": ("decision_pages.list_decisions", "claims.list_waiting_claims"),
    "participants publish": (
        "participant_pages.change_participant", "participants.publish_operator_participant",
    ),
    "participants reject": ("decision_pages.decide_claim", "claims.reject_claim"),
    "participants remove": (
        "participant_pages.change_participant", "participants.remove_operator_participant",
    ),
    "participants republish": (
        "network_pages.republish", "all_participants.republish_participants",
    ),
    "platforms adopt": ("administration_pages.adopt_tenant", "platforms.add_platform_tenant"),
    "platforms change": ("administration_pages.trust_platform", "platforms.set_platform_trust"),
    "platforms create": (
        "administration_pages.create_platform", "platforms.create_operator_platform",
    ),
    "platforms list": ("tenant_pages.list_tenants", "platforms.list_operator_platforms"),
    "plugins": HOST,
    "recover": HOST,
    "relay": HOST,
    "reports open": ("transmission_pages.list_transmissions", "reports.list_open_reports"),
    "reports resubmit": ("transmission_pages.amend_report", "reports.resubmit_report"),
    "reports withdraw": ("transmission_pages.amend_report", "reports.withdraw_report"),
    "retention run": SCHEDULED,
    "secrets reseal": HOST,
    "serve": HOST,
    "sessions end": ("administration_pages.end_sessions", "administration.end_tenant_sessions"),
    "tenants add": ("administration_pages.create_tenant", "administration.create_operator_tenant"),
    "tenants change": ("access_pages.change_tenant", "access.update_operator_tenant"),
    "tenants close": ("access_pages.close_tenant", "access.close_operator_tenant"),
    "tenants erase": ("access_pages.erase_person", "access.erase_tenant_person"),
    "tenants export": ("data_pages.request_export", "data.create_operator_export"),
    "tenants identification-file": (
        "decision_pages.read_file", "identifications.read_identification_file",
    ),
    "tenants identifications": (
        "decision_pages.list_decisions", "identifications.list_waiting_identifications",
    ),
    "tenants identify": (
        "decision_pages.decide_identification", "identifications.decide_identification",
    ),
    "tenants import": FILE,
    "tenants list": ("tenant_pages.list_tenants", "tenants.list_operator_tenants"),
    **{
        f"tenants move {step}": FILE
        for step in ("begin", "cancel", "changes", "discard", "finish", "leave", "receive",
                     "release", "status")
    },
    "tenants plan": ("tenant_pages.set_plan", "tenants.set_operator_tenant_plan"),
    "tenants purge": ("data_pages.purge_tenant", "data.purge_operator_tenant"),
    "tenants resume": ("tenant_pages.resume_tenant", "tenants.resume_operator_tenant"),
    "tenants suspend": ("tenant_pages.suspend_tenant", "tenants.suspend_operator_tenant"),
    "tenants verify": (
        "administration_pages.change_numbers", "administration.add_verified_number",
    ),
    "transmissions attention": (
        "transmission_pages.list_transmissions", "transmissions.list_operator_transmissions",
    ),
    "transmissions parked": (
        "transmission_pages.list_transmissions", "transmissions.list_operator_transmissions",
    ),
    "transmissions resolve": (
        "transmission_pages.settle_transmission", "transmissions.settle_operator_transmission",
    ),
    "transmissions retry": (
        "transmission_pages.retry_transmission", "transmissions.retry_operator_transmission",
    ),
    "transmissions sequences": (
        "transmission_pages.list_transmissions", "transmissions.list_blocked_sequences",
    ),
    "transmissions show": (
        "transmission_pages.show_transmission", "transmissions.get_operator_transmission",
    ),
    "validate": OTHER_TOOL,
    "webhooks add": ("webhook_pages.create_webhook", "webhooks.create_tenant_webhook"),
    "webhooks deliveries": (
        "webhook_pages.show_webhook", "webhooks.list_tenant_webhook_deliveries",
    ),
    "webhooks disable": ("webhook_pages.change_webhook", "webhooks.disable_tenant_webhook"),
    "webhooks enable": ("webhook_pages.change_webhook", "webhooks.enable_tenant_webhook"),
    "webhooks list": ("access_pages.show_access", "webhooks.list_tenant_webhooks"),
    "webhooks recover": ("webhook_pages.recover_events", "webhooks.recover_tenant_events"),
    "webhooks redeliver": ("webhook_pages.redeliver_event", "webhooks.redeliver_tenant_event"),
    "webhooks remove": ("webhook_pages.change_webhook", "webhooks.delete_tenant_webhook"),
    "webhooks rotate-secret": (
        "webhook_pages.change_webhook", "webhooks.rotate_tenant_webhook_secret",
    ),
    "webhooks test": ("webhook_pages.change_webhook", "webhooks.test_tenant_webhook"),
    "worker": HOST,
}  # fmt: skip
# Groups whose commands are those of another one, for an account of another kind.
SAME_AS: Final = {
    "oauth-clients": "keys", "platforms keys": "keys", "platforms oauth-clients": "keys",
}  # fmt: skip


def commands(group: click.Group, before: str = "") -> Iterator[str]:
    """The names of all commands below a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}"


def place_of(command: str) -> str:
    """The command whose row says where this one is."""
    group, _, name = command.rpartition(" ")
    return f"{SAME_AS.get(group, group)} {name}".strip()


def test_every_command_has_a_page_and_a_route_or_a_reason() -> None:
    """A new command needs a row, a removed one loses its own."""
    assert {place_of(each) for each in commands(main)} == set(PLACES)


def test_the_pages_and_routes_of_commands_are_there(service) -> None:
    """Both, of the families of operators, and by their credentials."""
    kinds = (OperatorPages, OperatorFamily)
    missing = []
    for command, places in PLACES.items():
        for place, kind in zip(places, kinds, strict=True) if isinstance(places, tuple) else ():
            endpoint = f"operator_{place}"
            family = service.blueprints.get(endpoint.partition(".")[0])
            if endpoint not in service.view_functions or not isinstance(family, kind):
                missing.append(f"{command}: {endpoint}")

    assert missing == []
