import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Plugin } from '../api/installation.ts';
import { pluginQuery, pluginsQuery } from '../api/installation.ts';
import type { Schemas } from '../api/types.ts';
import { ownerText } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Paging } from '../ui/paging.tsx';
import { Records } from '../ui/records.tsx';
import { PluginHealth } from './plugin/health.tsx';
import { PluginForm } from './plugins/plugin-form.tsx';

const route = getRouteApi('/frame/plugins');

type Row = Schemas['LedgerPlugin'] & { withHealth: Plugin | undefined };
const columns: Column<Row>[] = [
  {
    id: 'name',
    header: 'Plugin',
    cell: (plugin) => (
      <div className="min-w-0">
        <Link
          to="/plugins/$pluginId"
          params={{ pluginId: plugin.id }}
          className="font-medium wrap-anywhere underline-offset-4 hover:underline"
        >
          {plugin.name}
        </Link>
        <p className="text-xs break-all text-ink-3">{plugin.url}</p>
      </div>
    ),
  },
  { id: 'withHealth', header: 'State', cell: (one) => <PluginHealth plugin={one.withHealth} /> },
  { id: 'tags', header: 'Tags', from: 'md', cell: (one) => one.tags.join(', ') },
  {
    id: 'implementationVersion',
    header: 'Interface',
    from: 'lg',
    cell: (one) => one.implementationVersion,
  },
  { id: 'projectId', header: 'Owner', from: 'md', cell: (one) => ownerText(one.projectId) },
];

/** Plugins of a page: as many as a person looks at, since each says of itself how it is doing. */
const size = 25;

export function Plugins() {
  const list = useQuery(pluginsQuery());
  const { page = 1 } = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const shown = list.data?.slice((page - 1) * size, page * size);
  const health = useQueries({ queries: (shown ?? []).map(({ id }) => pluginQuery(id)) });
  const rows = shown?.map((plugin, index) => ({ ...plugin, withHealth: health[index]?.data }));
  return (
    <>
      <PageHead
        title="Plugins"
        about="Plugins speak with ledgers. The page of a ledger says which plugin serves it, and why."
      >
        <Button look="primary" onClick={() => setAdding(true)}>
          Register a plugin
        </Button>
      </PageHead>
      <Records
        label="Plugins"
        list={{ data: rows, error: list.error }}
        columns={columns}
        rowId={({ id }) => id}
        empty={
          <Empty title="No plugin is registered">
            The built-in ones serve their ledgers. Others are modules that the deployer allows, or remote
            plugins.
          </Empty>
        }
      >
        <Paging
          page={page}
          size={size}
          total={list.data?.length}
          choose={(next) => void navigate({ search: next === 1 ? {} : { page: next } })}
        />
      </Records>
      {isAdding ? (
        <PluginForm
          done={(pluginId) => void navigate({ to: '/plugins/$pluginId', params: { pluginId } })}
          close={() => setAdding(false)}
        />
      ) : null}
    </>
  );
}
