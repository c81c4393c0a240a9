from tests.services.webhooks.ground import endpoint, ground, receiver, settings, webhook_app

__all__ = ["endpoint", "ground", "receiver", "settings", "webhook_app"]
