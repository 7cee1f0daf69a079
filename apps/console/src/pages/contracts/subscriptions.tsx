import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { type Subscription, subscriptionsQuery } from '../../api/contract-events.ts';
import { useCreation } from '../../api/create.ts';
import { contractsQuery, eventNamesQuery, queries } from '../../api/queries.ts';
import { shortText } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { CheckList, Input, Select } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { Records } from '../../ui/records.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/text.tsx';

const refresh = () => queries.invalidateQueries({ queryKey: ['contract-subscriptions'] });

/** The names of registered contracts by their ids. */
function useContractNames(): (contractId: string) => string {
  const contracts = useQuery(contractsQuery());
  return (contractId) =>
    contracts.data?.find((one) => one.contractId === contractId)?.name ?? shortText(contractId);
}

/** Whose events become events of the project, and how far they are read. */
export function Subscriptions({ subscribe }: { subscribe: () => void }) {
  const list = useQuery(subscriptionsQuery());
  const nameOf = useContractNames();
  const columns: Column<Subscription>[] = [
    {
      id: 'contractId',
      header: 'Contract',
      cell: (one) => (
        <div className="min-w-0">
          <p className="font-medium wrap-anywhere">{nameOf(one.contractId)}</p>
          <p className="text-xs wrap-anywhere text-ink-3">{one.events?.join(', ') ?? 'all events'}</p>
        </div>
      ),
    },
    {
      id: 'state',
      header: 'State',
      cell: (one) => (
        <div className="min-w-0">
          <State of={one} />
          <p className="mt-0.5 text-xs wrap-anywhere text-ink-3">{one.reason ?? one.lastError ?? ''}</p>
        </div>
      ),
    },
    {
      id: 'blockHeight',
      header: 'Read up to',
      align: 'right',
      from: 'sm',
      cell: (one) => `block ${one.blockHeight.toLocaleString()}`,
    },
    {
      id: 'blocksBehind',
      header: 'Blocks behind',
      align: 'right',
      from: 'md',
      cell: (one) => one.blocksBehind?.toLocaleString() ?? '—',
    },
    { id: 'ledgerId', header: 'Ledger', from: 'md', cell: (one) => one.ledgerId },
    {
      id: 'createdAt',
      header: 'Created',
      align: 'right',
      from: 'lg',
      cell: (one) => <Time at={one.createdAt} />,
    },
    {
      id: 'change',
      header: <span className="sr-only">Change</span>,
      align: 'right',
      cell: (one) => (
        <span className="inline-flex flex-wrap justify-end gap-2">
          {one.status === 'STOPPED' ? null : <Switch subscription={one} name={nameOf(one.contractId)} />}
          <Delete subscription={one} name={nameOf(one.contractId)} />
        </span>
      ),
    },
  ];
  return (
    <Records
      title="Subscriptions to events"
      aside={
        <Button look="primary" onClick={subscribe}>
          New subscription
        </Button>
      }
      label="Table of the subscriptions"
      list={list}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <Empty title="No subscription yet">
          Subscribe to a contract to have its events delivered to the webhooks of this project.
        </Empty>
      }
    />
  );
}

function State({ of: { status, failingSince } }: { of: Subscription }) {
  if (status === 'STOPPED') return <Badge tone="bad">stopped</Badge>;
  if (status === 'PAUSED') return <Badge tone="wait">paused</Badge>;
  if (failingSince === null) return <Badge tone="good">reading</Badge>;
  return (
    <Badge tone="wait">
      failing, <Time at={failingSince} />
    </Badge>
  );
}

/** @param contractId the contract that is chosen at first; empty: none */
export function NewSubscription({ contractId: first, close }: { contractId: string; close: () => void }) {
  const contracts = useQuery(contractsQuery());
  const [contractId, setContractId] = useState(first);
  const chosen = contracts.data?.find((one) => one.contractId === contractId);
  const known = useQuery(eventNamesQuery(chosen));
  const [names, setNames] = useState<readonly string[]>([]);
  const [fromBlock, setFromBlock] = useState('');
  const create = useCreation<Subscription>('/v1/contract-subscriptions', async () => {
    close();
    await refresh();
  });
  return (
    <FormDialog
      title="New subscription"
      about="What the contract tells becomes an event contract.event of this project, once its block is confirmed."
      confirm="Subscribe"
      request={create}
      submit={() =>
        create.mutate({
          contractId,
          ...(names.length === 0 ? {} : { events: names }),
          ...(fromBlock === '' ? {} : { fromBlock: Number(fromBlock) }),
        })
      }
      close={close}
    >
      <Select
        label="Contract"
        required
        value={contractId}
        onChange={({ target }) => {
          setContractId(target.value);
          setNames([]);
        }}
      >
        <option value="">Choose…</option>
        {contracts.data?.map(({ contractId: id, name, ledgerReference }) => (
          <option key={id} value={id}>
            {name} · {ledgerReference.ledgerId}
          </option>
        ))}
      </Select>
      {known.data?.length === 0 ? <p className="text-sm text-ink-2">Its interface has no events.</p> : null}
      {known.data?.length ? (
        <CheckList
          label="Events (none chosen: all of them)"
          options={known.data}
          chosen={names}
          choose={setNames}
        />
      ) : null}
      {known.data === null || known.isError ? (
        <Input
          key={contractId}
          label="Events"
          hint="Names under which the contract tells them, separated by commas. Left empty, all of them."
          placeholder="Transfer, Approval"
          onChange={({ target }) =>
            setNames(target.value.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])))
          }
        />
      ) : null}
      <Input
        label="From block"
        hint="Left empty, what happens from now on."
        inputMode="numeric"
        pattern="[0-9]{1,15}"
        value={fromBlock}
        onChange={({ target }) => setFromBlock(target.value.trim())}
      />
    </FormDialog>
  );
}

/** Pauses it, and lets it go on. */
function Switch({ subscription, name }: { subscription: Subscription; name: string }) {
  const [asked, setAsked] = useState(false);
  const isActive = subscription.status === 'ACTIVE';
  const change = useMutation({
    mutationFn: () =>
      call('PUT', path`/v1/contract-subscriptions/${subscription.id}`, {
        body: { status: isActive ? 'PAUSED' : 'ACTIVE' },
      }),
    async onSuccess() {
      setAsked(false);
      await refresh();
    },
  });
  const word = isActive ? 'Pause' : 'Resume';
  return (
    <>
      <Button aria-label={`${word} the subscription to ${name}`} onClick={() => setAsked(true)}>
        {word}
      </Button>
      {asked ? (
        <FormDialog
          title={`${word} this subscription?`}
          about={
            isActive
              ? `No events of ${name} are read until it is resumed. It goes on then where it is now.`
              : `It goes on where it was paused: what ${name} told meanwhile is read first.`
          }
          confirm={`${word} the subscription`}
          request={change}
          submit={() => change.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}

function Delete({ subscription, name }: { subscription: Subscription; name: string }) {
  const [asked, setAsked] = useState(false);
  const remove = useMutation({
    mutationFn: () => call('DELETE', path`/v1/contract-subscriptions/${subscription.id}`),
    async onSuccess() {
      setAsked(false);
      await refresh();
    },
  });
  return (
    <>
      <Button aria-label={`Delete the subscription to ${name}`} onClick={() => setAsked(true)}>
        Delete
      </Button>
      {asked ? (
        <FormDialog
          title="Delete this subscription?"
          about={`No more events of ${name} are read. Those that were read already are still delivered.`}
          confirm="Delete the subscription"
          look="danger"
          request={remove}
          submit={() => remove.mutate()}
          close={() => setAsked(false)}
        />
      ) : null}
    </>
  );
}
