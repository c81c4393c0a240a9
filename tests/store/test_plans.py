"""Which processes keep the plans of their statements."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice.store import db

MODE = sa.text("SELECT current_setting('plan_cache_mode')")


@pytest.mark.parametrize(("keeps", "mode"), [(False, "force_custom_plan"), (True, "auto")])
def test_jobs_keep_their_plans_and_the_web_does_not(app: Flask, keeps: bool, mode: str) -> None:
    """Tables grow under the web's many questions; a job asks the same few all day."""
    if not db.is_postgresql():
        pytest.skip("SQLite has no such choice")
    db.db.engine.dispose()
    if keeps:
        db.keep_plans(app)
    with db.reading() as connection:
        found = connection.execute(MODE).scalar_one()

    assert found == mode
