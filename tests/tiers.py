"""Which tests `make test` runs, and which `make test-more` (CONTRIBUTING.md).

`make test` is what a newcomer and every change runs: within one process, on SQLite, and on
PostgreSQL where a promise depends on the database. What starts processes or a browser, asks the
whole application at random, or repeats on PostgreSQL what only reads and words requests is `more`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]

# What starts the service, a browser or a server of others.
_STARTING_FIXTURES: Final = frozenset({"browser", "commands_path", "s3_server", "stack"})
# Files and folders below the root, with the reason why they are `more`.
_MORE: Final = {
    "tests/jobs": "workers and relays as processes",
    "tests/observability": "processes and what is scraped from them",
    "tests/docs": "runs every example at a running service",
    "tests/cli/test_processes.py": "starts the service",
    "tests/cli/test_demo.py": "starts the service",
    "tests/cli/test_peppol_demo.py": "starts the service",
    "tests/services/computing": "computing processes",
    "tests/services/send/test_long_sends.py": "computing processes",
    "tests/access_points/test_exactly_once.py": "kills workers",
    "tests/web/test_any_request.py": "asks every route at random",
    "tests/web/test_generated_client.py": "generates a client",
    "tests/web/test_pooler.py": "starts PgBouncer",
    "tests/web/test_limits_without_redis.py": "waits for a Redis that is away",
    "tests/web/public/test_any_send_derives.py": "sends at random",
    "tests/web/pages/test_pictures.py": "a browser",
    "tests/architecture/test_wheel.py": "builds and installs a wheel",
    "tests/architecture/test_alerts.py": "starts promtool",
    "tests/conformance": "thousands of documents",
    "tests/documents/pdf/test_conformance.py": "runs a validator",
    "tests/rules/test_optimisations.py": "compares every switch on many documents",
    "tests/networks/anaf/test_faults.py": "kills workers",
    "tests/networks/ksef/test_faults.py": "kills workers",
    "tests/networks/test_peppol_both_ways.py": "two services",
    "plugins/peppol/tests/test_two_services.py": "two services",
    "plugins/peppol/tests/test_tokens.py": "a token of PKCS #11",
}
# Where a promise depends on the database: constraints, locks, statements of its own.
_ON_BOTH: Final = (
    "tests/store", "tests/services/delivery", "tests/services/inbound/test_reception.py",
    "tests/services/webhooks", "tests/services/connections", "tests/web/test_idempotency.py",
    "tests/web/test_answered_posts.py", "tests/web/test_isolation.py",
)  # fmt: skip


def is_more(path: Path, fixtures: list[str], *, has_twin: bool) -> bool:
    """Whether a test belongs to `make test-more`.

    has_twin  the test runs on PostgreSQL, and the same one on SQLite
    """
    if is_all_more(path) or _STARTING_FIXTURES.intersection(fixtures):
        return True
    return has_twin and not _is_on_both(path)


@cache
def is_all_more(path: Path) -> bool:
    """Whether each test below the path belongs to `make test-more`."""
    return any(path.is_relative_to(ROOT / each) for each in _MORE)


@cache
def _is_on_both(path: Path) -> bool:
    return any(path.is_relative_to(ROOT / each) for each in _ON_BOTH)


def named_paths() -> list[Path]:
    """Every path that this module names."""
    return [ROOT / each for each in (*_MORE, *_ON_BOTH)]
