import type { Auth, Principal } from '@ledger-ops/auth';
import type { Queries, SqlValue } from '@ledger-ops/store';
import type { Ledgers } from '../ledgers.ts';
import { chainBase, isOfChain } from '../rows/chains/chain-key.ts';
import { coSignerParty } from '../rows/co-signers.ts';
import { among } from '../rows/sql.ts';
import type { WalletRow } from '../wallets/types.ts';
import { readableAmong } from './readable.ts';
import type { WalletActionsQuery } from './types.ts';

/** Determines which actions a search finds and which of their columns it shows. */
export interface Visibility {
  wallet: WalletRow;
  /**
   * Wallets, in addition to `wallet`, whose sent actions are shown completely: all wallets of the caller's project, or
   * those with these uids.
   */
  senders: 'project' | readonly string[];
  /** Chain keys under which other ledgers record actions on the wallet's chain. */
  chains: readonly string[];
  /** Id of the wallet's ledger; null if the caller may not see the ledger. */
  ledgerId: string | null;
}

/** A list of actions for one of the wallet's parties; see table `action_listing`. */
export interface ListingRow extends Record<string, SqlValue> {
  id: string;
  party: string;
  shown: string;
  project_id: string;
  ledger_uid: string;
  ledger_id: string;
  chain: string;
  status: string;
}

/** Determines how much a caller sees of the actions that a wallet sends, signs or receives. */
export function createVisibility({ auth, read, ledgers }: VisibilityOptions) {
  /** Lists may contain actions sent from outside the caller's project; of these, only public ones are shown. */
  async function visibilityOfLists(
    principal: Principal,
    wallet: WalletRow,
    listings: readonly ListingRow[],
  ): Promise<Visibility> {
    const received = listings.filter((one) => !isSent(one, wallet));
    const near = received.filter(({ project_id }) => project_id === principal.projectUid);
    const senders = near.length === 0 || (await readsProject(principal)) ? 'project' : await readable(near);
    const foreign = received.filter(
      ({ shown: as, project_id }) =>
        as === 'public' && (senders !== 'project' || project_id !== principal.projectUid),
    );
    return { wallet, senders, ...(await visibilityOfForeign(principal, wallet, foreign)) };

    async function readable(lists: readonly ListingRow[]): Promise<readonly string[]> {
      const rows = await read.all<{ wallet_uid: string }>(
        `SELECT DISTINCT action.wallet_uid FROM action_listed JOIN action ON action.id = action_listed.action_id
          WHERE ${among(read.dialect, 'action_listed.listing', '$1')}`,
        [JSON.stringify(lists.map(({ id: one }) => one))],
      );
      return [
        ...(await readableAmong(
          auth,
          principal,
          rows.map(({ wallet_uid }) => wallet_uid),
        )),
      ];
    }
  }

  /** Whether a role on the project, or on a resource above it, lets the caller read all wallets of the project. */
  async function readsProject(principal: Principal): Promise<boolean> {
    return (await auth.decide(principal, ['wallet:read'], principal.projectUid)).result;
  }

  async function visibilityOfForeign(
    principal: Principal,
    wallet: WalletRow,
    foreign: readonly { ledger_uid: string; chain: string }[],
  ): Promise<Pick<Visibility, 'chains' | 'ledgerId'>> {
    const elsewhere = foreign.filter(({ ledger_uid }) => ledger_uid !== wallet.ledgerUid);
    const base = elsewhere.length === 0 ? null : await chainOf(wallet);
    const chains = [...new Set(elsewhere.map(({ chain }) => chain))];
    const seesLedger =
      foreign.length > 0 && (await auth.decide(principal, ['ledger:read'], wallet.ledgerUid)).result;
    return {
      chains: base === null ? [] : chains.filter((one) => isOfChain(one, base)),
      ledgerId: seesLedger ? wallet.ledgerId : null,
    };
  }

  /**
   * Returns null if the chain is not known, because the ledger is unreachable or its node does not know the
   * first block.
   */
  async function chainOf({ ledgerUid, projectId }: WalletRow): Promise<string | null> {
    try {
      const identity = await (await ledgers.open(ledgerUid, { projectUid: projectId })).chain();
      return identity.genesis === 'remote' ? null : chainBase(identity);
    } catch {
      // The wallet's ledger does not respond. Actions recorded with this ledger record are shown anyway; those recorded
      // with other ledger records appear once it responds.
      return null;
    }
  }

  return { visibilityOfLists, visibilityOfForeign };
}

export interface VisibilityOptions {
  auth: Auth;
  read: Queries;
  ledgers: Pick<Ledgers, 'open'>;
}

/** Returns the ids of the lists whose entries all match the query. */
export function admitted(
  listings: readonly ListingRow[],
  visibility: Visibility,
  query: WalletActionsQuery,
): string[] {
  const { wallet, chains, ledgerId } = visibility;
  const found = listings.filter((one) => {
    if (query.status !== undefined && one.status !== query.status) return false;
    if (isSent(one, wallet) || one.project_id === wallet.projectId) {
      return one.shown === 'own' && (query.ledgerId === undefined || one.ledger_id === query.ledgerId);
    }
    return (
      one.shown === 'public' &&
      (one.ledger_uid === wallet.ledgerUid || chains.includes(one.chain)) &&
      (query.ledgerId === undefined || ledgerId === query.ledgerId)
    );
  });
  return found.map(({ id: one }) => one);
}

/** Whether the list contains actions that the wallet signs, with or without other wallets. */
export function isSent({ party }: ListingRow, { uid }: WalletRow): boolean {
  return [`w:${uid}`, coSignerParty(uid, false)].some((own) => party === own || party.startsWith(`${own}#`));
}
