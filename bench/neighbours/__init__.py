"""Two neighbouring releases on one database and one Redis: `python -m bench.neighbours [COMMIT]`.

release   a release made from a commit: its wheels in an environment of their own, and its processes
traffic   clients that send, push received documents, read and list, at either release
book      what became of each document, and what processes said went wrong
"""
