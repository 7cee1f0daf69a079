import { Problem } from '@ledger-ops/base';
import type { DescribedTechnology, Technologies } from '@ledger-ops/registry';
import type { Ledgers, OfferedPlugin, PluginLoader } from '@ledger-ops/runtime';

/** Descriptions of technologies by their plugins, for the registry. */
export function createTechnologies(
  loader: Pick<PluginLoader, 'offered'>,
  ledgers: Pick<Ledgers, 'reader'>,
): Technologies {
  async function known(projectUid: string | null): Promise<Map<string, DescribedTechnology>> {
    return described(await loader.offered(projectUid ?? ''));
  }

  return {
    known,
    async describe(technology, projectUid) {
      const offered = await loader.offered(projectUid ?? '');
      const isLoaded = offered.find(({ definition }) => definition.technology === technology)?.isLoaded;
      if (isLoaded === true) return described(offered).get(technology) ?? null;
      try {
        // Loads the plugin: what is written is held against what its module says now.
        await ledgers.reader(technology, projectUid ?? '');
      } catch (error) {
        if (error instanceof Problem && error.problem === 'no-plugin') return null;
        throw error;
      }
      return (await known(projectUid)).get(technology) ?? null;
    },
  };
}

/** By name, in order. Of several descriptions of one the first holds; a remote plugin may have none. */
function described(offered: readonly OfferedPlugin[]): Map<string, DescribedTechnology> {
  return new Map(
    [...Map.groupBy(offered, ({ definition }) => definition.technology)].map(([technology, plugins]) => [
      technology,
      plugins.find(({ definition }) => definition.description !== undefined)?.definition.description ?? {
        title: technology,
      },
    ]),
  );
}
