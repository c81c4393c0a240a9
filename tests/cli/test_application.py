"""The application of long-running processes."""

from __future__ import annotations

import gc

from einvoice.cli import application
from einvoice.store import db


def test_the_garbage_collector_skips_the_objects_of_the_start(monkeypatch, tmp_path):
    """Collecting them would pause every request for 140 ms."""
    monkeypatch.setenv("EINVOICE_DATA_DIR", str(tmp_path))
    try:
        app = application.long_running_application()
        assert gc.get_freeze_count() > 100_000
        assert len(gc.get_objects()) < 1_000
    finally:
        gc.unfreeze()
    with app.app_context():
        db.db.engine.dispose()
