"""Which tests `make test` runs, and which `make test-more` (CONTRIBUTING.md).

`make test` is what a newcomer and every change runs: within one process, on SQLite, and on
PostgreSQL where a promise depends on the database. What starts processes or a browser, asks the
whole application at random, needs a server of S3, or repeats on PostgreSQL what only reads and
words requests is `more`, and so is each test that costs much (tests/slow.txt).
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from tests import slow

ROOT: Final = Path(__file__).resolve().parents[1]

# What starts the service, a browser, a second database or a server of others.
_STARTING_FIXTURES: Final = frozenset({"browser", "commands_path", "s3_server", "stack", "standby"})
# Files and folders below the root, with the reason why they are `more`.
_MORE: Final = {
    "tests/jobs": "workers and relays as processes",
    "tests/observability": "processes and what is scraped from them",
    "tests/docs": "runs every example at a running service",
    "tests/cli/test_processes.py": "starts the service",
    "tests/cli/test_demo.py": "starts the service",
    "tests/cli/test_mail_demo.py": "starts the service",
    "tests/cli/test_peppol_demo.py": "starts the service",
    "tests/cli/test_verapdf.py": "programs and computing processes",
    "tests/services/computing": "computing processes",
    "tests/services/send/test_long_sends.py": "computing processes",
    "tests/access_points/test_exactly_once.py": "kills workers",
    "tests/bench/test_imports.py": "starts a process for each program",
    "tests/bench/test_publishing.py": "kills workers",
    "tests/store/test_tls.py": "starts PostgreSQL with certificates",
    "tests/web/test_any_request.py": "asks every route at random",
    "tests/web/clients": "runs the clients at a server",
    "tests/web/test_computing.py": "computing processes",
    "tests/web/test_generated_client.py": "generates a client",
    "tests/web/test_pooler.py": "starts PgBouncer",
    "tests/web/test_proxies.py": "starts nginx and Caddy",
    "tests/web/test_limits_without_redis.py": "waits for a Redis that is away",
    "tests/web/public/test_any_send_derives.py": "sends at random",
    "tests/web/operator/test_picture.py": "a browser",
    "tests/web/pages/test_environment.py": "every page, in both environments",
    "tests/web/pages/test_pictures.py": "a browser",
    "tests/architecture/test_wheel.py": "builds and installs a wheel",
    "tests/architecture/test_alerts.py": "starts promtool",
    "tests/conformance": "thousands of documents",
    "tests/documents/pdf/test_conformance.py": "runs a validator",
    "tests/documents/pdf/test_golden.py": "draws pictures of pages, in 60 MB",
    "tests/documents/test_conversion_outcomes.py": "hundreds of documents",
    "tests/oracle/test_official.py": "runs the official rules, in 130 MB",
    "tests/oracle/test_pint.py": "runs the official rules, in 130 MB",
    "tests/rules/test_compilable.py": "judges the types of all rules in a process",
    "tests/rules/test_optimisations.py": "compares every switch on many documents",
    "tests/networks/anaf/test_faults.py": "kills workers",
    "tests/networks/mail/test_corpus.py": "hundreds of documents",
    "tests/networks/mail/test_outages.py": "attempts of six hours",
    "tests/networks/zatca/test_faults.py": "kills workers",
    "tests/networks/ksef/test_faults.py": "kills workers",
    "tests/networks/test_peppol_both_ways.py": "two services",
    "tests/networks/test_peppol_five_corners.py": "two services and an authority",
    "plugins/fr-ctc/tests/test_cdar_rules.py": "more than a thousand documents",
    "plugins/peppol/tests/test_two_services.py": "two services",
    "plugins/peppol/tests/test_tokens.py": "a token of PKCS #11",
    "plugins/fr-ctc/tests/test_many.py": "seconds of calls with faults",
}
# Where a promise depends on the database: constraints, locks, statements of its own.
_ON_BOTH: Final = (
    "tests/store", "tests/services/delivery/test_lookup_refresh.py",
    "tests/services/delivery/test_operations.py", "tests/services/delivery/test_outcomes.py",
    "tests/services/delivery/test_preparation.py", "tests/services/delivery/test_retry_until.py",
    "tests/services/delivery/test_serial.py", "tests/services/inbound/test_reception.py",
    "tests/services/webhooks/test_deliveries.py",
    "tests/services/connections/test_shared_consents.py", "tests/web/test_idempotency.py",
    "tests/web/test_answered_posts.py",
)  # fmt: skip
# Of these, what dies before each statement in turn: which rows are left depends on where
# transactions begin and end, which is the same on both.
_DYING: Final = re.compile(r"test_a_(crash|process_that_dies|worker_that_dies)_")
# Cases beside one that `make test` runs: a bucket beside a directory, the statements without what
# makes them fast, plans by statistics beside those without any.
_CASES_OF_MORE: Final = {
    ("archive_settings", "s3"), ("store", "s3"), ("store", "s3 with object lock"),
    ("database_url", "postgresql, plain"), ("grown_app", "statistics of the first 200"),
    ("grown_app", "analysed"),
}  # fmt: skip


def is_more(
    path: Path, name: str, fixtures: list[str], case: Mapping[str, object], *, has_twin: bool
) -> bool:
    """Whether a test belongs to `make test-more`.

    name      of its function
    case      the values of its parameters
    has_twin  the test runs on PostgreSQL, and the same one on SQLite
    """
    if is_all_more(path) or _STARTING_FIXTURES.intersection(fixtures):
        return True
    if is_slow(path, name) or _CASES_OF_MORE & _plain_values(case):
        return True
    return has_twin and (_DYING.match(name) is not None or not _is_on_both(path))


@cache
def is_all_more(path: Path) -> bool:
    """Whether each test below the path belongs to `make test-more`."""
    return is_below(path, _MORE)


def is_slow(path: Path, name: str) -> bool:
    """Whether a test of a file is one of tests/slow.txt."""
    return name in _slow_tests(path)


@cache
def _is_on_both(path: Path) -> bool:
    return is_below(path, _ON_BOTH)


def is_below(path: Path, places: Container[str]) -> bool:
    """Whether a path is one of the places, which are named from the root, or below one."""
    place = path.relative_to(ROOT)
    return any(above.as_posix() in places for above in (place, *place.parents))


@cache
def _slow_tests(path: Path) -> frozenset[str]:
    return slow.slow_tests().get(path.relative_to(ROOT).as_posix(), frozenset())


def _plain_values(case: Mapping[str, object]) -> set[tuple[str, str]]:
    return {(name, value) for name, value in case.items() if isinstance(value, str)}


def named_paths() -> list[Path]:
    """Every path that this module names."""
    return [ROOT / each for each in (*_MORE, *slow.slow_tests(), *_ON_BOTH)]
