import type { Auth, Principal } from '@ledger-ops/auth';
import type { Queries, SqlValue } from '@ledger-ops/store';
import type { Ledgers } from '../open-ledger.ts';
import { chainBase, isOfChain } from '../rows/chains/chain-key.ts';
import { coSignerParty } from '../rows/co-signers.ts';
import { among } from '../rows/sql.ts';
import type { WalletRow } from '../wallets/types.ts';
import { readableAmong } from './readable.ts';
import type { WalletActionsQuery } from './types.ts';

/** Decides which actions a search finds, and how much of them it shows. */
export interface Sight {
  wallet: WalletRow;
  /** Senders whose actions are shown whole, beside the wallet itself: all of the caller's project, or these. */
  own: 'project' | readonly string[];
  /** Keys of the wallet's chain as other ledgers' actions have it. */
  chains: readonly string[];
  /** The wallet's ledger, as far as the caller may see it. */
  ledgerId: string | null;
}

/** A list of the wallet's party; see table `action_listing`. */
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

/** Decides how much of the actions that a wallet takes part in a caller sees. */
export function createSights({ auth, read, ledgers }: SightOptions) {
  /** Of senders that the caller's project does not have, only what is public is listed. */
  async function sightOfLists(
    principal: Principal,
    wallet: WalletRow,
    listings: readonly ListingRow[],
  ): Promise<Sight> {
    const received = listings.filter((one) => !isSent(one, wallet));
    const near = received.filter(({ project_id }) => project_id === principal.projectUid);
    const own = near.length === 0 || (await readsProject(principal)) ? 'project' : await readable(near);
    const foreign = received.filter(
      ({ shown: as, project_id }) =>
        as === 'public' && (own !== 'project' || project_id !== principal.projectUid),
    );
    return { wallet, own, ...(await sightOfForeign(principal, wallet, foreign)) };

    async function readable(lists: readonly ListingRow[]): Promise<readonly string[]> {
      const senders = await read.all<{ wallet_uid: string }>(
        `SELECT DISTINCT action.wallet_uid FROM action_listed JOIN action ON action.id = action_listed.action_id
          WHERE ${among(read.dialect, 'action_listed.listing', '$1')}`,
        [JSON.stringify(lists.map(({ id: one }) => one))],
      );
      return [
        ...(await readableAmong(
          auth,
          principal,
          senders.map(({ wallet_uid }) => wallet_uid),
        )),
      ];
    }
  }

  /** Who may read a project's wallets by a role on the project or above it may read all of them. */
  async function readsProject(principal: Principal): Promise<boolean> {
    return (await auth.decide(principal, ['wallet:read'], principal.projectUid)).result;
  }

  async function sightOfForeign(
    principal: Principal,
    wallet: WalletRow,
    foreign: readonly { ledger_uid: string; chain: string }[],
  ): Promise<Pick<Sight, 'chains' | 'ledgerId'>> {
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

  /** Null where it is not known for certain: the ledger cannot be asked, or who answers knows no first block. */
  async function chainOf({ ledgerUid, projectId }: WalletRow): Promise<string | null> {
    try {
      const identity = await (await ledgers.open(ledgerUid, { projectUid: projectId })).chain();
      return identity.genesis === 'remote' ? null : chainBase(identity);
    } catch {
      // Of this ledger's own actions all is shown as ever; those of others when it answers.
      return null;
    }
  }

  return { sightOfLists, sightOfForeign };
}

export interface SightOptions {
  auth: Auth;
  read: Queries;
  ledgers: Pick<Ledgers, 'open'>;
}

/** Ids of the lists whose entries are all found. */
export function admitted(listings: readonly ListingRow[], sight: Sight, query: WalletActionsQuery): string[] {
  const { wallet, chains, ledgerId } = sight;
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

/** By the wallet itself, alone or with others. */
export function isSent({ party }: ListingRow, { uid }: WalletRow): boolean {
  return [`w:${uid}`, coSignerParty(uid, false)].some((own) => party === own || party.startsWith(`${own}#`));
}
