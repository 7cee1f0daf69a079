import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import { queries, technologiesQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { propertiesOf, propertyMembersOf, propertyTexts } from '../../lib/property-form.ts';
import { Check, FieldRow, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PropertyFields } from './property-fields.tsx';

type Node = Schemas['AdminNode'];
type Ledger = Pick<Schemas['AdminLedger'], 'ledgerId' | 'technology'>;

/** A ledger without a chain id has learned it from its first node. */
const refresh = () =>
  Promise.all([['ledgers'], ['readiness']].map((queryKey) => queries.invalidateQueries({ queryKey })));

/** Adds a node to a ledger, or changes one. */
export function NodeForm({ ledger, node, close }: { ledger: Ledger; node?: Node; close: () => void }) {
  const technologies = useQuery(technologiesQuery()).data;
  const technology = technologies?.find((one) => one.name === ledger.technology);
  const members = propertyMembersOf(technology?.nodeProperties ?? null);
  const held = node?.properties ?? {};
  const [name, setName] = useState(node?.name ?? '');
  const [uri, setUri] = useState(node?.uri ?? '');
  const [client, setClient] = useState(node?.client ?? '');
  const [isDefault, setDefault] = useState(false);
  /** Undefined: as the node has them. */
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>();
  const texts = changed ?? propertyTexts(members, held);
  const done = async () => {
    await refresh();
    close();
  };
  const create = useCreation<Node>('/v1/admin/nodes', done);
  const change = useMutation({
    mutationFn: (body: object) => call<Node>('PUT', path`/v1/admin/nodes/${node?.nodeId ?? ''}`, { body }),
    onSuccess: done,
  });
  const submit = () => {
    const common = {
      ...{ uri, client: client === '' ? null : client },
      ...(name === '' ? {} : { name }),
      // Without the technology's description none of them can be told from a secret.
      ...(technology === undefined ? {} : { properties: propertiesOf(members, texts, held) }),
      ...(isDefault ? { default: true } : {}),
    };
    if (node === undefined) create.mutate({ ...common, ledgerId: ledger.ledgerId });
    else change.mutate(common);
  };
  return (
    <FormDialog
      title={node === undefined ? 'New node' : 'Change the node'}
      about="It is asked before it is recorded: one on another chain than its ledger is refused."
      confirm={node === undefined ? 'Add the node' : 'Save'}
      wide
      request={node === undefined ? create : change}
      submit={submit}
      close={close}
    >
      <Input
        label="Address"
        hint={
          node === undefined
            ? 'What follows the host and port may hold credentials: it is kept sealed, and not shown.'
            : 'Left as it is shown, the whole address stays.'
        }
        required
        maxLength={2_048}
        autoComplete="off"
        placeholder="https://node.example:8545"
        value={uri}
        onChange={({ target }) => setUri(target.value.trim())}
      />
      <FieldRow>
        <Input
          label="Name"
          hint="For people."
          maxLength={256}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <Input
          label="Client"
          hint="The software that it runs, such as geth."
          maxLength={256}
          value={client}
          onChange={({ target }) => setClient(target.value)}
        />
      </FieldRow>
      <Check
        label="Make it the default node of its ledger"
        checked={isDefault}
        onChange={({ target }) => setDefault(target.checked)}
      />
      <PropertyFields title="Properties" members={members} held={held} texts={texts} change={setChanged} />
    </FormDialog>
  );
}

export function RemoveNode({ node, close }: { node: Node; close: () => void }) {
  const remove = useMutation({
    mutationFn: () => call('DELETE', path`/v1/admin/nodes/${node.nodeId}`),
    async onSuccess() {
      await refresh();
      close();
    },
  });
  return (
    <FormDialog
      title="Remove this node?"
      about={`${node.name} is asked nothing any more. What is under way goes on by the ledger’s other nodes.`}
      confirm="Remove the node"
      look="danger"
      request={remove}
      submit={() => remove.mutate()}
      close={close}
    />
  );
}
