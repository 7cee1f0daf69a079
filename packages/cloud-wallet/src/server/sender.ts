import { createHash } from 'node:crypto';
import type {
  AdapterDefinition,
  AdapterErrorCode,
  AdapterProblem,
  Checked,
  JsonObject,
} from '@ledger-ops/adapter';
import { AdapterError, isTransient } from '@ledger-ops/adapter';
import type { GloTechnology } from '@ledger-ops/glo-core';
import { messageOfError, refusal } from '../problem.ts';
import { mayNeedAnother } from './continue-action.ts';
import type { Custody } from './custody.ts';
import type { createMutexes } from './mutex.ts';
import { type OperationMessage, readOperation } from './resolve.ts';
import type { ServedLedger } from './served-ledger.ts';
import { type OtherWallet, othersOf, signAttempts } from './sign-attempts.ts';
import { type ActionRow, type AttemptRow, attemptRows, type ServedStore, type WalletRow } from './store.ts';

/** A transaction to be sent, from a wallet whose key is open. */
export interface SendRequest extends OperationMessage {
  actionId: string;
  wallet: WalletRow;
  key: Uint8Array;
  /** Those that sign beside it. */
  others: readonly OtherWallet[];
}

/** The parts of a sender. */
export interface SenderOptions {
  definition: AdapterDefinition;
  technology: GloTechnology;
  store: ServedStore;
  ledger: ServedLedger;
  custody: Custody;
  now(): number;
  exclusively: ReturnType<typeof createMutexes>;
}

/** Refused because of what was asked: asked again, it is refused again, and nothing needs to be remembered. */
const refusedByRequest: ReadonlySet<AdapterErrorCode> = new Set([
  'invalid-argument',
  'ambiguous-method',
  'unknown-method',
  'unsupported-operation',
]);

/**
 * Executes an action once, however often it is sent. The answer is durable: what was signed is stored before it
 * leaves, and a refusal that might not be one the next time is stored as well.
 * @throws Refusal, AdapterError
 */
export async function sendOnce(options: SenderOptions, request: SendRequest): Promise<ActionRow> {
  const { definition, technology, store, ledger, custody, now, exclusively } = options;
  const { actionId, wallet, others } = request;
  const { address } = wallet.identity;
  const { operation, key } = readOperation(request, technology);
  const fingerprint = createHash('sha256')
    .update([wallet.walletId, ...others.map(({ walletId }) => walletId), key].join(' '))
    .digest('hex');

  const existing = (): ActionRow | undefined => {
    const found = store.action(actionId);
    if (found === undefined || found.fingerprint === fingerprint) return found;
    const detail = `The action ${actionId} exists with another content.`;
    throw refusal('already-exists', 409, detail, [{ pointer: '/actionId', detail: 'was used before' }]);
  };
  const row = (more: Partial<ActionRow> & Pick<ActionRow, 'txId' | 'status'>): ActionRow => ({
    actionId,
    walletId: wallet.walletId,
    ledgerId: wallet.ledgerId,
    fingerprint,
    locator: null,
    contractAddress: null,
    problem: null,
    ...more,
  });
  const add = (
    action: ActionRow,
    attempts: readonly AttemptRow[] = [],
    sequence?: Parameters<ServedStore['addAction']>[2],
    grant: Parameters<ServedStore['addAction']>[3] = null,
  ): ActionRow => {
    if (store.addAction(action, attempts, sequence, grant)) return action;
    const found = existing();
    if (found !== undefined) return found;
    throw refusal('unavailable', 503, 'The sequence of the account was taken meanwhile: send it again.');
  };

  const execute = async (): Promise<ActionRow> => {
    const found = existing();
    if (found !== undefined) return found;
    try {
      const chain = await ledger.chain();
      const checked = await ledger.session.check({ wallet: wallet.identity, ...othersOf(others), operation });
      const { plan, cost } = await estimated(checked);
      await demandFunds(cost);
      for (const payment of checked.costs ?? []) await demandOthersFunds(payment);
      const sequence = await nextSequence(chain, checked.sequence);
      const { secret } = checked;
      const signed = await signAttempts(definition, ledger.session, request, {
        actionId,
        wallet: wallet.identity,
        ...othersOf(others),
        plan,
        ...(secret === undefined ? {} : { secret }),
        ...(sequence === undefined ? {} : { sequence }),
      });
      const attempts = attemptRows(signed, {
        chain,
        actionId,
        ledgerId: wallet.ledgerId,
        address,
        sequence: sequence ?? null,
        signedAt: now(),
      });
      const grant = mayNeedAnother(signed)
        ? { sealed: custody.sealGrant({ key: request.key, secret, others }, actionId), plan }
        : null;
      const taken = sequence === undefined ? undefined : { chain, address, expected: sequence };
      const action = add(
        row({ txId: attempts[0]?.txId ?? '', status: 'PROCESSING' }),
        attempts,
        taken,
        grant,
      );
      await ledger.take(attempts);
      return store.action(actionId) ?? action;
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      if (isTransient(error.problem) || error.code === 'adapter-fault') throw error;
      if (refusedByRequest.has(error.code)) throw error;
      return add(row({ txId: actionId, status: 'FAILED', problem: messageOfError(error) }));
    }
  };

  async function estimated(checked: Checked): Promise<{ plan: JsonObject; cost: bigint }> {
    if (checked.readiness === 'ready') return checked;
    const question = { wallet: wallet.identity, plan: checked.plan, minHeight: 0 };
    const [answer] = await ledger.session.estimate([question]);
    if (answer === undefined) throw new TypeError('estimate() gave no answer.');
    if (answer.status === 'ready') return { cost: checked.cost, ...answer };
    // It may fail only because an earlier one of the wallet is not yet executed.
    const early = answer.status === 'failed' && ledger.openAttempts(address).length > 0;
    if (answer.status === 'wait' || early) throw later(answer.problem);
    throw new AdapterError(answer.problem);
  }

  async function demandFunds(cost: bigint): Promise<void> {
    if (!definition.capabilities.balance) return;
    const [balance = 0n] = await ledger.session.balances([address]);
    if (balance < cost) {
      const detail = `The account ${address} holds ${balance}, the operation can take ${cost}.`;
      throw new AdapterError({ code: 'insufficient-funds', phase: 'check', detail });
    }
    const mains = ledger.openAttempts(address).filter(({ kind }) => kind === 'main');
    const bound = mains.reduce((sum, attempt) => sum + attempt.cost, 0n);
    if (balance >= bound + cost) return;
    const detail = `Of ${balance} on the account ${address}, ${bound} is bound by unfinished transactions.`;
    throw new AdapterError({ code: 'unavailable', phase: 'check', detail });
  }

  async function demandOthersFunds(payment: { address: string; amount: bigint }): Promise<void> {
    if (!definition.capabilities.balance) return;
    const [balance = 0n] = await ledger.session.balances([payment.address]);
    if (balance >= payment.amount) return;
    const detail = `The account ${payment.address} holds ${balance}, and is to pay up to ${payment.amount}.`;
    throw new AdapterError({ code: 'insufficient-funds', phase: 'check', detail });
  }

  async function nextSequence(chain: string, demanded: bigint | undefined): Promise<bigint | undefined> {
    if (definition.capabilities.sequence === 'none') return undefined;
    let next = store.nextSequence(chain, address);
    const [onChain = 0n] = await ledger.session.sequences([address], {
      expected: [next === 0n ? null : next],
    });
    if (next < onChain) next = onChain;
    if (demanded === undefined || demanded === next) return next;
    const detail = `The sequence ${demanded} was demanded, ${next} is the next free one.`;
    throw new AdapterError({ code: 'refused', phase: 'prepare', detail });
  }

  return exclusively(`${wallet.ledgerId} ${address}`, execute);
}

function later(problem: AdapterProblem): AdapterError {
  return isTransient(problem)
    ? new AdapterError(problem)
    : new AdapterError({ ...problem, code: 'unavailable' });
}
