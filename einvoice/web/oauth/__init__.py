"""OAuth 2.0: access tokens for programs, and the metadata for their clients."""
