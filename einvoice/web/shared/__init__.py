"""What several families of routes share. Families import from here, never from each other."""
