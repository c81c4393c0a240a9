"""Hooks of all tests, those of the plugins too, are in tests/hooks."""

pytest_plugins = ["tests.hooks"]
