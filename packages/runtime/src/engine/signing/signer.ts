import type {
  AdapterProblem,
  AttemptKind,
  LedgerSession,
  PrepareRequest,
  SignedTransaction,
} from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import { type Tx, together } from '@ledger-ops/store';
import { adapterProblemFrom, toProblem } from '../../adapter-problem.ts';
import { finishRounds, maxRounds, type OpenRound } from '../../keys/sign-rounds.ts';
import type { ActionSigner } from '../../keys/signer.ts';
import { areExclusive, claimingOf } from '../../rows/attempts/claims.ts';
import { insertAttempts, markSigned, storePlans } from '../../rows/attempts/signed.ts';
import { eraseGrants, replaceGrant, type SealedGrant, sealGrant } from '../../rows/attempts/signing-grant.ts';
import { advanceSequences, freeSequence, SequenceMoved } from '../../rows/chains/sequences.ts';
import { type Attempt, BatchRefused, type LiveAction, liveAction } from '../../rows/model.ts';
import type { ChainContext } from '../chains/chain-context.ts';
import type { Tracker } from '../tracking/tracker.ts';
import { type Account, freeSequenceAt } from './accounts.ts';
import { brokenContract, type Refused, refusedBy } from './not-signed.ts';
import type { Prepared } from './prepare.ts';
import { withTimeout } from './with-timeout.ts';

type SignedAttempts =
  | { status: 'signed'; attempts: Attempt[] }
  | { status: 'failed'; problem: AdapterProblem };

/** A transaction whose signing takes several rounds of digests and signatures. */
export interface OpenAttempt extends OpenRound<SignedTransaction> {
  readonly kind: AttemptKind;
}

/** Maximum number of retries of a batch if another server or another program used one of its sequences. */
const maxTries = 4;

/** An action that is signed in memory and not stored yet. */
export interface SignedAction extends Prepared {
  sequence: number | null;
  attempts: Attempt[];
  /** The grant, sealed again to sign replacements; null if no grant is kept. */
  kept: SealedGrant | null;
  /** The grant, sealed again to sign the action's next transaction; null if the stored one stays unchanged. */
  resealed: SealedGrant | null;
}

/**
 * Why an action of a batch is not signed. `gone`: the action's row or account changed while the action was
 * being signed.
 */
export type Refusal = Refused | { status: 'gone' };

/**
 * Signs a batch and stores it in one transaction, together with the rows that `write` stores. Batches of one
 * chain run one at a time. If some actions are refused, the others are signed without them. Returns the
 * refusals by action id.
 * @throws LeaseLost, SequenceMoved, StoreError; the signed bytes are then discarded
 */
export function signAndStore(
  context: ChainContext,
  actions: readonly Prepared[],
  step: 'accept' | 'sign',
  write: (tx: Tx, signed: readonly SignedAction[]) => Promise<void>,
): Promise<Map<string, Refusal>> {
  return context.mutex.run(async () => {
    // If this account object is no longer the one in memory, its shard was lost or the account was reloaded. An account
    // with unknown transactions has no next sequence, and its wallets are suspended.
    const canSign = ({ account }: Prepared) =>
      context.accounts.loaded(account.address) === account && !account.hasUnknown;
    let rest = actions;
    const refused = new Map<string, Refusal>();
    for (let tries = 0; rest.length > 0; tries += 1) {
      for (const action of rest) if (!canSign(action)) refused.set(action.row.id, { status: 'gone' });
      rest = rest.filter(canSign);
      if (rest.length === 0) break;
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
              await context.accounts.reload(account, tracker.open.session);
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

/**
 * Assigns sequences and signs, in memory only. If one action fails, none is signed, so that no sequence is
 * skipped.
 */
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
        if (item.sequence === null && !areExclusive([...(item.earlier ?? []), ...attempts])) {
          failed.set(item.row.id, notExclusive());
          continue;
        }
        signed.push({ ...item, attempts, ...sealAgain(context.vault, item, attempts) });
      }
    }
  }
  return { signed: failed.size > 0 ? [] : signed, failed };
}

/**
 * Assigns the next free sequences of the accounts, in the order of the actions. Returns null on a ledger
 * without sequences.
 */
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
      items.map(({ row, wallet, plan, secret, sequence, signer, unsettled = [], earlier = [] }) => ({
        signer,
        request: {
          actionId: row.id,
          wallet,
          ...signer.others,
          plan,
          ...(secret === undefined ? {} : { secret }),
          ...(sequence === null ? {} : { sequence: BigInt(sequence) }),
          ...(unsettled.length === 0 ? {} : { unsettled }),
          ...(earlier.length === 0 ? {} : { earlier: earlier.map(claimingOf) }),
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

/** Prepares and signs a batch on one session: the adapter supplies digests, and the signers sign them. */
async function signAttempts(
  session: LedgerSession,
  items: readonly { readonly request: PrepareRequest; readonly signer: ActionSigner }[],
): Promise<SignedAttempts[]> {
  const prepared = await session.prepare(items.map(({ request }) => request));
  const open = items.map(({ signer }, index): OpenAttempt[] => {
    const one = prepared[index];
    return one?.status === 'prepared' ? one.attempts.map(({ kind, round }) => ({ kind, round, signer })) : [];
  });
  await finishRounds(open.flat(), (signed) => session.advance(signed));
  return open.map((attempts, index) => {
    const one = prepared[index];
    if (one === undefined)
      return { status: 'failed', problem: brokenContract('one answer for each request') };
    return one.status === 'failed' ? one : complete(attempts);
  });
}

function complete(attempts: readonly OpenAttempt[]): SignedAttempts {
  const signed: Attempt[] = [];
  for (const [n, { kind, round }] of attempts.entries()) {
    if (!round.done) {
      return {
        status: 'failed',
        problem: brokenContract(`a complete transaction after ${maxRounds} rounds`),
      };
    }
    signed.push({ n, kind, note: null, unsent: true, ...round.result });
  }
  if (signed.length === 0) return { status: 'failed', problem: brokenContract('at least one attempt') };
  return { status: 'signed', attempts: signed };
}

/**
 * Returns the refusal of a transaction that the ledger could execute in addition to an earlier one of the same action.
 * The action then waits, because the earlier transaction may still be executed.
 */
function notExclusive(): Refused {
  const problem = brokenContract(
    'a transaction that shares a claim with every earlier transaction of its action',
  );
  return { status: 'wait', code: 'plugin-fault', reason: problem.detail, problem: toProblem(problem) };
}

function failureOf(answers: readonly SignedAttempts[], place: number): string | undefined {
  const answer = answers[place];
  return answer?.status === 'failed' ? answer.problem.code : undefined;
}

/** Seals again the grants that are still needed, bound to the plan that was signed. */
function sealAgain(
  vault: ChainContext['vault'],
  { row, tracker, plan, secret, signer, isFresh, sequence }: Prepared & { sequence: number | null },
  attempts: readonly Attempt[],
): Pick<SignedAction, 'kept' | 'resealed'> {
  const seal = () =>
    sealGrant(vault, { ...row, plan: JSON.stringify(plan) }, { signer, secret }, sequence ?? undefined);
  const canReplace =
    sequence !== null ||
    (signer.coSigners.length === 0 && attempts.every(({ claims }) => claims !== undefined));
  const isKept = tracker.replaces && canReplace && attempts.every(({ kind }) => kind !== 'noop');
  const isContinued =
    sequence === null &&
    ((isFresh && mayContinue({ attempts })) || (mayExpire(attempts) && JSON.stringify(plan) !== row.plan));
  // Both grants are bound to the stored plan.
  const isResealed = isContinued || (isKept && sequence === null && mayContinue({ attempts }));
  return { kept: isKept ? seal() : null, resealed: isResealed ? seal() : null };
}

/**
 * Stores signed actions, their attempts and sequences in one transaction fenced by the leases, then hands
 * them to their trackers for sending. `write` returns the actions that it stored.
 * @throws LeaseLost, SequenceMoved, StoreError; the signed bytes are then discarded
 */
export async function commitSigned(
  context: ChainContext,
  signed: readonly SignedAction[],
  step: 'accept' | 'sign',
  write: (tx: Tx) => Promise<readonly SignedAction[]>,
): Promise<void> {
  const { chain, leases, accounts, meter, now, announce, promotions } = context;
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
    // If a shard was lost during the commit, another server handles the stored actions.
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
  const ids = stored.map(({ row }) => row.id);
  promotions.remember(ids, true);
  announce(ids);
}

/** Stores attempts and sequences. Returns the next sequence of each account. */
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
  const rows = signed.map(({ row, account, tracker, sequence, attempts, kept }) => ({
    actionId: row.id,
    address: account.address,
    shard: account.shard,
    sequence,
    attempts,
    height: tracker.height,
    kept,
  }));
  const advanced = [...moves].map(([{ address, storedNext }, next]) => ({
    address,
    from: storedNext,
    to: next,
  }));
  await together(insertAttempts(tx, chain, rows, now), advanceSequences(tx, chain, advanced));
  return moves;
}

/**
 * Marks actions as signed in their rows. Keeps the grants of actions that may need another transaction, bound to the
 * signed plans, and erases the others. Returns the actions that were still ready.
 */
export async function storeSigned(
  tx: Tx,
  signed: readonly SignedAction[],
  now: number,
): Promise<SignedAction[]> {
  if (signed.length === 0) return [];
  const ids = signed.map(({ row }) => row.id);
  const ready = await markSigned(tx, ids, now);
  const stored = signed.filter(({ row }) => ready.has(row.id));
  await storePlans(
    tx,
    stored
      .filter(({ kept, resealed }) => kept !== null || resealed !== null)
      .map(({ row, plan }) => ({ id: row.id, plan: JSON.stringify(plan) })),
  );
  for (const { row, resealed } of stored) if (resealed !== null) await replaceGrant(tx, row.id, resealed);
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
  { row, tracker, account, sequence, earlier = [], attempts, kept }: SignedAction,
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
    attempts: [...earlier, ...attempts],
    released: earlier.length,
    acceptedAt: row.created_at,
    signedAt: at,
    releasedHeight: tracker.height,
    kept: kept !== null,
  });
}

/** Returns the problem for an action that demands a sequence other than the next free one. */
export function nonceConflict(demanded: number, address: string, next: number): Problem {
  return new Problem(
    'nonce-conflict',
    `meta requires the nonce ${demanded}, but the next free nonce of ${address} is ${next}. Leave the nonce out, or send the operation when that nonce is free.`,
  );
}
