"""Check an export of fiscal records without ledgerkit: python verify_export.py EXPORT (a directory or a .zip)."""

import json
import sys
import zipfile
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from xml.etree import ElementTree

INVOICE = ("IDEmisorFactura", "NumSerieFactura", "FechaExpedicionFactura")
ISSUE = (*INVOICE, "TipoFactura", "CuotaTotal", "ImporteTotal", "Huella", "FechaHoraHusoGenRegistro")
ANNUL = (*(f"{name}Anulada" for name in INVOICE), "Huella", "FechaHoraHusoGenRegistro")


def contents(path):
    if path.is_dir():
        return {one.relative_to(path).as_posix(): one.read_bytes() for one in path.rglob("*") if one.is_file()}
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def chain_faults(chain, records):
    link, total = (chain["previous"] or {}).get("hash", ""), Decimal(0)
    for position, (name, content) in enumerate(sorted(records.items()), chain["first"]["position"]):
        root = ElementTree.fromstring(content)
        said = {
            one.tag.rpartition("}")[2]: one.text or "" for part in (root, root.find("{*}IDFactura")) for one in part
        }
        carried = root.findtext("{*}Encadenamiento/{*}RegistroAnterior/{*}Huella") or ""
        fields = ANNUL if root.tag.endswith("Anulacion") else ISSUE
        text = "&".join(f"{field}={(said | {'Huella': carried})[field].strip()}" for field in fields)
        if sha256(text.encode()).hexdigest().upper() != said["Huella"]:
            yield f"{name}: its fingerprint is not that of what it says"
        if carried != link or int(Path(name).name[:10]) != position:
            yield f"{name}: it does not follow the record before it"
        link, total = said["Huella"], total + Decimal(said.get("ImporteTotal", 0))
    if (len(records), link, total) != (chain["records"], chain["last"]["hash"], Decimal(chain["grossTotal"])):
        yield f"{chain['installationNumber']}: count, last record or sum is not as listed"


def faults(files):
    manifest = json.loads(files.pop("manifest.json"))
    for name in sorted(files.keys() | manifest["files"].keys()):
        if name not in files or sha256(files[name]).hexdigest() != manifest["files"].get(name):
            yield f"{name}: not as listed in the manifest"
    for chain in manifest["chains"]:
        prefix = f"{chain['installationNumber']}/records/"
        yield from chain_faults(chain, {name: data for name, data in files.items() if name.startswith(prefix)})


if __name__ == "__main__":
    found = list(faults(contents(Path(sys.argv[1]))))
    print("\n".join(found) or "The export is whole, and its chains hold.")
    sys.exit(bool(found))
