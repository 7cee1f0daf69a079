import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useCreation } from '../api/create.ts';
import { queries } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { eventTypes, type Webhook, webhooksQuery } from '../api/webhooks.ts';
import { Button } from '../ui/button.tsx';
import type { Column } from '../ui/data-table.tsx';
import { CheckList, Input, Select } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Records } from '../ui/records.tsx';
import { SecretDialog } from '../ui/secret.tsx';
import { Time } from '../ui/text.tsx';
import { WebhookState } from './webhook/state.tsx';

const columns: Column<Webhook>[] = [
  {
    id: 'url',
    header: 'Webhook',
    cell: (webhook) => (
      <div className="min-w-0">
        <Link
          to="/webhooks/$webhookId"
          params={{ webhookId: webhook.id }}
          search={{}}
          className="font-medium break-all underline-offset-4 hover:underline"
        >
          {webhook.url}
        </Link>
        <p className="text-xs wrap-anywhere text-ink-3">{webhook.description}</p>
      </div>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: (row) => <WebhookState webhook={row} />,
  },
  { id: 'types', header: 'Events', from: 'md', cell: (one) => one.types?.join(', ') ?? 'all' },
  {
    id: 'createdAt',
    header: 'Created',
    from: 'lg',
    align: 'right',
    cell: (one) => <Time at={one.createdAt} />,
  },
];

export function Webhooks() {
  const list = useQuery(webhooksQuery());
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <PageHead
        title="Webhooks"
        about="Addresses to which this project’s events are delivered, signed by the Standard Webhooks specification."
      >
        <Button look="primary" onClick={() => setMaking(true)}>
          New webhook
        </Button>
      </PageHead>
      <Records
        label="Webhooks"
        list={list}
        columns={columns}
        rowId={({ id }) => id}
        empty={
          <Empty title="No webhook yet">
            Create one to have events delivered to a program of yours as they happen.
          </Empty>
        }
      />
      {making ? (
        <NewWebhook
          close={() => setMaking(false)}
          made={(webhook) => {
            setMaking(false);
            setSecret(webhook.secret);
          }}
        />
      ) : null}
      {secret === undefined ? null : (
        <SecretDialog
          title="The webhook’s secret"
          about="Copy it now: it is not shown again. The receiver verifies deliveries with it."
          secrets={[['Signing secret', secret]]}
          close={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

function NewWebhook({
  close,
  made,
}: {
  close: () => void;
  made: (webhook: Schemas['WebhookWithSecret']) => void;
}) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [types, setTypes] = useState<readonly string[]>([]);
  const [format, setFormat] = useState('standard');
  const create = useCreation<Schemas['WebhookWithSecret']>('/v1/webhooks', async (webhook) => {
    made(webhook);
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
  });
  return (
    <FormDialog
      title="New webhook"
      about="It gets what happens from now on. Its secret is shown once, after this."
      confirm="Create the webhook"
      request={create}
      submit={() =>
        create.mutate({
          ...{ url, format },
          ...(description === '' ? {} : { description }),
          ...(types.length === 0 ? {} : { types }),
        })
      }
      close={close}
    >
      <Input
        label="Address"
        type="url"
        required
        placeholder="https://receiver.example/events"
        value={url}
        onChange={({ target }) => setUrl(target.value)}
      />
      <Input
        label="Description"
        maxLength={256}
        value={description}
        onChange={({ target }) => setDescription(target.value)}
      />
      <Select label="Format" value={format} onChange={({ target }) => setFormat(target.value)}>
        <option value="standard">Standard Webhooks</option>
        <option value="cloudevents">CloudEvents</option>
      </Select>
      <CheckList
        label="Events (none chosen: all of them)"
        options={eventTypes}
        chosen={types}
        choose={setTypes}
      />
    </FormDialog>
  );
}
