"""The examples in the documentation of the modules."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import einvoice_ksef

_MODULES = [each.name for each in pkgutil.walk_packages(einvoice_ksef.__path__, "einvoice_ksef.")]


@pytest.mark.parametrize("name", _MODULES)
def test_every_example_does_what_it_says(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    modules = map(importlib.import_module, _MODULES)
    finder = doctest.DocTestFinder(exclude_empty=True)

    assert sum(bool(each.examples) for module in modules for each in finder.find(module)) > 5
