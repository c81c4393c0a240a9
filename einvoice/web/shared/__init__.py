"""Code shared by families of routes. Families import from here, never from each other."""
