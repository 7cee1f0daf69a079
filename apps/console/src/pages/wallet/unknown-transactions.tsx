import { actionText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call, get, path } from '../../api/client.ts';
import { suspensionsQuery } from '../../api/installation.ts';
import { actionQuery, queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Card } from '../../ui/layout.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Badge } from '../../ui/status.tsx';
import { Id, Time } from '../../ui/text.tsx';

type Unknown = Schemas['UnknownTransaction'];

/** Number of matches of one transaction that are shown at first. */
const fewMatches = 5;

/**
 * Lists the wallet's unknown transactions: those that are on the ledger but not in the database. Each shows
 * the actions that it may have executed. When every action is resolved, the user can resume the wallet on
 * this page.
 */
export function UnknownTransactions({ walletId }: { walletId: string }) {
  const { data, error } = useQuery({
    queryKey: ['unknown-transactions', walletId],
    refetchInterval: 15_000,
    queryFn: ({ signal }) =>
      get<Schemas['UnknownTransactions']>(
        path`/v1/cloud-wallet/wallets/${walletId}/unknown-transactions`,
        {},
        signal,
      ),
  });
  const { data: suspensions = [] } = useQuery(suspensionsQuery());
  if (data === undefined) return error === null ? null : <ProblemNote error={error} canRetry />;
  const suspension = suspensions.find(
    (one) => one.walletId === walletId && one.cause === 'unknown-transactions',
  );
  const { transactions, notCompared } = data;
  // If every transaction was assigned to an action, the list is empty, but the wallet is still suspended.
  if (transactions.length === 0 && suspension === undefined)
    return notCompared === null ? null : <NotCompared reason={notCompared} />;
  const open = transactions.reduce((sum, { matches }) => sum + matches.length, 0);
  return (
    <Card title="Unknown transactions" aside={<Badge tone="wait">{decisionsText(open)}</Badge>}>
      <p className="max-w-[75ch] text-sm text-pretty text-ink-2">
        {transactions.length === 0
          ? 'Every unknown transaction now belongs to the action that it executed. Resume the wallet to sign again.'
          : 'These transactions of the wallet are on the ledger, but not in the database. Either the database was restored from a backup, or another program signs with the key. Before you resume the wallet, mark as executed, release or cancel each action below. Otherwise it could be executed twice.'}
      </p>
      {transactions.length === 0 ? null : (
        <ul aria-label="Unknown transactions" className="mt-4 space-y-3">
          {transactions.map((one) => (
            <Transaction key={one.id} unknown={one} />
          ))}
        </ul>
      )}
      {suspension === undefined ? null : (
        <ResumeWallet walletId={walletId} suspensionId={suspension.suspensionId} open={open} />
      )}
    </Card>
  );
}

function decisionsText(open: number): string {
  if (open === 0) return 'No action to resolve';
  return open === 1 ? '1 action to resolve' : `${open} actions to resolve`;
}

/**
 * Shown even while the wallet can sign, because its nodes may never be able to return all of its
 * transactions.
 */
function NotCompared({ reason }: { reason: string }) {
  return (
    <Card title="Not compared with the ledger">
      <p className="text-sm text-ink-2">This wallet may have more unknown transactions. {reason}</p>
    </Card>
  );
}

function Transaction({ unknown }: { unknown: Unknown }) {
  const { sequence, txId, foundAt, notCompared, matches, released } = unknown;
  const [isAll, setAll] = useState(false);
  const shown = isAll ? matches : matches.slice(0, fewMatches);
  return (
    <li className="overflow-hidden rounded-lg border border-line text-sm">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 bg-sunken px-4 py-2.5">
        <span className="font-medium">{sequence === null ? 'Transaction' : `Nonce ${sequence}`}</span>
        {txId === null ? <span className="text-ink-2">Id unknown</span> : <Id>{txId}</Id>}
        <span className="text-ink-2 sm:ml-auto">
          Found <Time at={foundAt} />
        </span>
      </div>
      <div className="px-4 py-1">
        {notCompared === null ? null : (
          <p className="max-w-[75ch] py-2 text-pretty wrap-anywhere text-ink-2">
            It is not known what this transaction did: {notCompared} The transaction may have executed any
            unsigned action of the wallet.
          </p>
        )}
        {matches.length + released.length === 0 ? (
          <p className="py-2 text-ink-2">No pending action matches this transaction.</p>
        ) : null}
        <ul aria-label="Matching actions" className="divide-y divide-line">
          {shown.map((actionId) => (
            <Match key={actionId} actionId={actionId} unknown={unknown} />
          ))}
          {released.map((actionId) => (
            <li key={actionId} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5">
              <ActionLink actionId={actionId} />
              <Badge>released</Badge>
            </li>
          ))}
        </ul>
        {matches.length > shown.length ? (
          <p className="py-2">
            <Button look="quiet" onClick={() => setAll(true)}>
              Show {matches.length - shown.length} more
            </Button>
          </p>
        ) : null}
      </div>
    </li>
  );
}

/** Shows what the action does and when it was accepted, so that the user can decide about it. */
function ActionLink({ actionId }: { actionId: string }) {
  const { data: action } = useQuery(actionQuery(actionId));
  return (
    <div className="min-w-0">
      <Link
        to="/actions/$actionId"
        params={{ actionId }}
        className="font-medium wrap-anywhere underline underline-offset-4"
      >
        {action === undefined ? actionId : actionText(action)}
      </Link>
      {action === undefined ? null : (
        <p className="flex flex-wrap items-center gap-x-2 text-ink-2">
          <Id>{actionId}</Id> accepted <Time at={action.createdAt} />
        </p>
      )}
    </div>
  );
}

/** Buttons to resolve one action: mark it as executed by the transaction, release it, or cancel it. */
function Match({ actionId, unknown: { id, txId } }: { actionId: string; unknown: Unknown }) {
  const decide = (what: string, body: object) => () =>
    call('POST', `${path`/v1/ledger-ops/actions/${actionId}`}/${what}`, { body });
  const done = () => refresh();
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5">
      <ActionLink actionId={actionId} />
      <div className="flex flex-wrap gap-2">
        {txId === null ? null : (
          <Permitted permission="wallet:update">
            <ConfirmButton
              label="Mark executed"
              name={`Mark executed: ${actionId}`}
              title="Mark the action as executed?"
              about="The service checks that the transaction is final and matches the action. The action then completes with the result of the transaction and is not signed."
              confirm="Mark executed"
              dismiss="Leave it"
              send={decide('executed', { txId })}
              done={done}
            />
          </Permitted>
        )}
        <Permitted permission="wallet:update">
          <ConfirmButton
            label="Release"
            name={`Release ${actionId}`}
            title="Release the action?"
            about="You confirm that this transaction did not execute the action. After the wallet is resumed, the action is signed and sent. If the transaction did execute the action, it is executed twice."
            confirm="Release"
            confirmLook="danger"
            dismiss="Leave it"
            send={decide('release', { transactions: [id] })}
            done={done}
          />
        </Permitted>
        <Permitted permission="wallet:transact">
          <ConfirmButton
            label="Cancel"
            name={`Cancel ${actionId}`}
            look="danger"
            title="Cancel the action?"
            about="The action fails and is never signed. Actions that depend on it fail as well."
            confirm="Cancel the action"
            confirmLook="danger"
            dismiss="Leave it"
            send={decide('cancel', {})}
            done={done}
          />
        </Permitted>
      </div>
    </li>
  );
}

/** Resumes the wallet. While there are unresolved actions, the button is disabled and the reason is shown. */
function ResumeWallet({
  walletId,
  suspensionId,
  open,
}: {
  walletId: string;
  suspensionId: string;
  open: number;
}) {
  return (
    <Permitted permission="wallet:update">
      <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line pt-4">
        {open > 0 ? (
          <>
            <Button look="primary" disabled aria-describedby="resume-reason">
              Resume wallet
            </Button>
            <p id="resume-reason" className="min-w-0 text-sm text-ink-2">
              Mark each matching action as executed, release it, or cancel it first.
            </p>
          </>
        ) : (
          <>
            <ConfirmButton
              label="Resume wallet"
              look="primary"
              title={`Resume ${walletId}?`}
              about="Waiting operations, including released ones, are signed and sent. Their nonces follow those of the unknown transactions."
              confirm="Resume"
              send={() => call('DELETE', path`/v1/ledger-ops/suspensions/${suspensionId}`)}
              done={refresh}
            />
            <p className="min-w-0 text-sm text-ink-2">Every matching action has been resolved.</p>
          </>
        )}
      </div>
    </Permitted>
  );
}

async function refresh(): Promise<void> {
  for (const key of ['unknown-transactions', 'actions', 'suspensions', 'ledger-health'])
    await queries.invalidateQueries({ queryKey: [key] });
}
