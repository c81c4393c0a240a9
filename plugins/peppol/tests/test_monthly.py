"""The monthly reports: when they are sent, and `einvoice peppol report`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from as4_server import network
from click.testing import CliRunner

import einvoice_peppol
from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import registry
from einvoice.network.types import ClosedInbox
from einvoice_peppol import commands, monthly, reports
from einvoice_peppol.monthly import InvalidReport, MonthlyReports
from einvoice_peppol.reporting import Ledger
from plugins.peppol.tests import key_files, official
from plugins.peppol.tests.test_reporting import RECEIVED_ITEM, SENT_ITEM
from tests.memory_store import MemoryStore


class Queue(ClosedInbox):
    def __init__(self):
        self.queued = []

    def queue_message(self, access_point, message):
        self.queued.append((access_point, message))
        return f"msg_{len(self.queued)}"


@pytest.fixture
def store(monkeypatch):
    made = MemoryStore()
    made.now = datetime(2026, 9, 15, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: made.now)
    return made


@pytest.fixture
def ledger(store):
    return Ledger(store, "peppol-test")


@pytest.fixture
def queue():
    return Queue()


@pytest.fixture
def run(c2, trusted, store, ledger, queue):
    """Run the duty at a time; the keys of the messages that it queued."""
    duty = MonthlyReports(network(c2, trusted=trusted), ledger, queue, store)

    def _run(*moment):
        store.now = datetime(*moment, tzinfo=UTC)
        before = len(queue.queued)
        duty.run()
        return [message.key for _, message in queue.queued[before:]]

    return _run


def record(ledger, store):
    for item in (SENT_ITEM, RECEIVED_ITEM):
        store.now = item.at
        ledger.record([item])


def test_both_reports_of_the_last_month_are_sent_once(run, ledger, store):
    run(2026, 10, 1)
    record(ledger, store)

    assert run(2026, 11, 2, 23, 59) == []
    assert run(2026, 11, 3) == ["peppol_tsr-2026-10", "peppol_eusr-2026-10"]
    assert run(2026, 11, 3, 6) == []
    assert run(2026, 12, 20) == ["peppol_tsr-2026-11", "peppol_eusr-2026-11"]


def test_a_month_before_the_service_was_set_up_is_not_reported(run):
    assert run(2026, 10, 20) == []
    assert run(2026, 10, 21) == []
    assert run(2026, 11, 3) == ["peppol_tsr-2026-10", "peppol_eusr-2026-10"]


def test_a_month_without_exchanges_is_reported(run, queue):
    run(2026, 10, 1)
    run(2026, 11, 3)
    contents = [message.document for _, message in queue.queued]

    assert b"<Incoming>0</Incoming>" in contents[0]
    assert official.failures(official.TSR, contents[0]) == []
    assert official.failures(official.EUSR, contents[1]) == []


def test_the_reports_go_to_openpeppol_from_our_provider_id(run, queue, ledger, store):
    run(2026, 10, 1)
    record(ledger, store)
    run(2026, 11, 3)
    access_point, message = queue.queued[0]

    assert access_point == "peppol-test"
    assert (message.sender, message.receiver) == (
        ParticipantId("0242", "000001"),
        ParticipantId("9925", "be0848934496"),
    )
    assert (message.document_type, message.process) == (reports.TSR_TYPE, reports.PROCESS)
    assert (message.sender_country, message.answers) == ("BE", None)
    assert b"<Outgoing>1</Outgoing>" in message.document


def test_a_report_that_contradicts_itself_is_not_sent(run, queue, monkeypatch):
    run(2026, 10, 1)
    kinds = [(*kind[:3], lambda _: ["SCH-TSR-04: wrong"]) for kind in monthly.KINDS]
    monkeypatch.setattr(monthly, "KINDS", kinds)

    with pytest.raises(InvalidReport, match="PEPPOL_TSR of 2026-10: SCH-TSR-04"):
        run(2026, 11, 3)
    assert queue.queued == []


def test_a_run_that_dies_while_queueing_queues_the_same_messages_again(run, queue, monkeypatch):
    """The keys are those of the month: the service sends each once."""
    run(2026, 10, 1)
    put = queue.queue_message
    monkeypatch.setattr(queue, "queue_message", lambda *_: put(*_) and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run(2026, 11, 3)
    monkeypatch.setattr(queue, "queue_message", put)

    assert run(2026, 11, 3) == ["peppol_tsr-2026-10", "peppol_eusr-2026-10"]


def test_the_duty_is_that_of_production_only(live_pki, tmp_path):
    """The test network wants no reports."""
    (tmp_path / "ap.p12").write_bytes(key_files.as_pkcs12(live_pki.c2))
    authorities = live_pki.access_points, live_pki.publishers, live_pki.root
    settings = {
        "EINVOICE_PEPPOL_LIVE_KEYS": str(tmp_path / "ap.p12"),
        "EINVOICE_PEPPOL_LIVE_PASSWORD": "secret",
        "EINVOICE_PEPPOL_LIVE_ANCHORS": str(key_files.anchors(tmp_path / "a", *authorities)),
    }
    live = registry.load_all(settings, [einvoice_peppol]).extras
    none = registry.load_all({}, [einvoice_peppol]).extras

    assert [name for _, name in live.duties] == ["peppol-reports"]
    assert none.duties == {}
    assert [*live.commands] == [*none.commands] == ["peppol"]


def test_a_country_outside_of_the_list_of_codes_refuses_no_month(run, ledger, store, queue):
    """A sender's is unknown (ZZ), our customers' is our own; also of what was recorded before."""
    run(2026, 10, 1)
    codes = ["UK", "QQ", "EU", "1A", "XI", "", "NL"]
    for at, code in enumerate(codes):
        store.now = SENT_ITEM.at
        got = replace(RECEIVED_ITEM, key=f"i-{at}", country_c1=code, country_c4=code)
        ledger.record([replace(SENT_ITEM, key=f"m-{at}", country_c1=code), got])
    run(2026, 11, 3)
    tsr, eusr = (message.document for _, message in queue.queued)

    def values(report, scheme):
        return set(re.findall(rf'schemeID="{scheme}">([^<]*)<', report.decode()))

    assert values(tsr, "SenderCountry") == {"ZZ", "1A", "GB", "NL"}
    assert values(tsr, "ReceiverCountry") == {"BE", "1A", "GB", "NL"}
    assert values(eusr, "EndUserCountry") == {"BE", "1A", "GB", "NL"}
    assert official.failures(official.TSR, tsr) == []
    assert official.failures(official.EUSR, eusr) == []


# -- the command ---------------------------------------------------------------------------------


@pytest.fixture
def report(c2, trusted, store, tmp_path):
    group = commands.group({"peppol-test": network(c2, trusted=trusted)}, store)

    def _report(*words):
        words = ["report", "--out", str(tmp_path / "out"), *words]
        return CliRunner().invoke(group, words)

    return _report


def test_the_reports_of_a_month_are_written_and_checked(report, ledger, store, tmp_path):
    record(ledger, store)
    result = report("--month", "2026-10")

    assert result.exit_code == 0, result.output
    assert [line.endswith(": good") for line in result.output.splitlines()] == [True, True]
    content = (tmp_path / "out" / "2026-10-tsr.xml").read_bytes()
    assert content == reports.transaction_statistics(
        [SENT_ITEM, RECEIVED_ITEM], date(2026, 10, 1), "POP000001"
    )
    assert official.failures(official.EUSR, (tmp_path / "out/2026-10-eusr.xml").read_bytes()) == []


def test_without_a_month_it_is_the_last_one(report, store, tmp_path):
    store.now = datetime(2026, 11, 20, tzinfo=UTC)
    report()

    assert (tmp_path / "out" / "2026-10-tsr.xml").exists()


@pytest.mark.parametrize("month", ["2026", "2026-13", "October"])
def test_a_month_of_another_form_is_refused(report, month):
    result = report("--month", month)

    assert result.exit_code == 2
    assert "YYYY-MM" in result.output


def test_a_report_that_contradicts_itself_is_an_error(report, monkeypatch):
    kinds = [(*kind[:3], lambda _: ["SCH-TSR-04: wrong"]) for kind in monthly.KINDS]
    monkeypatch.setattr(monthly, "KINDS", kinds)
    result = report("--month", "2026-10")

    assert result.exit_code == 1
    assert "SCH-TSR-04" in result.output


def test_without_a_network_there_is_no_report(store):
    result = CliRunner().invoke(commands.group({}, store), ["report"])

    assert result.exit_code == 1
    assert "no Peppol network is configured" in result.output


def test_the_reports_of_a_month_are_sent_again_by_a_command(c2, trusted, store, ledger, queue, run):
    """With keys of their own, so that failed ones of before do not stand in the way."""
    run(2026, 10, 1)
    run(2026, 11, 3)
    own = network(c2, trusted=trusted)
    reporting = replace(own, stage=replace(own.stage, reports=True))
    group = commands.group({"peppol-test": reporting}, store, queue)
    result = CliRunner().invoke(group, ["send-report", "--month", "2026-10"])

    assert result.exit_code == 0, result.output
    assert result.output.count("queued") == 2
    assert len({message.key for _, message in queue.queued}) == 4
    assert queue.queued[2][1].document == queue.queued[0][1].document


def test_a_network_that_wants_no_reports_is_sent_none(c2, trusted, store, queue):
    group = commands.group({"peppol-test": network(c2, trusted=trusted)}, store, queue)
    result = CliRunner().invoke(group, ["send-report"])

    assert result.exit_code == 1
    assert queue.queued == []
