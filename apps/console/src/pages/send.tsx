import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { call } from '../api/client.ts';
import { useCreation } from '../api/create.ts';
import {
  constructorQuery,
  contractsQuery,
  ledgersQuery,
  methodsQuery,
  queries,
  technologiesQuery,
  templatesQuery,
  versionsQuery,
  walletsQuery,
} from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import type { SendSearch } from '../app/send-search.ts';
import { amountText, smallestUnit } from '../lib/format.ts';
import { named, nameIn, type Parameter } from '../lib/interface.ts';
import { Button } from '../ui/button.tsx';
import { Input, Select } from '../ui/field.tsx';
import { Card, PageHead } from '../ui/layout.tsx';
import { Pills } from '../ui/pills.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Json } from '../ui/text.tsx';
import { type Meta, NativeFields } from './send/native-fields.tsx';

const route = getRouteApi('/frame/send');
const kinds = [
  ['transfer', 'Transfer'],
  ['call', 'Call a contract'],
  ['deploy', 'Deploy a contract'],
] as const;

/** A new operation: what, from which wallet, tried before it is sent. */
export function SendPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const kind = search.kind ?? 'transfer';
  return (
    <>
      <PageHead
        title="New operation"
        about="Try it first: a dry run tells the result and the cost, and changes nothing."
      />
      <div className="mb-5">
        <Pills
          label="Kind"
          options={kinds}
          value={kind}
          choose={(value) => void navigate({ search: { ...search, kind: value }, replace: true })}
        />
      </div>
      <OperationForm key={kind} kind={kind} search={search} />
    </>
  );
}

function OperationForm({ kind, search }: { kind: NonNullable<SendSearch['kind']>; search: SendSearch }) {
  const navigate = route.useNavigate();
  const wallets = useQuery(walletsQuery());
  const ledgers = useQuery(ledgersQuery());
  const technologies = useQuery(technologiesQuery());
  const [walletId, setWalletId] = useState(search.wallet ?? '');
  const [walletPassword, setWalletPassword] = useState('');
  const [tag, setTag] = useState('');
  const [options, setOptions] = useState<object>();
  const [meta, setMeta] = useState<Meta | null>();
  const wallet = wallets.data?.find((one) => one.walletId === walletId);
  const ledger = ledgers.data?.find((one) => one.ledgerId === wallet?.ledgerId);
  const technology = technologies.data?.find(({ name }) => name === ledger?.technology);
  const types = { transfer: 'transfer', call: 'contract_call', deploy: 'contract_deploy' } as const;
  const glo =
    options === undefined || meta === null
      ? undefined
      : { version: '0.1.0', type: types[kind], options, ...(meta === undefined ? {} : { meta }) };

  const tried = useMutation({
    mutationFn: () =>
      call<Schemas['Emulated']>('POST', '/v1/ledger-ops/emulate', {
        body: { glo, walletId, ...(walletPassword === '' ? {} : { walletPassword }) },
      }),
  });
  const sent = useCreation<Schemas['ActionCreated']>('/v1/ledger-ops/send', async ({ actionId }) => {
    await queries.invalidateQueries({ queryKey: ['actions'] });
    await navigate({ to: '/actions/$actionId', params: { actionId } });
  });
  const forget = () => {
    tried.reset();
    sent.reset();
  };
  const change = (next: object | undefined) => {
    setOptions(next);
    forget();
  };
  const isReady = glo !== undefined && walletId !== '';
  return (
    <form
      className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        sent.mutate({ glo, walletId, walletPassword, ...(tag === '' ? {} : { tag }) });
      }}
    >
      <Card>
        <div className="space-y-4">
          <Select
            label="From the wallet"
            required
            value={walletId}
            onChange={({ target }) => {
              setWalletId(target.value);
              setMeta(undefined);
              forget();
            }}
          >
            <option value="">Choose…</option>
            {wallets.data?.map(({ walletId: id, ledgerId }) => (
              <option key={id} value={id}>
                {id} · {ledgerId}
              </option>
            ))}
          </Select>
          {kind === 'transfer' ? <TransferFields technology={technology} change={change} /> : null}
          {kind === 'call' ? (
            <CallFields first={search.contract} ledgerId={wallet?.ledgerId} change={change} />
          ) : null}
          {kind === 'deploy' ? <DeployFields technology={technology} change={change} /> : null}
          {technology === undefined ? null : (
            <NativeFields
              key={technology.name}
              technology={technology}
              type={types[kind]}
              change={(next) => {
                setMeta(next);
                forget();
              }}
            />
          )}
          <Input
            label="Tag"
            hint="Shown in lists, to find the action by."
            maxLength={256}
            value={tag}
            onChange={({ target }) => setTag(target.value)}
          />
        </div>
      </Card>
      <Card title="Try, then send" className="lg:sticky lg:top-8">
        <div className="space-y-4">
          <div>
            <Button
              className="w-full"
              disabled={!isReady}
              busy={tried.isPending}
              onClick={() => tried.mutate()}
            >
              Dry run
            </Button>
            <div aria-live="polite" className="*:mt-3">
              {tried.isError ? <ProblemNote error={tried.error} /> : null}
              {tried.data === undefined ? null : <Tried tried={tried.data} unit={technology?.unit ?? null} />}
            </div>
          </div>
          <Input
            label="Password of the wallet"
            type="password"
            autoComplete="off"
            required
            value={walletPassword}
            onChange={({ target }) => setWalletPassword(target.value)}
          />
          {sent.isError ? <ProblemNote error={sent.error} /> : null}
          <Button type="submit" look="primary" className="w-full" disabled={!isReady} busy={sent.isPending}>
            Send
          </Button>
        </div>
      </Card>
    </form>
  );
}

function Tried({
  tried: { result, fee, warnings },
  unit,
}: {
  tried: Schemas['Emulated'];
  unit: Schemas['CurrencyUnit'];
}) {
  return (
    <div className="space-y-2 rounded-lg bg-good-soft p-4 text-sm">
      <p className="font-medium text-good">It would go through.</p>
      {fee === null ? null : <p>Fee: about {amountText(fee, unit)}</p>}
      {warnings.map((text) => (
        <p key={text} className="break-words">
          {text}
        </p>
      ))}
      {result === null || result === undefined ? null : <Json label="Result of the dry run" value={result} />}
    </div>
  );
}

type Technology = Schemas['LedgerTechnologyDescription'] | undefined;
type Change = (options: object | undefined) => void;

function TransferFields({ technology, change }: { technology: Technology; change: Change }) {
  const [recipient, setRecipient] = useState('');
  const [amount, setAmount] = useState('');
  const wallets = useQuery(walletsQuery());
  const unit = technology?.unit ?? null;
  const set = (to: string, sum: string) => {
    setRecipient(to);
    setAmount(sum);
    const smallest = smallestUnit(sum, unit?.decimals ?? 0);
    const isWallet = wallets.data?.some(({ walletId }) => walletId === to) === true;
    const lookup = isWallet
      ? { type: 'service', value: 'service' }
      : { type: 'ledger', value: technology?.name ?? '' };
    change(
      to === '' || smallest === undefined
        ? undefined
        : { recipient: { lookup_service: lookup, resource: to }, amount: smallest },
    );
  };
  return (
    <>
      <Input
        label="To"
        required
        list="wallets"
        placeholder={technology?.addresses?.account.example ?? ''}
        hint="A wallet, or an address on the ledger."
        value={recipient}
        onChange={({ target }) => set(target.value.trim(), amount)}
      />
      <datalist id="wallets">
        {wallets.data?.map(({ walletId }) => (
          <option key={walletId} value={walletId} />
        ))}
      </datalist>
      <Input
        label={unit === null ? 'Amount' : `Amount in ${unit.symbol}`}
        required
        inputMode="decimal"
        value={amount}
        onChange={({ target }) => set(recipient, target.value)}
        error={
          amount !== '' && smallestUnit(amount, unit?.decimals ?? 0) === undefined
            ? `must be a number with at most ${unit?.decimals ?? 0} decimals`
            : undefined
        }
      />
    </>
  );
}

function CallFields({
  first,
  ledgerId,
  change,
}: {
  first: string | undefined;
  ledgerId: string | undefined;
  change: Change;
}) {
  const contracts = useQuery(contractsQuery());
  const [contractId, setContractId] = useState(first ?? '');
  const [methodId, setMethodId] = useState('');
  const [values, setValues] = useState<readonly string[]>([]);
  const offered = contracts.data?.filter(
    ({ ledgerReference }) => ledgerId === undefined || ledgerReference.ledgerId === ledgerId,
  );
  const contract = contracts.data?.find((one) => one.contractId === contractId);
  const methods = useQuery(methodsQuery(contract));
  const offeredMethods = methods.data ?? [];
  const methodNamed = (wanted: string) =>
    offeredMethods.find((one) => nameIn(offeredMethods, one) === wanted);
  const parameters = named(methodNamed(methodId)?.inputs ?? []);
  const set = (resource: string, method: string, args: readonly string[]) => {
    setContractId(resource);
    setMethodId(method);
    setValues(args);
    const contract_instance = { lookup_service: { type: 'service', value: 'service' }, resource };
    change(resource === '' || method === '' ? undefined : { contract_instance, method_name: method, args });
  };
  return (
    <>
      <Select
        label="Contract"
        required
        value={contractId}
        onChange={({ target }) => set(target.value, '', [])}
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
        value={methodId}
        onChange={({ target }) => {
          const { value } = target;
          set(contractId, value, methodNamed(value)?.inputs.map(() => '') ?? []);
        }}
      >
        <option value="">Choose…</option>
        {offeredMethods.map((one) => (
          <option key={one.signature} value={nameIn(offeredMethods, one)}>
            {nameIn(offeredMethods, one)}
            {one.view ? ' (reads)' : ''}
          </option>
        ))}
      </Select>
      {methods.isError ? <ProblemNote error={methods.error} /> : null}
      <Arguments parameters={parameters} values={values} change={(args) => set(contractId, methodId, args)} />
    </>
  );
}

function DeployFields({ technology, change }: { technology: Technology; change: Change }) {
  const templates = useQuery(templatesQuery());
  const [templateId, setTemplateId] = useState('');
  const [tag, setTag] = useState('');
  const [values, setValues] = useState<readonly string[]>([]);
  const versions = useQuery({ ...versionsQuery(templateId), enabled: templateId !== '' });
  const usable = versions.data?.filter(
    ({ ledgerTechnology, compilationStatus }) =>
      compilationStatus === 'COMPILED' &&
      (technology === undefined || ledgerTechnology.ledgerTechnologyID === technology.name),
  );
  const inputs = useQuery(constructorQuery(templateId, tag));
  const choose = (template: string, one: string) => {
    setTemplateId(template);
    setTag(one);
    change(undefined);
  };
  const give = (args: readonly string[]) => {
    setValues(args);
    const lookup_service = { type: 'service', value: 'service' };
    change({ contract_source: { lookup_service, resource: `${templateId}:${tag}` }, args });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: arguments begin empty when it is known which there are
  useEffect(() => {
    if (tag !== '' && inputs.data !== undefined) give(inputs.data.map(() => ''));
  }, [templateId, tag, inputs.data]);
  return (
    <>
      <Select
        label="Template"
        required
        value={templateId}
        onChange={({ target }) => choose(target.value, '')}
      >
        <option value="">Choose…</option>
        {templates.data?.map(({ contractTemplateID, name }) => (
          <option key={contractTemplateID} value={contractTemplateID}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label="Version"
        required
        value={tag}
        onChange={({ target }) => choose(templateId, target.value)}
      >
        <option value="">Choose…</option>
        {usable?.map((one) => (
          <option key={one.tag} value={one.tag}>
            {one.tag}
          </option>
        ))}
      </Select>
      {inputs.isError ? <ProblemNote error={inputs.error} canRetry /> : null}
      <Arguments parameters={named(inputs.data ?? [])} values={values} change={give} />
    </>
  );
}

function Arguments({
  parameters,
  values,
  change,
}: {
  parameters: readonly Parameter[];
  values: readonly string[];
  change: (values: readonly string[]) => void;
}) {
  return parameters.map(({ name, type }, index) => (
    <Input
      // Names may be given twice; their order is that of the interface.
      // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change while its method is chosen
      key={`${index} ${name}`}
      label={name}
      hint={type}
      value={values[index] ?? ''}
      onChange={({ target }) => change(values.map((value, at) => (at === index ? target.value : value)))}
    />
  ));
}
