import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Phase } from '@ledger-ops/adapter';
import { readTar } from '@ledger-ops/glo-core';
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
 * Reads a package from a template: base64, or hex with `0x`.
 * @throws AdapterError `invalid-argument` at `/contract_source`
 */
export async function readPackage(code: string, phase: Phase): Promise<ChaincodePackage> {
  const pointer = '/contract_source';
  const wrong = (detail: string) => invalid(phase, pointer, `is not a chaincode package: ${detail}`);
  const text = code.trim();
  const hex = /^0x((?:[0-9a-fA-F]{2})+)$/.exec(text)?.[1];
  if (hex === undefined && !/^[A-Za-z0-9+/\s]+={0,2}$/.test(text))
    throw wrong('it must be the base64 of a .tar.gz file');
  const bytes = hex === undefined ? Buffer.from(text, 'base64') : Buffer.from(hex, 'hex');
  let tar: Buffer;
  try {
    tar = await unzip(bytes, { maxOutputLength: largest });
  } catch {
    throw wrong('it is not a gzip file, or it is too large');
  }
  const files = filesOf(tar, wrong);
  const described = files.get('metadata.json');
  if (described === undefined || !files.has('code.tar.gz')) {
    throw wrong('it must contain metadata.json and code.tar.gz');
  }
  if (described.length > longestMetadata) throw wrong('its metadata.json is too long');
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(described).toString());
  } catch {
    throw wrong('its metadata.json is not JSON');
  }
  const parsed = metadata.safeParse(json);
  if (!parsed.success) {
    const members = parsed.error.issues.map(({ path }) => path.join('.')).join(' and ');
    throw wrong(`its metadata.json has no ${members || 'members'} that peers accept`);
  }
  const { label } = parsed.data;
  return { bytes, label, packageId: `${label}:${createHash('sha256').update(bytes).digest('hex')}` };
}

function filesOf(tar: Buffer, wrong: (detail: string) => Error): ReadonlyMap<string, Uint8Array> {
  try {
    return readTar(tar, ['metadata.json', 'code.tar.gz']).files;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError)
      throw wrong('it does not contain a valid tar archive');
    throw error;
  }
}
