import { amountText, problemType } from '@ledger-ops/base';
import { type ActionDetails, endProblems } from '@ledger-ops/runtime';
import { rfc3339 } from '../present/dates.ts';
import { type RequestName, requests } from './requests.ts';
import { compareFirst, endTexts, pendingTexts, type Step } from './texts.ts';

export interface Explanation {
  /** Summary in one sentence. */
  summary: string;
  sentences: { about: 'operation' | 'history' | 'state' | 'safety'; text: string }[];
  next: {
    action: string;
    /** Null if the step is done outside this service. */
    request: { method: string; path: string } | null;
    /** Null if the step needs no permission. */
    permission: string | null;
  }[];
}

/** Maximum number of pending dependencies that are named as next steps. */
const mostNamed = 3;

/**
 * Explains an action in sentences, using only details that the caller may see.
 * @param now the time of the database's clock
 */
export function explain(action: ActionDetails, now: number): Explanation {
  const state = stateOf(action, now);
  const about = (topic: Explanation['sentences'][number]['about'], texts: readonly string[]) =>
    texts.map((text) => ({ about: topic, text }));
  return {
    summary: `${operationText(action)}: ${state.short}.`,
    sentences: [
      ...about('operation', operationSentences(action)),
      ...about('history', historySentences(action)),
      ...about('state', state.sentences),
      ...about('safety', safetySentences(action)),
    ],
    next: [
      ...dependenciesToSee(action),
      ...[...state.next, ...commonSteps(action)]
        .filter(([, request]) => applies(request, action))
        .map((step) => stepOf(action, step)),
    ],
  };
}

function operationText(action: ActionDetails): string {
  const { amount, unit, walletId, ledgerId, contract, method, recipient } = action;
  const sum = amount === null || amount === '0' ? '' : amountText(amount, unit);
  const from = `from the wallet ${walletId} on the ledger ${ledgerId}`;
  const along = sum === '' ? '' : `, with ${sum}`;
  switch (action.type) {
    case 'transfer':
      return `A transfer of ${sum === '' ? 'nothing' : sum} to ${recipient}, ${from}`;
    case 'contract_call':
      return method === null
        ? `A call to the contract ${contract} with raw data${along}, ${from}`
        : `A call to ${contract}.${method}${along}, ${from}`;
    case 'contract_deploy':
      return `A deployment of ${contract ?? 'raw code'}${along}, ${from}`;
    default:
      return `An operation ${from}`;
  }
}

function operationSentences(action: ActionDetails): string[] {
  const { creator, overrides } = action;
  const changed = overrides.map(
    ({ field, from, to }) => `${field} from ${from === null ? 'nothing' : listText(from)} to ${listText(to)}`,
  );
  return [
    `${operationText(action)}; sent by ${creator.serviceId} with the app ${creator.appId}.`,
    ...(changed.length === 0 ? [] : [`The operation’s meta overrides these options: ${changed.join(', ')}.`]),
  ];
}

function listText(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(', ');
}

function historySentences(action: ActionDetails): string[] {
  const { attempts, sentAt, endedAt, unit, fee, blockHeight, change, retracted } = action;
  const said = [`The action was accepted at ${rfc3339(action.createdAt)}.`];
  for (const [index, { kind, sequence, at, txId, reason }] of attempts.entries()) {
    const why = reason === null ? '' : ` ${reason}`;
    const what = {
      main: index === 0 ? 'The action was signed' : 'Another transaction of the action was signed',
      bump: 'The action was signed again with a higher fee',
      noop: `An empty transaction ${sequence === null ? 'that spends the same funds' : 'with the same nonce'} was signed`,
      outside: 'The action was marked as executed by a transaction of another program',
    }[kind];
    said.push(`${what} at ${rfc3339(at)}: ${txId}.${why}`);
    if (index === 0 && sentAt !== null) said.push(`A node accepted the transaction at ${rfc3339(sentAt)}.`);
  }
  if (change !== null) said.push(changeText(action, change));
  if (endedAt !== null) {
    const block = blockHeight === null ? '' : `, in block ${blockHeight}`;
    const paid = fee === null ? '' : ` The fee was ${amountText(fee, unit)}.`;
    said.push(`The action completed at ${rfc3339(endedAt)}${block}.${paid}`);
  }
  if (retracted !== null)
    said.push(`At ${rfc3339(retracted.at)}, a reorg removed the action’s result: ${retracted.detail}`);
  return said;
}

/** Describes a request to change a signed action, and its result. */
function changeText({ status, problem, attempts }: ActionDetails, change: 'cancel' | 'hurry'): string {
  if (change === 'hurry') {
    if (status === 'PENDING') return 'A higher fee was requested but has not been sent yet.';
    return attempts.some(({ kind }) => kind === 'bump')
      ? 'A higher fee was requested.'
      : 'A higher fee was requested, but the action completed first.';
  }
  if (status === 'PENDING') return 'Cancellation was requested but has not completed yet.';
  if (isCanceled(problem)) return 'Cancellation was requested and has completed.';
  return attempts.some(({ executed, kind }) => executed && kind !== 'noop')
    ? 'Cancellation was requested, but the ledger executed the action first.'
    : 'Cancellation was requested, but the action failed for another reason first.';
}

/** Whether the action was never signed, but the ledger may have executed it. */
function mayBeExecuted({ problem }: ActionDetails): boolean {
  return problem?.mayBeExecuted === true;
}

/** Whether a reorg put a transaction of a failed action into a block, so it was executed. */
function isExecutedAfterAll({ status, retracted, attempts }: ActionDetails): boolean {
  return status === 'FAILED' && attempts.some(({ txId }) => txId === retracted?.by);
}

function isCanceled(problem: ActionDetails['problem']): boolean {
  return problem?.type === problemType('cancelled');
}

interface State {
  short: string;
  sentences: string[];
  next: readonly Step[];
}

function stateOf(action: ActionDetails, now: number): State {
  const { pending, problem, waitingSince, deadline, dependsOn, retracted } = action;
  if (action.status === 'SUCCEEDED') {
    if (retracted !== null) {
      const short = 'it succeeded, but a reorg has since removed its result';
      return { short, sentences: [`I${short.slice(1)}.`], next: [] };
    }
    const short = 'it has succeeded';
    return { short, sentences: ['The action has succeeded. You do not need to do anything.'], next: [] };
  }
  if (pending === null) {
    const name = endProblems.find((one) => problemType(one) === problem?.type);
    const { failed, next } =
      name === undefined ? { failed: problem?.title ?? 'no reason is stored', next: [] } : endTexts[name];
    // Reads failed dependencies from the details, which omit those that the caller may not see.
    const detail = name === 'dependency-failed' ? failedDependencies(action) : problem?.detail;
    const words = detail === undefined || detail === '' ? [] : [detail];
    if (retracted !== null) {
      const since = isExecutedAfterAll(action)
        ? 'the ledger has since executed it'
        : 'a reorg has since removed that result';
      const sentences = [`It failed: ${failed}.`, ...words, `${since[0]?.toUpperCase()}${since.slice(1)}.`];
      return { short: `it failed, because ${failed}, but ${since}`, sentences, next: [] };
    }
    // A requested cancellation is not described as a failure, although the status is FAILED.
    const steps = mayBeExecuted(action) ? compareFirst : next;
    if (isCanceled(problem))
      return { short: failed, sentences: [`I${failed.slice(1)}.`, ...words], next: steps };
    return {
      short: `it failed, because ${failed}`,
      sentences: [`It failed: ${failed}.`, ...words],
      next: steps,
    };
  }
  const { waits, next } = pendingTexts[pending.code];
  const state = waitingSince === null ? 'it waits' : `it has been waiting since ${rfc3339(waitingSince)}`;
  const sentences = [`I${state.slice(1)}: ${waits}.`];
  if (pending.code === 'dependencies') {
    const open = dependsOn.filter(({ status }) => status === 'PENDING').map(({ actionId }) => actionId);
    if (open.length > 0) sentences.push(`The action waits for ${open.join(', ')}.`);
  } else sentences.push(pending.detail);
  if (pending.stage !== 'signed' && deadline !== null)
    sentences.push(
      deadline > now
        ? `If the action is not signed by ${rfc3339(deadline)}, it fails without being sent.`
        : `The deadline passed at ${rfc3339(deadline)}, so the action will no longer be signed. The action fails once its wallet has been compared with the ledger and all unknown transactions of the wallet are resolved, because one of these may have executed the action.`,
    );
  return { short: `${state}, because ${waits}`, sentences, next };
}

function failedDependencies({ dependsOn }: ActionDetails): string {
  const failed = dependsOn.filter(({ status }) => status === 'FAILED').map(({ actionId }) => actionId);
  return failed.length === 0 ? '' : `Failed dependencies: ${failed.join(', ')}.`;
}

function safetySentences(action: ActionDetails): string[] {
  const { status, attempts, retracted, locator, pending } = action;
  const last = attempts.at(-1);
  if (retracted !== null) {
    if (isExecutedAfterAll(action))
      return ['The status of the action does not change. Do not send the action again.'];
    return [
      'The signed transaction is kept, and the status of the action does not change. If the ledger shows the transaction again, an event reports it.',
    ];
  }
  if (status === 'SUCCEEDED')
    return ['The action is confirmed on the ledger. No more transactions are sent.'];
  if (status === 'PENDING' && pending?.stage !== 'signed') {
    // A wallet is also suspended if it has unknown transactions. One of these may have executed the action.
    if (pending?.code === 'suspended')
      return ['The action is not signed, and nothing is sent while it waits.'];
    if (last === undefined)
      return ['The action is not signed yet and nothing was sent, so nothing can be lost or happen twice.'];
    const earlier =
      last.sequence === null
        ? 'The earlier transaction of the action is finished on the ledger.'
        : 'The nonce of the earlier transaction was used by another transaction, so the ledger can never execute the earlier one.';
    return [`${earlier} The next one is signed once, so nothing is lost and nothing happens twice.`];
  }
  if (status === 'PENDING') {
    const sent = 'The signed transaction is stored, and is sent again until the ledger reports its outcome.';
    if (last?.sequence !== null)
      return [
        `${sent} All transactions of the action have the same nonce, so the ledger executes only one: nothing is lost and nothing happens twice.`,
      ];
    return action.changes.includes('cancel') || attempts.length > 1
      ? [
          `${sent} Another transaction is signed for the action only if the ledger can execute just one of them: nothing is lost and nothing happens twice.`,
        ]
      : [
          `${sent} Nothing else is signed for the action before that, so nothing is lost and nothing happens twice.`,
        ];
  }
  if (mayBeExecuted(action))
    return [
      'The ledger may have executed the action: an unknown transaction of the wallet may be this action. Compare them before you send the action again; otherwise it may happen twice.',
    ];
  if (last === undefined)
    return ['Nothing was ever signed or sent for the action, so the ledger is unchanged.'];
  if (attempts.some(({ executed, kind }) => executed && kind === 'noop'))
    return [
      `The empty transaction ${last.sequence === null ? 'spent what the action would have spent' : 'used its nonce'}, so the operation was not executed and this action can never execute it.`,
    ];
  const before =
    last.sequence === null && attempts.length > 1
      ? ['Earlier transactions of the action may have changed the ledger.']
      : [];
  return locator === null
    ? [
        'According to the ledger, none of the action’s transactions was executed. No more transactions are sent.',
        ...before,
      ]
    : [
        'The ledger executed the transaction, but the transaction failed and had no effect. No more transactions are sent.',
        ...before,
      ];
}

function dependenciesToSee({ dependsOn }: ActionDetails): Explanation['next'] {
  const open = dependsOn.filter(({ status }) => status !== 'SUCCEEDED').slice(0, mostNamed);
  return open.map(({ actionId, status }) => ({
    action: `See why its dependency ${actionId} ${status === 'PENDING' ? 'is pending' : 'failed'}.`,
    request: { method: 'GET', path: `/v1/ledger-ops/actions/${encodeURIComponent(actionId)}/explain` },
    permission: 'wallet:read',
  }));
}

/** Next steps for any pending action. */
function commonSteps({ status, pending, retracted, attempts, changes }: ActionDetails): readonly Step[] {
  if (retracted !== null) {
    const health: Step = ['See the status of the ledger and its nodes.', 'ledgerHealth'];
    const again: Step = [
      'If the ledger does not show the transaction again and you still need the operation, send it again as a new action.',
      'send',
    ];
    return status === 'SUCCEEDED' ? [health, again] : [health];
  }
  if (status !== 'PENDING') return [];
  const what = attempts.at(-1)?.sequence === null ? 'that spends the same funds' : 'with the same nonce';
  const cancel: Step =
    pending?.stage === 'signed'
      ? [
          `Cancel the action: an empty transaction ${what} is sent, and the ledger executes one of the two.`,
          'cancel',
        ]
      : ['Cancel the action, so that it is never signed.', 'cancel'];
  const hurry: Step = [
    changes.includes('cancel')
      ? 'Raise the fee: the same transaction is sent with a higher fee.'
      : 'Raise the fee: if its transaction expires, the next one pays a higher fee.',
    'hurry',
  ];
  const follow: Step = ['Follow the action: every change is reported immediately.', 'follow'];
  const hurries = pending?.code === 'confirmation' || pending?.code === 'refused';
  return [follow, ...(hurries ? [hurry] : []), cancel];
}

/** Whether the request is still possible. */
function applies(request: RequestName | null, { changes }: ActionDetails): boolean {
  return (request !== 'cancel' && request !== 'hurry') || changes.includes(request);
}

function stepOf(action: ActionDetails, [text, name]: Step): Explanation['next'][number] {
  if (name === null) return { action: text, request: null, permission: null };
  const { method, permission, of } = requests[name];
  return { action: text, request: { method, path: of(action) }, permission };
}
