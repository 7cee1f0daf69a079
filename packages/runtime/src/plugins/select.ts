import { type LedgerRecord, ledgerTags } from '@ledger-ops/registry';
import { problemFrom } from '../adapter-problem.ts';
import { endsWithin } from '../concurrency/ends-within.ts';
import type { Ledgers } from '../open-ledger.ts';
import type { Timing } from '../timing.ts';
import { builtInFor } from './built-in.ts';
import type { LoadedPlugin, PluginSelection, PluginSource } from './types.ts';

export interface PluginSelectorOptions {
  builtIn: readonly LoadedPlugin[];
  /** Absent: there are only the built-in ones. */
  source?: Pick<PluginSource, 'weigh'> | undefined;
  ledgers: Pick<Ledgers, 'open'>;
  timing: Pick<Timing, 'select'>;
}

/** The plugin that a ledger is opened with when none is named, whether it can serve it, and why it is not one of the others. */
export type SelectPlugin = (ledger: LedgerRecord, projectUid: string) => Promise<PluginSelection>;

export function createPluginSelector({
  builtIn,
  source,
  ledgers,
  timing,
}: PluginSelectorOptions): SelectPlugin {
  /** Why the ledger cannot be served with what is chosen; null: it was opened, and knows its chain. */
  async function faultOf({ uid, ledgerId }: LedgerRecord, projectUid: string): Promise<string | null> {
    const serve = async () => (await ledgers.open(uid, { projectUid })).chain();
    try {
      const isServed = await endsWithin(serve(), timing.select);
      return isServed ? null : `The ledger ${ledgerId} was not opened within ${timing.select} ms.`;
    } catch (error) {
      return problemFrom(error).message;
    }
  }

  return async (ledger, projectUid) => {
    const registered = (await source?.weigh(ledger, projectUid)) ?? [];
    const best = registered.find(({ why }) => why === null)?.plugin;
    const fallback = builtInFor(builtIn, ledger);
    const whyNot = ({ name, definition: { technology } }: LoadedPlugin): string | null => {
      if (technology !== ledger.technology) return `It is for ledgers of ${technology}.`;
      const missing = ledgerTags(ledger).filter((tag) => tag !== technology && tag !== name);
      if (missing.length > 0) return `It has not what the ledger asks for: ${missing.join(', ')}.`;
      if (best !== undefined) return `${best.pluginId} was registered, and goes before what is built in.`;
      return name === fallback?.name ? null : `${fallback?.name} goes before it.`;
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
