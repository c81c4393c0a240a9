"""The page /status: how the service is, for everybody."""
