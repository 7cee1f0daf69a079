import type {
  AttemptKind,
  Inspected,
  JsonObject,
  LateTransaction,
  Replaced,
  Submitted,
} from '@ledger-ops/adapter';
import { type Attempt, sign, type TestSession } from './stage.ts';

/** Late transactions that were signed with one nonce, in the form that a host stores. */
export interface Late {
  plan: JsonObject;
  sequence: bigint;
  signed: Attempt[];
}

type SigningOf = Parameters<typeof sign> extends [unknown, ...infer Rest] ? Rest : never;

/** Signs an operation like `sign`, and sends the main transaction. */
export async function makeLate(
  actor: TestSession,
  ...signing: SigningOf
): Promise<Late & { main: Attempt; answer: Submitted | undefined }> {
  const { plan, sequence, main, attempts } = await sign(actor, ...signing);
  const [answer] = await actor.session.submit([main]);
  return { plan, sequence, signed: [...attempts], main, answer };
}

const requestOf = (
  { wallet }: TestSession,
  { plan, sequence, signed }: Late,
): Omit<LateTransaction, 'signed'> & {
  signed: { kind: AttemptKind; txId: string; bytes: Uint8Array }[];
} => ({
  actionId: 'a',
  wallet,
  plan,
  sequence,
  signed: signed.map(({ kind, txId, bytes }) => ({ kind, txId, bytes })),
});

/** Requests the next attempt. */
export async function askReplacement(
  actor: TestSession,
  late: Late,
  kind: 'bump' | 'noop',
  more: { raise?: 'if-asked' | 'always'; cap?: bigint } = {},
): Promise<Replaced> {
  const { replace } = actor.session;
  if (replace === undefined) throw new TypeError('The session has no replace().');
  const { raise = 'if-asked', ...cap } = more;
  const [answer] = await replace([{ ...requestOf(actor, late), kind, raise, ...cap }]);
  if (answer === undefined) throw new Error('There is no answer.');
  return answer;
}

/** Requests the next attempt, signs it, and adds it to the others. */
export async function replaceWith(
  actor: TestSession,
  late: Late,
  kind: 'bump' | 'noop',
  more: { raise?: 'if-asked' | 'always'; cap?: bigint } = {},
): Promise<Attempt> {
  const answer = await askReplacement(actor, late, kind, more);
  if (answer.status !== 'prepared') throw new Error(`There is no ${kind}: ${JSON.stringify(answer)}`);
  const { round } = answer.attempt;
  if (round.done) throw new TypeError('An attempt needs a signature.');
  const [next] = await actor.session.advance([
    { state: structuredClone(round.state), signatures: round.requests.map(actor.signer.sign) },
  ]);
  if (next?.done !== true) throw new TypeError('An attempt needs one signature only.');
  const attempt: Attempt = { kind: answer.attempt.kind, ...next.result };
  late.signed.push(attempt);
  return attempt;
}

/** Returns the answer of `inspect` for one transaction. */
export async function inspectOne(actor: TestSession, late: Late): Promise<Inspected> {
  const { inspect } = actor.session;
  if (inspect === undefined) throw new TypeError('The session has no inspect().');
  const [answer] = await inspect([requestOf(actor, late)]);
  if (answer === undefined) throw new Error('There is no answer.');
  return answer;
}
