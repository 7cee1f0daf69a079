import { type LedgerRecord, ledgerTags } from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import { endsWithin } from '../concurrency/ends-within.ts';
import type { Ledgers } from '../ledgers.ts';
import type { Timing } from '../timing.ts';
import { builtInFor } from './built-in.ts';
import type { PluginLoader } from './loader.ts';
import type { LoadedPlugin, PluginSelection, PluginSource } from './types.ts';

export interface PluginSelectorOptions {
  builtIn: readonly LoadedPlugin[];
  /** Omitted if there are only built-in plugins. */
  source?: Pick<PluginSource, 'weigh'> | undefined;
  ledgers: Pick<Ledgers, 'open'>;
  plugins: Pick<PluginLoader, 'check'>;
  timing: Pick<Timing, 'select'>;
}

/**
 * Returns the default plugin of a ledger, whether it can serve the ledger, and why the other plugins were not chosen.
 */
export type SelectPlugin = (ledger: LedgerRecord, projectUid: string) => Promise<PluginSelection>;

export function createPluginSelector({
  builtIn,
  source,
  ledgers,
  plugins,
  timing,
}: PluginSelectorOptions): SelectPlugin {
  /**
   * Returns why the chosen plugin cannot serve the ledger; null if the plugin opened the ledger and read its
   * chain.
   */
  async function faultOf({ uid, ledgerId }: LedgerRecord, projectUid: string): Promise<string | null> {
    const serve = async () => {
      const { pluginUid } = await ledgers.open(uid, { projectUid });
      await plugins.check(pluginUid);
      // The check may have found another description. If so, `open` opens the ledger again, with that description.
      const open = await ledgers.open(uid, { projectUid });
      await open.chain();
    };
    try {
      const isServed = await endsWithin(serve(), timing.select);
      return isServed ? null : `The ledger ${ledgerId} was not opened within ${timing.select / 1_000} s.`;
    } catch (error) {
      return problemFrom(error).message;
    }
  }

  return async (ledger, projectUid) => {
    const registered = (await source?.weigh(ledger, projectUid)) ?? [];
    const best = registered.find(({ why }) => why === null)?.plugin;
    const fallback = builtInFor(builtIn, ledger);
    const whyNot = ({ name, definition: { technology } }: LoadedPlugin): string | null => {
      if (technology !== ledger.technology) return `The plugin is for ledgers of ${technology}.`;
      const missing = ledgerTags(ledger).filter((tag) => tag !== technology && tag !== name);
      if (missing.length > 0)
        return `The plugin does not have the tags that the ledger requires: ${missing.join(', ')}.`;
      if (best !== undefined)
        return `${best.pluginId} is registered, and registered plugins take precedence over built-in ones.`;
      return name === fallback?.name ? null : `${fallback?.name} takes precedence.`;
    };
    const chosen = best?.pluginId ?? fallback?.name;
    const fault = chosen === undefined ? null : await faultOf(ledger, projectUid);
    return {
      chosen: chosen === undefined ? null : { pluginId: chosen, fault },
      candidates: [
        ...registered.map(({ plugin: { pluginId, name }, why }) => ({ pluginId, name, builtIn: false, why })),
        ...builtIn.map((plugin) => ({
          ...{ pluginId: plugin.name, name: plugin.name, builtIn: true },
          why: whyNot(plugin),
        })),
      ],
    };
  };
}
