"""Answers of the authority as text, to be spoiled."""

from ledgerkit.providers.es.verifactu.xml import INFORMATION, SOAP


def envelope(namespace: str, root: str, *content: str) -> bytes:
    """`content` in the answer `root`; the prefix `r` is its namespace, `i` that of what records have in common."""
    return (
        f'<e:Envelope xmlns:e="{SOAP}" xmlns:r="{namespace}" xmlns:i="{INFORMATION}"><e:Body>'
        f"<r:{root}>{''.join(content)}</r:{root}></e:Body></e:Envelope>"
    ).encode()


def fault(kind: str, text: str) -> bytes:
    return (
        f'<e:Envelope xmlns:e="{SOAP}"><e:Body><e:Fault><faultcode>e:{kind}</faultcode>'
        f"<faultstring>{text}</faultstring></e:Fault></e:Body></e:Envelope>"
    ).encode()


HTML = b"<html><head><title>Error</title></head><body>502</body></html>"


def with_entity(body: bytes) -> bytes:
    """A document type that reads a file into `&x;`."""
    return b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + body


def with_document_type(body: bytes) -> bytes:
    return b'<?xml version="1.0"?><!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd">' + body
