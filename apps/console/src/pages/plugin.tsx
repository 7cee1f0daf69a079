import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { call, path } from '../api/client.ts';
import { type Plugin, pluginQuery } from '../api/installation.ts';
import { queries } from '../api/queries.ts';
import { ownerText } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Card, Facts, PageHead, Up } from '../ui/layout.tsx';
import { Unread } from '../ui/record.tsx';
import { Id, Time } from '../ui/text.tsx';
import { PluginHealth } from './plugin/health.tsx';
import { PluginForm } from './plugins/plugin-form.tsx';

const route = getRouteApi('/frame/plugins/$pluginId');
const isolation = {
  isolated: 'a process of its own, shut off by the kernel',
  restricted: 'a process of its own, shut off by Node alone',
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
              ['Technology', health.technology],
              ['Version', health.version],
              [
                'Runs in',
                health.isolation === null ? 'no process of this server' : isolation[health.isolation],
              ],
              ['Time of a call', health.latency === null ? null : `${Math.round(health.latency)} ms`],
              ['Restarts', health.restarts === 0 ? 'none' : health.restarts.toLocaleString()],
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
              ['Interface', plugin.implementationVersion],
              ['Owner', ownerText(plugin.projectId)],
              ['Pinned', plugin.integrity ?? 'no'],
              ['Credentials', plugin.hasCredentials ? 'kept, and shown to nobody' : 'none'],
            ]}
          />
        </Card>
      </div>
      {isChanging ? <PluginForm plugin={plugin} close={() => setChanging(false)} /> : null}
    </>
  );
}

/** On and off. What was signed through it is followed to its end either way. */
function Switch({ plugin }: { plugin: Plugin }) {
  const [asked, setAsked] = useState(false);
  const { active, name, url, implementationVersion, integrity } = plugin;
  const change = useMutation({
    mutationFn: () =>
      call('PUT', path`/v1/plugins/${plugin.id}`, {
        body: { active: !active, name, url, implementationVersion, integrity },
      }),
    async onSuccess() {
      setAsked(false);
      await queries.invalidateQueries({ queryKey: ['plugins'] });
    },
  });
  const word = active ? 'off' : 'on';
  return (
    <>
      <Button look={active ? 'danger' : 'primary'} onClick={() => setAsked(true)}>
        Switch {word}
      </Button>
      {asked ? (
        <FormDialog
          title={`Switch this plugin ${word}?`}
          about={
            active
              ? 'No operation is signed through it any more: another plugin that fits serves its ledgers, or none. What is signed goes to its end.'
              : 'It serves the ledgers that it fits, from now on.'
          }
          confirm={`Switch the plugin ${word}`}
          look={active ? 'danger' : 'primary'}
          request={change}
          submit={() => change.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
