import { amountText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAccountName, useToken } from '../../api/action-parts.ts';
import { contractsQuery, methodsQuery } from '../../api/queries.ts';
import { isAccount, parametersOf } from '../../lib/arguments.ts';
import { isTokenAmount, type Token } from '../../lib/balance-changes.ts';
import type { FirstValues } from '../../lib/first-values.ts';
import { named, nameIn, type Parameter } from '../../lib/interface.ts';
import { fits } from '../../lib/recipient.ts';
import { Choice, Input, TextArea } from '../../ui/field.tsx';
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

export function CallForm({ sender, first }: { sender: Sender; first: FirstValues }) {
  const [source, setSource] = useState<(typeof sources)[number][0]>(
    first.address === undefined ? 'registered' : 'address',
  );
  const pills = <Pills label="Contract by" options={sources} value={source} choose={setSource} />;
  return source === 'registered' ? (
    <RegisteredCall sender={sender} first={first}>
      {pills}
    </RegisteredCall>
  ) : (
    <AddressedCall sender={sender} first={first}>
      {pills}
    </AddressedCall>
  );
}

/** Names and arguments for the summary. */
const shownArguments = (
  parameters: readonly Parameter[],
  args: readonly string[] | undefined,
  accountName: (address: string) => string | null,
  token?: Token,
) =>
  parameters.map(({ name, type }, index) => {
    const text = args?.[index] ?? '';
    const account = isAccount(type) ? accountName(text) : null;
    if (account !== null) return [name, `${account} (${text})`] as const;
    const isAmount = token !== undefined && isTokenAmount(name) && /^\d+$/.test(text);
    return [name, isAmount ? amountText(text, token) : text] as const;
  });

function RegisteredCall({
  sender,
  first,
  children,
}: {
  sender: Sender;
  first: FirstValues;
  children: ReactNode;
}) {
  const contracts = useQuery(contractsQuery());
  const [contractId, setContractId] = useState(first.contract ?? '');
  const [method, setMethod] = useState<{ of: string; name: string; values: readonly string[] } | undefined>(
    first.contract === undefined || first.method === undefined
      ? undefined
      : { of: first.contract, name: first.method, values: first.args ?? [] },
  );
  const ledgerId = sender.target?.wallet.ledgerId;
  const offered = contracts.data?.filter(
    ({ ledgerReference }) => ledgerId === undefined || ledgerReference.ledgerId === ledgerId,
  );
  const contract = offered?.find((one) => one.contractId === contractId);
  const methods = useQuery(methodsQuery(contract));
  const { token, isKnown } = useToken(contract);
  const accountName = useAccountName();
  const offeredMethods = methods.data ?? [];
  const chosen =
    method === undefined || method.of !== contract?.contractId
      ? undefined
      : offeredMethods.find((one) => [nameIn(offeredMethods, one), one.signature].includes(method.name));
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
      first={first}
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
        ...shownArguments(parameters, args, accountName, token),
      ]}
    >
      {children}
      {contracts.isError ? <ProblemNote error={contracts.error} canRetry /> : null}
      <Choice
        label="Contract"
        at="/glo/options/contract_instance"
        value={contract?.contractId ?? ''}
        set={setContractId}
        options={offered?.map(({ contractId: id, name }) => [id, name])}
      />
      <Choice
        label="Method"
        at="/glo/options/method_name"
        value={chosen === undefined ? '' : nameIn(offeredMethods, chosen)}
        set={(text) => setMethod({ of: contract?.contractId ?? '', name: text, values: [] })}
        options={offeredMethods.map((one) => [
          nameIn(offeredMethods, one),
          `${nameIn(offeredMethods, one)}${one.view ? ' (reads)' : ''}`,
        ])}
      />
      {methods.isError ? <ProblemNote error={methods.error} canRetry /> : null}
      {isKnown ? (
        <Arguments
          key={`${contractId} ${chosen?.signature}`}
          parameters={parameters}
          values={values}
          ledgerId={ledgerId}
          token={token}
          change={(next) => setMethod(method === undefined ? undefined : { ...method, values: next })}
        />
      ) : null}
    </OperationForm>
  );
}

/** Calls a contract that is not registered. Its interface is unknown, so the method signature provides the types. */
function AddressedCall({
  sender,
  first,
  children,
}: {
  sender: Sender;
  first: FirstValues;
  children: ReactNode;
}) {
  const [address, setAddress] = useState(first.address ?? '');
  const [method, setMethod] = useState(first.method ?? '');
  const [values, setValues] = useState<readonly string[]>(first.args ?? []);
  const [listed, setListed] = useState(first.args === undefined ? '' : JSON.stringify(first.args));
  const accountName = useAccountName();
  const { target } = sender;
  const form = target?.technology?.addresses?.contract;
  const isWrong = address !== '' && form !== undefined && !fits(address, form);
  const types = parametersOf(method);
  const parameters = named(types ?? []);
  // A method without a signature has arguments of unknown types, entered as text.
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
      first={first}
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
          : shownArguments(parameters, args, accountName)),
      ]}
    >
      {children}
      <Input
        label="Address of the contract"
        at="/glo/options/contract_instance"
        required
        placeholder={form?.example ?? ''}
        autoComplete="off"
        value={address}
        set={(text) => setAddress(text.trim())}
        error={isWrong ? `must have the form ${form.example}` : undefined}
      />
      <Input
        label="Method"
        at="/glo/options/method_name"
        required
        hint={
          <>
            With its argument types, such as <code>transfer(address,uint256)</code>. If the ledger’s methods
            have no types, enter only the name.
          </>
        }
        autoComplete="off"
        value={method}
        set={(text) => setMethod(text.trim())}
      />
      {types === undefined ? (
        <TextArea
          label="Arguments"
          at="/glo/options/args"
          hint={'A JSON array of strings: ["flour", "2"]. Leave empty for none.'}
          rows={2}
          value={listed}
          set={setListed}
          error={args === undefined ? 'must be a JSON array of strings' : undefined}
        />
      ) : (
        <Arguments
          key={method}
          parameters={parameters}
          values={values}
          ledgerId={target?.wallet.ledgerId}
          change={setValues}
        />
      )}
    </OperationForm>
  );
}

/** Parses a JSON array of strings; undefined if it is invalid. */
function textsOf(listed: string): string[] | undefined {
  if (listed.trim() === '') return [];
  try {
    const read: unknown = JSON.parse(listed);
    return Array.isArray(read) && read.every((one) => typeof one === 'string') ? read : undefined;
  } catch {
    return undefined;
  }
}
