import type { Phase } from '@ledger-ops/adapter';
import { type Address, type AddressesByLookupTableAddress, address, getAddressDecoder } from '@solana/kit';
import { invalid } from '../invalid.ts';
import { answers, ask } from '../rpc/answers.ts';
import type { SolanaNode } from '../rpc/node.ts';

const program = 'AddressLookupTab1e1111111111111111111111111';
/** Bytes before the addresses of a table. */
const header = 56;

/** The addresses of lookup tables. @throws AdapterError `invalid-argument` where one is none */
export async function readTables(
  { nodeId, rpc }: SolanaNode,
  tables: readonly string[],
  phase: Phase,
): Promise<AddressesByLookupTableAddress> {
  const read = tables.map(async (table, index): Promise<[string, Address[]]> => {
    const call = rpc.getAccountInfo(address(table), { commitment: 'confirmed', encoding: 'base64' });
    const { value } = await ask(nodeId, call, answers.account);
    if (value?.owner !== program) {
      throw invalid(phase, `/native/addressLookupTables/${index}`, 'is no lookup table on the ledger');
    }
    const bytes = Buffer.from(value.data[0], 'base64').subarray(header);
    const count = Math.floor(bytes.length / 32);
    const decoder = getAddressDecoder();
    return [table, Array.from({ length: count }, (_, at) => decoder.decode(bytes, at * 32))];
  });
  return Object.fromEntries(await Promise.all(read));
}
