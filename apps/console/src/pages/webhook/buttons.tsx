import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import type { Webhook } from '../../api/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import { filterBody, type WebhookFilter, WebhookFilterFields } from '../webhooks/webhook-fields.tsx';

type Asked = 'test' | 'replay' | 'change' | 'rotate';

/** Buttons for the actions on a webhook, each with its own dialog. */
export function WebhookButtons({ webhook }: { webhook: Webhook }) {
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<string>();
  const isEnabled = webhook.status === 'ENABLED';
  const word = isEnabled ? 'Disable' : 'Enable';
  const navigate = useNavigate();
  const given = { webhook, close: () => setAsked(undefined) };
  return (
    <>
      <Button onClick={() => setAsked('test')}>Test</Button>
      <Button onClick={() => setAsked('replay')}>Replay</Button>
      <Button onClick={() => setAsked('change')}>Change</Button>
      <Button onClick={() => setAsked('rotate')}>New secret</Button>
      <ConfirmButton
        label={word}
        title={`${word} this webhook?`}
        about={
          isEnabled
            ? 'No more events are sent to the webhook. Pending deliveries are abandoned.'
            : 'The webhook receives new events. Replay the events that it missed.'
        }
        confirm={`${word} the webhook`}
        confirmLook={isEnabled ? 'danger' : 'primary'}
        send={() =>
          call('PUT', path`/v1/webhooks/${webhook.id}`, {
            body: { status: isEnabled ? 'DISABLED' : 'ENABLED' },
          })
        }
        done={refresh}
      />
      <ConfirmButton
        label="Delete"
        look="danger"
        title="Delete this webhook?"
        about="The deliveries of the webhook are also deleted, including pending ones."
        confirm="Delete the webhook"
        confirmLook="danger"
        send={() => call('DELETE', path`/v1/webhooks/${webhook.id}`)}
        done={async () => {
          await navigate({ to: '/webhooks' });
          queries.removeQueries({ queryKey: ['webhooks'] });
        }}
      />
      {asked === 'test' ? <Test {...given} /> : null}
      {asked === 'replay' ? <Replay {...given} /> : null}
      {asked === 'change' ? <Change {...given} /> : null}
      {asked === 'rotate' ? <Rotate {...given} rotated={setSecret} /> : null}
      {secret === undefined ? null : (
        <SecretDialog
          title="The webhook’s new secret"
          about="Copy it now: it is not shown again. For 24 hours, deliveries are also signed with the previous secret."
          secrets={[['Signing secret', secret]]}
          close={() => setSecret(undefined)}
        />
      )}
    </>
  );
}

interface Given {
  readonly webhook: Webhook;
  readonly close: () => void;
}

const refresh = () => queries.invalidateQueries({ queryKey: ['webhooks'] });

function Test({ webhook, close }: Given) {
  const test = useMutation({
    mutationFn: () => call<Schemas['WebhookTest']>('POST', path`/v1/webhooks/${webhook.id}/test`),
  });
  return (
    <FormDialog
      title="Test this webhook"
      about="Immediately sends one event of the type webhook.test, signed like all events. A failed delivery is not retried."
      confirm={test.isSuccess ? 'Send another' : 'Send a test'}
      dismiss={test.isSuccess ? 'Done' : 'Cancel'}
      request={test}
      submit={() => test.mutate()}
      close={close}
    >
      {test.data === undefined ? null : (
        <p
          role="status"
          className={`rounded-lg px-4 py-3 text-sm wrap-anywhere ${test.data.delivered ? 'bg-good-soft text-good' : 'bg-bad-soft'}`}
        >
          {test.data.delivered
            ? `The receiver returned ${test.data.status}.`
            : `The receiver did not accept it: ${test.data.error}`}
        </p>
      )}
    </FormDialog>
  );
}

function Replay({ webhook, close }: Given) {
  const [from, setFrom] = useState('');
  const replay = useMutation({
    mutationFn: () =>
      call('POST', path`/v1/webhooks/${webhook.id}/replay`, { body: { from: new Date(from).toISOString() } }),
    async onSuccess() {
      close();
      await refresh();
    },
  });
  return (
    <FormDialog
      title="Replay events"
      about="Sends again all matching events since a time in the last seven days, with their original ids."
      confirm="Replay them"
      request={replay}
      submit={() => replay.mutate()}
      close={close}
    >
      <Input
        label="From"
        at="/from"
        hint="In your local time. Receivers recognize repeated events by their id."
        type="datetime-local"
        required
        value={from}
        set={setFrom}
      />
    </FormDialog>
  );
}

function Change({ webhook, close }: Given) {
  const [description, setDescription] = useState(webhook.description ?? '');
  const [filter, setFilter] = useState<WebhookFilter>({
    types: webhook.types ?? [],
    ledgers: webhook.ledgers ?? [],
    wallets: webhook.wallets ?? [],
  });
  const change = useMutation({
    mutationFn: () =>
      call('PUT', path`/v1/webhooks/${webhook.id}`, {
        body: { description: description === '' ? null : description, ...filterBody(filter, null) },
      }),
    async onSuccess() {
      close();
      await refresh();
    },
  });
  return (
    <FormDialog
      title="Change the webhook"
      about="Applies to events from now on."
      confirm="Save"
      wide
      request={change}
      submit={() => change.mutate()}
      close={close}
    >
      <Input label="Description" at="/description" maxLength={256} value={description} set={setDescription} />
      <WebhookFilterFields filter={filter} change={setFilter} />
    </FormDialog>
  );
}

function Rotate({ webhook, close, rotated }: Given & { rotated: (secret: string) => void }) {
  const rotate = useCreation<Schemas['WebhookWithSecret']>(
    path`/v1/webhooks/${webhook.id}/secret`,
    async ({ secret }) => {
      close();
      rotated(secret);
      await refresh();
    },
  );
  return (
    <FormDialog
      title="Create a new secret?"
      about="The new secret is shown once, in the next step. For 24 hours, deliveries are also signed with the previous secret."
      confirm="Create a new secret"
      request={rotate}
      submit={() => rotate.mutate(undefined)}
      close={close}
    />
  );
}
