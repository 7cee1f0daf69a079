import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { invalidRequest } from '@ledger-ops/base';
import { JsonError, mostTarEntries, readTar, scanJson } from '@ledger-ops/glo-core';
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
const metadata = z.object(
  {
    label: z
      .string('has no label')
      .max(256, { abort: true, error: 'has a label of more than 256 characters' })
      // The same pattern as in Fabric.
      .regex(
        /^[a-zA-Z0-9]+(?:[.+_-][a-zA-Z0-9]+)*$/,
        'has a label that is not made of letters and digits with single . + _ or - between them',
      ),
    type: z
      .string('has no type')
      .regex(
        /^\P{Cc}{1,64}$/u,
        'has a type that is empty, longer than 64 characters, or has control characters',
      ),
  },
  'is not a JSON object',
);
/** Address of chaincode that runs as a service. Builders replace placeholders such as `{{.peername}}`. */
const connection = z.object(
  {
    address: z
      .string('has no address')
      .regex(
        /^(?!.*:\/\/)\P{Cc}{1,512}(?::[0-9]{1,5}|\}\})$/u,
        'has an address that does not have the form host:port',
      ),
  },
  'is not a JSON object',
);

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
  const { label, type } = readFile(described, metadata, (detail) => refuse(`its metadata.json ${detail}`));
  const sources = await unpack(code, refuse, 'its code.tar.gz', ['connection.json']);
  if (type === 'ccaas') {
    const reached = sources.get('connection.json');
    if (reached === undefined)
      throw refuse('its code.tar.gz must contain a connection.json with the address of the service');
    readFile(reached, connection, (detail) => refuse(`the connection.json in its code.tar.gz ${detail}`));
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

/**
 * Reads a JSON file as a peer does, but rejects content that peers and other programs interpret
 * differently.
 */
function readFile<File>(
  bytes: Uint8Array,
  // Typed with only this method, because comparing a schema with the whole type takes the compiler several
  // seconds.
  schema: Pick<z.ZodType<File>, 'safeParse'>,
  refuse: (detail: string) => Error,
): File {
  if (bytes.length > maxJson) throw refuse(`has more than ${maxJson} bytes`);
  if (!isUtf8(bytes)) throw refuse('is not UTF-8');
  const text = Buffer.from(bytes).toString();
  if (text.startsWith('\ufeff')) throw refuse('begins with a byte order mark, which peers do not accept');
  let json: unknown;
  try {
    scanJson(text, {}, ['imprecise-number']);
    json = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const { reason, pointer, detail } = error;
    throw refuse(reason === 'syntax' || pointer === '' ? detail : `has a member ${pointer} that ${detail}`);
  }
  const read = schema.safeParse(json);
  if (!read.success) throw refuse(read.error.issues[0]?.message ?? 'is not accepted');
  // Peers ignore the case of member names, and use the last member.
  for (const name of Object.keys(Object(json))) {
    const known = name.toLowerCase();
    if (name !== known && Object.hasOwn(Object(read.data), known))
      throw refuse(`has the members ${known} and ${name}, which are the same for peers`);
  }
  return read.data;
}
