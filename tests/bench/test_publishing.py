"""The trial of publishing, at a size that ends: workers are killed, the directory agrees."""

from __future__ import annotations

from bench import publishing


def test_the_directory_agrees_with_the_claims_however_many_workers_are_killed(tmp_path):
    """`python -m bench.publishing` does it with 10,000 ids and 1,000 kills."""
    found = publishing.run(60, 12, tmp_path)

    assert (found.missing, found.surplus) == ((), ())
    assert found.listed == 39
    assert found.kills > 0
