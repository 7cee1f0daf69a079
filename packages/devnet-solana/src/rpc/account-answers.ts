import { zstdCompressSync } from 'node:zlib';
import { addressOf, bytesOf } from '../base58.ts';
import type { AccountState, Bank } from '../runtime/bank.ts';
import { invalid } from './error.ts';
import { type Config, choice, integer, object } from './params.ts';
import { parseAccount } from './parsed-accounts.ts';

const encodings = ['base58', 'base64', 'base64+zstd', 'jsonParsed', 'binary'] as const;
const mostInBase58 = 128;

/** Requested format of accounts: the encoding and the part of their data. */
export interface AccountView {
  encoding: (typeof encodings)[number];
  slice: { offset: number; length: number } | undefined;
}

export function accountViewOf(config: Config, otherwise: AccountView['encoding'] = 'binary'): AccountView {
  const { dataSlice } = config;
  const slice = dataSlice === undefined || dataSlice === null ? undefined : object(dataSlice, 'dataSlice');
  return {
    encoding: choice(config, 'encoding', encodings, otherwise),
    slice: slice && {
      offset: integer(slice.offset, 'dataSlice.offset'),
      length: integer(slice.length, 'dataSlice.length'),
    },
  };
}

/** Returns an account in a validator's format. */
export function accountAnswer(account: AccountState | undefined, view: AccountView, bank: Bank): unknown {
  if (account === undefined) return null;
  return {
    data: dataAnswer(account, view, bank),
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: account.rentEpoch,
    space: account.data.length,
  };
}

function dataAnswer(account: AccountState, { encoding, slice }: AccountView, bank: Bank): unknown {
  if (encoding === 'jsonParsed') {
    const parsed = parseAccount(account, bank);
    if (parsed !== undefined) return { ...parsed, space: account.data.length };
  }
  const data = slice ? account.data.subarray(slice.offset, slice.offset + slice.length) : account.data;
  if (encoding === 'base64+zstd') return [zstdCompressSync(data).toString('base64'), encoding];
  if (encoding === 'base64' || encoding === 'jsonParsed')
    return [Buffer.from(data).toString('base64'), 'base64'];
  if (data.length > mostInBase58)
    throw invalid(
      `the account has ${data.length} bytes, but base58 is limited to ${mostInBase58} bytes; use base64`,
    );
  return encoding === 'binary' ? addressOf(data) : [addressOf(data), encoding];
}

/** Whether an account matches the filters of getProgramAccounts. */
export type AccountFilter = (account: AccountState) => boolean;

const mostFilters = 4;

export function accountFilter(value: unknown): AccountFilter {
  if (value === undefined || value === null) return () => true;
  if (!Array.isArray(value) || value.length > mostFilters)
    throw invalid(`filters must be an array of at most ${mostFilters} entries`);
  const filters = value.map((one, index) => oneFilter(object(one, `filters[${index}]`), index));
  return (account) => filters.every((filter) => filter(account));
}

function oneFilter(filter: Config, index: number): AccountFilter {
  if (filter.dataSize !== undefined) {
    const size = integer(filter.dataSize, `filters[${index}].dataSize`);
    return ({ data }) => data.length === size;
  }
  if (filter.memcmp === undefined) throw invalid(`filters[${index}] must be a dataSize or a memcmp`);
  const { offset: at, bytes, ...rest } = object(filter.memcmp, `filters[${index}].memcmp`);
  const offset = integer(at, `filters[${index}].memcmp.offset`);
  const wanted = bytesOfFilter(bytes, choice(rest, 'encoding', ['base58', 'base64'], 'base58'), index);
  return ({ data }) => Buffer.from(data.subarray(offset, offset + wanted.length)).equals(wanted);
}

function bytesOfFilter(bytes: unknown, encoding: 'base58' | 'base64', index: number): Buffer {
  const name = `filters[${index}].memcmp.bytes`;
  if (typeof bytes !== 'string') throw invalid(`${name} must be a string`);
  const wanted = decodeBytes(bytes, encoding, name);
  if (wanted.length > mostInBase58) throw invalid(`${name} must be at most ${mostInBase58} bytes`);
  return wanted;
}

const mostText = 2_500;

/** Decodes the bytes of a parameter. @throws RpcError */
export function decodeBytes(text: string, encoding: 'base58' | 'base64', name: string): Buffer {
  if (text.length > mostText) throw invalid(`${name} is too long: ${text.length} characters`);
  if (encoding === 'base64') {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) throw invalid(`${name} is not base64`);
    return Buffer.from(text, 'base64');
  }
  try {
    return Buffer.from(bytesOf(text));
  } catch {
    throw invalid(`${name} is not base58`);
  }
}
