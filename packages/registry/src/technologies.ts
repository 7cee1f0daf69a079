import { Problem } from '@ledger-ops/base';
import type { JsonSchema } from '@ledger-ops/glo-core';
import { tagWords } from './plugins/choose-plugin.ts';

/** The members of a technology's description that the registry uses; see the adapter interface. */
export interface DescribedTechnology {
  /** Display name. */
  title: string;
  /** Schema of the properties that only ledgers of this technology have. It lists all members. */
  ledgerProperties?: JsonSchema;
  nodeProperties?: JsonSchema;
  /** True for a remote plugin. It connects to nodes itself and receives no properties of the ledger. */
  isRemote?: boolean;
  /** Absent if contract templates are not supported. */
  templates?: {
    /** Schema of compiled code; its type is string. */
    code: JsonSchema;
    /** Whether code is a chaincode package, read by `readChaincodePackage`. */
    package?: boolean;
    /** Languages that the service's compiler can compile for this technology. */
    languages?: string[];
  };
}

/** Technologies of the plugins that a project may use; for a null project, of the deployer's plugins. */
export interface Technologies {
  /**
   * Returns the description by the plugin that serves ledgers with these `plugin_tags`, or the ledger with
   * this id; null if there is no such plugin. Loads the plugin if needed.
   * @throws Problem `plugin-fault`, `unavailable` if it cannot be loaded
   */
  describe(
    technology: string,
    projectUid: string | null,
    pluginTags?: readonly string[],
    ledgerId?: string,
  ): Promise<DescribedTechnology | null>;
  /** Descriptions of the technologies of loaded plugins, by name, in the server's order of preference. */
  known(projectUid: string | null): Promise<ReadonlyMap<string, DescribedTechnology>>;
}

/**
 * Returns a technology's description, for ledgers with these `plugin_tags`.
 * @throws Problem `no-plugin` at the pointer if no plugin offers it
 */
export async function demandTechnology(
  technologies: Technologies,
  technology: string,
  projectUid: string | null,
  pointer: string,
  tags: readonly string[] = [],
  ledgerId?: string,
): Promise<DescribedTechnology> {
  const found = await technologies.describe(technology, projectUid, tags, ledgerId);
  if (found !== null) return found;
  const known = [...(await technologies.known(projectUid)).keys()];
  const wanted = [...new Set([technology, ...tags])];
  if (known.includes(technology)) {
    const lacking =
      wanted.length === 1
        ? `a plugin supports the technology ${technology}, but no active plugin of this project has the tag "${technology}". Add the tag to the plugin`
        : `no active plugin of this project has the ${tagWords(wanted)}. Add the tags to a plugin, or change the ledger's plugin_tags`;
    throw new Problem('no-plugin', `${pointer}: ${lacking}.`, {
      errors: [{ pointer, detail: lacking }],
      extensions: { tags: wanted },
    });
  }
  const detail = `no active plugin supports the technology ${technology}; supported are ${known.join(', ')}. Register a plugin for it`;
  throw new Problem('no-plugin', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
}
