import { createHash } from 'node:crypto';
import type { ChainIdentity } from '@ledger-ops/adapter';

/** Shards of one chain's accounts. A shard is leased as a whole. */
export const shardCount = 16;

/**
 * Sequences belong to it: the chain's id and its genesis, and how often its history was lost beyond repair.
 * Two ledger records of one chain share it; a development chain that starts anew has another.
 */
export function chainKey(identity: ChainIdentity, resets: number): string {
  const base = chainBase(identity);
  return resets === 0 ? base : `${base}/${resets}`;
}

/** The key without the count of resets. */
export function chainBase({ id, genesis }: ChainIdentity): string {
  return `${id.replaceAll('%', '%25').replaceAll('/', '%2F')}/${markOf(genesis)}`;
}

/** Sixteen characters at most, without a slash, that tell a first block from another one. */
function markOf(genesis: string): string {
  const text = genesis.replace(/^0x/, '');
  if (/^[^/]{1,16}$/.test(text)) return text;
  // Of other texts the first characters can be the same for all chains.
  const isHex = /^[0-9a-fA-F]+$/.test(text);
  return (isHex ? text : createHash('sha256').update(genesis).digest('hex')).slice(0, 16);
}

/** Whether a key is of that chain, whatever its count of resets. */
export function isOfChain(key: string, base: string): boolean {
  return key === base || key.startsWith(`${base}/`);
}

/** The chain's id, which an account's name on it goes by whatever its genesis. */
export function chainIdOf(key: string): string {
  return key.slice(0, key.indexOf('/')).replaceAll('%2F', '/').replaceAll('%25', '%');
}

/** Shard of an account, 0 to 15. */
export function shardOf(address: string): number {
  return (createHash('sha256').update(address).digest()[0] ?? 0) % shardCount;
}
