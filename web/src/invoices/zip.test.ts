import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { crc32, zip } from "./zip";

const bytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

it("has the checksum of the format", () => expect(crc32(bytes("123456789"))).toBe(0xcbf43926));

it("is read by another program", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "zip-")), "facturas.zip");
  const made = zip([
    { name: "F2026-0001.pdf", content: bytes("uno") },
    { name: "Ñandú.pdf", content: bytes("dos".repeat(1000)) },
  ]);
  writeFileSync(file, Buffer.from(await made.arrayBuffer()));
  const script =
    "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), [(i.filename, i.file_size) for i in z.infolist()])";

  expect(execFileSync("python3", ["-c", script, file], { encoding: "utf8" }).trim()).toBe(
    "None [('F2026-0001.pdf', 3), ('Ñandú.pdf', 3000)]",
  );
});
