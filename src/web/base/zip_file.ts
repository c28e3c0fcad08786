// A ZIP file of text files, not compressed. The same files give the same bytes.

export interface FileInZip {
  name: string; // a path with slashes
  text: string;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let bits = byte;
  for (let i = 0; i < 8; ++i) bits = bits & 1 ? (bits >>> 1) ^ 0xedb88320 : bits >>> 1;
  return bits;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!;
  return ~crc >>> 0;
}

/// Numbers of 2 or 4 bytes, the lowest byte first.
function numbers(...fields: [size: 2 | 4, value: number][]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap(([size, value]) => Array.from({ length: size }, (_, i) => (value >>> (8 * i)) & 0xff)),
  );
}

const NAMES_ARE_UTF8 = 0x0800;
const FIRST_OF_1980 = 0x21;

/// The fields that a file's own header and its entry in the directory share.
const shared = (name: Uint8Array, contents: Uint8Array): [2 | 4, number][] => [
  [2, 20], // the version that can read it
  [2, NAMES_ARE_UTF8],
  [2, 0], // not compressed
  [2, 0], // the time
  [2, FIRST_OF_1980],
  [4, crc32(contents)],
  [4, contents.length],
  [4, contents.length],
  [2, name.length],
  [2, 0],
];

export function zipFile(files: FileInZip[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const [parts, directory]: [Uint8Array[], Uint8Array[]] = [[], []];
  const sizeOf = (list: Uint8Array[]) => list.reduce((sum, { length }) => sum + length, 0);
  for (const file of files) {
    const [name, contents] = [encoder.encode(file.name), encoder.encode(file.text)];
    const offset = sizeOf(parts);
    parts.push(numbers([4, 0x04034b50], ...shared(name, contents)), name, contents);
    directory.push(
      numbers([4, 0x02014b50], [2, 20], ...shared(name, contents), [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
      name,
    );
  }
  const end = numbers(
    ...([
      [4, 0x06054b50],
      [2, 0],
      [2, 0],
      [2, files.length],
      [2, files.length],
    ] as [2 | 4, number][]),
    ...([
      [4, sizeOf(directory)],
      [4, sizeOf(parts)],
      [2, 0],
    ] as [2 | 4, number][]),
  );
  const all = [...parts, ...directory, end];
  const bytes = new Uint8Array(sizeOf(all));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
