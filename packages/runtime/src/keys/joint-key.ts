import { type AdapterError, adapterError } from '@ledger-ops/adapter';
import type { OtherKey, WalletKey } from './types.ts';

/** The key of an operation: the sender's own, and those of the other wallets that it names, each for its own signatures. */
export function jointKey(own: WalletKey, others: readonly OtherKey[]): WalletKey {
  if (others.length === 0) return own;
  const byAddress = new Map(others.map(({ wallet, key }) => [wallet.address, key]));
  return {
    sign: (requests) =>
      requests.flatMap(({ signer, ...request }) => {
        const key = signer === undefined ? own : byAddress.get(signer);
        if (key === undefined) throw notNamed();
        return key.sign([request]);
      }),
    destroy() {
      own.destroy();
      for (const { key } of others) key.destroy();
    },
    parts: { own, others },
  };
}

/** A plugin wants the signature of a wallet that the operation does not name. */
export function notNamed(): AdapterError {
  const detail =
    'The ledger plugin asked for the signature of a wallet that the operation does not name. Nothing was signed.';
  return adapterError('adapter-fault', detail, { phase: 'prepare' });
}
