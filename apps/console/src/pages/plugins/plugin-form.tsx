import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import type { Plugin } from '../../api/installation.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { filled } from '../../lib/filled.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldRow, Input, Select, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretArea } from '../../ui/secret-fields.tsx';

type Written = Schemas['WrittenPlugin'];

const refresh = () => queries.invalidateQueries({ queryKey: ['plugins'] });

/** Registers or changes a plugin, then shows the service's warnings. */
export function PluginForm({
  plugin,
  done = () => {},
  close,
}: {
  plugin?: Plugin;
  done?: (pluginId: string) => void;
  close: () => void;
}) {
  const project = useProject();
  const [name, setName] = useState(plugin?.name ?? '');
  const [url, setUrl] = useState(plugin?.url ?? '');
  const [tags, setTags] = useState(plugin?.tags.join(', ') ?? '');
  const [version, setVersion] = useState(plugin?.implementationVersion ?? '');
  const [integrity, setIntegrity] = useState(plugin?.integrity ?? '');
  const [credentials, setCredentials] = useState<Credentials | null>();
  const [takeOver, setTakeOver] = useState('');
  const [written, setWritten] = useState<Written>();
  const end = async (made: Written) => {
    await refresh();
    if (made.warnings.length > 0) return setWritten(made);
    close();
    done(made.id);
  };
  const create = useCreation<Written>('/v1/plugins', end);
  const given = tags.split(',').flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()]));
  const change = useMutation({
    async mutationFn(held: Plugin) {
      const its = path`/v1/plugins/${held.id}`;
      const changed = await call<Written>('PUT', its, {
        body: { ...body(), active: held.active },
      });
      const more = given.filter((tag) => !held.tags.includes(tag));
      const fewer = held.tags.filter((tag) => !given.includes(tag));
      if (more.length > 0)
        await call('POST', `${its}/tags`, { body: { tags: more, takeOver: takeOver === 'yes' } });
      if (fewer.length > 0) await call('DELETE', `${its}/tags`, { body: { tags: fewer } });
      return changed;
    },
    onSuccess: end,
    // The form sends several requests, and some of them may have succeeded.
    onError: refresh,
  });
  const body = () => ({
    ...filled({ name, url, implementationVersion: version, credentials }),
    integrity: integrity === '' ? null : integrity,
    takeOver: takeOver === 'yes',
  });
  if (written !== undefined) {
    const leave = () => {
      close();
      done(written.id);
    };
    return <Warnings of={written} close={leave} />;
  }
  return (
    <FormDialog
      title={plugin === undefined ? 'Register a plugin' : 'Change the plugin'}
      about="Loads the module or queries the remote plugin first. An unusable plugin is refused."
      confirm={plugin === undefined ? 'Register the plugin' : 'Save'}
      wide
      request={plugin === undefined ? create : change}
      submit={() => {
        if (plugin === undefined) create.mutate({ ...body(), projectId: project?.projectId, tags: given });
        else change.mutate(plugin);
      }}
      close={close}
    >
      <Input label="Name" at="/name" required maxLength={256} value={name} set={setName} />
      <Input
        label="Module or URL"
        at="/url"
        hint="npm:<package>[@range] or file:<path> that the server’s setting PLUGINS_ALLOWED includes, or the URL of a remote plugin."
        required
        maxLength={2_048}
        autoComplete="off"
        placeholder="https://plugin.example"
        value={url}
        set={(text) => setUrl(text.trim())}
      />
      <Input
        label="Tags"
        at="/tags"
        hint="Separated by commas. Include its technology, so that ledgers can select it."
        value={tags}
        set={setTags}
      />
      <FieldRow>
        <Input
          label="Interface version"
          at="/implementationVersion"
          hint="Leave empty to use the version that the plugin reports."
          maxLength={64}
          placeholder="0.1.0"
          value={version}
          set={(text) => setVersion(text.trim())}
        />
        <Input
          label="Integrity"
          at="/integrity"
          hint="Hash of the module’s file. A file with another hash is refused."
          maxLength={128}
          pattern="sha512-[A-Za-z0-9+\/]{86}=="
          title="sha512- and the hash in base64, as written by npm"
          placeholder="sha512-…"
          value={integrity}
          set={(text) => setIntegrity(text.trim())}
        />
      </FieldRow>
      <Select
        label="Ledgers of other plugins"
        at="/takeOver"
        hint="Whether this plugin may take over ledgers and their wallets from the plugins that serve them now."
        value={takeOver}
        set={setTakeOver}
      >
        <option value="">Leave them to their plugins</option>
        <option value="yes">Take them over</option>
      </Select>
      <CredentialFields hasCredentials={plugin?.hasCredentials === true} change={setCredentials} />
    </FormDialog>
  );
}

const empty = { bearerToken: '', clientCertificate: '', clientKey: '', certificateAuthority: '' };
type Credentials = Partial<typeof empty>;

/** Credentials with which the host authenticates to a remote plugin. Undefined keeps them, null removes them. */
function CredentialFields({
  hasCredentials,
  change,
}: {
  hasCredentials: boolean;
  change: (credentials: Credentials | null | undefined) => void;
}) {
  const [which, setWhich] = useState('');
  const [values, setValues] = useState(empty);
  const set = (one: Partial<typeof empty>) => {
    const next = { ...values, ...one };
    setValues(next);
    change(Object.fromEntries(Object.entries(next).filter(([, value]) => value.trim() !== '')));
  };
  const choose = (value: string) => {
    setWhich(value);
    setValues(empty);
    change(value === 'none' ? null : undefined);
  };
  const pem = (name: 'clientCertificate' | 'certificateAuthority', label: string, hint: string) => (
    <TextArea
      label={label}
      hint={hint}
      placeholder="-----BEGIN CERTIFICATE-----"
      rows={3}
      value={values[name]}
      set={(text) => set({ [name]: text })}
    />
  );
  return (
    <>
      <Select
        label="Credentials"
        hint="Credentials that the server sends to a remote plugin. Stored encrypted, and never shown."
        value={which}
        set={choose}
      >
        <option value="">{hasCredentials ? 'Keep them' : 'None'}</option>
        <option value="new">{hasCredentials ? 'Replace them' : 'Add credentials'}</option>
        {hasCredentials ? <option value="none">Remove them</option> : null}
      </Select>
      {which === 'new' ? (
        <FieldRow>
          <Input
            label="Bearer token"
            type="password"
            autoComplete="new-password"
            maxLength={4_096}
            value={values.bearerToken}
            set={(text) => set({ bearerToken: text })}
          />
          {pem(
            'certificateAuthority',
            'Certificate authority',
            'The CA that issued the plugin’s certificate.',
          )}
          {pem('clientCertificate', 'Client certificate', 'For mutual TLS, with its chain.')}
          <SecretArea
            label="Client key"
            hint="The private key of the client certificate."
            rows={3}
            value={values.clientKey}
            set={(text) => set({ clientKey: text })}
          />
        </FieldRow>
      ) : null}
    </>
  );
}

function Warnings({ of: { name, warnings }, close }: { of: Written; close: () => void }) {
  return (
    <Dialog close={close} title={`Saved ${name}`} about="The service warns:">
      <ul className="space-y-2 rounded-lg bg-wait-soft px-4 py-3 text-sm">
        {warnings.map((text) => (
          <li key={text} className="wrap-anywhere">
            {text}
          </li>
        ))}
      </ul>
      <div className="mt-5 flex justify-end">
        <Button look="primary" onClick={close}>
          Understood
        </Button>
      </div>
    </Dialog>
  );
}
