import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { call, path } from '../api/client.ts';
import { type Plugin, pluginQuery } from '../api/installation.ts';
import { queries } from '../api/queries.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Card, Facts, PageHead, Up } from '../ui/layout.tsx';
import { Owner } from '../ui/names.tsx';
import { Unread } from '../ui/record.tsx';
import { Id, Time } from '../ui/text.tsx';
import { TechnologyTitle } from './ledger/technology.tsx';
import { PluginHealth } from './plugin/health.tsx';
import { PluginForm } from './plugins/plugin-form.tsx';

const route = getRouteApi('/frame/plugins/$pluginId');
const isolation = {
  isolated: 'its own process, isolated by the kernel',
  restricted: 'its own process, restricted by Node only',
};

const up = <Up to="/plugins">Plugins</Up>;

export function PluginPage() {
  const { pluginId } = route.useParams();
  const query = useQuery(pluginQuery(pluginId));
  const [isChanging, setChanging] = useState(false);
  if (query.data === undefined) return <Unread key={pluginId} error={query.error} name="plugin" up={up} />;
  const plugin = query.data;
  const { health } = plugin;
  return (
    <>
      {up}
      <PageHead title={plugin.name} about={<PluginHealth plugin={plugin} />}>
        {plugin.url.startsWith('built-in:') ? null : (
          <>
            <Button onClick={() => setChanging(true)}>Change</Button>
            <Switch plugin={plugin} />
          </>
        )}
      </PageHead>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Card title="Health">
          <Facts
            items={[
              [
                'Technology',
                health.technology === null ? null : (
                  <TechnologyTitle key="technology" name={health.technology} />
                ),
              ],
              ['Version', health.version],
              ['Runs in', health.isolation === null ? 'the server’s process' : isolation[health.isolation]],
              ['Average call duration', health.latency === null ? null : `${Math.round(health.latency)} ms`],
              ['Restarts', health.restarts === 0 ? 'none' : health.restarts.toLocaleString()],
              ['Ledgers', health.changed ?? health.ledgers?.join(', ') ?? 'all ledgers of its technology'],
              [
                'Last error',
                health.lastError === null ? (
                  'none'
                ) : (
                  <>
                    {health.lastError.detail} (<Time at={health.lastError.at} />)
                  </>
                ),
              ],
            ]}
          />
        </Card>
        <Card title="Registration">
          <Facts
            items={[
              ['Id', <Id key="id">{plugin.id}</Id>],
              ['Module', plugin.url],
              ['Tags', plugin.tags.join(', ')],
              ['Registered version', plugin.version ?? 'unknown'],
              ['Interface version', plugin.implementationVersion],
              ['Owner', <Owner key="owner" projectId={plugin.projectId} />],
              ['Integrity', plugin.integrity ?? 'not pinned'],
              ['Credentials', plugin.hasCredentials ? 'stored, and never shown' : 'none'],
            ]}
          />
        </Card>
      </div>
      {isChanging ? <PluginForm plugin={plugin} close={() => setChanging(false)} /> : null}
    </>
  );
}

/**
 * Enables or disables a plugin. In both cases, transactions that are already signed are tracked until they complete.
 */
function Switch({ plugin }: { plugin: Plugin }) {
  const { active, name, url, implementationVersion, integrity } = plugin;
  const word = active ? 'off' : 'on';
  return (
    <ConfirmButton
      label={`Switch ${word}`}
      look={active ? 'danger' : 'primary'}
      title={`Switch this plugin ${word}?`}
      about={
        active
          ? 'The plugin no longer signs operations. Another matching plugin serves its ledgers, if there is one. Signed operations complete.'
          : 'The plugin serves matching ledgers from now on.'
      }
      confirm={`Switch the plugin ${word}`}
      confirmLook={active ? 'danger' : 'primary'}
      send={() =>
        call('PUT', path`/v1/plugins/${plugin.id}`, {
          body: { active: !active, name, url, implementationVersion, integrity },
        })
      }
      done={() => queries.invalidateQueries({ queryKey: ['plugins'] })}
    />
  );
}
