import { useState } from 'react';
import { ApiProblem, path } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import { queries } from '../../api/queries.ts';
import type { ActionDetails, Schemas } from '../../api/types.ts';
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
    button: 'Hurry',
    title: 'Hurry this action?',
    confirm: 'Send it with a higher fee',
    look: 'plain',
  },
} as const;

type Change = keyof typeof words;

/** The changes that may be asked of an action that is pending. */
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
  const request = useCreation<Schemas['Action']>(
    path`/v1/ledger-ops/actions/${action.actionId}/${change}`,
    async () => {
      close();
      await queries.invalidateQueries({ queryKey: ['actions'] });
    },
  );
  const submit = () =>
    request.mutate({
      ...(walletPassword === '' ? {} : { walletPassword }),
      ...(change === 'hurry' && maxFee !== '' ? { maxFee } : {}),
    });
  const needsPassword =
    request.error instanceof ApiProblem &&
    (request.error.name === 'wrong-wallet-password' ||
      request.error.problem.errors?.some(({ pointer }) => pointer === '/walletPassword') === true);
  const isSigned = action.pending?.stage === 'signed';
  return (
    <FormDialog
      title={title}
      about={
        change === 'hurry'
          ? 'The same transaction is sent again with a higher fee. The ledger takes only one of the two.'
          : isSigned
            ? 'It is signed already: an empty transaction competes for its place, and the ledger decides which of the two it takes.'
            : 'It is not signed yet: it ends at once, and nothing is sent.'
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
          label="Highest price of a unit of the fee"
          inputMode="numeric"
          pattern="[0-9]+"
          value={maxFee}
          onChange={({ target }) => setMaxFee(target.value)}
          hint="In the ledger’s smallest unit. Left empty, the ledger’s own caps hold."
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
    </FormDialog>
  );
}
