import { systemUid } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import { and, inArray } from 'drizzle-orm';
import { ledgerRecord } from '../ledgers/ledgers.ts';
import { usableIn } from '../scope.ts';
import type { LedgerRecord } from '../types.ts';
import { choosePlugin, ledgerTags } from './choose-plugin.ts';
import { readBuiltIn, readPlugins } from './plugin-rows.ts';
import type { PluginRecord } from './types.ts';

/** The properties that select a plugin are never secret, so no secret is opened. */
const closed = { seal: () => null, open: () => ({}) };

const named = 10;

/**
 * A change of a plugin, and the ledgers that the plugin serves only after it, each with the plugin
 * that served it before: `main (by ethereum)`.
 */
export interface TakeOver<Result> {
  readonly result: Result;
  /** Names at most ten ledgers; null if there are none. */
  readonly taken: string | null;
}

/**
 * Executes a change of one plugin, after which the plugin may serve ledgers that other plugins served before.
 * @param takeOver if false, a change is rejected if the plugin would serve such ledgers
 * @throws Problem `conflict` that names the ledgers and their plugins
 */
export async function withTakeOver<Result>(
  tx: Tx,
  uid: string,
  takeOver: boolean,
  change: () => Promise<Result>,
): Promise<TakeOver<Result>> {
  const before = await readPlugins(tx);
  const result = await change();
  const all = await takenOver(tx, uid, before, await readPlugins(tx));
  if (all.length === 0) return { result, taken: null };
  const rest = all.length > named ? ` and ${all.length - named} more` : '';
  const taken = `${all.slice(0, named).join(', ')}${rest}`;
  if (takeOver) return { result, taken };
  const detail = `The plugin would serve ledgers, and their wallets, that other plugins serve now: ${taken}. If this is intended, set takeOver (on the command line: --take-over). Otherwise list the plugin's own ledgers as \`ledgers\` in its description, or give these ledgers a tag (\`plugin_tags\`) that only their current plugin has.`;
  throw new Problem('conflict', detail, {
    errors: [{ pointer: '/takeOver', detail: 'must be true to change which plugin serves these ledgers' }],
  });
}

/** Returns the warning of a change that was allowed. */
export function takeOverWarnings({ taken }: Pick<TakeOver<unknown>, 'taken'>): string[] {
  return taken === null ? [] : [`The plugin now serves ledgers that other plugins served before: ${taken}.`];
}

/** Returns the ledgers that the plugin serves only after the change. */
async function takenOver(
  tx: Tx,
  uid: string,
  before: readonly PluginRecord[],
  after: readonly PluginRecord[],
): Promise<string[]> {
  const changed = after.find((plugin) => plugin.uid === uid);
  if (changed === undefined || !changed.active || changed.tags.length === 0) return [];
  const { ledger } = tx.t;
  const { projectUid } = changed;
  const rows = await tx.db
    .select()
    .from(ledger)
    .where(
      and(
        inArray(ledger.technology, [...changed.tags]),
        projectUid === null ? undefined : usableIn(ledger.scope, projectUid),
      ),
    );
  const builtIn = await readBuiltIn(tx);
  const projects = [...new Set(after.flatMap((plugin) => plugin.projectUid ?? []))];
  const found = new Set<string>();
  for (const row of rows) {
    const record = ledgerRecord(row, [], closed);
    // Each project that may use the ledger chooses among its own plugins and those of the deployer.
    const choosing = projectUid ?? record.projectUid;
    for (const project of choosing === null ? [systemUid, ...projects] : [choosing]) {
      const old = serving(before, builtIn, record, project);
      const isTaken =
        old !== undefined && old.uid !== uid && serving(after, builtIn, record, project)?.uid === uid;
      if (isTaken) found.add(`${record.ledgerId} (by ${old.pluginId})`);
    }
  }
  return [...found];
}

function serving(
  plugins: readonly PluginRecord[],
  builtIn: readonly PluginRecord[],
  ledger: LedgerRecord,
  projectUid: string,
): PluginRecord | undefined {
  try {
    return choosePlugin(plugins, ledger, projectUid);
  } catch {
    return builtIn.find(({ tags }) => ledgerTags(ledger).every((tag) => tags.includes(tag)));
  }
}
