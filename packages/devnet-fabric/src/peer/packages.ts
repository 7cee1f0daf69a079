import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip as gunzipCallback } from 'node:zlib';
import { DevnetError } from '@ledger-ops/devnet';
import { extract } from 'tar-stream';
import { packageIdOf } from '../chaincode/package.ts';

const gunzip = promisify(gunzipCallback);
/** Maximum unpacked size of a package. The package of a chaincode service is smaller. */
const maxUnpacked = 100 * 1024 * 1024;
const labels = /^[A-Za-z0-9][A-Za-z0-9_.+-]*$/;

/** An installed package of a chaincode service (`type: ccaas`). */
export interface InstalledPackage {
  /** `<label>:<SHA-256 of the package>` */
  id: string;
  label: string;
  /** Address at which peers dial the service, `host:port`. */
  address: string;
  bytes: Uint8Array;
}

/**
 * Reads a package: a gzipped tar of `metadata.json` and `code.tar.gz`, which contains `connection.json`.
 * @throws DevnetError with the reason if the package is invalid
 */
export async function readPackage(bytes: Uint8Array): Promise<InstalledPackage> {
  const outer = await unpack(bytes, 'The chaincode package');
  const metadata = json(outer.get('metadata.json'), 'metadata.json');
  const { type, label } = metadata;
  if (typeof label !== 'string' || !labels.test(label))
    throw new DevnetError(
      `invalid label '${String(label)}'. Label must be non-empty, can only consist of alphanumerics, symbols from '.+-_', and can only begin with alphanumerics`,
    );
  const code = outer.get('code.tar.gz');
  if (code === undefined) throw new DevnetError('did not find a code package inside the package');
  if (type !== 'ccaas' && type !== 'external')
    throw new DevnetError(
      `could not build chaincode: this network runs packages of type ccaas, not '${String(type)}'`,
    );
  const inner = await unpack(code, 'code.tar.gz');
  const { address } = json(inner.get('connection.json'), 'connection.json');
  if (typeof address !== 'string' || !/^.+:\d{1,5}$/.test(address))
    throw new DevnetError('could not build chaincode: connection.json names no address (host:port)');
  return { id: packageIdOf(label, bytes), label, address, bytes };
}

async function unpack(bytes: Uint8Array, what: string): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  try {
    const tar = extract();
    Readable.from([await gunzip(bytes, { maxOutputLength: maxUnpacked })]).pipe(tar);
    for await (const entry of tar) {
      files.set(entry.header.name.replace(/^\.\//, ''), await buffer(entry));
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new DevnetError(`${what} could not be read as a gzipped tar: ${why}`, { cause });
  }
  return files;
}

function json(file: Buffer | undefined, name: string): Record<string, unknown> {
  if (file === undefined) throw new DevnetError(`did not find any ${name} in the package`);
  let value: unknown;
  try {
    value = JSON.parse(file.toString());
  } catch (cause) {
    throw new DevnetError(`could not unmarshal ${name} as json`, { cause });
  }
  if (typeof value !== 'object' || value === null) throw new DevnetError(`${name} is not a JSON object`);
  return Object.fromEntries(Object.entries(value));
}
