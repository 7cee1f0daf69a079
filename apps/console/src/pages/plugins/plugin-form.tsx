import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import type { Plugin } from '../../api/installation.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldRow, Input, Select, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretArea } from '../../ui/secret-fields.tsx';

type Written = Schemas['WrittenPlugin'];

const refresh = () => queries.invalidateQueries({ queryKey: ['plugins'] });

/** Registers a plugin, or changes one; shows afterwards what the service warns of. */
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
      if (more.length > 0) await call('POST', `${its}/tags`, { body: { tags: more } });
      if (fewer.length > 0) await call('DELETE', `${its}/tags`, { body: { tags: fewer } });
      return changed;
    },
    onSuccess: end,
    // Of several requests one may have been answered.
    onError: refresh,
  });
  const body = () => ({
    ...{ name, url },
    ...(version === '' ? {} : { implementationVersion: version }),
    integrity: integrity === '' ? null : integrity,
    ...(credentials === undefined ? {} : { credentials }),
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
      about="Its module is loaded, or the remote plugin asked what it is: what cannot be used is refused."
      confirm={plugin === undefined ? 'Register the plugin' : 'Save'}
      wide
      request={plugin === undefined ? create : change}
      submit={() => {
        if (plugin === undefined) create.mutate({ ...body(), projectId: project?.projectId, tags: given });
        else change.mutate(plugin);
      }}
      close={close}
    >
      <Input
        label="Name"
        required
        maxLength={256}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Input
        label="Module or address"
        hint="npm:<package>[@range] or file:<path>, as the deployer allows them; or the address of a remote plugin."
        required
        maxLength={2_048}
        autoComplete="off"
        placeholder="https://plugin.example"
        value={url}
        onChange={({ target }) => setUrl(target.value.trim())}
      />
      <Input
        label="Tags"
        hint="Separated by commas; its technology among them, to be chosen by ledgers."
        value={tags}
        onChange={({ target }) => setTags(target.value)}
      />
      <FieldRow>
        <Input
          label="Interface version"
          hint="Left empty, what it says of itself."
          maxLength={64}
          placeholder="0.1.0"
          value={version}
          onChange={({ target }) => setVersion(target.value.trim())}
        />
        <Input
          label="Integrity"
          hint="Pins the module to a file: another one is refused."
          maxLength={128}
          pattern="sha512-[A-Za-z0-9+\/]{86}=="
          title="sha512- and the hash in base64, as npm writes it"
          placeholder="sha512-…"
          value={integrity}
          onChange={({ target }) => setIntegrity(target.value.trim())}
        />
      </FieldRow>
      <CredentialFields hasCredentials={plugin?.hasCredentials === true} change={setCredentials} />
    </FormDialog>
  );
}

const empty = { bearerToken: '', clientCertificate: '', clientKey: '', certificateAuthority: '' };
type Credentials = Partial<typeof empty>;

/** Shows a remote plugin who calls. Undefined: as it is. Null: none. */
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
      onChange={({ target }) => set({ [name]: target.value })}
    />
  );
  return (
    <>
      <Select
        label="Credentials"
        hint="What shows a remote plugin who calls. Kept sealed, and shown to nobody."
        value={which}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="">{hasCredentials ? 'As they are' : 'None'}</option>
        <option value="new">{hasCredentials ? 'Replace them' : 'Give some'}</option>
        {hasCredentials ? <option value="none">Take them away</option> : null}
      </Select>
      {which === 'new' ? (
        <FieldRow>
          <Input
            label="Bearer token"
            type="password"
            autoComplete="new-password"
            maxLength={4_096}
            value={values.bearerToken}
            onChange={({ target }) => set({ bearerToken: target.value })}
          />
          {pem('certificateAuthority', 'Certificate authority', 'Who signed the plugin’s own certificate.')}
          {pem('clientCertificate', 'Client certificate', 'For mutual TLS, with its chain.')}
          <SecretArea
            label="Client key"
            hint="Of the client certificate."
            rows={3}
            value={values.clientKey}
            onChange={({ target }) => set({ clientKey: target.value })}
          />
        </FieldRow>
      ) : null}
    </>
  );
}

function Warnings({ of: { name, warnings }, close }: { of: Written; close: () => void }) {
  return (
    <Dialog close={close} title={`${name} is saved`} about="The service warns of this:">
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
