"""The schedule of attempts."""

from datetime import timedelta

import pytest

from einvoice.webhooks import schedule


def test_ten_attempts_within_about_three_days():
    """The example of Standard Webhooks (decisions 4)."""
    assert len(schedule.DELAYS) == 10
    assert timedelta(days=3) < timedelta(seconds=sum(schedule.DELAYS)) < timedelta(days=3.5)
    assert schedule.next_delay(9) is not None
    assert schedule.next_delay(10) is schedule.next_delay(11) is None


@pytest.mark.parametrize("attempts", range(1, 10))
def test_a_delay_varies_by_a_fifth(attempts):
    """So that a thousand deliveries that failed together are not repeated together."""
    delays = {schedule.next_delay(attempts).total_seconds() for _ in range(200)}
    due = schedule.DELAYS[attempts]

    assert 0.8 * due <= min(delays) < 0.9 * due
    assert 1.1 * due < max(delays) <= 1.2 * due


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [(600, 600), (86_400, 86_400), (1e9, 86_400)],
    ids=["ten minutes", "a day", "over a day"],
)
def test_a_longer_retry_after_is_respected(asked, seconds):
    """Up to a day."""
    assert schedule.next_delay(1, asked).total_seconds() == seconds


def test_a_shorter_retry_after_is_ignored():
    """`Retry-After: 1` ten times would end three days of attempts within ten seconds."""
    assert schedule.next_delay(3, 1).total_seconds() >= 0.8 * 1_800
