import { Problem } from '@ledger-ops/base';
import semver from 'semver';
import type { LedgerRecord } from '../types.ts';
import { compareNewestFirst } from './plugin-version.ts';
import type { PluginRecord, WeighedPlugin } from './types.ts';

/** `ledgerId` is empty if the request is for any ledger of a technology. */
type ChoosingLedger = Pick<LedgerRecord, 'ledgerId' | 'technology' | 'properties'>;

/**
 * Chooses the plugin of a ledger for wallets of a project. Candidates are the active plugins of the project and of the
 * deployer whose tags include the ledger's technology and all its `plugin_tags`. A plugin that is restricted to certain
 * ledgers is a candidate only for these. The first of these criteria that differs decides: highest implementation
 * version (of the adapter interface), newest plugin version, most tags, oldest registration. An explicit id overrides
 * them.
 *
 * @throws Problem `no-plugin` that names the missing tags or id
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
    // The project's own plugin takes precedence over a deployer's plugin with the same id.
    const found = named.find((plugin) => plugin.projectUid !== null) ?? named[0];
    if (found !== undefined) return found;
    throw new Problem(
      'no-plugin',
      `The plugin ${pluginId} does not exist, is not active or is not available to this project.`,
    );
  }
  const [best] = fitting(plugins, ledger, projectUid);
  if (best !== undefined) return best;
  const wanted = ledgerTags(ledger);
  throw new Problem('no-plugin', noneFits(usable(plugins, projectUid), ledger, wanted), {
    extensions: { tags: wanted },
  });
}

/** Returns why none of these plugins serves the ledger, and what to do. */
function noneFits(
  plugins: readonly PluginRecord[],
  ledger: ChoosingLedger,
  wanted: readonly string[],
): string {
  const lackedBy = ({ tags }: PluginRecord) => wanted.filter((tag) => !tags.includes(tag));
  const [nearest] = plugins
    .filter(
      (plugin) => plugin.active && plugin.tags.includes(ledger.technology) && servesLedger(plugin, ledger),
    )
    .toSorted((a, b) => lackedBy(a).length - lackedBy(b).length || a.id - b.id);
  if (nearest !== undefined) {
    const lacked = lackedBy(nearest);
    const all = wanted.map((tag) => `"${tag}"`).join(', ');
    return `No active plugin of this project has all tags that ${named(ledger)} requires: ${all}. The plugin ${nearest.pluginId} lacks the ${tagWords(lacked)}. Add ${lacked.length === 1 ? 'it' : 'them'} there, or change plugin_tags of the ledger.`;
  }
  return plugins.some((plugin) => !servesLedger(plugin, ledger))
    ? `No active plugin of this project serves ${named(ledger)} and has the ${tagWords(wanted)} that the ledger requires. Activate or register one.`
    : `No active plugin of this project has the ${tagWords(wanted)} that ${named(ledger)} requires. Activate or register one.`;
}

/**
 * Returns the plugins that a project may use. Those that fit the ledger come first, best first. Each plugin
 * except the best one has the reason why it is not chosen.
 */
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
    ...others.map((plugin) => ({ plugin, why: unfit(plugin, wanted, ledger) })),
  ];
}

function unfit(plugin: PluginRecord, wanted: readonly string[], ledger: ChoosingLedger): string {
  const { active, tags } = plugin;
  if (!active) return 'The plugin is not active.';
  if (!servesLedger(plugin, ledger))
    return `The plugin serves only the ledgers ${some(plugin.ledgers ?? [])}.`;
  return `The plugin does not have the ${tagWords(wanted.filter((tag) => !tags.includes(tag)))}, which the ledger requires.`;
}

/**
 * Returns why `best` is chosen instead of `one`, although both fit. The criteria have the same order as in
 * `fitting`.
 */
function behind(one: PluginRecord, best: PluginRecord): string {
  if (semver.compare(one.implementationVersion, best.implementationVersion) !== 0) {
    return `${best.pluginId} implements a newer version of the adapter interface: ${best.implementationVersion} instead of ${one.implementationVersion}.`;
  }
  if (compareNewestFirst(one.version, best.version) !== 0) {
    return one.version === null
      ? `${best.pluginId} has version ${best.version}; the version of this plugin is unknown.`
      : `${best.pluginId} has a newer version: ${best.version} instead of ${one.version}.`;
  }
  if (one.tags.length !== best.tags.length) return `${best.pluginId} has more tags.`;
  return `${best.pluginId} was registered earlier.`;
}

/** Returns the plugins that fit the ledger, best first. */
function fitting(
  plugins: readonly PluginRecord[],
  ledger: ChoosingLedger,
  projectUid: string,
): PluginRecord[] {
  const wanted = ledgerTags(ledger);
  return usable(plugins, projectUid)
    .filter(
      (plugin) =>
        plugin.active && wanted.every((tag) => plugin.tags.includes(tag)) && servesLedger(plugin, ledger),
    )
    .toSorted(
      (a, b) =>
        semver.rcompare(a.implementationVersion, b.implementationVersion) ||
        compareNewestFirst(a.version, b.version) ||
        b.tags.length - a.tags.length ||
        a.id - b.id,
    );
}

function named({ ledgerId, technology }: ChoosingLedger): string {
  return ledgerId === '' ? `a ledger of technology ${technology}` : `the ledger ${ledgerId}`;
}

function servesLedger({ ledgers }: PluginRecord, { ledgerId }: ChoosingLedger): boolean {
  return ledgers === null || ledgerId === '' || ledgers.includes(ledgerId);
}

const mostNamed = 10;

function some(ids: readonly string[]): string {
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : '';
  return `${ids.slice(0, mostNamed).join(', ')}${more}`;
}

function usable(plugins: readonly PluginRecord[], projectUid: string): PluginRecord[] {
  return plugins.filter((plugin) => plugin.projectUid === null || plugin.projectUid === projectUid);
}

/** Lists the tags in words: `tag "a"`, or `tags "a", "b"`. */
export function tagWords(tags: readonly string[]): string {
  return `${tags.length === 1 ? 'tag' : 'tags'} ${tags.map((tag) => `"${tag}"`).join(', ')}`;
}

/** Returns the tags that the plugin of a ledger must have. */
export function ledgerTags(ledger: Pick<LedgerRecord, 'technology' | 'properties'>): string[] {
  return [...new Set([ledger.technology, ...pluginTags(ledger.properties)])];
}

/** Value of the ledger's property `plugin_tags`. */
export function pluginTags({ plugin_tags: tags }: LedgerRecord['properties']): string[] {
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}
