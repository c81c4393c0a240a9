"""Content outside of its row: objects, walks, holds and the end of retention."""
