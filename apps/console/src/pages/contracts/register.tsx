import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useProject } from '../../api/access.ts';
import { path } from '../../api/client.ts';
import { useOnce } from '../../api/create.ts';
import { groupsQuery, ledgersQuery, queries, technologiesQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { compiledContractsIn } from '../../lib/compiled-contracts.ts';
import { FieldRow, Input, Select, TextArea } from '../../ui/field.tsx';
import { FileField } from '../../ui/file-field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

/** Registers a contract that stands on its ledger already, in a group that there is or a new one. */
export function RegisterContract({ close }: { close: () => void }) {
  const project = useProject();
  const ledgers = useQuery(ledgersQuery()).data ?? [];
  const technologies = useQuery(technologiesQuery()).data ?? [];
  const groups = useQuery(groupsQuery()).data;
  const [ledgerId, setLedgerId] = useState('');
  const [nativeReference, setNativeReference] = useState('');
  const [name, setName] = useState('');
  const [about, setAbout] = useState('');
  /** Interfaces by the names of their contracts, where the file has several. */
  const [several, setSeveral] = useState<ReadonlyMap<string, string>>(new Map());
  /** Undefined: the first that there is. Empty: a new one. */
  const [chosenGroup, setChosenGroup] = useState<string>();
  const [groupName, setGroupName] = useState('contracts');
  /** Groups that this form has made, by their names: its contract may have been refused afterwards. */
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
      ...(project === undefined ? {} : { projectId: project.projectId }),
    });
    made.current.set(groupName, group.groupId);
    return group.groupId;
  };
  const register = useMutation({
    async mutationFn() {
      const group = await groupOf();
      await once<Schemas['Contract']>(path`/v1/contract-groups/${group}/instances`, {
        ledgerReference: { ledgerId, nativeReference },
        ...(name === '' ? {} : { name }),
        ...(about.trim() === '' ? {} : { interface: about }),
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['contracts'] }),
    onSuccess: close,
  });
  return (
    <FormDialog
      title="Register a contract"
      about="One that stands on its ledger already. It is called by its name and the names of its methods then."
      confirm="Register the contract"
      request={register}
      submit={() => register.mutate()}
      close={close}
    >
      <Select label="Ledger" required value={ledgerId} onChange={({ target }) => setLedgerId(target.value)}>
        <option value="">Choose…</option>
        {ledgers.map((one) => (
          <option key={one.ledgerId} value={one.ledgerId}>
            {one.name}
          </option>
        ))}
      </Select>
      <Input
        label="Address"
        hint="As the ledger names it."
        required
        maxLength={256}
        placeholder={technology?.addresses?.contract?.example ?? ''}
        value={nativeReference}
        onChange={({ target }) => setNativeReference(target.value.trim())}
      />
      <Input
        label="Name"
        hint="Left empty, the id that it is given."
        maxLength={256}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextArea
        label="Interface"
        hint="An ABI, an IDL or contract metadata. It may be left out where the ledger publishes it."
        value={about}
        onChange={({ target }) => setAbout(target.value)}
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
        <Select
          label="Contract in the file"
          required
          defaultValue=""
          onChange={({ target }) => setAbout(several.get(target.value) ?? '')}
        >
          <option value="">Choose…</option>
          {[...several.keys()].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      )}
      <FieldRow>
        <Select label="Group" value={groupId} onChange={({ target }) => setChosenGroup(target.value)}>
          {groups?.map((one) => (
            <option key={one.groupId} value={one.groupId}>
              {one.name}
            </option>
          ))}
          <option value="">A new one</option>
        </Select>
        {groupId === '' ? (
          <Input
            label="Name of the group"
            required
            maxLength={256}
            value={groupName}
            onChange={({ target }) => setGroupName(target.value)}
          />
        ) : null}
      </FieldRow>
    </FormDialog>
  );
}

/** The interfaces in the file of a compiler, which has them beside much else, by their contracts; none in any other text. */
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
