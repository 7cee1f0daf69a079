import { createHash, hash } from 'node:crypto';
import type { ChainIdentity } from '@ledger-ops/adapter';

/** Number of shards into which the accounts of a chain are divided. A shard is leased as a whole. */
export const shardCount = 16;

/**
 * Identifies the chain that sequences belong to: the chain's id, its genesis, and the number of times that its history
 * was lost beyond repair. Two ledgers on one chain have the same key. A restarted development chain gets a new key.
 */
export function chainKey(identity: ChainIdentity, resets: number): string {
  const base = chainBase(identity);
  return resets === 0 ? base : `${base}/${resets}`;
}

/** Returns the key of a chain without the number of resets. */
export function chainBase({ id, genesis }: ChainIdentity): string {
  return `${id.replaceAll('%', '%25').replaceAll('/', '%2F')}/${markOf(genesis)}`;
}

/** Returns a part of the key that distinguishes the first block from others: at most 16 characters, without a slash. */
function markOf(genesis: string): string {
  const text = genesis.replace(/^0x/, '');
  if (/^[^/]{1,16}$/.test(text)) return text;
  // Strings that are not hexadecimal are hashed, because their first characters may be the same on all chains.
  const isHex = /^[0-9a-fA-F]+$/.test(text);
  return (isHex ? text : createHash('sha256').update(genesis).digest('hex')).slice(0, 16);
}

/** Removes the number of resets from a key. */
export function baseOf(key: string): string {
  return key.split('/').slice(0, 2).join('/');
}

/** Whether the key belongs to the chain `base`, with any number of resets. */
export function isOfChain(key: string, base: string): boolean {
  return key === base || key.startsWith(`${base}/`);
}

/** Returns the chain's id, a part of the key. Parties of accounts are named by it, without the genesis. */
export function chainIdOf(key: string): string {
  return key.slice(0, key.indexOf('/')).replaceAll('%2F', '/').replaceAll('%25', '%');
}

/** Cache of shards by address, because accounts are used many times. */
const shards = new Map<string, number>();
const mostShards = 10_000;

/** Returns the shard of an account, from 0 to 15. */
export function shardOf(address: string): number {
  let shard = shards.get(address);
  if (shard === undefined) {
    shard = (hash('sha256', address, 'buffer')[0] ?? 0) % shardCount;
    if (shards.size >= mostShards) shards.clear();
    shards.set(address, shard);
  }
  return shard;
}
