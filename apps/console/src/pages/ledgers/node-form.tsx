import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import { queries, technologiesQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { propertiesOf, propertyMembersOf, propertyTexts } from '../../lib/property-form.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Check, FieldRow, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PropertyFields } from './property-fields.tsx';

type Node = Schemas['AdminNode'];
type Ledger = Pick<Schemas['AdminLedger'], 'ledgerId' | 'technology'>;

/** Also reloads ledgers, because a ledger without a chain id takes it from its first node. */
const refresh = () =>
  Promise.all([['ledgers'], ['readiness']].map((queryKey) => queries.invalidateQueries({ queryKey })));

/** Adds or changes a node of a ledger. */
export function NodeForm({ ledger, node, close }: { ledger: Ledger; node?: Node; close: () => void }) {
  const technologies = useQuery(technologiesQuery()).data;
  const technology = technologies?.find((one) => one.name === ledger.technology);
  const members = propertyMembersOf(technology?.nodeProperties ?? null);
  const held = node?.properties ?? {};
  const [name, setName] = useState(node?.name ?? '');
  const [uri, setUri] = useState(node?.uri ?? '');
  const [client, setClient] = useState(node?.client ?? '');
  const [isDefault, setDefault] = useState(false);
  /** Undefined until the user edits a property. */
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
      // Without the technology's description, secrets cannot be distinguished from other properties, so none are
      // sent.
      ...(technology === undefined ? {} : { properties: propertiesOf(members, texts, held) }),
      ...(isDefault ? { default: true } : {}),
    };
    if (node === undefined) create.mutate({ ...common, ledgerId: ledger.ledgerId });
    else change.mutate(common);
  };
  return (
    <FormDialog
      title={node === undefined ? 'New node' : 'Change the node'}
      about="The service queries the node first and refuses a node of another chain."
      confirm={node === undefined ? 'Add the node' : 'Save'}
      wide
      request={node === undefined ? create : change}
      submit={submit}
      close={close}
    >
      <Input
        label="Address"
        at="/uri"
        hint={
          node === undefined
            ? 'The part after host and port may contain credentials. It is stored encrypted and never shown.'
            : 'Leave unchanged to keep the whole URL.'
        }
        required
        maxLength={2_048}
        autoComplete="off"
        placeholder="https://node.example:8545"
        value={uri}
        set={(text) => setUri(text.trim())}
      />
      <FieldRow>
        <Input
          label="Name"
          at="/name"
          hint="Shown in lists in place of its address."
          maxLength={256}
          value={name}
          set={setName}
        />
        <Input
          label="Client"
          at="/client"
          hint="The node’s software, for example geth."
          maxLength={256}
          value={client}
          set={setClient}
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

export function RemoveNode({ node }: { node: Node }) {
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove the node ${node.name}`}
      title="Remove this node?"
      about={`${node.name} is no longer used. Pending actions continue with the ledger’s other nodes.`}
      confirm="Remove the node"
      confirmLook="danger"
      send={() => call('DELETE', path`/v1/admin/nodes/${node.nodeId}`)}
      done={refresh}
    />
  );
}
