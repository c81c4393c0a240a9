"""Invoice → view, without writing XML: what a send is judged on.

`view_of` says the same as the UBL writer (documents/ubl): which term becomes which element. A
property test holds the two together: the verdict here is the verdict on the written document.
Only what no rule reads is not the same: the content of attachments, and the order of elements
that differ in name.
"""

from einvoice.rules.model.document import view_of

__all__ = ["view_of"]
