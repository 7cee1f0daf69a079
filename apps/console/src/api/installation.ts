import { queryOptions } from '@tanstack/react-query';
import { chosenProject } from '../session/project.ts';
import { all, allPages, get, path } from './client.ts';
import { personQuery, queries } from './queries.ts';
import type { Schemas } from './types.ts';

export type Plugin = Schemas['PluginWithHealth'];

/** Nodes of a ledger that the caller may see. Only the deployer sees the deployer's nodes. */
export const nodesQuery = (ledgerId: string) =>
  queryOptions({
    queryKey: ['ledgers', ledgerId, 'nodes'],
    queryFn: ({ signal }) => all<Schemas['AdminNode']>('/v1/admin/nodes', { ledgerId }, { signal }),
  });

export const selectionQuery = (ledgerId: string) =>
  queryOptions({
    queryKey: ['plugins', 'selection', ledgerId],
    queryFn: ({ signal }) => get<Schemas['PluginSelection']>('/v1/plugins/selection', { ledgerId }, signal),
  });

export const pluginQuery = (pluginId: string) =>
  queryOptions({
    queryKey: ['plugins', pluginId],
    refetchInterval: 15_000,
    queryFn: ({ signal }) => get<Plugin>(path`/v1/plugins/${pluginId}`, {}, signal),
  });

/** Plugins that the project may use. */
export const pluginsQuery = () =>
  queryOptions({
    queryKey: ['plugins'],
    async queryFn({ signal }) {
      const { projects } = await queries.ensureQueryData(personQuery());
      const project = projects.find(({ uid }) => uid === chosenProject())?.projectId ?? '';
      return await allPages<Schemas['LedgerPlugin']>('/v1/plugins', { project }, signal);
    },
  });

/** The suspension of one ledger, which may belong to another project. Null if the ledger is not suspended. */
export const ledgerSuspensionQuery = (ledgerId: string) =>
  queryOptions({
    queryKey: ['suspensions', ledgerId],
    async queryFn({ signal }): Promise<Schemas['Suspension'] | null> {
      const { suspensions } = await get<Schemas['SuspensionPage']>(
        '/v1/ledger-ops/suspensions',
        { ledgerId },
        signal,
      );
      return suspensions[0] ?? null;
    },
  });

export const suspensionsQuery = () =>
  queryOptions({
    queryKey: ['suspensions'],
    async queryFn({ signal }): Promise<Schemas['Suspension'][]> {
      const held: Schemas['Suspension'][] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await get<Schemas['SuspensionPage']>(
          '/v1/ledger-ops/suspensions',
          { size: 100, cursor },
          signal,
        );
        held.push(...page.suspensions);
        if (page.next === null) return held;
        cursor = page.next;
      }
    },
  });
