import { expect, it } from "vitest";
import { rowsOf, textOf } from "./csv";

it("reads rows by the names of the header, whatever the delimiter", () => {
  const rows = [{ name: "Tornillo", unitPrice: "0,12" }];
  expect(rowsOf("name;unitPrice\r\nTornillo;0,12\r\n")).toEqual(rows);
  expect(rowsOf('\ufeffname,unitPrice\nTornillo,"0,12"')).toEqual(rows);
  expect(rowsOf("name\tunitPrice\nTornillo\t0,12\n\n")).toEqual(rows);
});

it("keeps quotes, delimiters and line ends of quoted cells", () => {
  expect(rowsOf('name,description\n"Taza ""Sol""","azul,\nde barro"\n')).toEqual([
    { name: 'Taza "Sol"', description: "azul,\nde barro" },
  ]);
});

it("leaves out empty lines, and fills short ones", () => {
  expect(rowsOf("name,sku,\n,,\nTaza\n")).toEqual([{ name: "Taza", sku: "" }]);
  expect(rowsOf("")).toEqual([]);
});

it("reads files of Windows", async () => {
  expect(await textOf(new Blob([new Uint8Array([0x43, 0x61, 0xf1, 0x61])]))).toBe("Caña");
  expect(await textOf(new Blob(["Caña"]))).toBe("Caña");
});
