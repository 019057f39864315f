/** A ZIP of files that are compressed already (PDF): each is stored as it is. Source: PKWARE APPNOTE 6.3, sections 4.3 to 4.4. */

export interface ZipEntry {
  name: string;
  content: Uint8Array<ArrayBuffer>;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

export function crc32(content: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of content) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] as number);
  return (value ^ 0xffffffff) >>> 0;
}

type Width = 2 | 4;

/** Numbers in little-endian order. */
function packed(...fields: readonly (readonly [number, Width])[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(fields.reduce((size, [, width]) => size + width, 0)));
  let place = 0;
  for (const [value, width] of fields) {
    if (width === 2) view.setUint16(place, value, true);
    else view.setUint32(place, value, true);
    place += width;
  }
  return new Uint8Array(view.buffer);
}

const UTF8_NAMES = 0x0800;
const FIRST_OF_1980 = 0x0021;

function common(content: Uint8Array, nameSize: number): (readonly [number, Width])[] {
  return [
    [20, 2],
    [UTF8_NAMES, 2],
    [0, 2],
    [0, 2],
    [FIRST_OF_1980, 2],
    [crc32(content), 4],
    [content.length, 4],
    [content.length, 4],
    [nameSize, 2],
    [0, 2],
  ];
}

export function zip(entries: readonly ZipEntry[]): Blob {
  const files: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const encoded = new TextEncoder().encode(name) as Uint8Array<ArrayBuffer>;
    const shared = common(content, encoded.length);
    const head = packed([0x04034b50, 4], ...shared);
    files.push(head, encoded, content);
    const place: (readonly [number, Width])[] = [
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [offset, 4],
    ];
    directory.push(packed([0x02014b50, 4], [20, 2], ...shared, ...place), encoded);
    offset += head.length + encoded.length + content.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = entries.length;
  const end = packed([0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [offset, 4], [0, 2]);
  return new Blob([...files, ...directory, end], { type: "application/zip" });
}
