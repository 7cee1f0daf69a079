import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { contractsQuery, methodsQuery } from '../../api/queries.ts';
import { parametersOf } from '../../lib/arguments.ts';
import { named, nameIn, type Parameter } from '../../lib/interface.ts';
import { fits } from '../../lib/recipient.ts';
import { Input, Select, TextArea } from '../../ui/field.tsx';
import { Pills } from '../../ui/pills.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Id } from '../../ui/text.tsx';
import { Arguments, soundArguments } from './arguments.tsx';
import { OperationForm } from './operation-form.tsx';
import type { Sender } from './sender.ts';

const sources = [
  ['registered', 'A registered contract'],
  ['address', 'By its address'],
] as const;

/** @param first id of the contract that is chosen at the beginning */
export function CallForm({ sender, first }: { sender: Sender; first: string | undefined }) {
  const [source, setSource] = useState<(typeof sources)[number][0]>('registered');
  const pills = <Pills label="Contract by" options={sources} value={source} choose={setSource} />;
  return source === 'registered' ? (
    <RegisteredCall sender={sender} first={first}>
      {pills}
    </RegisteredCall>
  ) : (
    <AddressedCall sender={sender}>{pills}</AddressedCall>
  );
}

/** The arguments, for people. */
const shownArguments = (parameters: readonly Parameter[], args: readonly string[] | undefined) =>
  parameters.map(({ name }, index) => [name, args?.[index] ?? ''] as const);

function RegisteredCall({
  sender,
  first = '',
  children,
}: {
  sender: Sender;
  first: string | undefined;
  children: ReactNode;
}) {
  const contracts = useQuery(contractsQuery());
  const [contractId, setContractId] = useState(first);
  const [method, setMethod] = useState<{ of: string; name: string; values: readonly string[] }>();
  const ledgerId = sender.target?.wallet.ledgerId;
  const offered = contracts.data?.filter(
    ({ ledgerReference }) => ledgerId === undefined || ledgerReference.ledgerId === ledgerId,
  );
  const contract = offered?.find((one) => one.contractId === contractId);
  const methods = useQuery(methodsQuery(contract));
  const offeredMethods = methods.data ?? [];
  const chosen =
    method === undefined || method.of !== contract?.contractId
      ? undefined
      : offeredMethods.find((one) => nameIn(offeredMethods, one) === method.name);
  const parameters = named(chosen?.inputs ?? []);
  const values = method?.values ?? [];
  const args = soundArguments(parameters, values);
  const options =
    contract === undefined || chosen === undefined || args === undefined
      ? undefined
      : {
          contract_instance: {
            lookup_service: { type: 'service', value: 'service' },
            resource: contract.contractId,
          },
          method_name: nameIn(offeredMethods, chosen),
          args,
        };
  return (
    <OperationForm
      type="contract_call"
      sender={sender}
      options={options}
      summary={[
        ['Contract', contract?.name],
        [
          'Address',
          <Id key="address" whole>
            {contract?.ledgerReference.nativeReference ?? ''}
          </Id>,
        ],
        ['Method', chosen?.signature],
        ...shownArguments(parameters, args),
      ]}
    >
      {children}
      {contracts.isError ? <ProblemNote error={contracts.error} canRetry /> : null}
      <Select
        label="Contract"
        required
        value={contract?.contractId ?? ''}
        onChange={({ target }) => setContractId(target.value)}
      >
        <option value="">Choose…</option>
        {offered?.map(({ contractId: id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label="Method"
        required
        value={chosen === undefined ? '' : nameIn(offeredMethods, chosen)}
        onChange={({ target }) =>
          setMethod({ of: contract?.contractId ?? '', name: target.value, values: [] })
        }
      >
        <option value="">Choose…</option>
        {offeredMethods.map((one) => (
          <option key={one.signature} value={nameIn(offeredMethods, one)}>
            {nameIn(offeredMethods, one)}
            {one.view ? ' (reads)' : ''}
          </option>
        ))}
      </Select>
      {methods.isError ? <ProblemNote error={methods.error} canRetry /> : null}
      <Arguments
        key={chosen?.signature ?? ''}
        parameters={parameters}
        values={values}
        change={(next) => setMethod(method === undefined ? undefined : { ...method, values: next })}
      />
    </OperationForm>
  );
}

/** A contract that is not registered, whose interface nobody knows here: the signature says the types. */
function AddressedCall({ sender, children }: { sender: Sender; children: ReactNode }) {
  const [address, setAddress] = useState('');
  const [method, setMethod] = useState('');
  const [values, setValues] = useState<readonly string[]>([]);
  const [listed, setListed] = useState('');
  const { target } = sender;
  const form = target?.technology?.addresses?.contract;
  const isWrong = address !== '' && form !== undefined && !fits(address, form);
  const types = parametersOf(method);
  const parameters = named(types ?? []);
  // Where methods have no signature, arguments are texts.
  const args = types === undefined ? textsOf(listed) : soundArguments(parameters, values);
  const options =
    target === undefined || address === '' || isWrong || method === '' || args === undefined
      ? undefined
      : {
          contract_instance: {
            lookup_service: { type: 'ledger', value: target.ledger.technology },
            resource: address,
          },
          method_name: method,
          args,
        };
  return (
    <OperationForm
      type="contract_call"
      sender={sender}
      options={options}
      summary={[
        [
          'Contract',
          <Id key="address" whole>
            {address}
          </Id>,
        ],
        ['Method', method],
        ...(types === undefined
          ? [['Arguments', args?.join(', ')] as const]
          : shownArguments(parameters, args)),
      ]}
    >
      {children}
      <Input
        label="Address of the contract"
        required
        placeholder={form?.example ?? ''}
        autoComplete="off"
        value={address}
        onChange={({ target: { value } }) => setAddress(value.trim())}
        error={isWrong ? `must be written as ${form.example}` : undefined}
      />
      <Input
        label="Method"
        required
        hint={
          <>
            With the types of its arguments, such as <code>transfer(address,uint256)</code>; by its name alone
            on a ledger whose methods have none.
          </>
        }
        autoComplete="off"
        value={method}
        onChange={({ target: { value } }) => setMethod(value.trim())}
      />
      {types === undefined ? (
        <TextArea
          label="Arguments"
          hint={'Texts, as a JSON array: ["flour", "2"]. Left empty: none.'}
          rows={2}
          value={listed}
          onChange={({ target: { value } }) => setListed(value)}
          error={args === undefined ? 'must be a JSON array of texts' : undefined}
        />
      ) : (
        <Arguments key={method} parameters={parameters} values={values} change={setValues} />
      )}
    </OperationForm>
  );
}

/** A JSON array of texts; undefined: it is none. */
function textsOf(listed: string): string[] | undefined {
  if (listed.trim() === '') return [];
  try {
    const read: unknown = JSON.parse(listed);
    return Array.isArray(read) && read.every((one) => typeof one === 'string') ? read : undefined;
  } catch {
    return undefined;
  }
}
