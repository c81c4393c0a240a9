from . import account_move, bills, company, partner
