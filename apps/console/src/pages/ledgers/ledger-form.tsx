import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProject } from '../../api/access.ts';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import { commonPropertiesQuery, queries, technologiesQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { propertiesOf, propertyMembersOf, propertyTexts } from '../../lib/property-form.ts';
import { FieldRow, Input, Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PropertyFields } from './property-fields.tsx';

type Ledger = Schemas['AdminLedger'];
type Technology = Schemas['LedgerTechnologyDescription'];

function useMembers(technology: Technology | undefined) {
  const common = useQuery(commonPropertiesQuery()).data ?? null;
  return [...propertyMembersOf(technology?.ledgerProperties ?? null), ...propertyMembersOf(common)];
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
  const members = useMembers(technology);
  const create = useCreation<Ledger>('/v1/admin/ledgers', async (made) => {
    await refresh();
    close();
    done(made.ledgerId);
  });
  return (
    <FormDialog
      title="New ledger"
      about="It is asked before it is recorded: a node of another chain is refused. Operations can be sent to it at once."
      confirm="Add the ledger"
      wide
      request={create}
      submit={() =>
        create.mutate({
          ...{ ledgerId, name: name === '' ? ledgerId : name, technology: technology?.name ?? '' },
          ...(project === undefined ? {} : { projectId: project.projectId }),
          properties: propertiesOf(members, texts, {}),
          ...(uri === '' ? {} : { nodes: [{ uri }] }),
        })
      }
      close={close}
    >
      <FieldRow>
        <Input
          label="Id"
          hint="By which wallets and operations name it."
          required
          pattern="[A-Za-z0-9._\-]{1,64}"
          title="1 to 64 letters, digits, dots, hyphens or underscores"
          value={ledgerId}
          onChange={({ target }) => setLedgerId(target.value.trim())}
        />
        <Input
          label="Name"
          hint="Left empty, its id."
          maxLength={256}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </FieldRow>
      <Select
        label="Technology"
        required
        value={technology?.name ?? ''}
        onChange={({ target }) => {
          setChosen(target.value);
          // They are another technology's.
          setTexts({});
        }}
      >
        {technologies.map((one) => (
          <option key={one.name} value={one.name}>
            {one.title}
          </option>
        ))}
      </Select>
      <Input
        label="Address of its first node"
        hint="One that needs certificates or credentials is added afterwards, on the ledger’s page."
        placeholder="https://node.example:8545"
        maxLength={2_048}
        autoComplete="off"
        value={uri}
        onChange={({ target }) => setUri(target.value.trim())}
      />
      <PropertyFields title="Properties" members={members} held={{}} texts={texts} change={setTexts} />
    </FormDialog>
  );
}

export function ChangeLedger({ ledger, close }: { ledger: Ledger; close: () => void }) {
  const technologies = useQuery(technologiesQuery()).data;
  const technology = technologies?.find((one) => one.name === ledger.technology);
  const members = useMembers(technology);
  const [name, setName] = useState(ledger.name);
  /** Undefined: as the ledger has them. */
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>();
  const texts = changed ?? propertyTexts(members, ledger.properties);
  const change = useMutation({
    mutationFn: () =>
      call<Ledger>('PUT', path`/v1/admin/ledgers/${ledger.ledgerId}`, {
        body: {
          name,
          // Without the technology's description none of them can be told from a secret.
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
      about="It holds for operations that are accepted from now on."
      confirm="Save"
      wide
      request={change}
      submit={() => change.mutate()}
      close={close}
    >
      <Input
        label="Name"
        required
        maxLength={256}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
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
