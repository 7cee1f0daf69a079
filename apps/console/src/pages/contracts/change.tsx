import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Input, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

type Contract = Schemas['Contract'];

const pathOf = ({ groupId, contractId }: Contract) =>
  path`/v1/contract-groups/${groupId}/instances/${contractId}`;

/** Changes the name and the interface of a contract. */
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
      about="Changes the name and interface in the registry. Nothing on the ledger changes."
      confirm="Save"
      request={change}
      submit={() => change.mutate()}
      close={close}
    >
      <Input
        label="Name"
        at="/name"
        hint="Leave empty to use the contract’s id as its name."
        maxLength={256}
        value={name}
        set={setName}
      />
      <TextArea
        label="Interface"
        at="/interface"
        hint={
          contract.interfaceOmitted
            ? 'Not shown, because the list is too long. Leave the field empty to keep the interface.'
            : 'An ABI, an IDL or contract metadata.'
        }
        value={about}
        set={setAbout}
      />
    </FormDialog>
  );
}

export function RemoveButton({ contract }: { contract: Contract }) {
  return (
    <ConfirmButton
      label="Remove"
      name={`Remove ${contract.name}`}
      title="Remove this contract?"
      about={`${contract.name} is removed from the registry. It stays on its ledger, and can be registered again.`}
      confirm="Remove the contract"
      confirmLook="danger"
      send={() => call('DELETE', pathOf(contract))}
      done={() =>
        // The page may still show methods of the old interface.
        queries.invalidateQueries({
          queryKey: ['contracts'],
          predicate: ({ queryKey }) => !queryKey.includes(contract.contractId),
        })
      }
    />
  );
}
