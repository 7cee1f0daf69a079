import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Phase } from '@ledger-ops/adapter';
import { extract } from 'tar-stream';
import { z } from 'zod';
import { invalid } from '../invalid.ts';

/** A chaincode package: gzip of a tar with `metadata.json` and `code.tar.gz`. */
export interface ChaincodePackage {
  bytes: Buffer;
  label: string;
  /** `label:sha256`. */
  packageId: string;
}

const largest = 32 * 2 ** 20;
const longestMetadata = 65_536;
const metadata = z.object({
  label: z.string().regex(/^[a-zA-Z0-9]+([.+\-_][a-zA-Z0-9]+)*$/),
  type: z.string(),
});
const unzip = promisify(gunzip);

/**
 * Reads a package as a template holds it: base64, or hex with `0x`.
 * @throws AdapterError `invalid-argument` at `/contract_source`
 */
export async function readPackage(code: string, phase: Phase): Promise<ChaincodePackage> {
  const pointer = '/contract_source';
  const wrong = (detail: string) => invalid(phase, pointer, `is no chaincode package: ${detail}`);
  const text = code.trim();
  const hex = /^0x((?:[0-9a-fA-F]{2})+)$/.exec(text)?.[1];
  if (hex === undefined && !/^[A-Za-z0-9+/\s]+={0,2}$/.test(text))
    throw wrong('base64 of a .tar.gz is expected');
  const bytes = hex === undefined ? Buffer.from(text, 'base64') : Buffer.from(hex, 'hex');
  let tar: Buffer;
  try {
    tar = await unzip(bytes, { maxOutputLength: largest });
  } catch {
    throw wrong('it is not gzip, or too large');
  }
  const files = await readTar(tar).catch(() => {
    throw wrong('there is no tar in it');
  });
  const described = files.get('metadata.json');
  if (described === undefined || !files.has('code.tar.gz')) {
    throw wrong('metadata.json and code.tar.gz are expected in it');
  }
  if (described.length > longestMetadata) throw wrong('its metadata.json is too long');
  let json: unknown;
  try {
    json = JSON.parse(described.toString());
  } catch {
    throw wrong('its metadata.json is no JSON');
  }
  const parsed = metadata.safeParse(json);
  if (!parsed.success) throw wrong('its metadata.json has no label and type');
  const { label } = parsed.data;
  return { bytes, label, packageId: `${label}:${createHash('sha256').update(bytes).digest('hex')}` };
}

async function readTar(tar: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const queries = extract();
  queries.end(tar);
  for await (const entry of queries) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry) if (chunk instanceof Uint8Array) chunks.push(chunk);
    files.set(entry.header.name.replace(/^\.\//, ''), Buffer.concat(chunks));
  }
  return files;
}
