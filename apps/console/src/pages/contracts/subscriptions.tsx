import { shortText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { type Subscription, subscriptionsQuery } from '../../api/contract-events.ts';
import { useCreation } from '../../api/create.ts';
import { contractsQuery, eventNamesQuery, queries } from '../../api/queries.ts';
import { filled } from '../../lib/filled.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { type Column, createdColumn, Named } from '../../ui/data-table.tsx';
import { CheckList, Choice, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty } from '../../ui/layout.tsx';
import { LedgerName } from '../../ui/names.tsx';
import { Records } from '../../ui/records.tsx';
import { Badge } from '../../ui/status.tsx';
import { Time } from '../../ui/text.tsx';

const refresh = () => queries.invalidateQueries({ queryKey: ['contract-subscriptions'] });

/** Names of registered contracts by id. */
function useContractNames(): (contractId: string) => string {
  const contracts = useQuery(contractsQuery());
  return (contractId) =>
    contracts.data?.find((one) => one.contractId === contractId)?.name ?? shortText(contractId);
}

/** Contracts whose events become project events, with the last block read. */
export function Subscriptions({ subscribe }: { subscribe: () => void }) {
  const list = useQuery(subscriptionsQuery());
  const nameOf = useContractNames();
  const columns: Column<Subscription>[] = [
    {
      id: 'contractId',
      header: 'Contract',
      cell: (one) => <Named details={one.events?.join(', ') ?? 'all events'}>{nameOf(one.contractId)}</Named>,
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
    { id: 'ledgerId', header: 'Ledger', from: 'md', cell: (one) => <LedgerName id={one.ledgerId} /> },
    createdColumn('lg'),
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
      label="Subscriptions table"
      list={list}
      columns={columns}
      rowId={({ id }) => id}
      empty={
        <Empty title="No subscriptions yet">
          Subscribe to a contract to deliver its events to this project’s webhooks.
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

/** @param contractId the preselected contract; empty if none */
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
      about="Once the block of an event is confirmed, the event becomes a contract.event of this project."
      confirm="Subscribe"
      request={create}
      submit={() =>
        create.mutate(
          filled({
            contractId,
            events: names.length === 0 ? undefined : names,
            fromBlock: fromBlock === '' ? undefined : Number(fromBlock),
          }),
        )
      }
      close={close}
    >
      <Choice
        label="Contract"
        at="/contractId"
        value={contractId}
        set={(text) => {
          setContractId(text);
          setNames([]);
        }}
        options={contracts.data?.map(({ contractId: id, name, ledgerReference }) => [
          id,
          `${name} · ${ledgerReference.ledgerId}`,
        ])}
      />
      {known.data?.length === 0 ? (
        <p className="text-sm text-ink-2">The contract’s interface has no events.</p>
      ) : null}
      {known.data?.length ? (
        <CheckList
          label="Events (all if none is selected)"
          options={known.data}
          chosen={names}
          choose={setNames}
        />
      ) : null}
      {known.data === null || known.isError ? (
        <Input
          key={contractId}
          label="Events"
          at="/events"
          hint="Names of events, separated by commas. Leave empty for all."
          placeholder="Transfer, Approval"
          set={(text) =>
            setNames(text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])))
          }
        />
      ) : null}
      <Input
        label="From block"
        at="/fromBlock"
        hint="Leave empty to start from the next block."
        inputMode="numeric"
        pattern="[0-9]{1,15}"
        value={fromBlock}
        set={(text) => setFromBlock(text.trim())}
      />
    </FormDialog>
  );
}

/** Pauses or resumes a subscription. */
function Switch({ subscription, name }: { subscription: Subscription; name: string }) {
  const isActive = subscription.status === 'ACTIVE';
  const word = isActive ? 'Pause' : 'Resume';
  return (
    <ConfirmButton
      label={word}
      name={`${word} the subscription to ${name}`}
      title={`${word} this subscription?`}
      about={
        isActive
          ? `Stops reading events of ${name}. Resuming continues at the same block.`
          : `Continues at the block where it was paused, so no events of ${name} are missed.`
      }
      confirm={`${word} the subscription`}
      send={() =>
        call('PUT', path`/v1/contract-subscriptions/${subscription.id}`, {
          body: { status: isActive ? 'PAUSED' : 'ACTIVE' },
        })
      }
      done={refresh}
    />
  );
}

function Delete({ subscription, name }: { subscription: Subscription; name: string }) {
  return (
    <ConfirmButton
      label="Delete"
      name={`Delete the subscription to ${name}`}
      title="Delete this subscription?"
      about={`Stops reading events of ${name}. Events that were already read are still delivered.`}
      confirm="Delete the subscription"
      confirmLook="danger"
      send={() => call('DELETE', path`/v1/contract-subscriptions/${subscription.id}`)}
      done={refresh}
    />
  );
}
