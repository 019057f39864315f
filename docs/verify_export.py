"""Check an export of fiscal records without ledgerkit: python verify_export.py EXPORT (a directory or a .zip)."""

import json
import sys
import zipfile
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

HASHED = {  # what each fingerprint is over, in order; the last two before it: that of the one before, and the time
    "RegistroAlta": "IDFactura/IDEmisorFactura IDFactura/NumSerieFactura IDFactura/FechaExpedicionFactura TipoFactura "
    "CuotaTotal ImporteTotal Encadenamiento/RegistroAnterior/Huella FechaHoraHusoGenRegistro Huella",
    "RegistroAnulacion": "IDFactura/IDEmisorFacturaAnulada IDFactura/NumSerieFacturaAnulada "
    "IDFactura/FechaExpedicionFacturaAnulada Encadenamiento/RegistroAnterior/Huella FechaHoraHusoGenRegistro Huella",
    "RegistroEvento": "Evento/SistemaInformatico/NIF Evento/SistemaInformatico/IDOtro/ID Evento/SistemaInformatico/"
    "IdSistemaInformatico Evento/SistemaInformatico/Version Evento/SistemaInformatico/NumeroInstalacion Evento/"
    "ObligadoEmision/NIF Evento/TipoEvento Evento/Encadenamiento/EventoAnterior/HuellaEvento "
    "Evento/FechaHoraHusoGenEvento Evento/HuellaEvento",
}
export = Path(sys.argv[1])
if export.is_dir():
    files = {one.relative_to(export).as_posix(): one.read_bytes() for one in export.rglob("*") if one.is_file()}
else:
    archive = zipfile.ZipFile(export)
    files = {name: archive.read(name) for name in archive.namelist()}
manifest = json.loads(files.pop("manifest.json"))
differing = manifest["files"].items() ^ {(name, sha256(content).hexdigest()) for name, content in files.items()}
wrong = [f"{name}: not as listed in the manifest" for name in sorted({name for name, _ in differing})]
for chain in [] if wrong else manifest["chains"]:  # each one of records or of events
    count, link, total = 0, chain["follows"], Decimal(0)
    for name in sorted(one for one in files if one.startswith(chain["folder"])):
        root = ElementTree.fromstring(files[name])
        paths = HASHED[root.tag.partition("}")[2]].split()
        *said, own = [(root.findtext("{*}" + path.replace("/", "/{*}")) or "").strip() for path in paths]
        text = "&".join(f"{path.rpartition('/')[2]}={value}" for path, value in zip(paths, said, strict=False))
        if sha256(text.encode()).hexdigest().upper() != own:
            wrong.append(f"{name}: its fingerprint is not that of what it says")
        if said[-2] != link:
            wrong.append(f"{name}: it does not follow the one before it")
        count, link, total = count + 1, own, total + Decimal(root.findtext("{*}ImporteTotal") or 0)
    if (count, link, total) != (chain["count"], chain["last"]["hash"], Decimal(chain.get("grossTotal", 0))):
        wrong.append(f"{chain['folder']}: count, last record or sum is not as listed")
print("\n".join(wrong) or "The export is whole, and its chains hold.")
sys.exit(bool(wrong))
