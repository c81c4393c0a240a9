"""The measure of growth finds what is slower than linear, and nothing else."""

from __future__ import annotations

import re

import pytest

from tests import growth

BRACES = re.compile(r"\{([^}]*)\}([\w.-]+)")
EXPONENTIAL = re.compile(r"(?:a+)+b")


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(BRACES.findall, id="the square"),
        pytest.param(EXPONENTIAL.match, id="exponential"),
        pytest.param(lambda text: [text.count("x") for _ in text], id="a loop in a loop"),
    ],
)
def test_work_that_outgrows_its_input_is_a_fault(work):
    text = "{" if work == BRACES.findall else "a"

    assert growth.fault(work, lambda size: text * size)


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(re.compile(r"\{([^{}]*)\}").findall, id="a linear pattern"),
        pytest.param(sorted, id="a sort"),
        pytest.param(lambda text: sum(range(50_000)), id="a fixed cost"),
    ],
)
def test_work_in_proportion_is_none(work):
    assert growth.fault(work, lambda size: "{" * size) is None
