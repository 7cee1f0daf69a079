import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { ApiProblem, call, path } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { ActionDetails, Schemas } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Input } from '../../ui/field.tsx';
import { ProblemNote } from '../../ui/problem.tsx';

const words = {
  cancel: {
    button: 'Cancel it',
    title: 'Cancel this action?',
    confirm: 'Cancel the action',
    look: 'danger',
  },
  hurry: {
    button: 'Hurry',
    title: 'Hurry this action?',
    confirm: 'Send it with a higher fee',
    look: 'plain',
  },
} as const;

type Change = keyof typeof words;

/** What may be asked of an action that is pending. */
export function ChangeButtons({ action }: { action: ActionDetails }) {
  const [asked, setAsked] = useState<Change>();
  if (action.status !== 'PENDING' || action.change === 'cancel') return null;
  const isSigned = action.pending?.stage === 'signed';
  return (
    <>
      {isSigned && action.attempts.at(-1)?.sequence !== null ? (
        <Button onClick={() => setAsked('hurry')}>{words.hurry.button}</Button>
      ) : null}
      <Button look="danger" onClick={() => setAsked('cancel')}>
        {words.cancel.button}
      </Button>
      {asked === undefined ? null : (
        <ChangeDialog key={asked} action={action} change={asked} close={() => setAsked(undefined)} />
      )}
    </>
  );
}

function ChangeDialog({
  action,
  change,
  close,
}: {
  action: ActionDetails;
  change: Change;
  close: () => void;
}) {
  const { title, confirm } = words[change];
  const [walletPassword, setWalletPassword] = useState('');
  const [maxFee, setMaxFee] = useState('');
  // The same request however often it is sent from this window.
  const key = useRef(crypto.randomUUID());
  const request = useMutation({
    mutationFn: () =>
      call<Schemas['Action']>('POST', path`/v1/ledger-ops/actions/${action.actionId}/${change}`, {
        idempotencyKey: key.current,
        body: {
          ...(walletPassword === '' ? {} : { walletPassword }),
          ...(change === 'hurry' && maxFee !== '' ? { maxFee } : {}),
        },
      }),
    async onSuccess() {
      close();
      await queries.invalidateQueries({ queryKey: ['actions'] });
    },
    onError() {
      key.current = crypto.randomUUID();
    },
  });
  const needsPassword =
    request.error instanceof ApiProblem &&
    (request.error.name === 'wrong-wallet-password' ||
      request.error.problem.errors?.some(({ pointer }) => pointer === '/walletPassword') === true);
  const isSigned = action.pending?.stage === 'signed';
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) close();
      }}
      title={title}
      about={
        change === 'hurry'
          ? 'The same transaction is sent again at a higher fee. The ledger takes one of them.'
          : isSigned
            ? 'It is signed already: an empty transaction is to take its place, and the ledger decides which of them it takes.'
            : 'It is not signed yet: it ends at once, and nothing is sent.'
      }
    >
      <form
        className="space-y-4"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          request.mutate();
        }}
      >
        {request.isError ? <ProblemNote error={request.error} /> : null}
        {change === 'hurry' ? (
          <Input
            label="Most for a unit of the fee"
            inputMode="numeric"
            pattern="[0-9]+"
            value={maxFee}
            onChange={({ target }) => setMaxFee(target.value)}
            hint="In the ledger’s smallest unit. Empty: as much as the ledger’s own caps allow."
          />
        ) : null}
        {needsPassword || walletPassword !== '' ? (
          <Input
            label={`Password of the wallet ${action.walletId}`}
            type="password"
            autoComplete="off"
            value={walletPassword}
            onChange={({ target }) => setWalletPassword(target.value)}
          />
        ) : null}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Leave it</Button>
          <Button type="submit" look={change === 'cancel' ? 'danger' : 'primary'} busy={request.isPending}>
            {confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
