import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import {
  commonPropertiesQuery,
  queries,
  remotePropertiesQuery,
  technologiesQuery,
} from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { filled } from '../../lib/filled.ts';
import { propertiesOf, propertyMembersOf, propertyTexts } from '../../lib/property-form.ts';
import { FieldRow, Input, Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { hasOnlyRemotePlugins, useRemotePlugin } from '../ledger/technology.tsx';
import { PropertyFields } from './property-fields.tsx';

type Ledger = Schemas['AdminLedger'];
type Technology = Schemas['LedgerTechnologyDescription'];

/**
 * The properties that a ledger can have, and properties that it has but its plugin refuses, so that the user can remove
 * them.
 */
function useMembers(technology: Technology | undefined, isRemote: boolean, held: object = {}) {
  const common = useQuery(commonPropertiesQuery()).data ?? null;
  const remote = propertyMembersOf(useQuery(remotePropertiesQuery()).data ?? null);
  const isShown = (name: string) =>
    !isRemote || remote.some((one) => one.name === name) || Object.hasOwn(held, name);
  return [
    ...propertyMembersOf(technology?.ledgerProperties ?? null),
    ...propertyMembersOf(common).filter(({ name }) => isShown(name)),
  ];
}

const refresh = () =>
  Promise.all(
    [['ledgers'], ['plugins', 'selection'], ['readiness']].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );

export function NewLedger({ done, close }: { done: (ledgerId: string) => void; close: () => void }) {
  const project = useProject();
  const technologies = useQuery(technologiesQuery()).data ?? [];
  const [ledgerId, setLedgerId] = useState('');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState('');
  const [uri, setUri] = useState('');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const technology = technologies.find((one) => one.name === chosen) ?? technologies[0];
  const isRemote = technology !== undefined && hasOnlyRemotePlugins(technology);
  const members = useMembers(technology, isRemote);
  const create = useCreation<Ledger>('/v1/admin/ledgers', async (made) => {
    await refresh();
    close();
    done(made.ledgerId);
  });
  return (
    <FormDialog
      title="New ledger"
      about={
        isRemote
          ? 'The plugin of this technology is remote and connects to its nodes itself. Use the id of a ledger that it serves.'
          : 'The service queries the node first and refuses a node of another chain. The ledger can be used immediately.'
      }
      confirm="Add the ledger"
      wide
      request={create}
      submit={() =>
        create.mutate({
          ...{ ledgerId, name: name === '' ? ledgerId : name, technology: technology?.name ?? '' },
          ...filled({ projectId: project?.projectId }),
          properties: propertiesOf(members, texts, {}),
          ...(uri === '' || isRemote ? {} : { nodes: [{ uri }] }),
        })
      }
      close={close}
    >
      <FieldRow>
        <Input
          label="Id"
          at="/ledgerId"
          hint="The id that wallets and operations use."
          required
          pattern="[A-Za-z0-9._\-]{1,64}"
          title="1 to 64 letters, digits, dots, hyphens or underscores"
          value={ledgerId}
          set={(text) => setLedgerId(text.trim())}
        />
        <Input
          label="Name"
          at="/name"
          hint="Leave empty to use the ledger’s id as its name."
          maxLength={256}
          value={name}
          set={setName}
        />
      </FieldRow>
      <Select
        label="Technology"
        at="/technology"
        hint="The protocol of its nodes. Each technology has a plugin."
        required
        value={technology?.name ?? ''}
        set={(text) => {
          setChosen(text);
          // Clears the properties, which belong to the previous technology.
          setTexts({});
        }}
        options={technologies.map((one) => [one.name, one.title])}
      />
      {isRemote ? null : (
        <Input
          label="URL of its first node"
          at="/nodes/0/uri"
          hint="If a node needs certificates or credentials, add it later on the ledger’s page."
          placeholder="https://node.example:8545"
          maxLength={2_048}
          autoComplete="off"
          value={uri}
          set={(text) => setUri(text.trim())}
        />
      )}
      <PropertyFields title="Properties" members={members} held={{}} texts={texts} change={setTexts} />
    </FormDialog>
  );
}

export function ChangeLedger({ ledger, close }: { ledger: Ledger; close: () => void }) {
  const technologies = useQuery(technologiesQuery()).data;
  const technology = technologies?.find((one) => one.name === ledger.technology);
  const isRemote = useRemotePlugin(ledger) === true;
  const members = useMembers(technology, isRemote, ledger.properties);
  const [name, setName] = useState(ledger.name);
  /** Undefined until the user edits a property. */
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>();
  const texts = changed ?? propertyTexts(members, ledger.properties);
  const change = useMutation({
    mutationFn: () =>
      call<Ledger>('PUT', path`/v1/admin/ledgers/${ledger.ledgerId}`, {
        body: {
          name,
          // Without the technology's description, secrets cannot be distinguished from other properties, so none are
          // sent.
          ...(technology === undefined
            ? {}
            : { properties: propertiesOf(members, texts, ledger.properties) }),
        },
      }),
    async onSuccess() {
      await refresh();
      close();
    },
  });
  return (
    <FormDialog
      title="Change the ledger"
      about="Applies to operations that are accepted from now on."
      confirm="Save"
      wide
      request={change}
      submit={() => change.mutate()}
      close={close}
    >
      <Input label="Name" at="/name" required maxLength={256} value={name} set={setName} />
      {technology === undefined ? null : (
        <PropertyFields
          title="Properties"
          members={members}
          held={ledger.properties}
          texts={texts}
          change={setChanged}
        />
      )}
    </FormDialog>
  );
}
