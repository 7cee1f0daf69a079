import { Problem } from '@ledger-ops/base';
import type { Tx } from '@ledger-ops/store';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import { insertAttempts, markSigned, storePlans } from '../../rows/attempts/signed.ts';
import { eraseGrants, replaceGrant, type SealedGrant, sealGrant } from '../../rows/attempts/signing-grant.ts';
import { advanceSequence, freeSequence, SequenceMoved } from '../../rows/chains/sequences.ts';
import { type Attempt, BatchRefused, type LiveAction, liveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/types.ts';
import { type Account, freeSequenceAt } from './accounts.ts';
import { type Refused, refusedBy } from './not-signed.ts';
import { othersOf } from './others.ts';
import type { Prepared } from './prepare.ts';
import { type SignedAttempts, signAttempts } from './sign-rounds.ts';
import { withTimeout } from './with-timeout.ts';

/** Times a batch is tried again after another server or an outside transaction was first. */
const maxTries = 4;

/** Signed in memory; not stored yet. */
export interface SignedAction extends Prepared {
  sequence: number | null;
  attempts: Attempt[];
  /**
   * Sealed anew for what was signed: with a sequence what signs its replacements, without one what signs its next
   * transaction. Null: nothing is, or what is kept stays as it is.
   */
  resealed: SealedGrant | null;
}

/** Why one of a batch is not signed. `gone`: it is no longer where it was. */
export type Refusal = Refused | { status: 'gone' };

/**
 * Signs a batch and stores it in one transaction, with what `write` adds, in turn with all others of the chain. Where
 * some of it are refused the rest is signed without them. Answers the refused ones, by id.
 * @throws LeaseLost, SequenceMoved, StoreError; then the bytes are thrown away
 */
export function signAndStore(
  context: ChainContext,
  actions: readonly Prepared[],
  step: 'accept' | 'sign',
  write: (tx: Tx, signed: readonly SignedAction[]) => Promise<void>,
): Promise<Map<string, Refusal>> {
  return context.mutex.run(async () => {
    // An account that was forgotten meanwhile is of a lane that went to another server, or was read anew.
    const isKnown = ({ account }: Prepared) => context.accounts.known(account.address) === account;
    let rest = actions.filter(isKnown);
    const gone = actions.filter((action) => !isKnown(action));
    const refused = new Map<string, Refusal>(gone.map(({ row }) => [row.id, { status: 'gone' }]));
    for (let tries = 0; rest.length > 0; tries += 1) {
      const { signed, failed } = await signActions(context, rest);
      let out: ReadonlyMap<string, Refusal> = failed;
      if (failed.size === 0) {
        try {
          await commitSigned(context, signed, step, async (tx) => {
            await write(tx, signed);
            return signed;
          });
          return refused;
        } catch (error) {
          if (error instanceof BatchRefused) out = new Map([...error.refused].map(refusalOf));
          else if (error instanceof SequenceMoved && tries < maxTries) {
            for (const { account, tracker } of rest)
              await context.accounts.reread(account, tracker.open.session);
          } else throw error;
        }
      }
      for (const [id, refusal] of out) refused.set(id, refusal);
      rest = rest.filter(({ row }) => !out.has(row.id));
    }
    return refused;
  });
}

function refusalOf([id, problem]: [string, Problem | null]): [string, Refusal] {
  return [id, problem === null ? { status: 'gone' } : { status: 'failed', problem }];
}

/** Gives sequences and signs, in memory only. When some fail nothing is signed: the others are due their sequences. */
export async function signActions(
  context: ChainContext,
  actions: readonly Prepared[],
): Promise<{ signed: SignedAction[]; failed: Map<string, Refused> }> {
  const { placed, failed } = assignSequences(actions, context.now());
  if (failed.size > 0) return { signed: [], failed };
  const signed: SignedAction[] = [];
  for (const [tracker, items] of Map.groupBy(placed, ({ tracker }) => tracker)) {
    const answers = await attemptsOf(context, tracker, items);
    for (const [index, item] of items.entries()) {
      const answer = answers[index];
      if (answer?.status === 'failed') {
        failed.set(item.row.id, refusedBy(answer.problem));
      } else if (answer !== undefined) {
        const attempts = answer.attempts.map((attempt) => ({ ...attempt, n: item.row.steps + attempt.n }));
        signed.push({ ...item, attempts, resealed: reseal(context.vault, item, attempts) });
      }
    }
  }
  return { signed: failed.size > 0 ? [] : signed, failed };
}

/** The next free sequences of their accounts, in the order of the actions; none on a ledger without sequences. */
export function assignSequences<Action extends Pick<Prepared, 'row' | 'account' | 'tracker'>>(
  actions: readonly Action[],
  now: number,
): { placed: (Action & { sequence: number | null })[]; failed: Map<string, Refused> } {
  const failed = new Map<string, Refused>();
  const taken = new Map<Account, number>();
  const placed = actions.map((action) => {
    const { row, account, tracker } = action;
    if (tracker.open.definition.capabilities.sequence === 'none') return { ...action, sequence: null };
    const n = taken.get(account) ?? 0;
    const sequence = freeSequenceAt(account, n, now);
    if (row.sequence !== null && row.sequence !== sequence) {
      const problem = nonceConflict(row.sequence, account.address, sequence);
      failed.set(row.id, { status: 'failed', problem });
    } else taken.set(account, n + 1);
    return { ...action, sequence };
  });
  return { placed, failed };
}

async function attemptsOf(
  { traces, timing }: ChainContext,
  tracker: Tracker,
  items: readonly (Prepared & { sequence: number | null })[],
): Promise<SignedAttempts[]> {
  const { session, record } = tracker.open;
  const sign = async () => {
    const signing = signAttempts(
      session,
      items.map(({ row, wallet, plan, secret, sequence, key }) => ({
        key,
        request: {
          actionId: row.id,
          wallet,
          ...othersOf(key),
          plan,
          ...(secret === undefined ? {} : { secret }),
          ...(sequence === null ? {} : { sequence: BigInt(sequence) }),
        },
      })),
    );
    return withTimeout(timing, 'prepare', tracker.open, signing);
  };
  const what = { name: 'sign', ledgerId: record.ledgerId, actions: items.map(({ row }) => row) };
  return traces.call(what, sign, failureOf).catch((error: unknown) => {
    const problem = adapterProblemFrom(error);
    return items.map(() => ({ status: 'failed' as const, problem }));
  });
}

function failureOf(answers: readonly SignedAttempts[], place: number): string | undefined {
  const answer = answers[place];
  return answer?.status === 'failed' ? answer.problem.code : undefined;
}

function reseal(
  vault: ChainContext['vault'],
  { row, tracker, plan, secret, key, isFresh, sequence }: Prepared & { sequence: number | null },
  attempts: readonly Attempt[],
): SealedGrant | null {
  const isKept =
    sequence === null
      ? (isFresh && mayContinue({ attempts })) || (mayExpire(attempts) && JSON.stringify(plan) !== row.plan)
      : tracker.replaces && attempts.every(({ kind }) => kind !== 'noop');
  if (!isKept) return null;
  return sealGrant(vault, { ...row, plan: JSON.stringify(plan) }, { key, secret }, sequence ?? undefined);
}

/**
 * One transaction, fenced by the leases: what `write` stores and answers, its attempts, its sequences. Then it is sent.
 * @throws LeaseLost, SequenceMoved, StoreError; then the bytes are thrown away
 */
export async function commitSigned(
  context: ChainContext,
  signed: readonly SignedAction[],
  step: 'accept' | 'sign',
  write: (tx: Tx) => Promise<readonly SignedAction[]>,
): Promise<void> {
  const { chain, leases, accounts, meter, now, announce } = context;
  const at = now();
  const shards = new Set(signed.map(({ account }) => account.shard));
  const { stored, moves } = await context.fenced(step, shards, async (tx) => {
    const still = await write(tx);
    return { stored: still, moves: await storeAttempts(tx, chain, still, at) };
  });
  for (const [account, next] of moves) {
    account.next = next;
    account.storedNext = next;
    account.gap = null;
  }
  for (const [tracker, actions] of Map.groupBy(stored, (action) => action.tracker)) {
    const { ledgerId } = tracker.open.record;
    for (const { row } of actions) {
      if (step === 'accept') meter.action(ledgerId, 'accepted');
      if (row.steps === 0) meter.step(ledgerId, 'signed', at - row.created_at);
    }
    // A lane that went away meanwhile is another server's, and so is what was stored.
    const live = actions
      .filter(({ row, account }) => leases.holds(account.shard) && !tracker.live.has(row.id))
      .map((action) => {
        const account = accounts.get(action.account.address, action.account.shard);
        const own = liveOf(action, at);
        account.live.set(own.id, own);
        account.spent += action.cost;
        return own;
      });
    tracker.add(live, true);
  }
  announce(stored.map(({ row }) => row.id));
}

/** Answers the next sequences of the accounts. */
async function storeAttempts(
  tx: Tx,
  chain: string,
  signed: readonly SignedAction[],
  now: number,
): Promise<Map<Account, number>> {
  const moves = new Map<Account, number>();
  for (const { account, sequence } of signed) {
    if (sequence === null) continue;
    moves.set(account, Math.max(moves.get(account) ?? account.next ?? 0, sequence + 1));
    if (account.gap !== null && account.gap.from <= sequence && sequence < account.gap.to)
      await freeSequence(tx, chain, account.address, sequence, now);
  }
  const rows = signed.map(({ row, account, tracker, sequence, attempts, resealed }) => ({
    actionId: row.id,
    address: account.address,
    shard: account.shard,
    sequence,
    attempts,
    height: tracker.height(),
    kept: sequence === null ? null : resealed,
  }));
  await insertAttempts(tx, chain, rows, now);
  for (const [account, next] of moves)
    await advanceSequence(tx, chain, account.address, account.storedNext, next);
  return moves;
}

/**
 * Moves signed actions on in their rows. The grant of one that may need another transaction is kept, bound to what it
 * was signed by; those of the others are erased. Answers those that were still ready.
 */
export async function storeSigned(
  tx: Tx,
  signed: readonly SignedAction[],
  now: number,
): Promise<SignedAction[]> {
  const ids = signed.map(({ row }) => row.id);
  const ready = await markSigned(tx, ids, now);
  const stored = signed.filter(({ row }) => ready.has(row.id));
  const resealed = stored.filter((action) => action.resealed !== null);
  await storePlans(
    tx,
    resealed.map(({ row, plan }) => ({ id: row.id, plan: JSON.stringify(plan) })),
  );
  for (const action of resealed) {
    if (action.sequence === null && action.resealed !== null)
      await replaceGrant(tx, action.row.id, action.resealed);
  }
  const done = stored.filter((action) => !mayContinue(action));
  await eraseGrants(
    tx,
    done.map(({ row }) => row.id),
  );
  return stored;
}

function mayContinue({ attempts }: { attempts: readonly Attempt[] }): boolean {
  return mayExpire(attempts) || attempts.some((attempt) => attempt.mayContinue === true);
}

function mayExpire(attempts: readonly Attempt[]): boolean {
  return attempts.some(({ validUntil }) => validUntil !== undefined);
}

function liveOf(
  { row, tracker, account, sequence, attempts, resealed }: SignedAction,
  at: number,
): LiveAction {
  return liveAction({
    id: row.id,
    ledgerUid: row.ledger_uid,
    plugin: tracker.open.pluginUid,
    trace: row.trace,
    address: account.address,
    shard: account.shard,
    sequence,
    attempts,
    acceptedAt: row.created_at,
    signedAt: at,
    releasedHeight: tracker.height(),
    kept: sequence !== null && resealed !== null,
  });
}

/** A demanded sequence that is not the next free one. */
export function nonceConflict(demanded: number, address: string, next: number): Problem {
  return new Problem(
    'nonce-conflict',
    `The nonce ${demanded} was demanded in meta, but the next free one of ${address} is ${next}. Leave it out, or send it when it is free.`,
  );
}
