import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useCreation } from '../api/create.ts';
import { ledgersQuery, queries, technologiesQuery, walletQuery, walletsQuery } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Input, Select } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Records } from '../ui/records.tsx';
import { Amount, Id, Time } from '../ui/text.tsx';

/** The balance is null where there is none, or it is not told; undefined: it is being asked for. */
type Row = Schemas['Wallet'] & { balance: string | null | undefined; unit: Schemas['CurrencyUnit'] };
const columns: Column<Row>[] = [
  {
    id: 'walletId',
    header: 'Wallet',
    cell: (one) => (
      <Link
        to="/wallets/$walletId"
        params={{ walletId: one.walletId }}
        className="font-medium wrap-anywhere underline-offset-4 hover:underline"
      >
        {one.walletId}
      </Link>
    ),
  },
  {
    id: 'balance',
    header: 'Balance',
    align: 'right',
    cell: (original) => {
      if (original.balance === undefined) return '…';
      return original.balance === null ? '—' : <Amount of={original.balance} unit={original.unit} />;
    },
  },
  {
    id: 'walletAddress',
    header: 'Address',
    from: 'md',
    cell: (one) => <Id>{one.walletAddress}</Id>,
  },
  { id: 'ledgerId', header: 'Ledger', from: 'sm', cell: (one) => one.ledgerId },
  {
    id: 'createdAt',
    header: 'Created',
    from: 'lg',
    align: 'right',
    cell: (one) => <Time at={one.createdAt} />,
  },
];

export function Wallets() {
  const list = useQuery(walletsQuery());
  const unitOf = useUnits();
  const [making, setMaking] = useState(false);
  // As many as a person looks at; each is asked of its ledger.
  const balances = useQueries({
    queries: (list.data ?? []).slice(0, 40).map(({ walletId }) => walletQuery(walletId)),
  });
  const rows = list.data?.map((wallet, index) => {
    const one = balances[index];
    const balance = one?.isError === true ? null : one?.data?.balance;
    return { ...wallet, balance, unit: unitOf(wallet.ledgerId) };
  });
  return (
    <>
      <PageHead
        title="Wallets"
        about="Accounts on ledgers. Each key is sealed under the password of its wallet."
      >
        <Button look="primary" onClick={() => setMaking(true)}>
          New wallet
        </Button>
      </PageHead>
      <Records
        label="Wallets"
        list={{ data: rows, error: list.error }}
        columns={columns}
        rowId={({ walletId }) => walletId}
        empty={<Empty title="No wallet yet">Create one on a ledger: operations are sent from it.</Empty>}
      />
      {making ? <NewWallet close={() => setMaking(false)} /> : null}
    </>
  );
}

/** The native currency of a ledger. */
export function useUnits(): (ledgerId: string) => Schemas['CurrencyUnit'] {
  const ledgers = useQuery(ledgersQuery());
  const technologies = useQuery(technologiesQuery());
  return (ledgerId) => {
    const ledger = ledgers.data?.find((one) => one.ledgerId === ledgerId);
    const name = ledger?.technology;
    return technologies.data?.find((one) => one.name === name)?.unit ?? null;
  };
}

function NewWallet({ close }: { close: () => void }) {
  const ledgers = useQuery(ledgersQuery());
  const technologies = useQuery(technologiesQuery());
  const [ledgerId, setLedgerId] = useState('');
  const [walletId, setWalletId] = useState('');
  const [walletPassword, setWalletPassword] = useState('');
  const [more, setMore] = useState<Record<string, string>>({});
  const ledger = ledgers.data?.find((one) => one.ledgerId === ledgerId);
  const technology = technologies.data?.find(({ name }) => name === ledger?.technology);
  const parameters = textMembers(technology?.walletParameters ?? null);
  const make = useCreation<Schemas['WalletCreated']>('/v1/cloud-wallet/wallets', async () => {
    close();
    await queries.invalidateQueries({ queryKey: ['wallets'] });
  });
  const filled = Object.entries(more).filter(([, value]) => value !== '');
  const submit = () =>
    make.mutate({
      ...{ walletId, ledgerId },
      pluginParameters: { walletPassword, ...Object.fromEntries(filled) },
    });
  return (
    <FormDialog
      title="New wallet"
      about="Its key is sealed under the password. Whoever loses it loses the wallet: nobody can restore it."
      confirm="Create the wallet"
      request={make}
      submit={submit}
      close={close}
    >
      <Select label="Ledger" required value={ledgerId} onChange={({ target }) => setLedgerId(target.value)}>
        <option value="">Choose…</option>
        {ledgers.data?.map(({ ledgerId: id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Input
        label="Name"
        required
        maxLength={64}
        value={walletId}
        onChange={({ target }) => setWalletId(target.value)}
      />
      <Input
        label="Password"
        type="password"
        autoComplete="new-password"
        required
        value={walletPassword}
        onChange={({ target }) => setWalletPassword(target.value)}
      />
      {parameters.map(({ name, description }) => (
        <Input
          key={name}
          label={name}
          hint={description}
          value={more[name] ?? ''}
          onChange={({ target }) => setMore({ ...more, [name]: target.value })}
        />
      ))}
    </FormDialog>
  );
}

/** Members of a JSON Schema that a line of text can give. */
function textMembers(schema: Record<string, unknown> | null): { name: string; description: string }[] {
  const { properties } = schema ?? {};
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null || !('type' in value) || value.type !== 'string')
      return [];
    const description =
      'description' in value && typeof value.description === 'string' ? value.description : '';
    return [{ name, description }];
  });
}
