import type { Discrepancy, Runtime } from '@ledger-ops/runtime';
import { openSnapshot, type Store } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import { isNewInstallation, lostDatabase, neverStarted } from '../lost-database.ts';
import { messageOf } from '../message-of.ts';
import { type Command, CommandError, found } from './command.ts';
import { counted } from './counted.ts';
import { openCore } from './open-core.ts';

/** Lines printed per rule; the others are counted. The JSON contains all. */
const linesOfRule = 10;

/** Checks the database for consistency and against the ledgers. */
export const verify: Command = {
  about:
    'Checks that the database is consistent and matches the ledgers: every finished action, and every account on a chain.',
  more: `Reads a consistent state of the database, and changes nothing: it can run next to servers, and after a restore before the first
start. It looks up the transaction of each finished action, so its duration depends on the nodes. Transactions
that belong to no action are detected on ledgers whose accounts have nonces.`,
  arguments: {},
  options: {},
  async run({ config, progress }) {
    const settings = config();
    const { brokenInvariants } = await import('@ledger-ops/runtime');
    const store = await openSnapshot(databasePlace(settings));
    try {
      if (await isNewInstallation(store.read))
        throw new CommandError((await lostDatabase(settings)) ?? neverStarted(store.where));
      const discrepancies = await brokenInvariants(store.read);
      progress(`database: ${discrepancies.length === 0 ? 'consistent' : 'not consistent'}`);
      const { runtime, close } = await openCore(settings, store);
      try {
        const ledgers = await verifyLedgers(store, runtime, progress);
        discrepancies.push(...ledgers.flatMap((ledger) => ledger.discrepancies));
        const unasked = ledgers.filter(({ failure }) => failure !== undefined);
        return {
          code: discrepancies.length > 0 || unasked.length > 0 ? found : 0,
          lines: [...ledgers.map(lineOf), ...linesOf(discrepancies)],
          data: { discrepancies, ledgers },
        };
      } finally {
        await close();
      }
    } finally {
      await store.close();
    }
  },
};

interface LedgerReport {
  readonly ledgerId: string;
  readonly actions: number;
  readonly accounts: number;
  readonly unsupportedChecks: readonly string[];
  readonly discrepancies: readonly Discrepancy[];
  /** Why the ledger could not be queried. */
  readonly failure?: string;
  /** Whether the server's settings forbid the addresses of the ledger's nodes. */
  readonly isAddressRefused?: boolean;
}

async function verifyLedgers(
  store: Store,
  runtime: Runtime,
  progress: (line: string) => void,
): Promise<LedgerReport[]> {
  const records = await store.read.all<{ uid: string; ledger_id: string }>(
    'SELECT uid, ledger_id FROM ledger WHERE EXISTS (SELECT 1 FROM action WHERE action.ledger_uid = ledger.uid) ORDER BY ledger_id',
  );
  const { problemFrom, verifyLedger } = await import('@ledger-ops/runtime');
  const reports: LedgerReport[] = [];
  for (const { uid, ledger_id: ledgerId } of records) {
    const nothing = { actions: 0, accounts: 0, unsupportedChecks: [], discrepancies: [] };
    const report = await runtime.ledgers
      .open(uid)
      .then((open) => verifyLedger(store.read, open))
      .catch((error: unknown) => ({
        ...nothing,
        failure: messageOf(error),
        isAddressRefused: problemFrom(error).problem === 'address-not-opened',
      }));
    reports.push({ ledgerId, ...report });
    progress(`${ledgerId}: read`);
  }
  return reports;
}

function lineOf(report: LedgerReport): string {
  const { ledgerId, actions, accounts, unsupportedChecks, discrepancies, failure, isAddressRefused } = report;
  if (failure !== undefined) {
    const next = isAddressRefused ? ' Set OUTBOUND_OPEN to the server’s value, then run verify again.' : '';
    return `${ledgerId} could not be compared. ${failure}${next}`;
  }
  const state =
    discrepancies.length === 0 ? 'match the ledger' : `${discrepancies.length} differ from the ledger`;
  return [
    `${ledgerId}: ${counted(actions, 'final action')}, ${counted(accounts, 'account')}: ${state}.`,
    ...unsupportedChecks,
  ].join(' ');
}

function linesOf(discrepancies: readonly Discrepancy[]): string[] {
  const byRule = Map.groupBy(discrepancies, ({ rule }) => rule);
  return [...byRule].flatMap(([rule, all]) => [
    `Violated in ${counted(all.length, 'case')}: ${rule}`,
    ...all.slice(0, linesOfRule).map(({ subject, detail }) => `  ${subject}: ${detail}`),
    ...(all.length > linesOfRule ? [`  and ${all.length - linesOfRule} more; use --json for all`] : []),
  ]);
}
