import { AdapterError, type LedgerSession } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import { Problem, type ProblemIssue } from '@ledger-ops/base';
import { jointKey } from '../keys/joint-key.ts';
import type { OtherKey, Vault, WalletKey } from '../keys/types.ts';
import { chainIdOf } from '../rows/chains/chain-key.ts';
import type { WalletRow, Wallets } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import { notFoundAt, type WalletNames } from './resolve.ts';
import type { SendRequest } from './types.ts';

/** The other wallets of a request, on the sender's ledger, each of which the caller may send from. @throws Problem */
export async function demandOthers(
  wallets: Pick<Wallets, 'demand'>,
  principal: Principal,
  { wallets: given = [], pointers }: SendRequest,
  sender: WalletRow,
): Promise<WalletRow[]> {
  const others: WalletRow[] = [];
  for (const [index, { walletId }] of given.entries()) {
    const pointer = `${pointers.wallets ?? ''}/${index}/walletId`;
    const wallet = await wallets.demand(principal, 'wallet:transact', walletId).catch((error: unknown) => {
      throw notFoundAt(error, pointer, `There is no wallet ${walletId} that you may see.`);
    });
    if (wallet.ledgerUid !== sender.ledgerUid) {
      const detail = `is on the ledger ${wallet.ledgerId}, not on ${sender.ledgerId}, the ledger of the sender's wallet`;
      throw new Problem('wrong-ledger', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    if (wallet.uid === sender.uid)
      throw mismatch([{ pointer, detail: 'is the wallet that sends, which signs anyway' }]);
    if (others.some(({ uid }) => uid === wallet.uid)) throw mismatch([{ pointer, detail: 'is given twice' }]);
    others.push(wallet);
  }
  return others;
}

/** Which of the given wallets an operation names, and that it names all of them and no more. */
export interface NamedWallets {
  address: WalletNames;
  /** @throws Problem `wallets-mismatch` where names had no wallet, or wallets no name */
  demandAll(): void;
}

/** Names are looked for among the wallets of the request alone: of others nothing is told. */
export function namedWallets(
  session: Pick<LedgerSession, 'normaliseAddress'>,
  { pointers }: Pick<SendRequest, 'pointers'>,
  sender: WalletRow,
  others: readonly WalletRow[],
): NamedWallets {
  const all = [sender, ...others];
  const found = new Set<WalletRow>();
  const unknown: ProblemIssue[] = [];
  return {
    async address(named, pointer) {
      const wallet = all.find(({ walletId }) => walletId === named) ?? (await byAddress(session, all, named));
      if (wallet === undefined) {
        const detail =
          pointers.wallets === undefined
            ? 'names another wallet, which this form has no place for: use /v1/ledger-ops/send'
            : `names a wallet that is to sign too: add it to ${pointers.wallets}, with its walletId and walletPassword`;
        unknown.push({ pointer, detail });
        return named;
      }
      found.add(wallet);
      return wallet.address;
    },
    demandAll() {
      const unnamed = others.flatMap((wallet, index) => {
        const pointer = `${pointers.wallets ?? ''}/${index}`;
        const detail = 'is not named in the meta of the operation as one that signs: leave it out';
        return found.has(wallet) ? [] : [{ pointer, detail }];
      });
      const errors = [...unknown, ...unnamed];
      if (errors.length > 0) throw mismatch(errors);
    },
  };
}

async function byAddress(
  session: Pick<LedgerSession, 'normaliseAddress'>,
  wallets: readonly WalletRow[],
  named: string,
): Promise<WalletRow | undefined> {
  const address = await session.normaliseAddress(named).catch((error: unknown) => {
    if (error instanceof AdapterError && error.code === 'invalid-argument') return undefined;
    throw error;
  });
  return wallets.find((wallet) => wallet.address === address);
}

/** For a dry run: wallets that the caller may see, by their ids; what is none stays as it is. */
export function readableWallets(
  wallets: Pick<Wallets, 'demand'>,
  principal: Principal,
  chain: string,
): WalletNames {
  return async (named) => {
    const wallet = await wallets.demand(principal, 'wallet:read', named).catch((error: unknown) => {
      if (error instanceof Problem && error.problem === 'not-found') return null;
      throw error;
    });
    return wallet?.chainId === chainIdOf(chain) ? wallet.address : named;
  };
}

/** The sender's key with those of the others, whose passwords are checked as the sender's was. @throws Problem */
export async function unlockOthers(
  vault: Pick<Vault, 'unlock'>,
  principal: Principal,
  own: WalletKey,
  { wallets = [] }: Pick<SendRequest, 'wallets'>,
  others: readonly WalletRow[],
): Promise<WalletKey> {
  const opened: OtherKey[] = [];
  try {
    for (const [index, { walletPassword }] of wallets.entries()) {
      const row = others[index];
      if (row === undefined) break;
      const key = await vault.unlock(row, walletPassword, principal);
      opened.push({ walletUid: row.uid, wallet: walletIdentity(row), key });
    }
  } catch (error) {
    jointKey(own, opened).destroy();
    throw error;
  }
  return jointKey(own, opened);
}

function mismatch(errors: ProblemIssue[]): Problem {
  const detail = errors.map((issue) => `${issue.pointer}: ${issue.detail}`).join('; ');
  return new Problem('wallets-mismatch', `${detail}.`, { errors });
}
