"""The examples in the documentation of the modules."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import einvoice_ksef
from tests.tables import each_row

_MODULES = [each.name for each in pkgutil.walk_packages(einvoice_ksef.__path__, "einvoice_ksef.")]


@each_row("name", _MODULES)
def test_every_example_does_what_it_says(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    modules = map(importlib.import_module, _MODULES)
    finder = doctest.DocTestFinder(exclude_empty=True)

    assert sum(bool(each.examples) for module in modules for each in finder.find(module)) > 5
