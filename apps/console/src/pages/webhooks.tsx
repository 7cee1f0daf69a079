import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCreation } from '../api/create.ts';
import { queries } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { type Webhook, webhooksQuery } from '../api/webhooks.ts';
import { filled } from '../lib/filled.ts';
import { Button } from '../ui/button.tsx';
import { type Column, createdColumn, Named } from '../ui/data-table.tsx';
import { Input, Select } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Empty, PageHead, RecordLink } from '../ui/layout.tsx';
import { Permitted } from '../ui/permitted.tsx';
import { Records } from '../ui/records.tsx';
import { SecretDialog } from '../ui/secret.tsx';
import { WebhookState } from './webhook/state.tsx';
import { everything, filterBody, WebhookFilterFields } from './webhooks/webhook-fields.tsx';

const columns: Column<Webhook>[] = [
  {
    id: 'url',
    header: 'Webhook',
    cell: (webhook) => (
      <Named details={webhook.description === null ? null : webhook.url}>
        <RecordLink to="/webhooks/$webhookId" params={{ webhookId: webhook.id }} search={{}}>
          {webhook.description ?? webhook.url}
        </RecordLink>
      </Named>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: (row) => <WebhookState webhook={row} />,
  },
  { id: 'types', header: 'Events', from: 'md', cell: (one) => one.types?.join(', ') ?? 'all' },
  createdColumn('lg'),
];

export function Webhooks() {
  const list = useQuery(webhooksQuery());
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <PageHead
        title="Webhooks"
        about="URLs to which this project’s events are delivered, signed as specified by Standard Webhooks."
      >
        <Permitted permission="project:update">
          <Button look="primary" onClick={() => setMaking(true)}>
            New webhook
          </Button>
        </Permitted>
      </PageHead>
      <Records
        label="Webhooks"
        list={list}
        columns={columns}
        rowId={({ id }) => id}
        empty={
          <Empty title="No webhooks yet">Create one to deliver events to your program as they happen.</Empty>
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
  const [filter, setFilter] = useState(everything);
  const [format, setFormat] = useState('standard');
  const create = useCreation<Schemas['WebhookWithSecret']>('/v1/webhooks', async (webhook) => {
    made(webhook);
    await queries.invalidateQueries({ queryKey: ['webhooks'] });
  });
  return (
    <FormDialog
      title="New webhook"
      about="Receives new events of this project. Its secret is shown once, in the next step."
      confirm="Create the webhook"
      wide
      request={create}
      submit={() => create.mutate(filled({ url, format, description, ...filterBody(filter, undefined) }))}
      close={close}
    >
      <Input
        label="Address"
        at="/url"
        hint="An https URL of your program that accepts POST requests."
        type="url"
        required
        placeholder="https://receiver.example/events"
        value={url}
        set={setUrl}
      />
      <Input
        label="Description"
        at="/description"
        hint="Shown in lists in place of the address."
        maxLength={256}
        value={description}
        set={setDescription}
      />
      <Select
        label="Format"
        at="/format"
        hint="The structure of a delivery’s body. Deliveries in both formats are signed."
        value={format}
        set={setFormat}
      >
        <option value="standard">Standard Webhooks</option>
        <option value="cloudevents">CloudEvents</option>
      </Select>
      <WebhookFilterFields filter={filter} change={setFilter} />
    </FormDialog>
  );
}
