"""The database says which releases run on it: the one that upgraded it, and the one before."""

from __future__ import annotations

import click
import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.cli import application, doctor_checks
from einvoice.store.core import db
from einvoice.store.installation import schema, schema_revisions, service_states
from einvoice.store.installation.schema import Releases, SchemaState
from einvoice.store.installation.schema_revisions import NewerRelease

HERE = f"{schema.newest():04d}"
NEXT = f"{schema.newest() + 1:04d}"
LATER = f"{schema.newest() + 2:04d}"

# Revision of the database, what its last upgrade noted, what it is for this release
CASES = [
    (HERE, Releases(HERE, "0001"), SchemaState.CURRENT),
    (NEXT, Releases(NEXT, HERE), SchemaState.NEWER),
    (NEXT, Releases(NEXT, "0001"), SchemaState.NEWER),
    (NEXT, None, SchemaState.NEWER),
    # The upgrade of the next release has failed halfway, and that of the one after it.
    (NEXT, Releases(HERE, "0001"), SchemaState.NEWER),
    (LATER, Releases(NEXT, HERE), SchemaState.INCOMPATIBLE),
    (LATER, Releases(LATER, NEXT), SchemaState.INCOMPATIBLE),
    (NEXT, Releases(NEXT, NEXT), SchemaState.INCOMPATIBLE),
]


def set_up(revision: str, noted: Releases | None) -> None:
    with db.writing() as connection:
        connection.execute(
            sa.text("UPDATE alembic_version SET version_num = :number"), {"number": revision}
        )
        service_states.forget(connection, schema.NOTE, clock.now().replace(year=9999))
        if noted is not None:
            value = {"newest": noted.newest, "oldest": noted.oldest}
            service_states.write(connection, schema.NOTE, clock.now(), value)


def noted() -> Releases | None:
    with db.reading() as connection:
        return schema.releases_of(connection)


def test_a_release_runs_on_the_database_of_the_next_one_and_of_no_later_one(app: Flask) -> None:
    """`db upgrade`, /readyz and doctor agree on it."""
    for revision, releases, expected in CASES:
        set_up(revision, releases)
        with db.reading() as connection:
            assert schema.state(connection) is expected
        refused = expected is SchemaState.INCOMPATIBLE
        serious = [one.message for one in doctor_checks.check_database() if one.serious]
        assert any("more than one ahead" in words for words in serious) is refused
        if refused:
            with pytest.raises(NewerRelease, match="cannot run on it"):
                schema_revisions.upgrade()
        else:
            schema_revisions.upgrade()
            assert schema_revisions.current()[0] == revision


def test_a_relay_or_worker_works_on_tables_that_its_release_may_use_only(app: Flask) -> None:
    """New workers beside a failed upgrade would fail documents; whoever starts them goes on with
    those of the release before."""
    older = (f"{schema.newest() - 1:04d}", Releases("0047", "0046"), SchemaState.OLDER)
    for revision, releases, expected in [*CASES, older, ("other", None, SchemaState.UNKNOWN)]:
        set_up(revision, releases)
        if expected in {SchemaState.CURRENT, SchemaState.NEWER}:
            application.refuse_other_schema(app)
        else:
            with pytest.raises(click.ClickException, match=rf"\({expected}\)\.$"):
                application.refuse_other_schema(app)


def test_an_upgrade_notes_its_release_and_the_one_before(app: Flask) -> None:
    """One that runs again changes nothing of it."""
    set_up(HERE, Releases("0047", "0046"))
    for _ in range(2):
        schema_revisions.upgrade()
        assert noted() == Releases(HERE, "0047")


def test_a_downgrade_notes_what_it_has_left(app: Flask) -> None:
    """The release of before runs again, and its next upgrade finds it as the one before."""
    before = f"{schema.newest() - 1:04d}"
    schema_revisions.downgrade(before)
    left = noted()
    schema_revisions.upgrade()

    assert left in (None, Releases(before, before))  # None: the notes are of the newest revision
    assert noted() == Releases(HERE, before)


def test_a_new_database_is_of_its_release_only(app: Flask) -> None:
    schema_revisions.downgrade("base")
    schema_revisions.upgrade()

    assert noted() == Releases(HERE, HERE)
