{
    "name": "einvoice",
    "summary": "Sends posted invoices over Peppol and other networks, and books what arrives",
    "version": "19.0.1.0.0",
    "author": "The authors of einvoice",
    "category": "Accounting/Accounting",
    "license": "Other OSI approved licence",
    "depends": ["account"],
    "external_dependencies": {"python": ["einvoice_client"]},
    "data": ["data/cron.xml", "views/views.xml"],
}
