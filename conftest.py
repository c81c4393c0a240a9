"""Hooks and clocks of all tests, those of the plugins too, are in tests/hooks and tests/clocks."""

pytest_plugins = ["tests.hooks", "tests.clocks"]
