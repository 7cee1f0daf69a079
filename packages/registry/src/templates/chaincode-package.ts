import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { invalidRequest } from '@ledger-ops/base';
import { extract } from 'tar-stream';
import { z } from 'zod';

/** A chaincode package as `peer lifecycle chaincode package` writes it. */
export interface ChaincodePackage {
  /** The .tar.gz in base64, in one form. */
  code: string;
  /** The name that people see. */
  label: string;
  /** `ccaas`, `node`, `golang`, `java` … */
  type: string;
  /** `label:sha256`, by which Fabric knows it once it is installed. */
  packageId: string;
}

/** The most that a body of a request can hold in base64. */
const maxPackage = 7_340_032;
/** Of what it unpacks to, and its code once more. */
const maxUnpacked = 67_108_864;
/** Of a file of JSON: sixty megabytes of it are parsed for many seconds. */
const maxJson = 65_536;
const maxFiles = 20_000;

const unzip = promisify(gunzip);
/** As Fabric's own check has it. */
const metadata = z.object({
  label: z
    .string()
    .max(256, { abort: true })
    .regex(/^[a-zA-Z0-9]+(?:[.+_-][a-zA-Z0-9]+)*$/),
  type: z.string().regex(/^\P{Cc}{1,64}$/u),
});
/** How a peer reaches chaincode that runs as a service. */
const connection = z.object({ address: z.string().min(1) });

/**
 * Reads a chaincode package: base64 of the gzip of a tar with `metadata.json` and `code.tar.gz`. Its contents are
 * unpacked within limits, in memory, and never run.
 *
 * @throws Problem `invalid-request` at the pointer, in words of the package
 */
export async function readChaincodePackage(given: string, pointer: string): Promise<ChaincodePackage> {
  const refuse = (detail: string) =>
    invalidRequest([{ pointer, detail: `is no chaincode package: ${detail}` }]);
  const bytes = decode(given);
  if (bytes === null) throw refuse('base64 of a .tar.gz is expected');
  if (bytes.length > maxPackage) throw refuse(`it has more than ${maxPackage} bytes`);
  const files = await unpack(bytes, refuse, 'it', ['metadata.json', 'code.tar.gz']);
  const [described, code] = [files.get('metadata.json'), files.get('code.tar.gz')];
  if (described === undefined || code === undefined) {
    throw refuse('it must hold the files metadata.json and code.tar.gz');
  }
  const read = metadata.safeParse(parse(described));
  if (!read.success) throw refuse('its metadata.json must have a label that Fabric takes, and a type');
  const { label, type } = read.data;
  const sources = await unpack(code, refuse, 'its code.tar.gz', ['connection.json']);
  const reached = sources.get('connection.json');
  if (type === 'ccaas' && !connection.safeParse(reached === undefined ? null : parse(reached)).success) {
    throw refuse('its code.tar.gz must hold a connection.json with the address of the service');
  }
  const packageId = `${label}:${createHash('sha256').update(bytes).digest('hex')}`;
  return { code: bytes.toString('base64'), label, type, packageId };
}

function decode(text: string): Buffer | null {
  const plain = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  if (plain === '' || plain.length % 4 !== 0) return null;
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(plain, 'base64');
  // Characters that are no base64 are read over, and then missing. A pattern takes ten times as long.
  return bytes.length === (plain.length / 4) * 3 - padding ? bytes : null;
}

/** The wanted files of a .tar.gz, by name. All others are read over. */
async function unpack(
  bytes: Buffer,
  refuse: (detail: string) => Error,
  what: string,
  wanted: readonly string[],
): Promise<Map<string, Buffer>> {
  const tar = await unzip(bytes, { maxOutputLength: maxUnpacked }).catch((error: unknown) => {
    const large = error instanceof RangeError;
    throw refuse(large ? `${what} unpacks to more than ${maxUnpacked} bytes` : `${what} is not gzip`);
  });
  const files = new Map<string, Buffer>();
  const reader = extract();
  reader.end(tar);
  let count = 0;
  try {
    for await (const entry of reader) {
      count += 1;
      if (count > maxFiles) break;
      const chunks: Uint8Array[] = [];
      const name = entry.header.name.replace(/^\.\//, '');
      const kept = wanted.includes(name) && entry.header.type === 'file';
      for await (const chunk of entry) if (kept && chunk instanceof Uint8Array) chunks.push(chunk);
      if (kept && files.has(name)) throw new TypeError('twice');
      if (kept) files.set(name, Buffer.concat(chunks));
    }
  } catch {
    throw refuse(`${what} holds no sound tar`);
  }
  if (count === 0) throw refuse(`${what} holds no files`);
  if (count > maxFiles) throw refuse(`${what} holds more than ${maxFiles} files`);
  return files;
}

function parse(bytes: Buffer): unknown {
  if (bytes.length > maxJson) return null;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return null;
  }
}
