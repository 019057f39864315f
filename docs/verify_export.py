"""Check an export of fiscal records without ledgerkit: python verify_export.py EXPORT (a directory or a .zip)."""

import json
import sys
import zipfile
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

NAME = "IDFactura/IDEmisorFactura{0} IDFactura/NumSerieFactura{0} IDFactura/FechaExpedicionFactura{0}"
END = "Encadenamiento/RegistroAnterior/Huella FechaHoraHusoGenRegistro Huella"
HASHED = {  # what each fingerprint is over, in order; the last two before it: that of the one before, and the time
    "RegistroAlta": f"{NAME.format('')} TipoFactura CuotaTotal ImporteTotal {END}",
    "RegistroAnulacion": f"{NAME.format('Anulada')} {END}",
    "Evento": "SistemaInformatico/NIF SistemaInformatico/IDOtro/ID SistemaInformatico/IdSistemaInformatico "
    "SistemaInformatico/Version SistemaInformatico/NumeroInstalacion ObligadoEmision/NIF TipoEvento "
    "Encadenamiento/EventoAnterior/HuellaEvento FechaHoraHusoGenEvento HuellaEvento",
}
export = Path(sys.argv[1])
files = {one.relative_to(export).as_posix(): one.read_bytes() for one in export.rglob("*") if one.is_file()}
if export.is_file():
    files = {name: archive.read(name) for archive in [zipfile.ZipFile(export)] for name in archive.namelist()}
manifest = json.loads(files.pop("manifest.json", b"") or sys.exit(f"{export} is no export: no manifest.json in it."))
differing = manifest["files"].items() ^ {(name, sha256(content).hexdigest()) for name, content in files.items()}
wrong = [f"{name}: not as listed in the manifest" for name in sorted({name for name, _ in differing})]
for chain in [] if wrong else manifest["chains"]:  # each one of records or of events
    count, link, total = 0, chain["follows"], Decimal(0)
    for name in sorted(one for one in files if one.startswith(chain["folder"])):
        root = ElementTree.fromstring(files[name])
        body = next(root.iterfind("{*}Evento"), root)
        paths = HASHED[body.tag.partition("}")[2]].split()
        *said, own = [body.findtext("{*}" + path.replace("/", "/{*}"), "").strip() for path in paths]
        text = "&".join(f"{path.rpartition('/')[2]}={value}" for path, value in zip(paths, said, strict=False))
        if sha256(text.encode()).hexdigest().upper() != own or said[-2] != link:
            wrong.append(f"{name}: its fingerprint is not that of what it says, or does not follow the one before it")
        count, link, total = count + 1, own, total + Decimal(body.findtext("{*}ImporteTotal") or 0)
    if (count, link, total) != (chain["count"], chain["last"]["hash"], Decimal(chain.get("grossTotal", 0))):
        wrong.append(f"{chain['folder']}: count, last record or sum is not as listed")
sys.exit("\n".join(wrong) or print("The export is whole, and its chains hold."))
