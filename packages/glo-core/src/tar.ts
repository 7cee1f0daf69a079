/** Size of a header in bytes; contents are padded to a multiple of this size. */
const block = 512;
/** Maximum number of entries of an archive, including headers for long names. */
export const mostTarEntries = 20_000;
/**
 * Maximum size in bytes of one header for long names, and of all such headers together: reading them takes far longer
 * than reading files.
 */
const longestHeader = 65_536;
const longestHeaders = 4_194_304;
/** Maximum number of records of all pax headers together. */
const mostRecords = 40_000;

interface Entry {
  name: string;
  kind: string;
  size: number;
}

/**
 * Returns the requested files of a tar (ustar, pax or GNU) by name, without a leading `./`. Others are
 * skipped without copying, so that the number of entries bounds the work. Reading ends at two blocks of
 * zeros, as in Go and in Fabric.
 *
 * @returns the files and the number of entries
 * @throws RangeError if there are more than `mostTarEntries`
 * @throws TypeError if it is not a tar, is truncated, has too much metadata, or contains a requested file
 * twice
 */
export function readTar(
  tar: Uint8Array,
  wanted: readonly string[],
): { files: Map<string, Uint8Array>; entries: number } {
  const files = new Map<string, Uint8Array>();
  let entries = 0;
  let metadata = 0;
  let records = 0;
  let longName: string | undefined;
  let longSize: number | undefined;
  let wasZero = false;
  for (let at = 0; at < tar.length; ) {
    const header = tar.subarray(at, at + block);
    at += block;
    const entry = readHeader(header);
    if (entry === undefined) {
      if (wasZero) break;
      wasZero = true;
      continue;
    }
    wasZero = false;
    entries += 1;
    if (entries > mostTarEntries) throw new RangeError('The archive has too many files.');
    const isMetadata = /[xgLK]/.test(entry.kind);
    const size = isMetadata ? entry.size : hasContent(entry) ? (longSize ?? entry.size) : 0;
    const content = tar.subarray(at, at + size);
    if (content.length < size) throw new TypeError('The archive is truncated.');
    at += block * Math.ceil(size / block);
    if (isMetadata) {
      metadata += size;
      if (size > longestHeader || metadata > longestHeaders)
        throw new TypeError('The archive has too much metadata.');
      if (entry.kind === 'L') longName = textIn(content, 0, size);
      if (entry.kind === 'x') {
        const { path, size: more, count } = readPax(content, mostRecords - records);
        records += count;
        longName = path ?? longName;
        longSize = more;
      }
      continue;
    }
    const name = (longName ?? entry.name).replace(/^\.\//, '');
    longName = undefined;
    longSize = undefined;
    if ((entry.kind !== '0' && entry.kind !== '\0') || !wanted.includes(name)) continue;
    if (files.has(name)) throw new TypeError('The archive contains the same file twice.');
    files.set(name, content);
  }
  return { files, entries };
}

/** False for links, devices, folders and pipes: Go ignores their size, and other readers must agree with Fabric. */
function hasContent({ kind }: Entry): boolean {
  return !/[1-6]/.test(kind);
}

/** Undefined for a block of zeros. */
function readHeader(header: Uint8Array): Entry | undefined {
  let sum = 8 * 32;
  for (let at = 0; at < header.length; at += 1) sum += at >= 148 && at < 156 ? 0 : (header[at] ?? 0);
  if (sum === 8 * 32) return undefined;
  if (header.length < block || sum !== octalIn(header, 148, 8))
    throw new TypeError('The archive has a corrupt header.');
  const magic = textIn(header, 257, 8);
  if (!magic.startsWith('ustar')) throw new TypeError('The archive format is unknown.');
  const prefix = magic === 'ustar  ' ? '' : textIn(header, 345, 155);
  const name = textIn(header, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    kind: String.fromCharCode(header[156] ?? 0),
    size: sizeIn(header),
  };
}

/** Returns the size in a header: octal digits, or a binary number after a first byte of 0x80. */
function sizeIn(header: Uint8Array): number {
  let size = 0;
  if (header[124] === 0x80) for (const byte of header.subarray(125, 136)) size = size * 256 + byte;
  else size = octalIn(header, 124, 12);
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw new TypeError('The archive has an invalid size field.');
}

/** Reads octal digits between spaces and a zero byte; NaN for anything else. */
function octalIn(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let place = at; place < at + length; place += 1) {
    const byte = bytes[place] ?? 0;
    if (byte === 0) break;
    if (byte === 32) continue;
    if (byte < 48 || byte > 55) return Number.NaN;
    value = value * 8 + byte - 48;
  }
  return value;
}

// This package is compiled without platform types, but all platforms have TextDecoder.
declare const TextDecoder: new () => { decode(bytes: Uint8Array): string };
const decoder = /*@__PURE__*/ new TextDecoder();

/** Returns the text up to a zero byte. */
function textIn(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return decoder.decode(end === -1 ? field : field.subarray(0, end));
}

interface Pax {
  path: string | undefined;
  size: number | undefined;
  /** Number of records. */
  count: number;
}

/**
 * Path and size of the next entry, from a pax header. Each record is its own length in decimal, a space, `name=value`
 * and a line feed.
 */
function readPax(content: Uint8Array, most: number): Pax {
  let count = 0;
  let path: string | undefined;
  let size: number | undefined;
  for (let at = 0; at < content.length; ) {
    const space = content.subarray(at, at + 8).indexOf(32);
    const length = Number(textIn(content, at, Math.max(0, space)));
    const isSound = space > 0 && Number.isInteger(length) && length > space + 1;
    if (!isSound || at + length > content.length)
      throw new TypeError('The archive has a corrupt pax header.');
    const equals = content.subarray(at, at + space + 16).indexOf(61);
    const name = textIn(content, at + space + 1, Math.max(0, equals - space - 1));
    const value = () => textIn(content, at + equals + 1, length - equals - 2);
    if (name === 'path') path = value();
    if (name === 'size') {
      size = Number(value());
      if (!Number.isSafeInteger(size) || size < 0)
        throw new TypeError('The archive has an invalid size field.');
    }
    at += length;
    count += 1;
    if (count > most) throw new TypeError('The archive has too much metadata.');
  }
  return { path, size, count };
}
