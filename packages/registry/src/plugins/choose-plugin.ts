import { Problem } from '@ledger-ops/base';
import semver from 'semver';
import type { LedgerRecord } from '../types.ts';
import type { PluginRecord, WeighedPlugin } from './types.ts';

type ChoosingLedger = Pick<LedgerRecord, 'ledgerId' | 'technology' | 'properties'>;

/**
 * The plugin of a ledger, for wallets of a project: out of the active ones of the project and of the deployer that
 * have the ledger's technology and all its `plugin_tags` as tags, the one with the highest implementation version,
 * then with most tags, then the oldest. An explicit id decides alone.
 *
 * @throws Problem `no-plugin` naming the tags, or the id, looked for
 */
export function choosePlugin(
  plugins: readonly PluginRecord[],
  ledger: ChoosingLedger,
  projectUid: string,
  pluginId?: string,
): PluginRecord {
  if (pluginId !== undefined && pluginId !== '') {
    const named = usable(plugins, projectUid).filter(
      (plugin) => plugin.active && plugin.pluginId === pluginId,
    );
    // A project's own before the deployer's of the same id.
    const found = named.find((plugin) => plugin.projectUid !== null) ?? named[0];
    if (found !== undefined) return found;
    throw new Problem('no-plugin', `There is no active plugin ${pluginId} that this project may use.`);
  }
  const [best] = fitting(plugins, ledger, projectUid);
  if (best !== undefined) return best;
  const wanted = ledgerTags(ledger);
  throw new Problem(
    'no-plugin',
    `No active plugin that this project may use has the ${tagWords(wanted)}, which the ledger ${ledger.ledgerId} asks for.`,
    { extensions: { tags: wanted } },
  );
}

/** The plugins that a project may use, those that fit the ledger first, and why each but the first is not chosen. */
export function weighPlugins(
  plugins: readonly PluginRecord[],
  ledger: ChoosingLedger,
  projectUid: string,
): WeighedPlugin[] {
  const fit = fitting(plugins, ledger, projectUid);
  const [best] = fit;
  const wanted = ledgerTags(ledger);
  const others = usable(plugins, projectUid).filter((plugin) => !fit.includes(plugin));
  return [
    ...fit.map((plugin) => ({
      plugin,
      why: best === undefined || plugin === best ? null : behind(plugin, best),
    })),
    ...others.map((plugin) => ({ plugin, why: unfit(plugin, wanted) })),
  ];
}

function unfit({ active, tags }: PluginRecord, wanted: readonly string[]): string {
  if (!active) return 'It is not active.';
  return `It lacks the ${tagWords(wanted.filter((tag) => !tags.includes(tag)))}, which the ledger asks for.`;
}

/** By what the better of two that fit goes first: the order of `fitting`, in words. */
function behind(one: PluginRecord, best: PluginRecord): string {
  if (semver.compare(one.implementationVersion, best.implementationVersion) !== 0) {
    return `${best.pluginId} has a higher implementation version: ${best.implementationVersion}, not ${one.implementationVersion}.`;
  }
  if (one.tags.length !== best.tags.length) return `${best.pluginId} has more tags.`;
  return `${best.pluginId} was registered before it.`;
}

/** Best first. */
function fitting(
  plugins: readonly PluginRecord[],
  ledger: ChoosingLedger,
  projectUid: string,
): PluginRecord[] {
  const wanted = ledgerTags(ledger);
  return usable(plugins, projectUid)
    .filter(({ active, tags }) => active && wanted.every((tag) => tags.includes(tag)))
    .toSorted(
      (a, b) =>
        semver.rcompare(a.implementationVersion, b.implementationVersion) ||
        b.tags.length - a.tags.length ||
        a.id - b.id,
    );
}

function usable(plugins: readonly PluginRecord[], projectUid: string): PluginRecord[] {
  return plugins.filter((plugin) => plugin.projectUid === null || plugin.projectUid === projectUid);
}

function tagWords(tags: readonly string[]): string {
  return `${tags.length === 1 ? 'tag' : 'tags'} ${tags.map((tag) => `"${tag}"`).join(', ')}`;
}

/** The tags that a ledger's plugin must have. */
export function ledgerTags(ledger: Pick<LedgerRecord, 'technology' | 'properties'>): string[] {
  const more = ledger.properties.plugin_tags;
  const tags = Array.isArray(more) ? more.filter((tag) => typeof tag === 'string') : [];
  return [...new Set([ledger.technology, ...tags])];
}
