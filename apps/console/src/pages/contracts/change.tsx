import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { Input, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

type Contract = Schemas['Contract'];

const pathOf = ({ groupId, contractId }: Contract) =>
  path`/v1/contract-groups/${groupId}/instances/${contractId}`;

/** Changes the name of a contract and its interface. */
export function ChangeContract({ contract, close }: { contract: Contract; close: () => void }) {
  const [name, setName] = useState(contract.name);
  const [about, setAbout] = useState(contract.interface);
  const change = useMutation({
    mutationFn: () =>
      call<Contract>('PUT', pathOf(contract), {
        body: {
          name: name === '' ? null : name,
          ...(about === contract.interface ? {} : { interface: about }),
        },
      }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['contracts'] });
      close();
    },
  });
  return (
    <FormDialog
      title="Change the contract"
      about="How it is called here: on its ledger nothing changes."
      confirm="Save"
      request={change}
      submit={() => change.mutate()}
      close={close}
    >
      <Input
        label="Name"
        hint="Left empty, its id."
        maxLength={256}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextArea
        label="Interface"
        hint="An ABI, an IDL or contract metadata."
        value={about}
        onChange={({ target }) => setAbout(target.value)}
      />
    </FormDialog>
  );
}

export function RemoveContract({ contract, close }: { contract: Contract; close: () => void }) {
  const remove = useMutation({
    mutationFn: () => call('DELETE', pathOf(contract)),
    async onSuccess() {
      // Its methods may stand on the page still, and are not there any more.
      await queries.invalidateQueries({
        queryKey: ['contracts'],
        predicate: ({ queryKey }) => !queryKey.includes(contract.contractId),
      });
      close();
    },
  });
  return (
    <FormDialog
      title="Remove this contract?"
      about={`${contract.name} is not known by its name any more. On its ledger it stays, and can be registered again.`}
      confirm="Remove the contract"
      look="danger"
      request={remove}
      submit={() => remove.mutate()}
      close={close}
    />
  );
}
