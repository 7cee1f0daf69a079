import { AdapterError, type LedgerSession } from '@ledger-ops/adapter';
import type { Principal } from '@ledger-ops/auth';
import { Problem, type ProblemIssue } from '@ledger-ops/base';
import { ActionSigner, type CoSigner, type Signer } from '../keys/signer.ts';
import type { Vault } from '../keys/vault.ts';
import { chainIdOf } from '../rows/chains/chain-key.ts';
import type { WalletRow } from '../wallets/types.ts';
import { walletIdentity } from '../wallets/wallet-rows.ts';
import type { Wallets } from '../wallets/wallets.ts';
import { notFoundAt, type WalletNames } from './resolve.ts';
import type { SendRequest } from './types.ts';

/**
 * Returns the other wallets of a request. Each must be on the ledger of the sending wallet, and the caller must be
 * allowed to send from it.
 * @throws Problem
 */
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
      throw notFoundAt(error, pointer, `The wallet ${walletId} does not exist or is not visible to you.`);
    });
    if (wallet.ledgerUid !== sender.ledgerUid) {
      const detail = `is on the ledger ${wallet.ledgerId}, but the sending wallet is on ${sender.ledgerId}`;
      throw new Problem('wrong-ledger', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
    }
    if (wallet.uid === sender.uid)
      throw mismatch([{ pointer, detail: 'is the sending wallet, which signs anyway; leave it out' }]);
    if (others.some(({ uid }) => uid === wallet.uid)) throw mismatch([{ pointer, detail: 'appears twice' }]);
    others.push(wallet);
  }
  return others;
}

/** Resolves the wallets that an operation names, and checks that these are exactly the wallets of its request. */
export interface NamedWallets {
  address: WalletNames;
  /** @throws Problem `wallets-mismatch` if a name matches no wallet, or a wallet is not named */
  demandAll(): void;
}

/** Searches only the wallets of the request, so that errors reveal nothing about other wallets. */
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
            ? 'names another wallet, which this form does not support; use /v1/ledger-ops/send'
            : `names a wallet that must also sign: add it to ${pointers.wallets}, with its walletId and walletPassword`;
        unknown.push({ pointer, detail });
        return named;
      }
      found.add(wallet);
      return wallet.address;
    },
    demandAll() {
      const unnamed = others.flatMap((wallet, index) => {
        const pointer = `${pointers.wallets ?? ''}/${index}`;
        const detail = 'is not named as a signer in the meta of the operation; leave it out';
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

/**
 * For a dry run: returns the address of a wallet, given its id, if the caller may see the wallet. Returns any other
 * name unchanged.
 */
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

/**
 * Unlocks the other wallets, which sign together with the sending wallet. Checks each password like that of the sending
 * wallet.
 */
export async function unlockOthers(
  vault: Pick<Vault, 'unlock'>,
  principal: Principal,
  sender: Signer,
  { wallets = [] }: Pick<SendRequest, 'wallets'>,
  others: readonly WalletRow[],
): Promise<ActionSigner> {
  const opened: CoSigner[] = [];
  try {
    for (const [index, { walletPassword }] of wallets.entries()) {
      const row = others[index];
      if (row === undefined) break;
      const signer = await vault.unlock(row, walletPassword, principal);
      opened.push({ walletUid: row.uid, wallet: walletIdentity(row), signer });
    }
  } catch (error) {
    new ActionSigner(sender, opened).destroy();
    throw error;
  }
  return new ActionSigner(sender, opened);
}

function mismatch(errors: ProblemIssue[]): Problem {
  const detail = errors.map((issue) => `${issue.pointer}: ${issue.detail}`).join('; ');
  return new Problem('wallets-mismatch', `${detail}.`, { errors });
}
