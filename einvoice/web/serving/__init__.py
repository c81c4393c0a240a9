"""How the web process gets its requests from the server and runs the application for them.

`granian_worker` is the process, `intake` a request from its head to its response, `wsgi_call` the
call of the application.
"""
