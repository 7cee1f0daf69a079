import type { PrepareRequest } from '@ledger-ops/adapter';
import type { WalletKey } from '../../keys/types.ts';

/** The other wallets of a request to an adapter, where there are any. */
export type Others = Pick<PrepareRequest, 'others'>;

/** Those that a key signs for beside the sender's. */
export function othersOf({ parts }: WalletKey): Others {
  return parts === undefined ? {} : { others: parts.others.map(({ wallet }) => wallet) };
}
