"""The fixtures of the service that the tests of the plugin use."""

from tests.conftest import move

__all__ = ["move"]
