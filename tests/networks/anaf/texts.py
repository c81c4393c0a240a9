"""The answers of the authority, word for word; tests compare them with the published ones."""

from __future__ import annotations

import json
from html import escape

UPLOAD = "mfp:anaf:dgti:spv:respUploadFisier:v1"
STATE = "mfp:anaf:dgti:efactura:stareMesajFactura:v1"
ERRORS = "mfp:anaf:dgti:efactura:mesajEroriFactuta:v1"
PROLOG = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

STANDARD = "Valorile acceptate pentru parametrul standard sunt UBL, CN, CII sau RASP"
TOO_LARGE = "Marime fisier transmis mai mare de 10 MB."
CIF = "CIF introdus= {} nu este un numar"
NO_CIF = "Nu exista niciun CIF pentru care sa aveti drept in SPV"
NO_RIGHT = "Nu aveti drept in SPV pentru CIF={}"
INVALID = "Fisierul transmis nu este valid. {}"
FLAG = "Daca parametrul {} trebuie completat, valoarea acceptata este DA"
MESSAGES = "S-au incarcat deja {} de mesaje de tip RASP pentru cui={} in cursul zile"
NO_BODY = "Trebuie sa aveti atasat in request un fisier de tip xml"
UPLOAD_PARAMETERS = "Parametrii standard si cif sunt obligatorii"

STATE_PARAMETER = "Parametrul id_incarcare este obligatoriu"
STATE_NO_RIGHT = "Nu aveti dreptul de inteorgare pentru id_incarcare= {}"
STATE_NUMBER = "Id_incarcare introdus= {} nu este un numar intreg"
STATE_UNKNOWN = "Nu exista factura cu id_incarcare= {}"
STATE_QUOTA = "S-au facut deja {} descarcari de mesaj in cursul zilei"

FILE_PARAMETER = "Parametrul id este obligatoriu"
FILE_NUMBER = "Id descarcare introdus= {} nu este un numar intreg"
FILE_QUOTA = "S-au facut deja {} descarcari de mesaj in cursul zilei"
FILE_NO_RIGHT = "Nu aveti dreptul sa descarcati acesta factura"
FILE_UNKNOWN = "Pentru id={} nu exista inregistrata nici o factura"

LIST_PARAMETERS = "Parametrii zile si cif sunt obligatorii"
PAGES_PARAMETERS = "Parametrii startTime, endTime, cif si pagina sunt obligatorii"
LIST_DAYS = "Numarul de zile trebuie sa fie intre 1 si 60"
LIST_DAYS_NUMBER = "Numarul de zile introdus= {} nu este un numar intreg"
LIST_FILTER = "Valorile acceptate pentru parametrul filtru sunt E, T, P sau R"
LIST_NOTHING = "Nu exista mesaje in ultimele {} zile"
PAGES_NOTHING = "Nu exista mesaje in intervalul selectat"
LIST_TOO_MANY = (
    "Lista de mesaje este mai mare decat numarul de 500 elemente permise in pagina. "
    "Folositi endpoint-ul cu paginatie."
)
LIST_QUOTA = "S-au facut deja {} interogari de lista mesaje de catre utilizator in cursul zilei"
PAGES_VALUE = "{} = {} nu este un numar sau nu are o valoare acceptata de sistem"
PAGES_CIF = "CIF introdus= {} nu este un numar sau nu are o valoare acceptata de sistem"
PAGES_TOO_OLD = "startTime = {} nu poate fi mai vechi de 60 de zile fata de momentul requestului"
PAGES_ORDER = "endTime = {} nu poate fi <= startTime = {}"
PAGES_FUTURE = "endTime = {} nu poate in viitor fata de momentul requestului"
PAGES_BEYOND = "Pagina solicitata {} este mai mare decat numarul toatal de pagini {}"

# Not among the published answers; as observed by users of the network.
DUPLICATE = "Factura a mai fost transmisa anterior cu index={} si data incarcare={}"

SENT = "Factura cu id_incarcare={} emisa de cif_emitent={} pentru cif_beneficiar={}"
FAILED = "Erori de validare identificate la factura primita cu id_incarcare={}"
MESSAGE = (
    "Mesaj de la cumparator pentru factura cu id_incarcare={} cif_emitent={} cif_beneficiar={}"
)


def header(namespace: str, attributes: dict[str, str], *errors: str) -> bytes:
    """An XML header with attributes, and with errors."""
    shown = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items())
    start = f'{PROLOG}<header xmlns="{namespace}"{shown}'
    if not errors:
        return f"{start}/>".encode()
    lines = "".join(f'\n    <Errors errorMessage="{escape(each)}"/>' for each in errors)
    return f"{start}>{lines}\n</header>".encode()


def error_file(index: str, cif: str, errors: list[str]) -> bytes:
    """The file of the errors of a rejected document."""
    lines = "".join(f'<Error errorMessage="{escape(each)}"/>' for each in errors)
    return (
        f'{PROLOG}<header xmlns="{ERRORS}" Index_incarcare="{index}" Cif_emitent="{cif}">'
        f"{lines}</header>"
    ).encode()


def fault(title: str, text: str) -> bytes:
    """A JSON answer about a fault of a call."""
    return json.dumps({"eroare": text, "titlu": title}, ensure_ascii=False).encode()


def bad_request(moment: str, text: str) -> bytes:
    """The JSON answer where a parameter is missing."""
    values = {"timestamp": moment, "status": 400, "error": "Bad Request", "message": text}
    return json.dumps(values).encode()
