import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { AdapterError } from '@ledger-ops/adapter';
import { address, createAddressWithSeed, getProgramDerivedAddress } from '@solana/addresses';
import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';
import { isAddressText } from '../transactions/base58.ts';
import { longestText, parseIdl } from './idl.ts';
import type { AnchorIdl } from './schema.ts';

/** First bytes of the account that `anchor idl init` writes. */
const discriminator = Buffer.from('184662bf3a907b9e', 'hex');
/** Number of bytes before the content: the discriminator, the authority, and the length of the content. */
const header = discriminator.length + 32 + 4;

const inflated = promisify(inflate);

/**
 * Returns the IDL that a program published on the ledger through Anchor. Its account is derived from the
 * program, so only the program can have written it. Undefined if there is none, or it cannot be read.
 */
export async function publishedIdl(node: SolanaNode, program: string): Promise<AnchorIdl | undefined> {
  if (!isAddressText(program)) return undefined;
  const programAddress = address(program);
  const [baseAddress] = await getProgramDerivedAddress({ programAddress, seeds: [] });
  const account = await createAddressWithSeed({ baseAddress, programAddress, seed: 'anchor:idl' });
  const config = { commitment: 'confirmed', encoding: 'base64' };
  const { value } = await node.ask('getAccountInfo', [account, config], answers.account);
  if (value?.owner !== program) return undefined;
  const data = Buffer.from(value.data[0], 'base64');
  if (data.length < header || !data.subarray(0, discriminator.length).equals(discriminator)) return undefined;
  const end = header + data.readUInt32LE(header - 4);
  try {
    const text = await inflated(data.subarray(header, end), { maxOutputLength: longestText });
    return parseIdl(text.toString(), 'lookup');
  } catch (error) {
    // The program may have written anything, such as data that is not zlib, is too long, or is not an IDL.
    if (error instanceof AdapterError || error instanceof RangeError || isZlib(error)) return undefined;
    throw error;
  }
}

function isZlib(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
