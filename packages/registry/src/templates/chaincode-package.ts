import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { invalidRequest } from '@ledger-ops/base';
import { mostTarEntries, readTar } from '@ledger-ops/glo-core';
import { z } from 'zod';

/** A chaincode package, as created by `peer lifecycle chaincode package`. */
export interface ChaincodePackage {
  /** The .tar.gz as normalized base64. */
  code: string;
  /** Display name of the chaincode. */
  label: string;
  /** `ccaas`, `node`, `golang`, `java` … */
  type: string;
  /** `label:sha256`, the id under which Fabric installs it. */
  packageId: string;
}

/** Maximum package size: what a request body can hold in base64. */
const maxPackage = 7_340_032;
/** Maximum unpacked size, for the package and for its code separately. */
const maxUnpacked = 67_108_864;
/** Maximum size of a JSON file: parsing sixty megabytes would take many seconds. */
const maxJson = 65_536;

const unzip = promisify(gunzip);
/** The same pattern as in Fabric. */
const metadata = z.object({
  label: z
    .string()
    .max(256, { abort: true })
    .regex(/^[a-zA-Z0-9]+(?:[.+_-][a-zA-Z0-9]+)*$/),
  type: z.string().regex(/^\P{Cc}{1,64}$/u),
});
/** Address of chaincode that runs as a service. */
const connection = z.object({ address: z.string().min(1) });

/**
 * Reads a chaincode package: base64 of a .tar.gz with `metadata.json` and `code.tar.gz`. Its contents are unpacked in
 * memory, within limits, and never run.
 *
 * @throws Problem `invalid-request` at the pointer, with messages that name parts of the package
 */
export async function readChaincodePackage(given: string, pointer: string): Promise<ChaincodePackage> {
  const refuse = (detail: string) =>
    invalidRequest([{ pointer, detail: `is not a chaincode package: ${detail}` }]);
  const bytes = decode(given);
  if (bytes === null) throw refuse('it must be the base64 of a .tar.gz file');
  if (bytes.length > maxPackage) throw refuse(`it has more than ${maxPackage} bytes`);
  const files = await unpack(bytes, refuse, 'it', ['metadata.json', 'code.tar.gz']);
  const [described, code] = [files.get('metadata.json'), files.get('code.tar.gz')];
  if (described === undefined || code === undefined) {
    throw refuse('it must contain the files metadata.json and code.tar.gz');
  }
  const read = metadata.safeParse(parse(described));
  if (!read.success) throw refuse('its metadata.json must have a type and a label that Fabric accepts');
  const { label, type } = read.data;
  const sources = await unpack(code, refuse, 'its code.tar.gz', ['connection.json']);
  const reached = sources.get('connection.json');
  if (type === 'ccaas' && !connection.safeParse(reached === undefined ? null : parse(reached)).success) {
    throw refuse('its code.tar.gz must contain a connection.json with the address of the service');
  }
  const packageId = `${label}:${createHash('sha256').update(bytes).digest('hex')}`;
  return { code: bytes.toString('base64'), label, type, packageId };
}

function decode(text: string): Buffer | null {
  const plain = /\s/.test(text) ? text.replace(/\s+/g, '') : text;
  if (plain === '' || plain.length % 4 !== 0) return null;
  const padding = plain.endsWith('==') ? 2 : plain.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(plain, 'base64');
  // The decoder skips characters that are not base64, which leaves fewer bytes than expected. A regular expression
  // would take ten times as long.
  return bytes.length === (plain.length / 4) * 3 - padding ? bytes : null;
}

/** Returns the wanted files of a .tar.gz, by name, and skips all others. */
async function unpack(
  bytes: Uint8Array,
  refuse: (detail: string) => Error,
  what: string,
  wanted: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const tar = await unzip(bytes, { maxOutputLength: maxUnpacked }).catch((error: unknown) => {
    const large = error instanceof RangeError;
    throw refuse(large ? `${what} unpacks to more than ${maxUnpacked} bytes` : `${what} is not a gzip file`);
  });
  const { files, entries } = readWanted(tar, wanted, (detail) => refuse(`${what} ${detail}`));
  if (entries === 0) throw refuse(`${what} contains no files`);
  return files;
}

function readWanted(tar: Buffer, wanted: readonly string[], refuse: (detail: string) => Error) {
  try {
    return readTar(tar, wanted);
  } catch (error) {
    if (error instanceof RangeError) throw refuse(`contains more than ${mostTarEntries} files`);
    if (error instanceof TypeError) throw refuse('is not a valid tar archive');
    throw error;
  }
}

function parse(bytes: Uint8Array): unknown {
  if (bytes.length > maxJson) return null;
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return null;
  }
}
