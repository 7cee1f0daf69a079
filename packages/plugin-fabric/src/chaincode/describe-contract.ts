import { adapterError, longestDocument } from '@ledger-ops/adapter';
import { classify } from '../gateway/errors.ts';
import { textOf } from '../gateway/payload.ts';
import { PeerError } from '../gateway/peer-error.ts';
import type { Queries } from '../gateway/query.ts';
import { readContractAddress } from '../identity/address.ts';

/**
 * Reads the metadata that the chaincode itself returns. Returns null if it has none, as with plain shim
 * chaincode.
 *
 * @throws AdapterError `invalid-argument` for an invalid address; PeerError
 */
export async function describeContract(
  address: string,
  queries: Queries,
  timeout: number,
): Promise<string | null> {
  const { channel, chaincode } = readContractAddress(address, 'interface', '/address');
  const query = { channel, chaincode, method: 'org.hyperledger.fabric:GetMetadata', args: [] };
  try {
    const bytes = await queries.evaluate(query, timeout);
    if (bytes.length > longestDocument) {
      const detail = `The metadata of ${chaincode} has ${bytes.length} bytes; it may have at most ${longestDocument}.`;
      throw adapterError('invalid-argument', detail, { phase: 'interface' });
    }
    const text = textOf(bytes);
    return text === undefined || text === '' ? null : text;
  } catch (error) {
    if (error instanceof PeerError && classify(error).chaincode !== undefined) return null;
    throw error;
  }
}
