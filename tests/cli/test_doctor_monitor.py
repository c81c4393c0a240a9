"""`einvoice doctor` as a monitor: levels, exit codes, and what /metrics shows of it."""

from __future__ import annotations

import json
import ssl
import subprocess
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from socket import create_server

import pytest
from click.testing import CliRunner
from flask import Flask
from redis import Redis

from einvoice import clock
from einvoice.cli import doctor, doctor_checks, doctor_report, doctor_tls
from einvoice.cli.database import db as db_command
from einvoice.cli.doctor_plugins import Checked
from einvoice.cli.doctor_problem import Problem, Severity
from einvoice.cli.doctor_tls import ServedCertificate
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.config import Settings
from einvoice.network.checks import Level
from einvoice.services import operator_notes
from einvoice.services.gauges import Gauges
from einvoice.web.runtime import runtime_of

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

NOTE = Problem("a", "b", note=True)
WARNING = Problem("c", "d", serious=False)
SERIOUS = Problem("e", "f")
END = clock.now() + timedelta(days=40)


def samples(app: Flask, name: str) -> dict[tuple[str, ...], float]:
    """The values of a gauge by the values of its labels."""
    (family,) = (one for one in Gauges(runtime_of(app)).collect() if one.name == name)
    return {tuple(sample.labels.values()): sample.value for sample in family.samples}


def test_each_level_has_its_exit_code(app: Flask) -> None:
    """The worst finding decides; checks of plugins count as those of the service."""
    cases = [
        ([], [], "ok", 0),
        ([], [Checked("p/c", Level.GOOD, "")], "ok", 0),
        ([NOTE], [], "note", 0),
        ([NOTE, WARNING], [], "warning", 3),
        ([NOTE], [Checked("p/c", Level.WARNING, "")], "warning", 3),
        ([WARNING, SERIOUS, NOTE], [], "serious", 1),
        ([WARNING], [Checked("p/c", Level.ERROR, "")], "serious", 1),
    ]
    for problems, checks, level, code in cases:
        report = doctor_report.of(problems, checks, {})
        assert (report.level, report.exit_code) == (level, code)


def test_the_report_names_findings_and_ends_of_certificates(app: Flask) -> None:
    checks = [Checked("peppol/certificate", Level.GOOD, "Fine.", END)]
    found = json.loads(doctor_report.of([SERIOUS], checks, {"api.example.com": END}).json())

    assert (found["level"], found["counts"]) == ("serious", {"note": 0, "warning": 0, "serious": 1})
    assert found["findings"] == [
        {"level": "serious", "message": "e", "fix": "f", "check": ""},
        {"level": "ok", "message": "Fine.", "fix": "", "check": "peppol/certificate"},
    ]
    assert found["certificates"].keys() == {"api.example.com", "peppol/certificate"}


def test_a_recorded_run_is_in_the_metrics_of_its_host(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With --json the exit code is that of the level; without it warnings are 0, as ever."""
    monkeypatch.setattr(doctor_checks, "problems", lambda _: iter([WARNING, NOTE]))
    monkeypatch.setattr(doctor_tls, "served", lambda _: [ServedCertificate("a.example", END)])
    monkeypatch.setattr(doctor, "application", lambda: app)
    recorded = CliRunner().invoke(doctor.doctor, ["--json", "--record", "host-a"])
    printed = CliRunner().invoke(doctor.doctor)

    assert (recorded.exit_code, json.loads(recorded.output)["level"]) == (3, "warning")
    assert (printed.exit_code, "! c\n  → d" in printed.output, "· a" in printed.output) == (
        0,
        True,
        True,
    )
    assert samples(app, "einvoice_doctor_problems") == {
        ("host-a", "note"): 1, ("host-a", "warning"): 1, ("host-a", "serious"): 0
    }  # fmt: skip
    assert samples(app, "einvoice_certificate_end_timestamp_seconds") == {
        ("a.example",): pytest.approx(END.timestamp())
    }


def test_a_host_that_reports_no_more_is_forgotten_after_two_days(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its alert would never end; names of pods would gather."""
    began = clock.now()
    for host, days in (("a", 0.0), ("b", 1.9), ("c", 2.1)):
        monkeypatch.setattr(clock, "now", lambda at=began + timedelta(days=days): at)
        operator_notes.note_doctor(host, {}, {})

    assert [one.host for one in operator_notes.doctor_reports()] == ["b", "c"]


def test_the_age_of_the_last_backup_is_known(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is a note, for it may be another's task; one of more than 36 hours is serious."""
    live = Settings(mode="production")
    before = list(doctor_checks.check_backup(live))
    operator_notes.note_restored()
    operator_notes.note_backup()
    fresh = list(doctor_checks.check_backup(live))
    (noted,) = samples(app, "einvoice_backup_timestamp_seconds").values()
    later = clock.now() + doctor_checks.MAX_BACKUP_AGE + timedelta(minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    (old,) = doctor_checks.check_backup(live)

    assert [one.severity for one in before] == [Severity.NOTE]
    assert fresh == []
    assert 0 <= later.timestamp() - noted < 37 * 3600
    assert old.severity is Severity.SERIOUS
    assert "note-backup" in db_command.commands


def test_a_backup_that_was_not_restored_for_a_month_is_known(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check is monthly and notes nothing if it fails; where no backups are noted, nobody waits
    for one."""
    live, began = Settings(mode="production"), clock.now()
    without = [one.severity for one in doctor_checks.check_backup(live)]
    operator_notes.note_backup()
    (never,) = doctor_checks.check_backup(live)
    db_command.commands["note-backup"].callback.__wrapped__(restored=True)
    (noted,) = samples(app, "einvoice_backup_restored_timestamp_seconds").values()
    found = []
    for days in (34.9, 35.1):
        now = began + timedelta(days=days)
        monkeypatch.setattr(clock, "now", lambda at=now: at)
        operator_notes.note_backup()
        found.append([one.severity for one in doctor_checks.check_backup(live)])

    assert without == [Severity.NOTE]
    assert never.severity is Severity.WARNING
    assert abs(noted - began.timestamp()) < 3600
    assert found == [[], [Severity.WARNING]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """A TLS server on loopback with a certificate of ours, and that certificate."""
    directory = tmp_path_factory.mktemp("tls")
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "10", "-subj", "/CN=localhost", "-keyout", str(key),
         "-addext", "subjectAltName=DNS:localhost", "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_serve, args=(listener, context), daemon=True).start()
        yield listener.getsockname()[1], certificate


def _serve(listener: object, context: ssl.SSLContext) -> None:
    while True:
        try:
            client, _ = listener.accept()  # type: ignore[attr-defined]
            with context.wrap_socket(client, server_side=True) as secure:
                secure.recv(1)
        except ssl.SSLError:
            continue
        except OSError:
            return


def test_the_certificate_of_the_public_address_is_seen_as_clients_see_it(
    app: Flask, server: tuple[int, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that clients refuse is serious, one that ends soon a warning, then serious."""
    port, certificate = server
    live = Settings(mode="production", base_url=f"https://localhost:{port}")
    (unverified,) = doctor_tls.served(live)
    (refused,) = doctor_tls.problems([unverified])
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    (found,) = doctor_tls.served(live)
    (soon,) = doctor_tls.problems([found])
    away = Settings(mode="production", base_url="https://localhost:1")
    (unseen,) = doctor_tls.problems(doctor_tls.served(away))

    assert refused.severity is Severity.SERIOUS
    assert unverified.ends_at == found.ends_at is not None
    assert (found.address, soon.severity) == (f"localhost:{port}", Severity.WARNING)
    assert f"localhost:{port} ends in 9 days" in soon.message
    assert unseen.severity is Severity.NOTE
    assert doctor_tls.served(Settings(base_url="https://localhost:1")) == []


@pytest.mark.parametrize(
    ("left", "severity"),
    [
        (doctor_tls.SOON + timedelta(minutes=1), None),
        (doctor_tls.SOON - timedelta(minutes=1), Severity.WARNING),
        (doctor_tls.AT_ONCE + timedelta(minutes=1), Severity.WARNING),
        (doctor_tls.AT_ONCE - timedelta(minutes=1), Severity.SERIOUS),
        (-timedelta(days=1), Severity.SERIOUS),
    ],
)
def test_the_days_that_a_certificate_has_left_decide(
    app: Flask, left: timedelta, severity: Severity | None
) -> None:
    found = list(doctor_tls.problems([ServedCertificate("a", clock.now() + left)]))

    assert [one.severity for one in found] == ([severity] if severity else [])


def test_a_redis_that_is_nearly_full_is_reported(app: Flask, tmp_path: Path) -> None:
    children = Children()
    try:
        redis = Redis.from_url(start_redis(children, tmp_path))
        used = int(redis.info("memory")["used_memory"])
        cases = ((used * 2, None), (int(used * 1.1), Severity.WARNING), (1000, Severity.SERIOUS))
        for limit, severity in cases:
            redis.config_set("maxmemory", limit)
            found = [one.severity for one in doctor_checks._check_memory(redis)]
            assert found == ([severity] if severity else []), limit
    finally:
        children.stop()
