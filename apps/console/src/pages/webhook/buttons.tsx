import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import type { Webhook } from '../../api/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SecretDialog } from '../../ui/secret.tsx';

type Asked = 'test' | 'replay' | 'rotate' | 'switch' | 'delete';

/** All that can be asked of a webhook, each in a window of its own. */
export function WebhookButtons({ webhook }: { webhook: Webhook }) {
  const [asked, setAsked] = useState<Asked>();
  const [secret, setSecret] = useState<string>();
  const isEnabled = webhook.status === 'ENABLED';
  const given = { webhook, close: () => setAsked(undefined) };
  return (
    <>
      <Button onClick={() => setAsked('test')}>Test</Button>
      <Button onClick={() => setAsked('replay')}>Replay</Button>
      <Button onClick={() => setAsked('rotate')}>New secret</Button>
      <Button onClick={() => setAsked('switch')}>{isEnabled ? 'Disable' : 'Enable'}</Button>
      <Button look="danger" onClick={() => setAsked('delete')}>
        Delete
      </Button>
      {asked === 'test' ? <Test {...given} /> : null}
      {asked === 'replay' ? <Replay {...given} /> : null}
      {asked === 'rotate' ? <Rotate {...given} rotated={setSecret} /> : null}
      {asked === 'switch' ? <Switch {...given} /> : null}
      {asked === 'delete' ? <Delete {...given} /> : null}
      {secret === undefined ? null : (
        <SecretDialog
          title="The webhook’s new secret"
          about="Copy it now: it is not shown again. For 24 hours the earlier secret signs deliveries too."
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
      about="Sends one event of the type webhook.test at once, signed as all are. A failure is not tried again."
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
            ? `The receiver answered ${test.data.status}.`
            : `It was not taken: ${test.data.error}`}
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
      title="Deliver events again"
      about="Everything since a time in the last seven days that fits the webhook, with the same event ids."
      confirm="Deliver them again"
      request={replay}
      submit={() => replay.mutate()}
      close={close}
    >
      <Input
        label="From"
        type="datetime-local"
        required
        value={from}
        onChange={({ target }) => setFrom(target.value)}
      />
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
      title="Make a new secret?"
      about="It is shown once, after this. For 24 hours deliveries are signed with the earlier one too."
      confirm="Make a new secret"
      request={rotate}
      submit={() => rotate.mutate(undefined)}
      close={close}
    />
  );
}

function Switch({ webhook, close }: Given) {
  const isEnabled = webhook.status === 'ENABLED';
  const change = useMutation({
    mutationFn: () =>
      call('PUT', path`/v1/webhooks/${webhook.id}`, { body: { status: isEnabled ? 'DISABLED' : 'ENABLED' } }),
    async onSuccess() {
      close();
      await refresh();
    },
  });
  return (
    <FormDialog
      title={isEnabled ? 'Disable this webhook?' : 'Enable this webhook?'}
      about={
        isEnabled
          ? 'Nothing more is sent to it, and pending deliveries are given up.'
          : 'It gets what happens from now on. Replay delivers what it missed.'
      }
      confirm={isEnabled ? 'Disable the webhook' : 'Enable the webhook'}
      look={isEnabled ? 'danger' : 'primary'}
      request={change}
      submit={() => change.mutate()}
      close={close}
    />
  );
}

function Delete({ webhook, close }: Given) {
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => call('DELETE', path`/v1/webhooks/${webhook.id}`),
    async onSuccess() {
      await navigate({ to: '/webhooks' });
      queries.removeQueries({ queryKey: ['webhooks'] });
    },
  });
  return (
    <FormDialog
      title="Delete this webhook?"
      about="Its deliveries go with it, also those that are still pending."
      confirm="Delete the webhook"
      look="danger"
      request={remove}
      submit={() => remove.mutate()}
      close={close}
    />
  );
}
