from tests.loopback import authority, serve

__all__ = ["authority", "serve"]
