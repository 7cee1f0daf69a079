import type { Auth, Principal } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import { ledgerTags, type Plugins, type Registry } from '@ledger-ops/registry';
import type { PluginSelection, PluginStatus, Runtime } from '@ledger-ops/runtime';
import { type TechnologyView, technologyViews } from '../present/technology.ts';

/** Which plugin serves a ledger, and what the ledger asks for. */
export interface LedgerSelection extends PluginSelection {
  ledgerId: string;
  tags: string[];
}

/** The plugins' records and health, for their routes. */
export interface PluginPort
  extends Pick<
    Plugins,
    'list' | 'create' | 'get' | 'update' | 'delete' | 'addTags' | 'removeTags' | 'legacy'
  > {
  /** How it is doing on this server; null when nothing has used it since it was last changed. */
  health(principal: Principal, pluginId: string): Promise<PluginStatus | null>;
  /** By name, of plugins that the caller's project may use. */
  technologies(principal: Principal): Promise<TechnologyView[]>;
  /** For wallets of the caller's project. @throws Problem `not-found`, `not-permitted` */
  selection(principal: Principal, ledgerId: string): Promise<LedgerSelection>;
}

/** Dependencies of the port. */
export interface PluginPortOptions {
  readonly plugins: Plugins;
  readonly loader: Pick<Runtime['plugins'], 'status' | 'offered' | 'select'>;
  readonly auth: Pick<Auth, 'demand'>;
  readonly registry: Pick<Registry, 'ledgerByLedgerId'>;
}

/** Records of plugins, and how those are doing that run. */
export function createPluginPort({ plugins, loader, auth, registry }: PluginPortOptions): PluginPort {
  return {
    ...plugins,
    // By the record that the path means: status is kept by uids, and ids repeat across projects.
    health: async (principal, pluginId) => loader.status(await plugins.uidOf(principal, pluginId)),
    technologies: async ({ projectUid }) => technologyViews(await loader.offered(projectUid)),
    async selection(principal, ledgerId) {
      const { projectUid } = principal;
      await auth.demand(principal, 'plugin:read', projectUid);
      const none = () => new Problem('not-found', `There is no ledger ${ledgerId} that you may see.`);
      const ledger = await registry.ledgerByLedgerId(ledgerId, projectUid);
      if (ledger === null) throw none();
      await auth.demand(principal, 'ledger:read', ledger.uid).catch((error: unknown) => {
        throw error instanceof Problem && error.problem === 'not-found' ? none() : error;
      });
      return { ledgerId, tags: ledgerTags(ledger), ...(await loader.select(ledger, projectUid)) };
    },
  };
}
