import type { NewWallet, Round, WalletIdentity } from '@ledger-ops/adapter';
import { invalid } from './invalid.ts';
import { addressOfPublicKey } from './transactions/address.ts';

/**
 * Creates the account of a public key, immediately and without a signature.
 * @throws AdapterError `invalid-argument`
 */
export function createWallet({ publicKey, parameters }: NewWallet): Round<WalletIdentity> {
  const [unknown] = Object.keys(parameters);
  if (unknown !== undefined) {
    throw invalid('wallet', `/parameters/${unknown}`, 'is not a parameter of Solana wallets');
  }
  return { done: true, result: { address: addressOfPublicKey(publicKey) } };
}
