import { createAuth } from '@ledger-ops/auth';
import { createMasterKey } from '@ledger-ops/base';
import type { Discrepancy, Runtime } from '@ledger-ops/runtime';
import { openSnapshot, type Store } from '@ledger-ops/store';
import { databasePlace } from '../database-place.ts';
import { createLog } from '../logging/logger.ts';
import { type Command, found } from './command.ts';

/** Lines of one rule; the rest is counted, and all of it is in the JSON. */
const linesOfRule = 10;

/** Compares what the database says with itself, and with the ledgers. */
export const verify: Command = {
  about: 'Compares the database with itself and with the ledgers: every ended action, every account.',
  more: `Reads the database as of one instant, and changes nothing: it may run beside servers, and after a restoration before the first
start. Of each action that has ended its transaction is looked up, so it takes as long as the ledgers' nodes do. Transactions that no
action knows are seen where accounts count theirs.`,
  arguments: {},
  options: {},
  async run({ config, progress }) {
    const settings = config();
    // Most of a server, which other commands do not load.
    const [{ brokenInvariants }, { createCore }, { builtInAdapters }] = await Promise.all([
      import('@ledger-ops/runtime'),
      import('../core.ts'),
      import('../adapters.ts'),
    ]);
    const store = await openSnapshot(databasePlace(settings));
    try {
      const discrepancies = await brokenInvariants(store.read);
      progress(`database: ${discrepancies.length === 0 ? 'all invariants hold' : 'not all invariants hold'}`);
      const masterKey = createMasterKey(settings.masterKey);
      const auth = await createAuth({ store, masterKey, config: { baseUrl: 'http://localhost' } });
      const { runtime } = createCore({
        ...{ config: settings, log: createLog('silent'), adapters: builtInAdapters },
        ...{ store, auth, masterKey, now: Date.now },
      });
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
        await runtime.stop();
        await auth.close();
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
  readonly untold: readonly string[];
  readonly discrepancies: readonly Discrepancy[];
  /** Why it could not be asked. */
  readonly failure?: string;
}

async function verifyLedgers(
  store: Store,
  runtime: Runtime,
  progress: (line: string) => void,
): Promise<LedgerReport[]> {
  const records = await store.read.all<{ uid: string; ledger_id: string }>(
    'SELECT uid, ledger_id FROM ledger WHERE EXISTS (SELECT 1 FROM action WHERE action.ledger_uid = ledger.uid) ORDER BY ledger_id',
  );
  const { verifyLedger } = await import('@ledger-ops/runtime');
  const reports: LedgerReport[] = [];
  for (const { uid, ledger_id: ledgerId } of records) {
    const nothing = { actions: 0, accounts: 0, untold: [], discrepancies: [] };
    const report = await runtime.ledgers
      .open(uid)
      .then((open) => verifyLedger(store.read, open))
      .catch((error: unknown) => ({
        ...nothing,
        failure: error instanceof Error ? error.message : 'unknown',
      }));
    reports.push({ ledgerId, ...report });
    progress(`${ledgerId}: ${report.actions} actions, ${report.accounts} accounts`);
  }
  return reports;
}

function lineOf({ ledgerId, actions, accounts, untold, discrepancies, failure }: LedgerReport): string {
  if (failure !== undefined) return `${ledgerId}: not compared: ${failure}`;
  const state = discrepancies.length === 0 ? 'as the ledger has it' : `${discrepancies.length} differ`;
  return [`${ledgerId}: ${actions} ended actions, ${accounts} accounts: ${state}.`, ...untold].join(' ');
}

function linesOf(discrepancies: readonly Discrepancy[]): string[] {
  const byRule = Map.groupBy(discrepancies, ({ rule }) => rule);
  return [...byRule].flatMap(([rule, all]) => [
    `Broken, ${all.length} times: ${rule}`,
    ...all.slice(0, linesOfRule).map(({ subject, detail }) => `  ${subject}: ${detail}`),
    ...(all.length > linesOfRule ? [`  and ${all.length - linesOfRule} more; --json tells all`] : []),
  ]);
}
