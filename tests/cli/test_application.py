"""The application as processes that stay have it."""

from __future__ import annotations

import gc

from einvoice.cli import application
from einvoice.store import db


def test_the_collector_passes_by_what_a_process_consists_of(monkeypatch, tmp_path):
    """To walk it takes a seventh of a second, and no request is answered meanwhile."""
    monkeypatch.setenv("EINVOICE_DATA_DIR", str(tmp_path))
    try:
        app = application.long_running_application()
        assert gc.get_freeze_count() > 100_000
        assert len(gc.get_objects()) < 1_000
    finally:
        gc.unfreeze()
    with app.app_context():
        db.db.engine.dispose()
