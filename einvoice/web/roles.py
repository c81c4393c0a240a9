"""The least role for each route of the dashboard: one table, compared with the routes at start.

A route without a row, or a row without a route, prevents the start. Viewers read, members work
with invoices and the directory, administrators change the account and what gives others access
(keys, webhooks, participants, connections).
"""

from __future__ import annotations

from einvoice.domain.roles import Role

# Endpoint → least role. In the order of the families.
REQUIRED: dict[str, Role] = {
    # -- account: the tenant and the person logged in
    "account.get_session": Role.VIEWER,
    "account.end_sessions": Role.OWNER,
    "tenant.get_tenant": Role.VIEWER,
    "tenant.get_logo": Role.VIEWER,
    "branding.preview_branding": Role.VIEWER,
    "tenant.update_tenant": Role.ADMIN,
    "tenant.close_tenant": Role.OWNER,
    "exports.create_export": Role.ADMIN,
    "exports.get_export": Role.ADMIN,
    "exports.download_export": Role.ADMIN,
    "holds.list_holds": Role.ADMIN,
    "holds.place_hold": Role.ADMIN,
    "holds.get_hold": Role.ADMIN,
    "holds.release_hold": Role.ADMIN,
    "tenant.set_logo": Role.ADMIN,
    "tenant.delete_logo": Role.ADMIN,
    # -- invoices, also by API key
    "lists.list_invoices": Role.VIEWER,
    "lists.download_documents": Role.VIEWER,
    "invoices.get_invoice": Role.VIEWER,
    "invoices.get_invoice_pdf": Role.VIEWER,
    "invoices.list_artefacts": Role.VIEWER,
    "invoices.download_artefact": Role.VIEWER,
    "bills.mark_bill_processed": Role.MEMBER,
    "bills.set_bill_account": Role.MEMBER,
    "attention.end_attention": Role.MEMBER,
    "responding.respond_to_bill": Role.MEMBER,
    "resending.resend_invoice": Role.MEMBER,
    # -- drafts, also by API key
    "drafts.list_drafts": Role.VIEWER,
    "drafts.get_draft": Role.VIEWER,
    "drafts.create_draft": Role.MEMBER,
    "drafts.replace_draft": Role.MEMBER,
    "drafts.delete_draft": Role.MEMBER,
    # -- keys
    "keys.list_keys": Role.ADMIN,
    "keys.create_key": Role.ADMIN,
    "keys.get_key": Role.ADMIN,
    "keys.update_key": Role.ADMIN,
    "keys.rotate_key": Role.ADMIN,
    "keys.revoke_key": Role.ADMIN,
    # -- participants; the search also by API key
    "participant_search.search_participants": Role.VIEWER,
    "participants.list_participants": Role.VIEWER,
    "participants.list_registrations": Role.VIEWER,
    "participants.add_participant": Role.ADMIN,
    "participants.remove_participant": Role.ADMIN,
    # -- connections
    "connections.list_connections": Role.ADMIN,
    "connections.list_connection_forms": Role.ADMIN,
    "connections.create_connection": Role.ADMIN,
    "connections.get_connection": Role.ADMIN,
    "connections.update_connection": Role.ADMIN,
    "connections.revoke_connection": Role.ADMIN,
    "connections.check_connection": Role.ADMIN,
    "connections.authorise_connection": Role.ADMIN,
    # -- usage and audit log
    "usage.get_usage": Role.VIEWER,
    "audit.list_audit_entries": Role.ADMIN,
    # -- events, also by API key
    "events.list_events": Role.VIEWER,
    "events.get_event": Role.VIEWER,
    # -- webhooks, also by API key
    "webhooks.list_webhooks": Role.ADMIN,
    "webhooks.create_webhook": Role.ADMIN,
    "webhooks.get_webhook": Role.ADMIN,
    "webhooks.update_webhook": Role.ADMIN,
    "webhooks.delete_webhook": Role.ADMIN,
    "webhooks.rotate_webhook_secret": Role.ADMIN,
    "webhooks.test_webhook": Role.ADMIN,
    "webhooks.list_webhook_deliveries": Role.ADMIN,
    "webhooks.redeliver_event": Role.ADMIN,
    "webhooks.recover_events": Role.ADMIN,
    # -- customers
    "customers.list_customers": Role.VIEWER,
    "customers.get_customer": Role.VIEWER,
    "customers.export_customers": Role.VIEWER,
    "customers.get_customer_invoice_defaults": Role.VIEWER,
    "customers.create_customer": Role.MEMBER,
    "customers.update_customer": Role.MEMBER,
    "customers.delete_customer": Role.MEMBER,
    "customers.merge_customer": Role.MEMBER,
    "customers.seed_customers": Role.MEMBER,
    "customers.import_customers": Role.MEMBER,
    # -- suppliers
    "suppliers.list_suppliers": Role.VIEWER,
    "suppliers.get_supplier": Role.VIEWER,
    "suppliers.export_suppliers": Role.VIEWER,
    "suppliers.get_supplier_invoice_defaults": Role.VIEWER,
    "suppliers.create_supplier": Role.MEMBER,
    "suppliers.update_supplier": Role.MEMBER,
    "suppliers.delete_supplier": Role.MEMBER,
    "suppliers.merge_supplier": Role.MEMBER,
    "suppliers.seed_suppliers": Role.MEMBER,
    "suppliers.import_suppliers": Role.MEMBER,
    # -- sharing
    "sharing.share_invoice": Role.MEMBER,
    "sharing.revoke_share": Role.MEMBER,
    # -- OAuth clients
    "oauth_clients.list_oauth_clients": Role.ADMIN,
    "oauth_clients.create_oauth_client": Role.ADMIN,
    "oauth_clients.get_oauth_client": Role.ADMIN,
    "oauth_clients.update_oauth_client": Role.ADMIN,
    "oauth_clients.rotate_oauth_client": Role.ADMIN,
    "oauth_clients.revoke_oauth_client": Role.ADMIN,
}


class RolesIncomplete(Exception):
    """REQUIRED and the routes of the application do not name the same endpoints."""


def check(endpoints: set[str]) -> None:
    """Raise RolesIncomplete unless exactly these endpoints have a role."""
    missing, stale = sorted(endpoints - REQUIRED.keys()), sorted(REQUIRED.keys() - endpoints)
    if missing or stale:
        raise RolesIncomplete(f"web/roles.py: no role for {missing}, no route for {stale}")
