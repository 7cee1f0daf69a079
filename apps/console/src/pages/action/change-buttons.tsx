import { useState } from 'react';
import { ApiProblem, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import { queries } from '../../api/queries.ts';
import type { ActionDetails, Schemas } from '../../api/types.ts';
import { filled } from '../../lib/filled.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const words = {
  cancel: {
    button: 'Cancel',
    title: 'Cancel this action?',
    confirm: 'Cancel the action',
    look: 'danger',
  },
  hurry: {
    button: 'Speed up',
    title: 'Speed up this action?',
    confirm: 'Send it with a higher fee',
    look: 'plain',
  },
} as const;

type Change = keyof typeof words;

/** Buttons that change a pending action. */
export function ChangeButtons({ action }: { action: ActionDetails }) {
  const [asked, setAsked] = useState<Change>();
  const { changes } = action;
  return (
    <>
      {changes.includes('hurry') ? (
        <Button onClick={() => setAsked('hurry')}>{words.hurry.button}</Button>
      ) : null}
      {changes.includes('cancel') ? (
        <Button look="danger" onClick={() => setAsked('cancel')}>
          {words.cancel.button}
        </Button>
      ) : null}
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
  const request = useCreation<Schemas['Action']>(
    path`/v1/ledger-ops/actions/${action.actionId}/${change}`,
    async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['actions'] });
    },
  );
  const submit = () => request.mutate(filled({ walletPassword, maxFee: change === 'hurry' ? maxFee : '' }));
  const needsPassword =
    request.error instanceof ApiProblem &&
    (request.error.name === 'wrong-wallet-password' ||
      request.error.problem.errors?.some(({ pointer }) => pointer === '/walletPassword') === true);
  const isSigned = action.pending?.stage === 'signed';
  const isSequenced = action.attempts.at(-1)?.sequence !== null;
  const isReplaced = action.changes.includes('cancel');
  return (
    <FormDialog
      title={title}
      about={
        change === 'hurry'
          ? isReplaced
            ? 'Sends the same transaction again with a higher fee. The ledger executes only one of the two transactions.'
            : 'If the current transaction expires, the next transaction of the action pays a higher fee.'
          : isSigned
            ? `The action is already signed. To cancel it, the service sends an empty transaction ${isSequenced ? 'with the same nonce' : 'that spends the same funds'}. The ledger executes only one of the two transactions.`
            : 'The action is not signed yet, so it is canceled immediately and nothing is sent.'
      }
      confirm={confirm}
      dismiss="Leave it"
      look={change === 'cancel' ? 'danger' : 'primary'}
      request={request}
      submit={submit}
      close={close}
    >
      {change === 'hurry' ? (
        <Input
          label="Maximum price per fee unit"
          inputMode="numeric"
          pattern="[0-9]+"
          value={maxFee}
          set={setMaxFee}
          hint="In the ledger’s smallest unit. Leave empty to use the ledger’s own caps."
        />
      ) : null}
      {needsPassword || walletPassword !== '' ? (
        <Input
          label={`Password of the wallet ${action.walletId}`}
          type="password"
          autoComplete="off"
          value={walletPassword}
          set={setWalletPassword}
        />
      ) : null}
    </FormDialog>
  );
}
