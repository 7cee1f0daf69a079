import { Problem } from '@ledger-ops/base';
import type { Store, Tx } from '@ledger-ops/store';
import { adapterProblemFrom, toProblem } from '../adapter-problem.ts';
import type { Vault, WalletKey } from '../types.ts';
import type { Account } from './accounts.ts';
import type { Faults } from './faults.ts';
import { freeSequence, type Gap, isLasting } from './gaps.ts';
import { type SealedGrant, sealGrant } from './grant.ts';
import { isInDoubt } from './in-doubt.ts';
import { inTime } from './in-time.ts';
import type { Leases } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import type { Attempt, LiveAction, ToSign } from './model.ts';
import { signBatch } from './sign-batch.ts';
import { advanceSequence, insertAttempts } from './signed-rows.ts';

/** Times a batch is tried again after another server or an outside transaction was first. */
export const maxTries = 4;

/** One action of a batch on its way through signing. */
export interface Candidate {
  sign: ToSign;
  account: Account;
  line: LedgerLine;
  key: WalletKey;
}

/** Signed in memory; not stored yet. */
export interface SignedCandidate extends Candidate {
  sequence: number | null;
  attempts: Attempt[];
  /** What signs replacements later; null: there are none, or they are signed already. */
  kept: SealedGrant | null;
}

/** Gives sequences, signs and stores: the only way in which signed bytes come to be. */
export interface Signer {
  /** Takes sequences and signs, in memory only. Failed ones are told by id; then nothing is signed. */
  sign(
    candidates: readonly Candidate[],
  ): Promise<{ signed: SignedCandidate[]; failed: Map<string, Problem> }>;
  /**
   * One transaction: what `write` adds, the attempts, the sequences, fenced by the leases. Then they are sent.
   * @throws LeaseLost, SequenceMoved, StoreError; then the bytes are thrown away.
   */
  commit(
    signed: readonly SignedCandidate[],
    write: (tx: Tx) => Promise<void>,
    step: 'accept' | 'sign',
  ): Promise<void>;
  /** Reads an account's sequence again after somebody else moved it. */
  reload(account: Account, line: LedgerLine): Promise<void>;
}

export interface SignerOptions {
  store: Store;
  vault: Vault;
  chain: string;
  leases: Leases;
  faults: Faults;
  now: () => number;
  /** A commit ended without an answer: what is in memory may differ from the rows. */
  doubt: () => void;
}

export function createSigner(options: SignerOptions): Signer {
  const { store, vault, chain, leases, faults, now, doubt } = options;

  async function reload(account: Account, line: LedgerLine): Promise<void> {
    const [row] = await store.read.all<{ next: number }>(
      'SELECT next FROM sequence WHERE chain = $1 AND address = $2',
      [chain, account.address],
    );
    const expected = row === undefined ? null : BigInt(row.next);
    const [onChain = 0n] = await line.open.session.sequences([account.address], [expected]);
    account.storedNext = row?.next ?? null;
    account.gap = null;
    account.next = Math.max(row?.next ?? 0, account.live.size === 0 ? Number(onChain) : 0);
  }

  async function sign(
    candidates: readonly Candidate[],
  ): Promise<{ signed: SignedCandidate[]; failed: Map<string, Problem> }> {
    const failed = new Map<string, Problem>();
    const taken = new Map<Account, { next: number; gap: Gap | null }>();
    const placed = candidates.map((candidate) => {
      const { account, line, sign } = candidate;
      if (line.open.definition.capabilities.sequence === 'none') return { ...candidate, sequence: null };
      const { next, gap } = taken.get(account) ?? {
        next: account.next ?? 0,
        gap: account.gap !== null && isLasting(account.gap, now()) ? account.gap : null,
      };
      const sequence = gap?.from ?? next;
      if (sign.demanded !== null && sign.demanded !== sequence) {
        failed.set(sign.actionId, nonceConflict(sign.demanded, account.address, sequence));
        return { ...candidate, sequence };
      }
      const left = gap !== null && gap.from + 1 < gap.to ? { ...gap, from: gap.from + 1 } : null;
      taken.set(account, { next: Math.max(next, sequence + 1), gap: left });
      return { ...candidate, sequence };
    });
    if (failed.size > 0) return { signed: [], failed };
    const signed: SignedCandidate[] = [];
    for (const [line, items] of groupBy(placed, ({ line }) => line)) {
      const signing = signBatch(
        line.open.session,
        items.map(({ sign, sequence, key }) => ({ item: sign, sequence, key })),
      );
      const { ledgerId } = line.open.record;
      const results = await inTime('prepare', ledgerId, signing).catch((error: unknown) => {
        const problem = adapterProblemFrom(error);
        return items.map(() => ({ status: 'failed' as const, problem }));
      });
      for (const [index, item] of items.entries()) {
        const result = results[index];
        if (result?.status === 'signed') signed.push({ ...item, ...keep(item, result.attempts) });
        else if (result !== undefined) failed.set(item.sign.actionId, toProblem(result.problem));
      }
    }
    return failed.size > 0 ? { signed: [], failed } : { signed, failed };
  }

  /** Where replacements are signed when they are needed, what signs them is sealed anew, for this sequence. */
  function keep(
    { line, sign, key, sequence }: Candidate & { sequence: number | null },
    attempts: Attempt[],
  ): { attempts: Attempt[]; kept: SealedGrant | null } {
    const isClosed = attempts.some(({ kind }) => kind === 'noop');
    if (!line.replaces || isClosed || sequence === null) return { attempts, kept: null };
    const row = {
      id: sign.actionId,
      wallet_uid: sign.walletUid,
      ledger_uid: sign.ledgerUid,
      operation: sign.operation,
      plan: JSON.stringify(sign.plan),
    };
    return { attempts, kept: sealGrant(vault, row, { key, secret: sign.secret }, sequence) };
  }

  async function commit(
    signed: readonly SignedCandidate[],
    write: (tx: Tx) => Promise<void>,
    step: 'accept' | 'sign',
  ): Promise<void> {
    const at = now();
    const moves = new Map<Account, number>();
    for (const { account, sequence } of signed) {
      if (sequence !== null)
        moves.set(account, Math.max(moves.get(account) ?? account.next ?? 0, sequence + 1));
    }
    faults(`${step}:before-commit`);
    await store
      .transaction(async (tx) => {
        await leases.check(tx, new Set(signed.map(({ account }) => account.shard)));
        await write(tx);
        for (const { account, sequence } of signed) {
          if (sequence !== null && isInGap(account, sequence))
            await freeSequence(tx, chain, account.address, sequence, at);
        }
        await insertAttempts(
          tx,
          chain,
          signed.map(({ sign, account, line, sequence, attempts, kept }) => ({
            actionId: sign.actionId,
            address: account.address,
            shard: account.shard,
            sequence,
            attempts,
            height: line.height(),
            kept,
          })),
          at,
        );
        for (const [account, next] of moves) {
          await advanceSequence(tx, chain, account.address, account.storedNext, next);
        }
      })
      .catch((error: unknown) => {
        if (isInDoubt(error)) doubt();
        throw error;
      });
    for (const [account, next] of moves) {
      account.next = next;
      account.storedNext = next;
      account.gap = null;
    }
    faults(`${step}:after-commit`);
    const byLine = new Map<LedgerLine, LiveAction[]>();
    for (const { sign, account, line, sequence, attempts, kept } of signed) {
      const action: LiveAction = {
        id: sign.actionId,
        ledgerUid: sign.ledgerUid,
        plugin: line.open.pluginUid,
        address: account.address,
        shard: account.shard,
        sequence,
        attempts,
        signedAt: at,
        released: 0,
        releasedAt: at,
        releasedHeight: line.height(),
        kept: kept !== null,
        sentAt: at,
        complaint: null,
      };
      account.live.set(action.id, action);
      account.spent += sign.cost;
      const list = byLine.get(line);
      if (list === undefined) byLine.set(line, [action]);
      else list.push(action);
    }
    for (const [line, actions] of byLine) line.add(actions, true);
  }

  return { sign, commit, reload };
}

function isInGap({ gap }: Account, sequence: number): boolean {
  return gap !== null && gap.from <= sequence && sequence < gap.to;
}

/** A demanded sequence that is not the next free one. */
export function nonceConflict(demanded: number, address: string, next: number): Problem {
  return new Problem(
    'nonce-conflict',
    `The nonce ${demanded} was demanded in meta, but the next free one of ${address} is ${next}. Leave it out, or send it when it is free.`,
  );
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
