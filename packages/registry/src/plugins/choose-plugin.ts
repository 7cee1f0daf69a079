import { Problem } from '@ledger-ops/base';
import semver from 'semver';
import type { LedgerRecord } from '../types.ts';
import type { PluginRecord } from './types.ts';

/**
 * The plugin of a ledger, for wallets of a project: out of the active ones of the project and of the deployer that
 * have the ledger's technology and all its `plugin_tags` as tags, the one with the highest implementation version,
 * then with most tags, then the oldest. An explicit id decides alone.
 *
 * @throws Problem `no-plugin` naming the tags, or the id, looked for
 */
export function choosePlugin(
  plugins: readonly PluginRecord[],
  ledger: Pick<LedgerRecord, 'ledgerId' | 'technology' | 'properties'>,
  projectUid: string,
  pluginId?: string,
): PluginRecord {
  const usable = plugins.filter(
    (plugin) => plugin.active && (plugin.projectUid === null || plugin.projectUid === projectUid),
  );
  if (pluginId !== undefined && pluginId !== '') {
    const named = usable.filter((plugin) => plugin.pluginId === pluginId);
    // A project's own before the deployer's of the same id.
    const found = named.find((plugin) => plugin.projectUid !== null) ?? named[0];
    if (found !== undefined) return found;
    throw new Problem('no-plugin', `There is no active plugin ${pluginId} that this project may use.`);
  }
  const wanted = ledgerTags(ledger);
  const [best] = usable
    .filter(({ tags }) => wanted.every((tag) => tags.includes(tag)))
    .toSorted(
      (a, b) =>
        semver.rcompare(a.implementationVersion, b.implementationVersion) ||
        b.tags.length - a.tags.length ||
        a.id - b.id,
    );
  if (best !== undefined) return best;
  const names = wanted.map((tag) => `"${tag}"`).join(', ');
  throw new Problem(
    'no-plugin',
    `No active plugin that this project may use has the ${wanted.length === 1 ? 'tag' : 'tags'} ${names}, which the ledger ${ledger.ledgerId} asks for.`,
    { extensions: { tags: wanted } },
  );
}

/** The tags that a ledger's plugin must have. */
export function ledgerTags(ledger: Pick<LedgerRecord, 'technology' | 'properties'>): string[] {
  const more = ledger.properties.plugin_tags;
  return [...new Set([ledger.technology, ...(Array.isArray(more) ? more : [])])];
}
