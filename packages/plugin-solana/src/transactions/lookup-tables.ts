import type { Phase } from '@ledger-ops/adapter';
import { NodeError } from '@ledger-ops/adapter/outbound';
import { type Address, type AddressesByLookupTableAddress, getAddressDecoder } from '@solana/kit';
import { invalid } from '../invalid.ts';
import { answers } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';

const program = 'AddressLookupTab1e1111111111111111111111111';
/** Bytes before the addresses of a table. */
const header = 56;
/** Maximum addresses of a table: https://solana.com/docs/core/transactions/versions */
const mostAddresses = 256;

/** The addresses of lookup tables. @throws AdapterError `invalid-argument` if one is not a table; NodeError */
export async function readTables(
  node: SolanaNode,
  tables: readonly string[],
  phase: Phase,
): Promise<AddressesByLookupTableAddress> {
  const read = tables.map(async (table, index): Promise<[string, Address[]]> => {
    const config = { commitment: 'confirmed', encoding: 'base64' };
    const { value } = await node.ask('getAccountInfo', [table, config], answers.account);
    if (value?.owner !== program) {
      throw invalid(phase, `/native/addressLookupTables/${index}`, 'is not a lookup table on the ledger');
    }
    const bytes = Buffer.from(value.data[0], 'base64').subarray(header);
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
