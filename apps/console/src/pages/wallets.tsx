import { useMutation, useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { createColumnHelper } from '@tanstack/react-table';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import { ledgersQuery, queries, technologiesQuery, walletQuery, walletsQuery } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { amountText } from '../lib/format.ts';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Input, Select } from '../ui/field.tsx';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Id, Time } from '../ui/text.tsx';

type Row = Schemas['Wallet'] & { balance: string | undefined };
const column = createColumnHelper<Row>();
const columns = [
  column.accessor('walletId', {
    header: 'Wallet',
    cell: (cell) => (
      <Link
        to="/wallets/$walletId"
        params={{ walletId: cell.getValue() }}
        className="font-medium underline-offset-4 hover:underline"
      >
        {cell.getValue()}
      </Link>
    ),
  }),
  column.accessor('balance', {
    header: 'Balance',
    meta: { align: 'right' },
    cell: (cell) => cell.getValue() ?? '…',
  }),
  column.accessor('walletAddress', {
    header: 'Address',
    meta: { from: 'md' },
    cell: (cell) => <Id>{cell.getValue()}</Id>,
  }),
  column.accessor('ledgerId', { header: 'Ledger', meta: { from: 'sm' } }),
  column.accessor('createdAt', {
    header: 'Made',
    meta: { from: 'lg', align: 'right' },
    cell: (cell) => <Time at={cell.getValue()} />,
  }),
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
    const balance = one?.data?.balance;
    const text = balance === null || one?.isError === true ? '—' : undefined;
    return {
      ...wallet,
      balance: typeof balance === 'string' ? amountText(balance, unitOf(wallet.ledgerId)) : text,
    };
  });
  return (
    <>
      <PageHead
        title="Wallets"
        about="Accounts on ledgers, whose keys the service keeps under their passwords."
      >
        <Button look="primary" onClick={() => setMaking(true)}>
          New wallet
        </Button>
      </PageHead>
      {list.isError ? <ProblemNote error={list.error} /> : null}
      {rows === undefined ? (
        <Loading />
      ) : (
        <Card flush>
          <DataTable
            label="Wallets"
            columns={columns}
            rows={rows}
            rowId={({ walletId }) => walletId}
            empty={<Empty title="No wallet yet">The first one is made in a moment.</Empty>}
          />
        </Card>
      )}
      {making ? <NewWallet close={() => setMaking(false)} /> : null}
    </>
  );
}

/** The native currency of a ledger. */
export function useUnits(): (ledgerId: string) => Schemas['CurrencyUnit'] {
  const ledgers = useQuery(ledgersQuery());
  const technologies = useQuery(technologiesQuery());
  return (ledgerId) => {
    const ledger = ledgers.data?.find(({ ledgerID }) => ledgerID === ledgerId);
    const name = ledger?.ledgerTechnology.ledgerTechnologyID;
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
  const ledger = ledgers.data?.find(({ ledgerID }) => ledgerID === ledgerId);
  const technology = technologies.data?.find(
    ({ name }) => name === ledger?.ledgerTechnology.ledgerTechnologyID,
  );
  const parameters = textMembers(technology?.walletParameters ?? null);
  const make = useMutation({
    mutationFn: () =>
      call<Schemas['WalletCreated']>('POST', '/v1/cloud-wallet/wallets', {
        body: {
          walletId,
          ledgerId,
          pluginParameters: {
            walletPassword,
            ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== '')),
          },
        },
      }),
    async onSuccess() {
      close();
      await queries.invalidateQueries({ queryKey: ['wallets'] });
    },
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) close();
      }}
      title="New wallet"
      about="Its key is sealed under the password, which nobody else knows and nobody can restore."
    >
      <form
        className="space-y-4"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          make.mutate();
        }}
      >
        {make.isError ? <ProblemNote error={make.error} /> : null}
        <Select label="Ledger" required value={ledgerId} onChange={({ target }) => setLedgerId(target.value)}>
          <option value="">Choose…</option>
          {ledgers.data?.map(({ ledgerID, name }) => (
            <option key={ledgerID} value={ledgerID}>
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
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Leave it</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            Make the wallet
          </Button>
        </div>
      </form>
    </Dialog>
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
