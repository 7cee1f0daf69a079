import { Problem } from '@ledger-ops/base';
import type { JsonSchema } from '@ledger-ops/glo-core';

/** A technology's description, as far as records need it; see the contract of adapters. */
export interface DescribedTechnology {
  /** For people. */
  title: string;
  /** Properties of a ledger beside those that all ledgers have: an object schema that names all members. */
  ledgerProperties?: JsonSchema;
  nodeProperties?: JsonSchema;
  /** Absent: there are no templates of contracts for its ledgers. */
  templates?: {
    /** Of compiled code, a text. */
    code: JsonSchema;
    /** It is a package, as `readChaincodePackage` reads it. */
    package?: boolean;
    /** That our compiler takes for it. */
    languages?: string[];
  };
}

/** The technologies of the plugins that records of a project may use; of a null project, of the deployer's plugins. */
export interface Technologies {
  /**
   * The one of that name; null where no plugin offers it. Loads a plugin that was not used before.
   * @throws Problem `plugin-fault`, `unavailable` when it cannot be loaded
   */
  describe(technology: string, projectUid: string | null): Promise<DescribedTechnology | null>;
  /** Those of plugins that are loaded, by name; what the server prefers first. */
  known(projectUid: string | null): Promise<ReadonlyMap<string, DescribedTechnology>>;
}

/** A technology's description. @throws Problem `no-plugin` at the pointer where no plugin offers it there */
export async function demandTechnology(
  technologies: Technologies,
  technology: string,
  projectUid: string | null,
  pointer: string,
): Promise<DescribedTechnology> {
  const found = await technologies.describe(technology, projectUid);
  if (found !== null) return found;
  const known = [...(await technologies.known(projectUid)).keys()];
  const detail = `no active plugin offers the technology ${technology}; known are ${known.join(', ')}. A plugin for it can be registered`;
  throw new Problem('no-plugin', `${pointer}: ${detail}.`, { errors: [{ pointer, detail }] });
}
