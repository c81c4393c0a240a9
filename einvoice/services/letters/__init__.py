"""Letters: e-mails to people about what needs them, at once or once a day.

`writing` finds who gets a letter about what and leaves it with an outbox row, `sending` hands
it to the operator's mail server, `texts` says it in the language of the person, `stopping` is the
link at its end. Events and webhooks are read where they are: nothing is written for a letter by
what happens.
"""
