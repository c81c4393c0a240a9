"""Networks, doctor, releases and holds: responses, and a hold to place."""

from __future__ import annotations

from einvoice.domain.environments import Environment
from einvoice.network.facts import Fact
from einvoice.network.held_addresses import HeldAddress
from einvoice.services.connections.accounts import StateCount
from einvoice.services.console.installation import DoctorReport, ListedHold, Release
from einvoice.services.console.networks import Certificate, Lane, Networks, NetworkState, Waiting
from einvoice.services.inbound.mailboxes import MailboxRecord
from einvoice.services.operator_notes import DoctorFinding as FoundByDoctor
from einvoice.services.reporting.reports import PeriodReportRecord
from einvoice.web.account.hold_schemas import Hold, NewHold
from einvoice.web.fields import Code, Id
from einvoice.web.paging import MAX_PAGE_SIZE, Page, PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class OldestWaiting(ResponseSchema[Waiting]):
    """The oldest document that waits for this."""

    waitsFor = a.text("network, push, connection, or document", "network")
    since = a.moment("When it was accepted")


class OperatorFact(ResponseSchema[Fact]):
    """A line that an access point says of itself."""

    label = a.text("Of what", "Units")
    value = a.text("Its value", "20")


class OperatorNetwork(ResponseSchema[NetworkState]):
    """An access point."""

    accessPoint = a.text("Its name", "peppol-live")
    network = a.text("Its network", "peppol")
    environment = a.text("test or live", "live")
    waiting = a.things(OldestWaiting(), "The oldest documents without an outcome")
    delivered = a.number("Delivered of the newest 10,000 documents, within a day", 9_120)
    failed = a.number("Failed of these", 3)
    processing = a.number("Without an outcome of these", 41)
    refusedSince = a.moment("Since when it refuses this service as a whole", or_null=True)
    refusal = a.text("Why", "403 of a firewall", or_null=True)
    mailboxesLate = a.number("Mailboxes that are not fetched in time", 0)
    accountsBlocked = a.number("Accounts of tenants that a person has to mend", 0)
    facts = a.things(OperatorFact(), "What the access point says of itself")


class OperatorCertificate(ResponseSchema[Certificate]):
    """A certificate that `einvoice doctor` has looked at."""

    name = a.text("Whose it is", "peppol-live")
    endsAt = a.moment("When it ends")
    days = a.number("Whole days until then", 61)


class LateMailbox(ResponseSchema[MailboxRecord]):
    """A mailbox that is not fetched as often as it should be."""

    connectionId = a.text("Its connection", a.SOME_ID)
    tenantId = a.text("The tenant", a.SOME_ID)
    accessPoint = a.text("The access point", "ksef-live")
    account = a.text("The account", "5260001246")
    fetchedAt = a.moment("When it was fetched last", or_null=True)
    fault = a.text("Why not since", "401", or_null=True)


class ConnectionState(ResponseSchema[StateCount]):
    """Connections of all tenants in a state."""

    state = a.text("The state", "active")
    count = a.number("How many", 12)
    soonestEnd = a.moment("When the first of them ends", or_null=True)


class WorkLane(ResponseSchema[Lane]):
    """A queue."""

    name = a.text("Its name", "waited")
    rows = a.number("Open work, due now or later", 12)
    dueSeconds = a.number("For how many seconds the oldest has been due", 4)


class ReportDue(ResponseSchema[PeriodReportRecord]):
    """A report to an authority that is due within ten days and not accepted."""

    tenantId = a.text("The tenant", a.SOME_ID)
    accessPoint = a.text("The access point", "fr-ctc")
    account = a.text("The company", "FR12100000009")
    kind = a.text("sales, purchases or payments", "sales")
    endsOn = a.day("The last day of its period", "2026-10-31")
    dueOn = a.day("When it is due", "2026-11-10")
    status = a.text("open, sending, unknown, or refused", "open")


class OperatorNetworkState(ResponseSchema[Networks]):
    items = a.things(OperatorNetwork(), "The access points", source="states")
    certificates = a.things(OperatorCertificate(), "The first to end first")
    lateMailboxes = a.things(LateMailbox(), "At most 100", source="mailboxes")
    connections = a.things(ConnectionState(), "Accounts of tenants at networks")
    lanes = a.things(WorkLane(), "The queues")
    reports = a.things(ReportDue(), "Reports to authorities that are due, at most 100")
    provider = a.provider()


class OperatorHeldAddress(ResponseSchema[tuple[Environment, HeldAddress]]):
    """An address of a buyer that gets no mail of a tenant."""

    heldAddressId = a.text("The id of the entry", "5f1d7c…", source=lambda one: one[1].id)
    tenantId = a.text("The tenant", a.SOME_ID, source=lambda one: one[1].tenant_id)
    environment = a.text("test or live", "live", source=lambda one: one[0].value)
    address = a.text("The address", "ap@example.com", source=lambda one: one[1].address)
    reason = a.text(
        "The words of its mail server", "550 5.1.1 no such user", source=lambda one: one[1].reason
    )
    since = a.moment("Since when", source=lambda one: one[1].since)
    until = a.moment("Until when", source=lambda one: one[1].until)


class OperatorHeldAddressList(ResponseSchema[list[tuple[Environment, HeldAddress]]]):
    items = a.things(OperatorHeldAddress(), "The newest first", source=list)
    provider = a.provider()


class DoctorFinding(ResponseSchema[FoundByDoctor]):
    """Something that doctor found."""

    level = a.text("note, warning or serious", "warning")
    message = a.text("What it is", "2 transmissions need an operator")
    fix = a.text("What to do", "einvoice transmissions attention")
    check = a.text("Of a plugin: plugin and check; else empty", "peppol: certificate")


class OperatorDoctorReport(ResponseSchema[DoctorReport]):
    """The last run on a host."""

    host = a.text("The host", "web-1")
    at = a.moment("When it ran")
    level = a.text("The worst level", "warning")
    findings = a.things(DoctorFinding(), "What it found")


class OperatorDoctorReports(ResponseSchema[list[DoctorReport]]):
    items = a.things(OperatorDoctorReport(), "One of each host", source="")
    provider = a.provider()


class OperatorRelease(ResponseSchema[Release]):
    version = a.text("The release that answers", "1.4.0")
    python = a.text("Its Python", "3.11.9")
    compiledRules = a.flag("Whether its rules are compiled", example=True)
    databaseRevision = a.text("That of the database", "0061", or_null=True, source="revision")
    newestRevision = a.text("The newest it knows", "0061", or_null=True, source="newest")
    oldestRevision = a.text(
        "That of the oldest release that may run on it", "0058", or_null=True, source="oldest"
    )
    isCurrent = a.flag("Whether the database has its tables", example=True)
    backupAt = a.moment("When a backup was noted last", or_null=True)
    accessPoints = a.texts(
        "The installed ones", "peppol-live", source=lambda one: list(one.access_points)
    )
    provider = a.provider()


class OperatorHoldQuery(PartQuery):
    state = Code(
        "Only holds that last (active), or that have ended (released).",
        ("active", "released"),
        name="active or released",
        example="active",
    )


class NewOperatorHold(NewHold):
    """A legal hold to place on what a tenant has."""

    tenantId = Id("The tenant.", max_length=40, required=True, example=a.SOME_ID)


class OperatorHold(Hold):
    tenantId = a.text("The tenant", a.SOME_ID)


class OperatorHoldResponse(OperatorHold):
    provider = a.provider()


class ListedOperatorHold(ResponseSchema[ListedHold]):
    """A hold with the name of its tenant."""

    tenantName = a.text("The tenant's name", "Brewery Ltd")
    hold = a.one(OperatorHold(), "The hold")


class OperatorHoldList(ResponseSchema[Page[ListedHold]]):
    items = a.things(ListedOperatorHold(), "The newest first", max_items=MAX_PAGE_SIZE)
    nextCursor = a.next_cursor()
    hasMore = a.has_more()
    provider = a.provider()
