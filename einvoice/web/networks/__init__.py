"""/networks/<name>/…: the plugins' own endpoints, where networks push; each asks who is there."""
