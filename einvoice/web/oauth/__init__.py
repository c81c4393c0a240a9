"""OAuth 2.0: access tokens for programs, and where clients learn how to get them."""
