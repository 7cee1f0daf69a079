import type { Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { type Address, getAddressDecoder } from '@solana/addresses';
import type { AddressesByLookupTableAddress } from '@solana/transaction-messages';
import { invalid } from '../invalid.ts';
import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';

const program = 'AddressLookupTab1e1111111111111111111111111';
/**
 * Number of bytes before the addresses of a table: kind, slot of the deactivation, slot of the last extension, and
 * more.
 */
const header = 56;
const [deactivatedAt, extendedAt] = [4, 12];
const notDeactivated = 2n ** 64n - 1n;
/** Number of blocks for which a deactivated table can be used: as many as the ledger keeps slot hashes. */
const usableFor = 512n;
/** Maximum number of addresses of a table: https://solana.com/docs/core/transactions/versions */
const mostAddresses = 256;

/**
 * Returns the addresses that each lookup table contains.
 * @throws AdapterError `invalid-argument` if a table does not exist or is deactivated; NodeError `behind` if a
 * table was extended in the newest block: its new addresses can only be used in the next block
 */
export async function readTables(
  node: SolanaNode,
  tables: readonly string[],
  phase: Phase,
): Promise<AddressesByLookupTableAddress> {
  const read = tables.map(async (table, index): Promise<[string, Address[]]> => {
    const config = { commitment: 'confirmed', encoding: 'base64' };
    const { value, context } = await node.ask('getAccountInfo', [table, config], answers.account);
    const data = Buffer.from(value?.data[0] ?? '', 'base64');
    const pointer = `/native/addressLookupTables/${index}`;
    if (value?.owner !== program || data.length < header) {
      throw invalid(phase, pointer, 'is not a lookup table on the ledger, or was closed');
    }
    const deactivated = data.readBigUInt64LE(deactivatedAt);
    if (deactivated !== notDeactivated && context.slot - deactivated > usableFor) {
      throw invalid(phase, pointer, `was deactivated in slot ${deactivated}; name a table that is active`);
    }
    if (data.readBigUInt64LE(extendedAt) >= context.slot) {
      const detail = `The lookup table ${table} was extended in slot ${context.slot}, which is the newest of node ${node.nodeId}. Its new addresses can be used in the next block.`;
      throw new NodeError('behind', detail);
    }
    const bytes = data.subarray(header);
    const count = Math.floor(bytes.length / 32);
    if (count > mostAddresses) {
      throw new NodeError(
        'unavailable',
        `Node ${node.nodeId} returned a lookup table with ${count} addresses.`,
      );
    }
    const decoder = getAddressDecoder();
    return [table, Array.from({ length: count }, (_, at) => decoder.decode(bytes, at * 32))];
  });
  return Object.fromEntries(await Promise.all(read));
}
