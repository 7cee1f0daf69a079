import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChevronRight, ChevronsLeft } from 'lucide-react';
import { call, path } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import {
  type Delivery,
  type DeliveryFilter,
  deliveriesQuery,
  type Webhook,
  webhookQuery,
} from '../api/webhooks.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { Card, Empty, Facts, PageHead, RecordLink, Up } from '../ui/layout.tsx';
import { Pills } from '../ui/pills.tsx';
import { Unread } from '../ui/record.tsx';
import { Records } from '../ui/records.tsx';
import { Badge } from '../ui/status.tsx';
import { exact, Id, Time } from '../ui/text.tsx';
import { WebhookButtons } from './webhook/buttons.tsx';
import { WebhookState } from './webhook/state.tsx';

const route = getRouteApi('/frame/webhooks/$webhookId');

const up = <Up to="/webhooks">Webhooks</Up>;

export function WebhookPage() {
  const { webhookId } = route.useParams();
  const query = useQuery(webhookQuery(webhookId));
  if (query.data === undefined) return <Unread key={webhookId} error={query.error} name="webhook" up={up} />;
  const webhook = query.data;
  return (
    <>
      {up}
      <PageHead
        title={webhook.description ?? new URL(webhook.url).host}
        about={<WebhookState webhook={webhook} />}
      >
        <WebhookButtons webhook={webhook} />
      </PageHead>
      <div className="space-y-5">
        {webhook.reason === null ? null : (
          <p className="rounded-lg bg-bad-soft px-4 py-3 text-sm wrap-anywhere">{webhook.reason}</p>
        )}
        <About webhook={webhook} />
        <Deliveries webhookId={webhookId} />
      </div>
    </>
  );
}

function About({ webhook }: { webhook: Webhook }) {
  const listed = (values: readonly string[] | null) => values?.join(', ') ?? 'all';
  const { failingSince, earlierSecretUntil } = webhook;
  return (
    <Card title="Webhook">
      <Facts
        items={[
          ['Address', webhook.url],
          [
            'Id',
            <Id key="id" whole>
              {webhook.id}
            </Id>,
          ],
          ['Events', listed(webhook.types)],
          ['Ledgers', listed(webhook.ledgers)],
          ['Wallets', listed(webhook.wallets)],
          ['Format', webhook.format === 'standard' ? 'Standard Webhooks' : 'CloudEvents'],
          ['Created', <Time key="made" at={webhook.createdAt} />],
          ...(failingSince === null
            ? []
            : ([['Failing since', <Time key="failing" at={failingSince} />]] as const)),
          ...(earlierSecretUntil === null
            ? []
            : ([['Previous secret', `also signs until ${exact(earlierSecretUntil)}`]] as const)),
        ]}
      />
    </Card>
  );
}

const states = {
  PENDING: <Badge tone="wait">pending</Badge>,
  DELIVERED: <Badge tone="good">delivered</Badge>,
  DEAD: <Badge tone="bad">abandoned</Badge>,
};
const columnsOf = (webhookId: string): Column<Delivery>[] => [
  { id: 'status', header: 'State', from: 'sm', cell: (one) => states[one.status] },
  {
    id: 'type',
    header: 'Event',
    cell: (delivery) => (
      <div className="min-w-0">
        {delivery.actionId === null ? (
          <p className="font-medium wrap-anywhere">{delivery.type}</p>
        ) : (
          <RecordLink to="/actions/$actionId" params={{ actionId: delivery.actionId }}>
            {delivery.type}
          </RecordLink>
        )}
        <p className="text-xs wrap-anywhere text-ink-3">{answerText(delivery)}</p>
        <p className="mt-1 sm:hidden">{states[delivery.status]}</p>
      </div>
    ),
  },
  { id: 'attempts', header: 'Attempts', from: 'md', align: 'right', cell: (one) => one.attempts },
  {
    id: 'createdAt',
    header: 'Occurred',
    from: 'sm',
    align: 'right',
    cell: (one) => <Time at={one.createdAt} />,
  },
  {
    id: 'replay',
    header: <span className="sr-only">Change</span>,
    align: 'right',
    cell: (original) =>
      original.status === 'PENDING' ? null : <Again webhookId={webhookId} delivery={original} />,
  },
];

function answerText({ lastStatus, lastError, attempts }: Delivery): string {
  if (attempts === 0) return 'not tried yet';
  return lastError ?? (lastStatus === null ? '' : `status ${lastStatus}`);
}

function Again({ webhookId, delivery }: { webhookId: string; delivery: Delivery }) {
  const replay = useMutation({
    mutationFn: () =>
      call('POST', path`/v1/webhooks/${webhookId}/replay`, { body: { eventId: delivery.eventId } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['webhooks', webhookId] }),
  });
  return (
    <span className="inline-flex flex-col items-end gap-1">
      <Button
        aria-label={`Redeliver ${delivery.type}`}
        busy={replay.isPending}
        onClick={() => replay.mutate()}
      >
        Redeliver
      </Button>
      {replay.isError ? (
        <span role="alert" className="text-xs text-bad">
          {replay.error.message}
        </span>
      ) : null}
    </span>
  );
}

function Deliveries({ webhookId }: { webhookId: string }) {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...deliveriesQuery(webhookId, filter), placeholderData: (before) => before });
  return (
    <section aria-label="Deliveries" className="space-y-3">
      <Pills
        label="Status of the deliveries"
        options={[
          ['', 'All deliveries'],
          ['PENDING', 'Pending'],
          ['DELIVERED', 'Delivered'],
          ['DEAD', 'Abandoned'],
        ]}
        value={filter.status ?? ''}
        choose={(status) => void navigate({ search: status === '' ? {} : { status }, replace: true })}
      />
      <Records
        label="Deliveries of the webhook"
        list={{ data: list.data?.deliveries, error: list.error }}
        columns={columnsOf(webhookId)}
        rowId={({ eventId }) => eventId}
        empty={
          <Empty title={filter.status === undefined ? 'No deliveries yet' : 'No matching deliveries'}>
            {filter.status === undefined
              ? 'New events appear here. Choose Test to send a sample event now.'
              : 'Completed deliveries are listed for seven days.'}
          </Empty>
        }
      >
        {list.data === undefined ? null : <Pages filter={filter} next={list.data.next} />}
      </Records>
    </section>
  );
}

function Pages({ filter, next }: { filter: DeliveryFilter; next: string | null }) {
  const { cursor, ...first } = filter;
  if (cursor === undefined && next === null) return null;
  return (
    <nav aria-label="Pages" className="flex justify-end gap-2 border-t border-line px-5 py-3">
      {cursor === undefined ? null : (
        <Link from="/webhooks/$webhookId" search={first} className={buttonClass()}>
          <ChevronsLeft aria-hidden="true" className="size-4" /> Newest
        </Link>
      )}
      {next === null ? null : (
        <Link from="/webhooks/$webhookId" search={{ ...filter, cursor: next }} className={buttonClass()}>
          Older <ChevronRight aria-hidden="true" className="size-4" />
        </Link>
      )}
    </nav>
  );
}
