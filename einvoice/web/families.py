"""All families of routes, in the order in which they are registered and documented."""

from __future__ import annotations

from einvoice.web import health
from einvoice.web.account import (
    audit,
    branding,
    connection_links,
    connections,
    drafts,
    events,
    exports,
    holds,
    keys,
    mail,
    oauth_clients,
    participants,
    session,
    tenant,
    usage,
    webhooks,
)
from einvoice.web.api import Family
from einvoice.web.buyer import views as buyer
from einvoice.web.dashboard import assets as dashboard_assets
from einvoice.web.dashboard import audit as dashboard_audit
from einvoice.web.dashboard import bills as dashboard_bills
from einvoice.web.dashboard import connect as dashboard_connect
from einvoice.web.dashboard import connection_callback as dashboard_connection_callback
from einvoice.web.dashboard import connection_links as dashboard_connection_links
from einvoice.web.dashboard import connections as dashboard_connections
from einvoice.web.dashboard import drafts as dashboard_drafts
from einvoice.web.dashboard import events as dashboard_events
from einvoice.web.dashboard import exports as dashboard_exports
from einvoice.web.dashboard import file_batches as dashboard_sending_files
from einvoice.web.dashboard import file_checks as dashboard_checking
from einvoice.web.dashboard import holds as dashboard_holds
from einvoice.web.dashboard import invoice_mails as dashboard_invoice_mails
from einvoice.web.dashboard import invoices as dashboard_invoices
from einvoice.web.dashboard import keys as dashboard_keys
from einvoice.web.dashboard import login, new_invoice, overview
from einvoice.web.dashboard import mail_addresses as dashboard_mail_addresses
from einvoice.web.dashboard import mail_domains as dashboard_mail_domains
from einvoice.web.dashboard import mail_held as dashboard_mail_held
from einvoice.web.dashboard import mail_settings as dashboard_mail_settings
from einvoice.web.dashboard import networks as dashboard_networks
from einvoice.web.dashboard import participants as dashboard_participants
from einvoice.web.dashboard import parties as dashboard_parties
from einvoice.web.dashboard import payments as dashboard_payments
from einvoice.web.dashboard import period_reports as dashboard_period_reports
from einvoice.web.dashboard import preferences as dashboard_preferences
from einvoice.web.dashboard import settings as dashboard_settings
from einvoice.web.dashboard import unread_bills as dashboard_unread_bills
from einvoice.web.dashboard import usage as dashboard_usage
from einvoice.web.dashboard import webhooks as dashboard_webhooks
from einvoice.web.directory import customers, suppliers
from einvoice.web.documentation import views as documentation
from einvoice.web.errors import views as errors
from einvoice.web.networks import views as networks
from einvoice.web.oauth import views as oauth
from einvoice.web.operator import access as operator_access
from einvoice.web.operator import access_pages as operator_access_pages
from einvoice.web.operator import administration as operator_administration
from einvoice.web.operator import administration_pages as operator_administration_pages
from einvoice.web.operator import audit as operator_audit
from einvoice.web.operator import audit_pages as operator_audit_pages
from einvoice.web.operator import connection_pages as operator_connection_pages
from einvoice.web.operator import connections as operator_connections
from einvoice.web.operator import data as operator_data
from einvoice.web.operator import data_pages as operator_data_pages
from einvoice.web.operator import decision_pages as operator_decision_pages
from einvoice.web.operator import decisions as operator_decisions
from einvoice.web.operator import incident_pages as operator_incident_pages
from einvoice.web.operator import incidents as operator_incidents
from einvoice.web.operator import installation as operator_installation
from einvoice.web.operator import installation_pages as operator_installation_pages
from einvoice.web.operator import login as operator_login
from einvoice.web.operator import overview as operator_overview
from einvoice.web.operator import participant_pages as operator_participant_pages
from einvoice.web.operator import participants as operator_participants
from einvoice.web.operator import reports as operator_reports
from einvoice.web.operator import tenant_pages as operator_tenant_pages
from einvoice.web.operator import tenants as operator_tenants
from einvoice.web.operator import transmission_pages as operator_transmission_pages
from einvoice.web.operator import transmissions as operator_transmissions
from einvoice.web.operator import webhook_pages as operator_webhook_pages
from einvoice.web.operator import webhooks as operator_webhooks
from einvoice.web.platform import identifications as platform_identifications
from einvoice.web.platform import participants as platform_participants
from einvoice.web.platform import tenants as platform_tenants
from einvoice.web.platform import usage as platform_usage
from einvoice.web.public import (
    aliases,
    attention,
    batches,
    bill_responses,
    bills,
    invoices,
    legacy,
    lists,
    own_credential,
    participant_search,
    payments,
    period_reports,
    resend,
    sandbox,
    v1_lists,
)
from einvoice.web.public import views as public
from einvoice.web.share_links import views as sharing
from einvoice.web.status import views as status
from einvoice.web.submission import batch, conversion, countries, sandbox_arrivals
from einvoice.web.submission import views as submission

FAMILIES: tuple[Family, ...] = (
    public.family,
    own_credential.family,
    batches.family,
    invoices.family,
    bills.family,
    attention.family,
    lists.family,
    participant_search.family,
    resend.family,
    bill_responses.family,
    payments.family,
    period_reports.family,
    sandbox.family,
    sandbox_arrivals.family,
    aliases.family,
    legacy.family,
    session.family,
    keys.family,
    tenant.family,
    exports.family,
    holds.family,
    drafts.family,
    branding.family,
    webhooks.family,
    events.family,
    customers.family,
    suppliers.family,
    participants.family,
    connections.family,
    connection_links.family,
    mail.people,
    mail.family,
    usage.family,
    audit.family,
    platform_tenants.family,
    platform_identifications.family,
    platform_participants.family,
    platform_usage.family,
    webhooks.platform_family,
    events.platform_family,
    operator_tenants.family,
    operator_access.family,
    operator_webhooks.family,
    operator_connections.family,
    operator_connections.of_all,
    operator_participants.family,
    operator_participants.of_all,
    operator_data.family,
    operator_reports.family,
    operator_administration.family,
    operator_administration.platforms,
    operator_decisions.claims,
    operator_decisions.identifications,
    operator_transmissions.family,
    operator_installation.family,
    operator_installation.holds,
    operator_incidents.family,
    operator_audit.family,
    operator_audit.content,
    v1_lists.family,
    submission.family,
    conversion.family,
    batch.family,
    networks.family,
    oauth_clients.family,
    countries.family,
    oauth.family,
    sharing.family,
    buyer.family,
    login.family,
    login.choices,
    overview.family,
    dashboard_invoices.family,
    dashboard_payments.family,
    dashboard_invoice_mails.family,
    dashboard_bills.family,
    dashboard_unread_bills.family,
    dashboard_parties.family,
    dashboard_checking.family,
    dashboard_sending_files.family,
    new_invoice.family,
    dashboard_drafts.family,
    dashboard_connections.family,
    dashboard_connection_links.family,
    dashboard_connect.family,
    dashboard_connection_callback.family,
    dashboard_networks.family,
    dashboard_period_reports.family,
    dashboard_keys.family,
    dashboard_settings.family,
    dashboard_mail_settings.family,
    dashboard_mail_domains.family,
    dashboard_mail_addresses.family,
    dashboard_mail_held.family,
    dashboard_preferences.family,
    dashboard_preferences.links,
    dashboard_participants.family,
    dashboard_exports.family,
    dashboard_holds.family,
    dashboard_webhooks.family,
    dashboard_events.family,
    dashboard_usage.family,
    dashboard_audit.family,
    dashboard_assets.family,
    operator_login.family,
    operator_login.ending,
    operator_overview.family,
    operator_tenant_pages.family,
    operator_access_pages.family,
    operator_webhook_pages.family,
    operator_connection_pages.family,
    operator_participant_pages.family,
    operator_data_pages.family,
    operator_administration_pages.family,
    operator_decision_pages.family,
    operator_transmission_pages.family,
    operator_installation_pages.network_pages,
    operator_installation_pages.doctor_pages,
    operator_installation_pages.hold_pages,
    operator_incident_pages.family,
    operator_installation_pages.release_pages,
    operator_audit_pages.family,
    operator_audit_pages.invoices,
    errors.family,
    status.family,
    documentation.family,
    health.family,
)
