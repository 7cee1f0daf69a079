import { readContractAddress } from './address.ts';
import { classify } from './errors.ts';
import { PeerFailure } from './peer-failure.ts';
import type { Reader } from './reader.ts';
import { textOf } from './result.ts';

/**
 * The metadata that a chaincode itself gives; null where it gives none (plain shim chaincode has no such function).
 * @throws AdapterError `invalid-argument` for a wrong address; PeerFailure
 */
export async function describeContract(
  address: string,
  reader: Reader,
  timeout: number,
): Promise<string | null> {
  const { channel, chaincode } = readContractAddress(address, 'interface', '/address');
  const question = { channel, chaincode, method: 'org.hyperledger.fabric:GetMetadata', args: [] };
  try {
    const text = textOf(await reader.ask(question, timeout));
    return text === undefined || text === '' ? null : text;
  } catch (error) {
    if (error instanceof PeerFailure && classify(error).chaincode !== undefined) return null;
    throw error;
  }
}
