import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useProject } from '../../api/access.ts';
import { path } from '../../api/client.ts';
import { useOnce } from '../../api/create.ts';
import { groupsQuery, ledgersQuery, queries, technologiesQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { compiledContractsIn } from '../../lib/compiled-contracts.ts';
import { filled } from '../../lib/filled.ts';
import { Choice, FieldRow, Input, Select, TextArea } from '../../ui/field.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** Registers a contract that is already on its ledger, in an existing group or a new one. */
export function RegisterContract({ close }: { close: () => void }) {
  const project = useProject();
  const ledgers = useQuery(ledgersQuery()).data ?? [];
  const technologies = useQuery(technologiesQuery()).data ?? [];
  const groups = useQuery(groupsQuery()).data;
  const [ledgerId, setLedgerId] = useState('');
  const [nativeReference, setNativeReference] = useState('');
  const [name, setName] = useState('');
  const [about, setAbout] = useState('');
  /** Interfaces by contract name, if the file contains several. */
  const [several, setSeveral] = useState<ReadonlyMap<string, string>>(new Map());
  /** Undefined: the first existing group. Empty: a new group. */
  const [chosenGroup, setChosenGroup] = useState<string>();
  const [groupName, setGroupName] = useState('contracts');
  /** Groups that this form created, by name. If the service refused the contract, the next attempt uses them. */
  const made = useRef(new Map<string, string>());
  const once = useOnce();
  const ledger = ledgers.find((one) => one.ledgerId === ledgerId);
  const technology = technologies.find((one) => one.name === ledger?.technology);
  const groupId = chosenGroup ?? groups?.[0]?.groupId ?? '';
  const groupOf = async () => {
    if (groupId !== '') return groupId;
    const known = made.current.get(groupName);
    if (known !== undefined) return known;
    const group = await once<Schemas['ContractGroup']>('/v1/contract-groups', {
      name: groupName,
      ...filled({ projectId: project?.projectId }),
    });
    made.current.set(groupName, group.groupId);
    return group.groupId;
  };
  const register = useMutation({
    async mutationFn() {
      const group = await groupOf();
      await once<Schemas['Contract']>(path`/v1/contract-groups/${group}/instances`, {
        ledgerReference: { ledgerId, nativeReference },
        ...filled({ name, interface: about.trim() === '' ? '' : about }),
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['contracts'] }),
    onSuccess: close,
  });
  return (
    <FormDialog
      title="Register a contract"
      about="For a contract that is already on its ledger. You can then call it by its name and the names of its methods."
      confirm="Register the contract"
      request={register}
      submit={() => register.mutate()}
      close={close}
    >
      <Choice
        label="Ledger"
        at="/ledgerReference/ledgerId"
        value={ledgerId}
        set={setLedgerId}
        options={ledgers.map((one) => [one.ledgerId, one.name])}
      />
      <Input
        label="Address"
        at="/ledgerReference/nativeReference"
        hint="Address of the contract on the ledger."
        required
        maxLength={256}
        placeholder={technology?.addresses?.contract?.example ?? ''}
        value={nativeReference}
        set={(text) => setNativeReference(text.trim())}
      />
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
        hint="An ABI, an IDL or contract metadata. Optional if the ledger publishes it."
        value={about}
        set={setAbout}
      />
      <FileField
        label="Interface from a file"
        accept=".json,.abi,.txt"
        choose={([file]) =>
          void file?.text().then((text) => {
            const found = interfacesIn(text);
            setSeveral(found.size > 1 ? found : new Map());
            setAbout(found.size > 1 ? '' : (found.values().next().value ?? text));
          })
        }
      />
      {several.size === 0 ? null : (
        <Choice
          label="Contract in the file"
          defaultValue=""
          set={(text) => setAbout(several.get(text) ?? '')}
          options={[...several.keys()].map((one) => [one, one])}
        />
      )}
      <FieldRow>
        <Select label="Group" value={groupId} set={setChosenGroup}>
          {groups?.map((one) => (
            <option key={one.groupId} value={one.groupId}>
              {one.name}
            </option>
          ))}
          <option value="">New group</option>
        </Select>
        {groupId === '' ? (
          <Input label="Group name" required maxLength={256} value={groupName} set={setGroupName} />
        ) : null}
      </FieldRow>
    </FormDialog>
  );
}

/** Interfaces by contract name in a compiler's output; empty for any other text. */
function interfacesIn(text: string): Map<string, string> {
  const shown = (abi: unknown) => (typeof abi === 'string' ? abi : JSON.stringify(abi, undefined, 2));
  const contracts = compiledContractsIn(text);
  if (contracts.length > 0) return new Map(contracts.map(({ name, abi }) => [name, shown(abi)]));
  try {
    const { abi }: { abi?: unknown } = JSON.parse(text);
    return new Map(Array.isArray(abi) ? [['', shown(abi)]] : []);
  } catch {
    return new Map();
  }
}
