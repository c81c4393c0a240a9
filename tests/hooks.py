"""Hooks for the tests of the service and of its plugins: tiers, examples, memory.

The conftest of the root loads them, so that they hold for `pytest plugins` too.
"""

from __future__ import annotations

import ctypes
import gc
from functools import cache
from pathlib import Path

import pytest

from einvoice.documents import schemas
from tests import examples, tiers

examples.settle()

ROOT = Path(__file__).resolve().parents[1]

# Daily these run on SQLite, with PostgreSQL in `make test-all`: what reads and refuses requests,
# what makes pages, and what is made of services that are tested on both every day.
DAILY_ON_SQLITE = (
    "tests/cli", "tests/networks", "tests/services/archive", "tests/services/directory",
    "tests/services/participants", "tests/services/tenant_data",
    "tests/services/inbound/test_mailboxes.py", "tests/services/inbound/test_notices.py",
    "tests/services/send/test_long_sends.py", "tests/web/buyer",
    "tests/web/operator/test_administration.py", "tests/web/operator/test_audit.py",
    "tests/web/operator/test_isolation.py", "tests/web/operator/test_login.py", "tests/web/pages",
    "tests/web/submission", "tests/web/test_addresses.py", "tests/web/test_aliases.py",
    "tests/web/test_bad_input.py", "tests/web/test_delivered_means.py",
    "tests/web/test_directory.py", "tests/web/test_ending_access.py",
    "tests/web/test_error_pages.py", "tests/web/test_events.py", "tests/web/test_fields.py",
    "tests/web/test_finding_language.py", "tests/web/test_first_bodies.py",
    "tests/web/test_isolation_of_fields.py", "tests/web/test_keys.py", "tests/web/test_legacy.py",
    "tests/web/test_lists_of_account.py", "tests/web/test_metadata.py",
    "tests/web/test_networks.py", "tests/web/test_oauth.py",
    "tests/web/test_participant_claims.py", "tests/web/test_participant_search.py",
    "tests/web/test_profiles.py", "tests/web/test_refusals.py", "tests/web/test_self_billing.py",
    "tests/web/test_session.py", "tests/web/test_sharing.py", "tests/web/test_tax_currency.py",
    "tests/web/test_tenant.py", "tests/web/test_unknown_filters.py", "tests/web/test_ways_out.py",
    "tests/web/test_webhooks.py",
)  # fmt: skip


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of `make test-more` (tests/tiers), and of those the cases on PostgreSQL of
    DAILY_ON_SQLITE, which have a twin on SQLite, as `long`."""
    known = {item.nodeid for item in items}
    for item in items:
        twin = item.nodeid.replace("postgresql", "sqlite")
        has_twin = twin != item.nodeid and twin in known
        if has_twin and _is_daily_on_sqlite(item.path):
            item.add_marker(pytest.mark.long)
        if _is_more(item, has_twin=has_twin):
            item.add_marker(pytest.mark.more)


def _is_more(item: pytest.Item, *, has_twin: bool) -> bool:
    name = getattr(item, "originalname", item.name)
    case = item.callspec.params if hasattr(item, "callspec") else {}
    fixtures = getattr(item, "fixturenames", [])
    return tiers.is_more(item.path, name, fixtures, case, has_twin=has_twin)


@cache
def _is_daily_on_sqlite(path: Path) -> bool:
    return tiers.is_below(path, DAILY_ON_SQLITE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Whether a file need not be imported: none of its tests is wanted."""
    wanted = config.getoption("markexpr", "")
    if "not interop" in wanted and collection_path == ROOT / "tests" / "interop":
        return True
    return True if _is_daily(config) and tiers.is_all_more(collection_path) else None


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str) -> list[pytest.Item] | None:
    """No item for a slow test, nor for its cases, where `make test` collects."""
    daily = isinstance(collector, pytest.Module) and _is_daily(collector.config)
    return [] if daily and tiers.is_slow(collector.path, name) else None


def _is_daily(config: pytest.Config) -> bool:
    return str(config.getoption("markexpr", "")).startswith("not more and ")


def pytest_collection_finish() -> None:
    """Keep the collected tests and the rules out of the garbage collector's sight.

    A collection of everything took up to two seconds, and a third of the CPU time of all tests.
    What tests leave is collected in full at every fourth collection: applications are cycles, and
    held 1.5 GB a process. The second `collect` tells the collector that nothing is old yet.
    """
    gc.collect()
    gc.freeze()
    gc.collect()
    gc.set_threshold(100_000, 1, 1)


_MAX_SCHEMAS = 6
_give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Give what a file of tests has freed back to the system: 60 MB after PDF and hostile XML.

    Compiled schemas are kept from one file to the next only while they are few: with those of all
    countries a process has 100 MB more.
    """
    if nextitem is not None and nextitem.path == item.path:
        return
    if schemas._schema.cache_info().currsize > _MAX_SCHEMAS:
        schemas._schema.cache_clear()
    if _give_back:
        _give_back(0)
