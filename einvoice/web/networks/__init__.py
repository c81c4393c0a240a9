"""/networks/<name>/…: endpoints of plugins, to which networks push; each has its own credential."""
