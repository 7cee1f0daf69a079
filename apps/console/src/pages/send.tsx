import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import {
  contractsQuery,
  ledgersQuery,
  queries,
  technologiesQuery,
  templatesQuery,
  versionsQuery,
  walletsQuery,
} from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import type { SendSearch } from '../app/send-search.ts';
import { amountText, smallestUnit } from '../lib/format.ts';
import { constructorOf, methodsOf, type Parameter } from '../lib/interface.ts';
import { Button } from '../ui/button.tsx';
import { Input, Select } from '../ui/field.tsx';
import { Card, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Json } from '../ui/text.tsx';

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
        about="It can be tried first: a dry run says what would happen, what it costs, and changes nothing."
      />
      <fieldset className="mb-5 flex flex-wrap gap-1.5">
        <legend className="sr-only">Kind</legend>
        {kinds.map(([value, label]) => (
          <button
            key={value}
            type="button"
            aria-pressed={kind === value}
            onClick={() => void navigate({ search: { ...search, kind: value }, replace: true })}
            className="inline-flex min-h-9 items-center rounded-full border border-line bg-surface px-4 text-sm font-medium text-ink-2 hover:text-ink aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
          >
            {label}
          </button>
        ))}
      </fieldset>
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
  const wallet = wallets.data?.find((one) => one.walletId === walletId);
  const ledger = ledgers.data?.find(({ ledgerID }) => ledgerID === wallet?.ledgerId);
  const technology = technologies.data?.find(
    ({ name }) => name === ledger?.ledgerTechnology.ledgerTechnologyID,
  );
  const types = { transfer: 'transfer', call: 'contract_call', deploy: 'contract_deploy' } as const;
  const glo = options === undefined ? undefined : { version: '0.1.0', type: types[kind], options };

  const tried = useMutation({
    mutationFn: () =>
      call<Schemas['Emulated']>('POST', '/v1/ledger-ops/emulate', {
        body: { glo, walletId, ...(walletPassword === '' ? {} : { walletPassword }) },
      }),
  });
  // The same request until it is answered, whatever the connection does meanwhile.
  const key = useRef(crypto.randomUUID());
  const sent = useMutation({
    mutationFn: () =>
      call<Schemas['ActionCreated']>('POST', '/v1/ledger-ops/send', {
        idempotencyKey: key.current,
        body: { glo, walletId, walletPassword, ...(tag === '' ? {} : { tag }) },
      }),
    async onSuccess({ actionId }) {
      await queries.invalidateQueries({ queryKey: ['actions'] });
      await navigate({ to: '/actions/$actionId', params: { actionId } });
    },
    onError() {
      key.current = crypto.randomUUID();
    },
  });
  const change = (next: object | undefined) => {
    setOptions(next);
    tried.reset();
    sent.reset();
  };
  const isReady = glo !== undefined && walletId !== '';
  return (
    <form
      className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        sent.mutate();
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
              tried.reset();
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
          <Input
            label="Tag"
            hint="To find it by."
            maxLength={256}
            value={tag}
            onChange={({ target }) => setTag(target.value)}
          />
        </div>
      </Card>
      <Card title="Try, then send" className="lg:sticky lg:top-8">
        <div className="space-y-4">
          <Button
            className="w-full"
            disabled={!isReady}
            busy={tried.isPending}
            onClick={() => tried.mutate()}
          >
            Dry run
          </Button>
          <div aria-live="polite" className="space-y-3">
            {tried.isError ? <ProblemNote error={tried.error} /> : null}
            {tried.data === undefined ? null : <Tried tried={tried.data} unit={technology?.unit ?? null} />}
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
      {fee === null ? null : <p>Its fee: about {amountText(fee, unit)}</p>}
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
  const methods = methodsOf(contract?.interface ?? '');
  const parameters = methods.find(({ id }) => id === methodId)?.parameters ?? [];
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
          const chosen = methods.find(({ id }) => id === target.value);
          set(contractId, target.value, chosen?.parameters.map(() => '') ?? []);
        }}
      >
        <option value="">Choose…</option>
        {methods.map(({ id, isView }) => (
          <option key={id} value={id}>
            {id}
            {isView ? ' (reads)' : ''}
          </option>
        ))}
      </Select>
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
  const version = usable?.find((one) => one.tag === tag);
  const parameters = version === undefined ? [] : constructorOf(version);
  const set = (template: string, one: string, args: readonly string[]) => {
    setTemplateId(template);
    setTag(one);
    setValues(args);
    const lookup_service = { type: 'service', value: 'service' };
    change(
      template === '' || one === ''
        ? undefined
        : { contract_source: { lookup_service, resource: `${template}:${one}` }, args },
    );
  };
  return (
    <>
      <Select
        label="Template"
        required
        value={templateId}
        onChange={({ target }) => set(target.value, '', [])}
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
        onChange={({ target }) => {
          const chosen = usable?.find((one) => one.tag === target.value);
          set(templateId, target.value, chosen === undefined ? [] : constructorOf(chosen).map(() => ''));
        }}
      >
        <option value="">Choose…</option>
        {usable?.map((one) => (
          <option key={one.tag} value={one.tag}>
            {one.tag}
          </option>
        ))}
      </Select>
      <Arguments parameters={parameters} values={values} change={(args) => set(templateId, tag, args)} />
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
