import { problemType } from '@ledger-ops/base';
import { type ActionDetails, endProblems } from '@ledger-ops/runtime';
import { rfc3339 } from '../present/dates.ts';
import { amountText } from './amount.ts';
import { type RequestName, requests } from './requests.ts';
import { endTexts, pendingTexts, type Step } from './texts.ts';

export interface Explanation {
  /** The whole in one sentence. */
  summary: string;
  sentences: { about: 'operation' | 'history' | 'state' | 'safety'; text: string }[];
  next: {
    action: string;
    /** Null: nothing that this service is asked. */
    request: { method: string; path: string } | null;
    /** Null: none. */
    permission: string | null;
  }[];
}

/** Pending dependencies that are named as a thing to look at. */
const mostNamed = 3;

/** An action in sentences, as far as its details tell the caller. */
export function explain(action: ActionDetails): Explanation {
  const state = stateOf(action);
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
      return `A call of ${method ?? 'raw data'} of the contract ${contract}${along}, ${from}`;
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
    ...(changed.length === 0 ? [] : [`Its meta changed ${changed.join(', ')}.`]),
  ];
}

function listText(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(', ');
}

function historySentences(action: ActionDetails): string[] {
  const { attempts, sentAt, endedAt, unit, fee, blockHeight, change, retracted } = action;
  const said = [`It was accepted at ${rfc3339(action.createdAt)}.`];
  for (const [index, { kind, at, txId, reason }] of attempts.entries()) {
    const why = reason === null ? '' : ` ${reason}`;
    const what = {
      main: index === 0 ? 'It was signed' : 'Another transaction of it was signed',
      bump: 'The same was signed with a higher fee',
      noop: 'An empty transaction was signed in its place',
    }[kind];
    said.push(`${what} at ${rfc3339(at)}: ${txId}.${why}`);
    if (index === 0 && sentAt !== null) said.push(`A node took it at ${rfc3339(sentAt)}.`);
  }
  if (change === 'cancel') said.push('It was asked to be cancelled, which is not done yet.');
  if (change === 'hurry') said.push('A higher fee was asked for, which is not done yet.');
  if (endedAt !== null) {
    const block = blockHeight === null ? '' : `, in block ${blockHeight}`;
    const paid = fee === null ? '' : ` ${amountText(fee, unit)} were paid as its fee.`;
    said.push(`It ended at ${rfc3339(endedAt)}${block}.${paid}`);
  }
  if (retracted !== null)
    said.push(`At ${rfc3339(retracted.at)} the ledger took that back: ${retracted.detail}`);
  return said;
}

interface State {
  short: string;
  sentences: string[];
  next: readonly Step[];
}

function stateOf(action: ActionDetails): State {
  const { pending, problem, waitingSince, deadline, dependsOn } = action;
  if (action.status === 'SUCCEEDED') {
    const short = 'it has succeeded';
    return { short, sentences: ['It has succeeded. Nothing need be done.'], next: [] };
  }
  if (pending === null) {
    const name = endProblems.find((one) => problemType(one) === problem?.type);
    const { failed, next } =
      name === undefined ? { failed: problem?.title ?? 'no reason is kept', next: [] } : endTexts[name];
    // A dependency is named by its details, which leave out those that the caller may not see.
    const detail = name === 'dependency-failed' ? failedDependencies(action) : problem?.detail;
    const words = detail === undefined || detail === '' ? [] : [detail];
    return { short: `it failed, because ${failed}`, sentences: [`It failed: ${failed}.`, ...words], next };
  }
  const { waits, next } = pendingTexts[pending.code];
  const state = waitingSince === null ? 'it waits' : `it has waited since ${rfc3339(waitingSince)}`;
  const sentences = [`I${state.slice(1)}: ${waits}.`];
  if (pending.code === 'dependencies') {
    const open = dependsOn.filter(({ status }) => status === 'PENDING').map(({ actionId }) => actionId);
    if (open.length > 0) sentences.push(`It waits for ${open.join(', ')}.`);
  } else sentences.push(pending.detail);
  if (pending.stage !== 'signed' && deadline !== null)
    sentences.push(`If it is not signed by ${rfc3339(deadline)}, it fails, and nothing of it is sent.`);
  return { short: `${state}, because ${waits}`, sentences, next };
}

function failedDependencies({ dependsOn }: ActionDetails): string {
  const failed = dependsOn.filter(({ status }) => status === 'FAILED').map(({ actionId }) => actionId);
  return failed.length === 0 ? '' : `These failed: ${failed.join(', ')}.`;
}

function safetySentences(action: ActionDetails): string[] {
  const { status, attempts, retracted, locator, pending } = action;
  const last = attempts.at(-1);
  if (retracted !== null) {
    return [
      'Its signed bytes are kept. Its end stays as it is told, and is told anew when the ledger shows it again.',
    ];
  }
  if (status === 'SUCCEEDED') return ['It stands on the ledger, once. Nothing of it is sent any more.'];
  if (status === 'PENDING' && pending?.stage !== 'signed') {
    return last === undefined
      ? ['Nothing of it is signed yet, and nothing was sent: nothing can be lost, or happen twice.']
      : [
          'What was signed of it before is over on the ledger. The next is signed once: nothing is lost, and nothing happens twice.',
        ];
  }
  if (status === 'PENDING') {
    return last?.sequence === null
      ? [
          'What is signed is stored, and is sent until the ledger says what became of it. Nothing else is signed for it before that: nothing is lost, and nothing happens twice.',
        ]
      : [
          'What is signed is stored, and is sent until the ledger has decided. All its transactions have one nonce, of which the ledger takes one: nothing is lost, and nothing happens twice.',
        ];
  }
  if (last === undefined) return ['Nothing of it was ever signed or sent: the ledger is as it was.'];
  if (last.kind === 'noop' && locator !== null)
    return [
      'The empty transaction took its nonce: what it was to do was not done, and can never be done by it.',
    ];
  const before =
    last.sequence === null && attempts.length > 1
      ? ['What earlier transactions of it did may stand on the ledger.']
      : [];
  return locator === null
    ? [
        'No transaction of it stands on the ledger, as far as the ledger says, and none is sent any more.',
        ...before,
      ]
    : [
        'Its transaction stands on the ledger as failed: what it was to do was not done, and none of it is sent any more.',
        ...before,
      ];
}

function dependenciesToSee({ dependsOn }: ActionDetails): Explanation['next'] {
  const open = dependsOn.filter(({ status }) => status !== 'SUCCEEDED').slice(0, mostNamed);
  return open.map(({ actionId, status }) => ({
    action: `See why ${actionId}, which it depends on, ${status === 'PENDING' ? 'is pending' : 'failed'}.`,
    request: { method: 'GET', path: `/v1/ledger-ops/actions/${encodeURIComponent(actionId)}/explain` },
    permission: 'wallet:read',
  }));
}

/** Of any action that has not ended. */
function commonSteps({ status, pending, retracted }: ActionDetails): readonly Step[] {
  if (retracted !== null) return [['See what the server says of the ledger and its nodes.', 'ledgerHealth']];
  if (status !== 'PENDING') return [];
  const cancel: Step =
    pending?.stage === 'signed'
      ? [
          'Cancel it: an empty transaction is to take its nonce, and the ledger decides which of them it takes.',
          'cancel',
        ]
      : ['Cancel it: nothing of it is signed then.', 'cancel'];
  const hurry: Step = ['Hurry it: the same is sent with a higher fee.', 'hurry'];
  const follow: Step = ['Follow it: every change of it is told at once.', 'follow'];
  const hurries = pending?.code === 'confirmation' || pending?.code === 'refused';
  return [follow, ...(hurries ? [hurry] : []), cancel];
}

/** Nothing that is signed without a nonce can be changed any more, nor what is being cancelled. */
function applies(request: RequestName | null, { pending, attempts, change }: ActionDetails): boolean {
  if (request !== 'cancel' && request !== 'hurry') return true;
  if (change === 'cancel') return false;
  if (pending?.stage !== 'signed') return request === 'cancel';
  return attempts.at(-1)?.sequence !== null;
}

function stepOf(action: ActionDetails, [text, name]: Step): Explanation['next'][number] {
  if (name === null) return { action: text, request: null, permission: null };
  const { method, permission, of } = requests[name];
  return { action: text, request: { method, path: of(action) }, permission };
}
