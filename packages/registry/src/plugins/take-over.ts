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

/** The result of a change of a plugin, and the ledgers whose plugin it changed: at most ten that it took and ten that it lost. */
export interface TakeOver<Result> {
  readonly result: Result;
  /** Ledgers that the plugin serves only after the change, each with its former plugin: `main (by ethereum)`; null if there are none. */
  readonly taken: string | null;
  /** Ledgers that the plugin no longer serves, each with its new plugin: `main (then by ethereum)`; null if there are none. */
  readonly lost: string | null;
}

/**
 * Executes a change of one plugin that may change which ledgers the plugin serves. A plugin that is not active after the
 * change is not treated as losing ledgers.
 * @param takeOver if false, a change is rejected if there are such ledgers
 * @throws Problem `conflict` that names the ledgers and their plugins; also if a remote plugin would serve a ledger with
 * a confirmation depth, which it does not receive
 */
export async function withTakeOver<Result>(
  tx: Tx,
  uid: string,
  takeOver: boolean,
  change: () => Promise<Result>,
): Promise<TakeOver<Result>> {
  const before = await readPlugins(tx);
  const result = await change();
  const moved = await movedLedgers(tx, uid, before, await readPlugins(tx));
  const [taken, lost] = [some(moved.taken), some(moved.lost)];
  const deep = some(moved.deep);
  if (deep !== null) {
    throw new Problem(
      'conflict',
      `The plugin would serve ledgers whose outcomes are final after a number of confirmations, but remote plugins do not receive \`confirmations\` and decide this themselves: ${deep}. Remove this property from the ledgers, list the plugin's own ledgers as \`ledgers\` in its description, or give these ledgers a tag (\`plugin_tags\`) that only their current plugin has.`,
    );
  }
  if (takeOver || (taken === null && lost === null)) return { result, taken, lost };
  const detail = [
    ...(taken === null
      ? []
      : [`The plugin would serve ledgers, and their wallets, that other plugins serve now: ${taken}.`]),
    ...(lost === null
      ? []
      : [`The plugin would no longer serve ledgers, and their wallets, that it serves now: ${lost}.`]),
    'If this is intended, set takeOver (on the command line: --take-over).',
    ...(taken === null
      ? []
      : [
          "Otherwise list the plugin's own ledgers as `ledgers` in its description, or give these ledgers a tag (`plugin_tags`) that only their current plugin has.",
        ]),
  ].join(' ');
  throw new Problem('conflict', detail, {
    errors: [{ pointer: '/takeOver', detail: 'must be true to change which plugin serves these ledgers' }],
  });
}

/** Returns the warnings of a change that was allowed. */
export function takeOverWarnings({ taken, lost }: Pick<TakeOver<unknown>, 'taken' | 'lost'>): string[] {
  return [
    ...(taken === null ? [] : [`The plugin now serves ledgers that other plugins served before: ${taken}.`]),
    ...(lost === null ? [] : [`The plugin no longer serves ledgers that it served before: ${lost}.`]),
  ];
}

function some(ledgers: ReadonlySet<string>): string | null {
  if (ledgers.size === 0) return null;
  const rest = ledgers.size > named ? ` and ${ledgers.size - named} more` : '';
  return `${[...ledgers].slice(0, named).join(', ')}${rest}`;
}

/**
 * Returns the ledgers that the plugin serves either only before or only after the change. `deep` are those of the latter
 * that have a confirmation depth, if the plugin is remote.
 */
async function movedLedgers(
  tx: Tx,
  uid: string,
  before: readonly PluginRecord[],
  after: readonly PluginRecord[],
): Promise<{ taken: ReadonlySet<string>; lost: ReadonlySet<string>; deep: ReadonlySet<string> }> {
  const taken = new Set<string>();
  const deep = new Set<string>();
  const lost = new Set<string>();
  const changed = after.find((plugin) => plugin.uid === uid);
  if (changed === undefined || !changed.active || changed.tags.length === 0) return { taken, lost, deep };
  const { ledger } = tx.t;
  const { projectUid } = changed;
  const isRemote = /^https?:/.test(changed.url);
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
  for (const row of rows) {
    const record = ledgerRecord(row, [], closed);
    // Each project that may use the ledger chooses among its own plugins and those of the deployer.
    const choosing = projectUid ?? record.projectUid;
    for (const project of choosing === null ? [systemUid, ...projects] : [choosing]) {
      const old = serving(before, builtIn, record, project);
      const next = serving(after, builtIn, record, project);
      if (old === undefined || old.uid === next?.uid) continue;
      if (next?.uid === uid) taken.add(`${record.ledgerId} (by ${old.pluginId})`);
      if (next?.uid === uid && isRemote && record.properties.confirmations !== undefined)
        deep.add(record.ledgerId);
      const heir = next === undefined ? 'no other plugin serves it' : `then by ${next.pluginId}`;
      if (old.uid === uid) lost.add(`${record.ledgerId} (${heir})`);
    }
  }
  return { taken, lost, deep };
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
