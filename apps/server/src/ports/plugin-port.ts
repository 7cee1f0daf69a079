import type { Auth, Principal } from '@ledger-ops/auth';
import { ledgerTags, type Plugins, type Registry, visibleLedger } from '@ledger-ops/registry';
import type { PluginSelection, PluginStatus, Runtime } from '@ledger-ops/runtime';
import { type TechnologyView, technologyViews } from '../present/technology.ts';

/** The plugin that serves a ledger, and the properties that the ledger requires of it. */
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
  /**
   * Returns the plugin's state on this server; null if the server has not used the plugin since its record
   * last changed.
   */
  health(principal: Principal, pluginId: string): Promise<PluginStatus | null>;
  /** Returns the technologies of the plugins that the caller's project may use, by name. */
  technologies(principal: Principal): Promise<TechnologyView[]>;
  /** Selects a plugin for wallets of the caller's project. @throws Problem `not-found`, `not-permitted` */
  selection(principal: Principal, ledgerId: string): Promise<LedgerSelection>;
}

export interface PluginPortOptions {
  readonly plugins: Plugins;
  readonly loader: Pick<Runtime['plugins'], 'status' | 'offered'>;
  readonly select: Runtime['selectPlugin'];
  readonly auth: Pick<Auth, 'decide' | 'demand'>;
  readonly registry: Pick<Registry, 'ledgersByLedgerId'>;
}

/** Combines plugin records with the state of running plugins. */
export function createPluginPort({ plugins, loader, select, auth, registry }: PluginPortOptions): PluginPort {
  return {
    ...plugins,
    // Resolves the id to a uid, because projects may use the same id.
    health: async (principal, pluginId) => loader.status(await plugins.uidOf(principal, pluginId)),
    technologies: async ({ projectUid }) => technologyViews(await loader.offered(projectUid)),
    async selection(principal, ledgerId) {
      const { projectUid } = principal;
      await auth.demand(principal, 'plugin:read', projectUid);
      const ledger = await visibleLedger({ auth, registry }, principal, ledgerId);
      return { ledgerId: ledger.ledgerId, tags: ledgerTags(ledger), ...(await select(ledger, projectUid)) };
    },
  };
}
