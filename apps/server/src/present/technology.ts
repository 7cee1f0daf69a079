import type { TechnologyDescription } from '@ledger-ops/adapter';
import type { OfferedPlugin } from '@ledger-ops/runtime';

type Definition = OfferedPlugin['definition'];

/** A technology, with the plugins that serve its ledgers. */
export interface TechnologyView {
  name: string;
  title: string;
  namespace: string;
  unit: TechnologyDescription['unit'] | null;
  addresses: TechnologyDescription['addresses'] | null;
  content: (NonNullable<TechnologyDescription['content']> & { currentVersion: string }) | null;
  ledgerProperties: TechnologyDescription['ledgerProperties'] | null;
  nodeProperties: TechnologyDescription['nodeProperties'] | null;
  walletParameters: TechnologyDescription['walletParameters'] | null;
  templates: TechnologyDescription['templates'] | null;
  plugins: {
    id: string;
    version: string;
    /** `remote`: the plugin holds the keys of its wallets. */
    keyType: string;
    capabilities: Definition['capabilities'];
  }[];
}

/** Technologies by name. The first of several descriptions is used. */
export function technologyViews(offered: readonly OfferedPlugin[]): TechnologyView[] {
  return [...Map.groupBy(offered, ({ definition }) => definition.technology)]
    .map(([name, plugins]) => technologyView(name, plugins))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function technologyView(name: string, plugins: readonly OfferedPlugin[]): TechnologyView {
  const description = plugins.find(({ definition }) => definition.description !== undefined)?.definition
    .description;
  return {
    name,
    title: description?.title ?? name,
    namespace: description?.namespace ?? name,
    unit: description?.unit ?? null,
    addresses: description?.addresses ?? null,
    content: description?.content === undefined ? null : { currentVersion: '1', ...description.content },
    ledgerProperties: description?.ledgerProperties ?? null,
    nodeProperties: description?.nodeProperties ?? null,
    walletParameters: description?.walletParameters ?? null,
    templates: description?.templates ?? null,
    plugins: plugins.map(({ pluginId, definition: { version, keyType, capabilities } }) => ({
      id: pluginId,
      version,
      keyType: keyType ?? 'remote',
      capabilities,
    })),
  };
}
