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
    async describe(technology, projectUid, pluginTags, ledgerId) {
      try {
        // Loads the plugin, so that a record is validated by its module's current description.
        const { description, keyType } = await ledgers.reader(
          technology,
          projectUid ?? '',
          pluginTags,
          ledgerId,
        );
        const its = description ?? (await known(projectUid)).get(technology) ?? { title: technology };
        return { ...its, isRemote: keyType === null };
      } catch (error) {
        if (error instanceof Problem && error.problem === 'no-plugin') return null;
        throw error;
      }
    },
  };
}

/**
 * Returns the technologies by name, each with the first description that a plugin offers; a remote plugin may have
 * none.
 */
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
