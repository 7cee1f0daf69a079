import { StoreError } from '@ledger-ops/store';
import type { WalletKey } from '../types.ts';
import type { Account, Accounts } from './accounts.ts';
import { AlreadyThere, insertActions } from './insert-actions.ts';
import { LeaseLost } from './leases.ts';
import type { LedgerLine } from './ledger-line.ts';
import type { NewAction, ToSign } from './model.ts';
import type { Mutex } from './mutex.ts';
import { SequenceMoved } from './signed-rows.ts';
import { maxTries, type Signer } from './signer.ts';

/** Actions that are signed and stored in one transaction. */
const signLimit = 256;

/** An operation that passed every check and whose wallet is unlocked. */
export interface Acceptance {
  action: NewAction;
  sign: ToSign;
  key: WalletKey;
  /** The adapter knows everything already. */
  ready: boolean;
}

/** Signs what is accepted now: all that arrives at once is signed and stored in one transaction. */
export interface AcceptNow {
  /** What it takes of the account is reserved until then. False when it has to be stored unsigned. @throws Problem */
  accept(acceptance: Acceptance, account: Account, line: LedgerLine): Promise<boolean>;
  /** Resolves when nothing is being signed any more. */
  idle(): Promise<void>;
}

export interface AcceptNowOptions {
  accounts: Accounts;
  signer: Signer;
  /** One batch of the chain is signed at a time. */
  mutex: Mutex;
  announce: (actionIds: readonly string[]) => void;
}

interface Queued {
  acceptance: Acceptance;
  account: Account;
  line: LedgerLine;
  resolve: (signed: boolean) => void;
  reject: (error: unknown) => void;
}

export function createAcceptNow({ accounts, signer, mutex, announce }: AcceptNowOptions): AcceptNow {
  const queue: Queued[] = [];
  let flushing: Promise<void> | null = null;

  async function flush(): Promise<void> {
    // Everything that arrives in this turn of the loop goes together.
    await new Promise<void>((resolve) => setImmediate(resolve));
    while (queue.length > 0) {
      const batch = queue.splice(0, signLimit);
      await mutex
        .run(() => flushBatch(batch))
        .catch((error: unknown) => {
          for (const { reject } of batch) reject(error);
        });
      for (const { account, acceptance } of batch) {
        account.reserved.count -= 1;
        account.reserved.cost -= acceptance.sign.cost;
      }
    }
    flushing = null;
  }

  async function flushBatch(batch: readonly Queued[]): Promise<void> {
    // An account that was forgotten meanwhile belongs to a lane that went to another server.
    const [current, stale] = split(batch, ({ account }) => accounts.known(account.address) === account);
    for (const { resolve } of stale) resolve(false);
    let rest = current;
    const drop = (ids: ReadonlyMap<string, unknown>) => {
      for (const one of rest) {
        const error = ids.get(one.acceptance.action.id);
        if (error !== undefined) one.reject(error);
      }
      rest = rest.filter((one) => !ids.has(one.acceptance.action.id));
    };
    for (let tries = 0; rest.length > 0; tries += 1) {
      const { signed, failed } = await signer.sign(
        rest.map(({ acceptance, account, line }) => ({
          sign: acceptance.sign,
          account,
          line,
          key: acceptance.key,
        })),
      );
      if (failed.size > 0) {
        drop(failed);
        continue;
      }
      const byId = new Map(rest.map((one) => [one.acceptance.action.id, one]));
      try {
        await signer.commit(
          signed,
          async (tx) => {
            await insertActions(
              tx,
              rest.map(({ acceptance }) => acceptance.action),
              'signed',
            );
          },
          'accept',
        );
      } catch (error) {
        if (error instanceof AlreadyThere) {
          drop(error.problems);
          continue;
        }
        if (error instanceof LeaseLost) {
          for (const one of rest) one.resolve(false);
          return;
        }
        if (error instanceof SequenceMoved && tries < maxTries) {
          for (const { account, line } of rest) await signer.reload(account, line);
          continue;
        }
        if (error instanceof StoreError && error.code === 'constraint' && rest.length > 1) {
          // One of the batch cannot be stored: find it by storing them one by one.
          for (const one of rest) await flushBatch([one]).catch(one.reject);
          return;
        }
        throw error;
      }
      for (const { sign } of signed) byId.get(sign.actionId)?.resolve(true);
      announce(signed.map(({ sign }) => sign.actionId));
      return;
    }
  }

  return {
    accept: (acceptance, account, line) =>
      new Promise((resolve, reject) => {
        account.reserved.count += 1;
        account.reserved.cost += acceptance.sign.cost;
        queue.push({ acceptance, account, line, resolve, reject });
        flushing ??= flush();
      }),
    async idle() {
      await flushing;
    },
  };
}

function split<Item>(items: readonly Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}
