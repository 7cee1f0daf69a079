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
export function chainBase(identity: ChainIdentity): string {
  return `${identity.id}/${identity.genesis.replace(/^0x/, '').slice(0, 16)}`;
}

/** The chain's id, which an account's name on it goes by whatever its genesis. */
export function chainIdOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

/** Shard of an account, 0 to 15. */
export function shardOf(address: string): number {
  return (createHash('sha256').update(address).digest()[0] ?? 0) % shardCount;
}
