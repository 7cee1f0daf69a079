import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Plugin } from '../api/installation.ts';
import { pluginQuery, pluginsQuery } from '../api/installation.ts';
import type { Schemas } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { type Column, Named } from '../ui/data-table.tsx';
import { Empty, PageHead, RecordLink } from '../ui/layout.tsx';
import { Owner } from '../ui/names.tsx';
import { Paging } from '../ui/paging.tsx';
import { Permitted } from '../ui/permitted.tsx';
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
      <Named details={plugin.url}>
        <RecordLink to="/plugins/$pluginId" params={{ pluginId: plugin.id }}>
          {plugin.name}
        </RecordLink>
      </Named>
    ),
  },
  { id: 'withHealth', header: 'State', cell: (one) => <PluginHealth plugin={one.withHealth} /> },
  { id: 'tags', header: 'Tags', from: 'md', cell: (one) => one.tags.join(', ') },
  {
    id: 'version',
    header: 'Version',
    from: 'md',
    cell: (one) => one.withHealth?.health.version ?? one.version ?? '—',
  },
  {
    id: 'implementationVersion',
    header: 'Interface version',
    from: 'lg',
    cell: (one) => one.implementationVersion,
  },
  { id: 'projectId', header: 'Owner', from: 'md', cell: (one) => <Owner projectId={one.projectId} /> },
];

/** A small page, because the health of each plugin is requested separately. */
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
        about="Plugins connect ledgers. A ledger’s page shows which plugin serves it, and why."
      >
        <Permitted permission="plugin:create">
          <Button look="primary" onClick={() => setAdding(true)}>
            Register a plugin
          </Button>
        </Permitted>
      </PageHead>
      <Records
        label="Plugins"
        list={{ data: rows, error: list.error }}
        columns={columns}
        rowId={({ id }) => id}
        empty={
          <Empty title="No registered plugins">
            Built-in plugins serve the built-in technologies. For another technology, register a remote
            plugin, or a module that the deployer allows.
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
