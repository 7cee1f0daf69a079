import { actionText, amountText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useEvents } from '../api/live.ts';
import { actionQuery, explanationQuery, queries } from '../api/queries.ts';
import type { ActionDetails, Schemas } from '../api/types.ts';
import { buttonClass } from '../ui/button.tsx';
import { Card, Facts, Loading, PageHead, Up } from '../ui/layout.tsx';
import { Name, NameOrId, Person, useLedgerName } from '../ui/names.tsx';
import { Unread } from '../ui/record.tsx';
import { Status } from '../ui/status.tsx';
import { exact, Id, Json, Sentence, Time } from '../ui/text.tsx';
import { ChangeButtons } from './action/change-buttons.tsx';
import { Effects } from './action/effects.tsx';
import { Pipeline } from './action/pipeline.tsx';
import { SimulateButton, Simulated, useSimulation } from './action/simulate.tsx';
import { Transactions } from './action/transactions.tsx';

const Graph = lazy(() => import('./action/graph.tsx'));
const route = getRouteApi('/frame/actions/$actionId');

/** The reason why an action waits can change without an event, so it is polled. */
const whilePending = ({ state }: { state: { data?: { status?: string } | undefined } }) =>
  state.data?.status === 'PENDING' ? 3_000 : false;

const up = (
  <Up to="/actions" search={{}}>
    Actions
  </Up>
);

export function ActionPage() {
  const { actionId } = route.useParams();
  const action = useQuery({ ...actionQuery(actionId), refetchInterval: whilePending });
  const isPending = action.data?.status === 'PENDING';
  const explained = useQuery({ ...explanationQuery(actionId), refetchInterval: isPending ? 3_000 : false });
  useEvents(({ data }) => {
    if (data.actionId !== actionId) return;
    void queries.invalidateQueries({ queryKey: ['actions', 'one', actionId] });
    void queries.invalidateQueries({ queryKey: ['actions', 'explained', actionId] });
  });
  if (action.data === undefined) return <Unread key={actionId} error={action.error} name="action" up={up} />;
  return <Details key={actionId} action={action.data} explained={explained} />;
}

function Details({
  action: one,
  explained,
}: {
  action: ActionDetails;
  explained: { readonly isPending: boolean; readonly data: Schemas['ActionExplanation'] | undefined };
}) {
  const simulation = useSimulation(one);
  return (
    <>
      {up}
      <PageHead
        title={actionText(one)}
        about={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Status of={one} />
            <Id>{one.actionId}</Id>
            {one.tag === null || one.tag === '' ? null : <span className="text-sm">“{one.tag}”</span>}
          </span>
        }
      >
        <RepeatButton action={one} />
        <SimulateButton simulation={simulation} />
        <ChangeButtons action={one} />
      </PageHead>
      <Simulated simulation={simulation} unit={one.unit} />
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="min-w-0 space-y-5">
          <Pipeline action={one} />
          {/* Reserves the space, so that buttons do not move while a user taps. */}
          {explained.isPending ? (
            <Card title={goingOn} flush>
              <Loading />
            </Card>
          ) : null}
          {explained.data === undefined ? null : (
            <Explained explanation={explained.data} known={one.pending?.detail} />
          )}
          <Effects action={one} />
          <Transactions action={one} />
          <Changed action={one} />
          {one.dependsOn.length + one.dependents.length === 0 ? null : (
            <Card title="Dependencies" flush>
              <Suspense fallback={<Loading />}>
                <Graph action={one} />
              </Suspense>
            </Card>
          )}
          <Raw action={one} />
        </div>
        <Aside action={one} />
      </div>
    </>
  );
}

/** Opens the form with the action's values, to correct a failed action or to send the same operation again. */
function RepeatButton({ action: { actionId, status, type, problem, retracted } }: { action: ActionDetails }) {
  if (type === null) return null;
  // The buttons are not offered if the ledger may have executed the action, or if a reorg removed its result.
  // The explanation then says what to do first.
  const isRetry = status === 'FAILED' && problem?.mayBeExecuted !== true && retracted === undefined;
  return (
    <Link
      to="/send"
      search={{ kind: formKinds[type], like: actionId }}
      className={buttonClass(isRetry ? 'primary' : 'plain')}
    >
      {isRetry ? 'Retry' : 'Duplicate'}
    </Link>
  );
}

const formKinds = { transfer: 'transfer', contract_call: 'call', contract_deploy: 'deploy' } as const;

/** The stored operation and the ledger's response, as JSON. */
function Raw({ action: { operation, details } }: { action: ActionDetails }) {
  return (
    <Card>
      <details className="text-sm">
        <summary className="cursor-pointer font-medium">Raw data</summary>
        <div className="mt-4 space-y-4">
          <div>
            <h3 className="mb-2 font-medium">Operation as accepted</h3>
            <Json label="Operation as accepted" value={operation} />
          </div>
          {details === undefined ? null : (
            <div>
              <h3 className="mb-2 font-medium">Result from the ledger</h3>
              <Json label="Result from the ledger" value={details} />
            </div>
          )}
        </div>
      </details>
    </Card>
  );
}

/** Requests of the explanation for which the page has buttons. */
const buttonRequests = /[/]cancel$|[/]hurry$|[/]ledger-ops[/](?:send|emulate)$|[/]events$/;

const goingOn = 'What is happening';

function Explained({
  explanation,
  known,
}: {
  explanation: Schemas['ActionExplanation'];
  /** Omits this sentence, because the page already shows it. */
  known: string | undefined;
}) {
  const about = (topic: string) =>
    explanation.sentences.filter((one) => one.about === topic && one.text !== known);
  const next = explanation.next.filter(({ request }) => !buttonRequests.test(request?.path ?? ''));
  return (
    <Card title={goingOn}>
      <div aria-live="polite" className="space-y-4">
        <div className="space-y-1.5">
          {about('state').map(({ text }) => (
            <p key={text} className="font-medium wrap-anywhere">
              <Sentence>{text}</Sentence>
            </p>
          ))}
          {about('safety').map(({ text }) => (
            <p key={text} className="text-ink-2 wrap-anywhere">
              <Sentence>{text}</Sentence>
            </p>
          ))}
        </div>
        {next.length === 0 ? null : (
          <div>
            <h3 className="mb-1 text-sm font-semibold">What you can do</h3>
            <ol className="list-decimal space-y-1 pl-5 text-sm">
              {next.map(({ action, permission }) => (
                <li key={action} className="wrap-anywhere">
                  <Sentence>{action}</Sentence>
                  {permission === null ? null : <span className="text-ink-3"> Needs {permission}.</span>}
                </li>
              ))}
            </ol>
          </div>
        )}
        <details className="text-sm">
          <summary className="cursor-pointer font-medium">History</summary>
          <ol className="mt-2 space-y-1 border-l-2 border-line pl-4">
            {[...about('operation'), ...about('history')].map(({ text }) => (
              <li key={text} className="text-ink-2 wrap-anywhere">
                <Sentence>{text}</Sentence>
              </li>
            ))}
          </ol>
        </details>
      </div>
    </Card>
  );
}

function Changed({ action: { overrides } }: { action: ActionDetails }) {
  if (overrides.length === 0) return null;
  const text = (value: string | string[] | null) =>
    value === null ? '—' : Array.isArray(value) ? value.join(', ') : value;
  return (
    <Card title="Overridden by meta" flush>
      <table className="w-full text-sm">
        <thead>
          <tr className="border-y border-line bg-sunken/60 text-left text-xs text-ink-3">
            <th scope="col" className="px-5 py-2 font-medium">
              Option
            </th>
            <th scope="col" className="px-5 py-2 font-medium">
              As given
            </th>
            <th scope="col" className="px-5 py-2 font-medium">
              As used
            </th>
          </tr>
        </thead>
        <tbody>
          {overrides.map(({ field, from, to }) => (
            <tr key={field} className="border-b border-line last:border-0">
              <th scope="row" className="px-5 py-3 text-left font-mono text-xs font-normal">
                {field}
              </th>
              <td className="px-5 py-3 break-all text-ink-2 line-through">{text(from)}</td>
              <td className="px-5 py-3 break-all">{text(to)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Aside({ action: one }: { action: ActionDetails }) {
  const ledgerName = useLedgerName();
  const named = (label: string, id: string | null, name: string | null) =>
    id === null ? [] : ([[label, <NameOrId key={label} id={id} name={name} />]] as const);
  // Some plugins report fewer figures about an executed transaction.
  const unreported =
    one.status === 'SUCCEEDED' ? <span className="text-ink-3">not reported</span> : undefined;
  const optional = (name: string, value: string | null) =>
    value === null ? [] : ([[name, <Id key={name}>{value}</Id>]] as const);
  return (
    <aside aria-label="Details" className="min-w-0">
      <Card title="Details">
        <Facts
          items={[
            ['From', one.walletId],
            ...named('To', one.recipient, one.names.recipient),
            ...named('Contract', one.contract, one.names.contract),
            ...(one.method === null ? [] : ([['Method', one.method]] as const)),
            ...(one.amount === null || one.amount === '0'
              ? []
              : ([['Amount', amountText(one.amount, one.unit)]] as const)),
            [
              'Ledger',
              one.ledgerId === null ? undefined : (
                <Name key="ledger" id={one.ledgerId} name={ledgerName(one.ledgerId)} />
              ),
            ],
            ...optional('Transaction', one.locator),
            ...optional('New contract', one.contractAddress),
            ['Block', one.blockHeight?.toLocaleString() ?? unreported],
            ...(one.blockTime === null ? [] : ([['Block time', exact(one.blockTime)]] as const)),
            // Without a currency there are no fees.
            ...(one.fee === null && one.unit === null
              ? []
              : ([['Fee', one.fee === null ? unreported : amountText(one.fee, one.unit)]] as const)),
            ['Accepted', <Time key="at" at={one.createdAt} />],
            ...(one.deadline === null ? [] : ([['Deadline', exact(one.deadline)]] as const)),
            ...(one.intent === '' ? [] : optional('Intent', one.intent)),
            ['Sent by', <Person key="by" id={one.creator.serviceId} />],
            ['Application', one.creator.appId],
          ]}
        />
        {one.explorerUrl === undefined ? null : (
          <a
            href={one.explorerUrl}
            target="_blank"
            rel="noreferrer"
            className="mt-4 inline-flex items-center gap-1.5 text-sm font-medium text-accent underline"
          >
            View in the explorer <ExternalLink aria-hidden="true" className="size-3.5" />
          </a>
        )}
      </Card>
    </aside>
  );
}
