"""Which tests `make test` runs, and which `make test-more` (CONTRIBUTING.md).

`make test` is what a newcomer and every change runs: within one process, on SQLite, and on
PostgreSQL where a promise depends on the database. What starts processes or a browser, asks the
whole application at random, takes seconds for one promise, needs a server of S3, or repeats on
PostgreSQL what only reads and words requests is `more`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

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
    "tests/web/pages/test_pictures.py": "a browser",
    "tests/architecture/test_wheel.py": "builds and installs a wheel",
    "tests/architecture/test_alerts.py": "starts promtool",
    "tests/conformance": "thousands of documents",
    "tests/documents/pdf/test_conformance.py": "runs a validator",
    "tests/documents/pdf/test_golden.py": "draws pictures of pages, in 60 MB",
    "tests/documents/test_conversion_outcomes.py": "hundreds of documents",
    "tests/oracle/test_official.py": "runs the official rules, in 130 MB",
    "tests/oracle/test_pint.py": "runs the official rules, in 130 MB",
    "tests/rules/test_optimisations.py": "compares every switch on many documents",
    "tests/networks/anaf/test_faults.py": "kills workers",
    "tests/networks/mail/test_corpus.py": "hundreds of documents",
    "tests/networks/zatca/test_faults.py": "kills workers",
    "tests/networks/ksef/test_faults.py": "kills workers",
    "tests/networks/test_peppol_both_ways.py": "two services",
    "tests/networks/test_peppol_five_corners.py": "two services and an authority",
    "plugins/fr-ctc/tests/test_cdar_rules.py": "more than a thousand documents",
    "plugins/peppol/tests/test_two_services.py": "two services",
    "plugins/peppol/tests/test_tokens.py": "a token of PKCS #11",
    "plugins/fr-ctc/tests/test_many.py": "seconds of calls with faults",
}
# Single tests that take seconds or start a process: many random documents or lives, every revision,
# workers that are killed, locks of a database that are waited for; and the official rules in Saxon,
# with which a process has 130 MB more.
_MORE_TESTS: Final = {
    "plugins/anaf/tests/test_form.py": (
        "test_a_converted_invoice_passes_the_official_combined_rules",
        "test_converted_examples_of_other_countries_have_the_official_findings",
    ),
    "plugins/anaf/tests/test_sealed.py": ("test_a_gigabyte_in_an_archive_is_not_read",),
    "plugins/anaf/tests/test_verdicts.py": (
        "test_newly_damaged_examples_have_the_findings_of_the_official_rules",
    ),
    "plugins/fr-ctc/tests/test_cdar.py": (
        "test_a_response_is_a_valid_message",
        "test_a_payment_is_a_valid_message_with_its_amounts",
    ),
    "plugins/ksef/tests/test_hour.py": (
        "test_more_invoices_than_the_session_takes_have_their_numbers",
        "test_sellers_side_by_side_do_not_share_their_limits",
    ),
    "tests/networks/fr/test_service.py": (
        "test_a_payment_is_told_to_the_platform_by_the_status_212",
    ),
    "tests/architecture/test_deployment.py": (
        "test_redis_answers_nobody_without_its_password",
    ),
    "tests/cli/test_start.py": (
        "test_help_imports_no_command",
        "test_a_validation_of_one_file_imports_what_judges_it_alone",
    ),
    "tests/architecture/test_library_internals.py": (
        "test_new_names_of_documents_are_not_kept_for_ever",
    ),
    "tests/architecture/test_online_migrations.py": (
        "test_a_revision_that_was_interrupted_can_be_repeated",
        "test_an_upgrade_gives_up_when_a_table_stays_in_use",
        "test_two_upgrades_at_once_do_the_work_once",
        "test_writers_go_on_while_an_upgrade_waits_for_a_long_reader",
    ),
    "tests/architecture/test_patterns.py": (
        "test_every_pattern_takes_time_in_proportion",
        "test_the_texts_find_patterns_that_take_longer",
    ),
    "tests/bench/test_growth.py": ("test_work_that_outgrows_its_input_is_a_fault",),
    "tests/cli/test_validate.py": (
        "test_documents_of_other_networks_have_the_verdict_of_the_official_en16931_rules",
    ),
    "tests/documents/test_cii_round_trip.py": (
        "test_a_written_invoice_reads_back_equal_and_is_valid_by_the_schema",
    ),
    "tests/documents/test_conversion.py": ("test_a_difference_of_any_invoice_is_named",),
    "tests/documents/test_data_round_trip.py": (
        "test_every_body_of_the_corpora_comes_back_from_its_document",
        "test_what_any_document_says_beyond_its_data_is_named",
    ),
    "tests/documents/test_restating.py": (
        "test_every_published_invoice_is_readable_as_data",
    ),
    "tests/cli/test_private_files.py": (
        "test_files_in_a_directory_that_was_there_are_readable_by_the_user_only",
    ),
    "tests/oracle/test_mutation.py": (
        "test_directed_damage_breaks_rules_that_the_corpus_does_not",
    ),
    "tests/rules/test_br_fr.py": ("test_damaged_examples_have_the_official_findings",),
    "tests/rules/test_fast_path.py": (
        "test_a_pattern_with_a_document_condition_matches_only_if_it_holds",
    ),
    "tests/rules/test_invoice_view.py": (
        "test_an_invoice_is_judged_like_the_document_written_of_it",
    ),
    "tests/rules/test_repeated_lines.py": (
        "test_repeated_lines_are_freed_without_the_collector",
        "test_the_verdict_is_that_of_the_document_read_in_full",
    ),
    "tests/services/inbound/test_mailboxes.py": (
        "test_workers_that_are_killed_lose_and_double_nothing",
    ),
    "tests/services/send/test_sends_together.py": (
        "test_a_mix_of_sends_is_answered_and_stored_together_as_alone",
    ),
    "tests/services/test_plugin_duties.py": (
        "test_a_duty_whose_worker_is_killed_runs_again_when_its_lease_ends",
    ),
    "tests/services/webhooks/test_deliveries.py": (
        "test_a_worker_killed_after_the_post_posts_again",
    ),
    "tests/store/test_release_before.py": (
        "test_messages_of_before_are_copied_in_batches_and_survive_going_back",
    ),
    "tests/store/test_releases.py": (
        "test_a_new_database_is_of_its_release_only",
        "test_a_release_runs_on_the_database_of_the_next_one_and_of_no_later_one",
    ),
    "tests/store/test_text_index.py": ("test_the_index_changes_no_result",),
    "tests/validation/test_invoice_report.py": (
        "test_a_send_has_the_report_of_the_document_written_of_it",
    ),
    "tests/validation/test_partial_languages.py": (
        "test_a_rule_that_is_not_listed_is_in_english_and_says_so",
    ),
    "tests/validation/test_robust.py": ("test_a_bad_value_in_any_place_is_reported",),
    "tests/validation/test_stored_findings.py": (
        "test_findings_as_data_are_not_longer_than_in_words",
        "test_the_words_of_every_rule_are_the_same_after_storage",
    ),
    "tests/validation/test_words.py": (
        "test_every_rule_has_a_message_an_explanation_and_a_suggestion",
        "test_findings_of_the_corpus_have_complete_sentences",
    ),
    "tests/web/test_purge.py": (
        "test_a_purge_that_is_killed_anywhere_is_finished_by_the_relay",
    ),
    "tests/web/test_compiled_schema.py": (
        "test_compiled_schema_and_schema_agree_on_every_body",
    ),
    "tests/web/test_readiness.py": (
        "test_threads_that_ask_do_not_gather_while_the_database_hangs",
    ),
}  # fmt: skip
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
    if name in _single_tests(path) or _CASES_OF_MORE & _plain_values(case):
        return True
    return has_twin and (_DYING.match(name) is not None or not _is_on_both(path))


@cache
def is_all_more(path: Path) -> bool:
    """Whether each test below the path belongs to `make test-more`."""
    return any(path.is_relative_to(ROOT / each) for each in _MORE)


@cache
def _is_on_both(path: Path) -> bool:
    return any(path.is_relative_to(ROOT / each) for each in _ON_BOTH)


@cache
def _single_tests(path: Path) -> tuple[str, ...]:
    return _MORE_TESTS.get(path.relative_to(ROOT).as_posix(), ())


def _plain_values(case: Mapping[str, object]) -> set[tuple[str, str]]:
    return {(name, value) for name, value in case.items() if isinstance(value, str)}


def named_paths() -> list[Path]:
    """Every path that this module names."""
    return [ROOT / each for each in (*_MORE, *_MORE_TESTS, *_ON_BOTH)]


def named_tests() -> list[tuple[Path, str]]:
    """Every single test that this module names."""
    return [(ROOT / file, name) for file, names in _MORE_TESTS.items() for name in names]
