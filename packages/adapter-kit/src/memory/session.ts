import type {
  AdapterProblem,
  Capabilities,
  Emulated,
  EmulateRequest,
  Estimated,
  EstimateRequest,
  LedgerConfig,
  Phase,
  Prepared,
  Session,
  SessionCall,
  Submission,
  Submitted,
} from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { ed25519 } from '@noble/curves/ed25519.js';
import { isPoint } from 'tiny-secp256k1';
import { addressOfPublicKey, systemContract } from './address.ts';
import { type AttemptContext, advanceAttempt, prepareAttempts } from './attempts.ts';
import { confirmPending, findTransaction, listOf, lookUp, signersIn, type View } from './confirm.ts';
import { readEvents } from './events.ts';
import type { MemoryLedger } from './ledger.ts';
import {
  checkOperation,
  encodeOperation,
  isUndeployed,
  type PlanContext,
  planFromJson,
  planToJson,
  raisedPrice,
  requireAddress,
} from './plan.ts';
import { type MemoryProperties, readProperties } from './properties.ts';
import { inspectLate, replaceLate } from './replace.ts';
import { gasPerTransaction } from './transaction.ts';

const publicKeys = {
  secp256k1: { length: 33, isPoint },
  ed25519: { length: 32, isPoint: isEd25519Point },
};

function isEd25519Point(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes);
    return true;
  } catch {
    return false;
  }
}

export function openSession(ledger: MemoryLedger, config: LedgerConfig, capabilities: Capabilities): Session {
  const calls = new SessionCalls(ledger, config, capabilities);
  const leave = ledger.enter({});
  return {
    chain: ({ everyNode = false }) =>
      calls.reach('chain', 'open', () => {
        const { identity, unsure } = ledger;
        return everyNode && unsure !== undefined ? { ...identity, unsure } : identity;
      }),
    createWallet: ({ publicKey }) =>
      calls.alone('createWallet', 'wallet', () => calls.createWallet(publicKey)),
    check: (request) =>
      calls.reach('check', 'check', () => {
        const { fee, ...checked } = checkOperation(request, calls.planContext());
        return { ...checked, cost: checked.cost - fee + calls.stated(fee) };
      }),
    estimate: {
      all: (requests) =>
        calls.reach('estimate', 'estimate', () => {
          const view = calls.viewNow('estimate');
          return requests.map((request) => calls.estimate(request, view));
        }),
    },
    prepare: {
      all: (requests) =>
        calls.alone('prepare', 'prepare', () =>
          requests.map((request) => {
            const scripted = ledger.misbehaviours.take('failPrepare');
            if (scripted !== undefined) return { status: 'failed', problem: scripted.script.problem };
            return calls.asking(prepareAttempts(request, calls.attemptContext));
          }),
        ),
    },
    advance: {
      all: (advances) =>
        calls.alone('advance', 'prepare', () =>
          advances.map((advance) => advanceAttempt(advance, calls.attemptContext)),
        ),
    },
    submit: { all: (submissions) => calls.reach('submit', 'submit', () => calls.submit(submissions)) },
    replace: {
      all: (requests) =>
        calls.reach('replace', 'prepare', () =>
          requests.map((request) => replaceLate(request, ledger, calls.attemptContext)),
        ),
    },
    inspect: {
      all: (requests) =>
        calls.reach('inspect', 'submit', () => requests.map((request) => inspectLate(request, ledger))),
    },
    confirm: (request) =>
      calls.reach('confirm', 'confirm', () => {
        const confirmed = confirmPending(request, calls.viewNow('confirm'));
        const twice = confirmed.outcomes.length > 0 && ledger.misbehaviours.take('answerTwice') !== undefined;
        return twice ? { ...confirmed, outcomes: [...confirmed.outcomes, ...confirmed.outcomes] } : confirmed;
      }),
    onHead: (listener) => ledger.onHead(listener),
    sequences: (addresses, { everyNode = false, unmined = false }) =>
      calls.reach('sequences', 'check', () => {
        if (everyNode && ledger.unsure !== undefined) throw adapterError('unavailable', ledger.unsure);
        // Other nodes may be ahead of a lagging node, so the newest head is used.
        const { height } = everyNode ? ledger.head : calls.viewNow('sequences');
        const counts = addresses.map((address) =>
          ledger.state.nonceAt(calls.normalise(address, 'check'), height),
        );
        return unmined ? counts.map((count, index) => countWaiting(ledger, addresses[index], count)) : counts;
      }),
    balances: {
      all: (addresses) =>
        calls.reach('balances', 'check', () => {
          const { height } = calls.viewNow('balances');
          return addresses.map((address) =>
            ledger.state.balanceAt(calls.normalise(address, 'check'), height),
          );
        }),
    },
    normaliseAddress: (address) =>
      calls.alone('normaliseAddress', 'check', () => calls.normalise(address, 'check')),
    emulate: (request) => calls.reach('emulate', 'emulate', () => calls.emulate(request)),
    transactionAt: ({ address, sequence }) =>
      calls.reach('transactionAt', 'lookup', () =>
        findTransaction(address, sequence, calls.viewNow('transactionAt')),
      ),
    transactionsOf: (request) =>
      calls.reach('transactionsOf', 'lookup', () => listOf(request, calls.viewNow('transactionsOf'))),
    signersOf: {
      all: (txIds) =>
        calls.reach('signersOf', 'lookup', () => {
          const view = calls.viewNow('signersOf');
          return txIds.map((txId) => signersIn(txId, view));
        }),
    },
    lookup: (txId) => calls.reach('lookup', 'lookup', () => lookUp(txId, calls.viewNow('lookup'))),
    contractEvents: (request) =>
      calls.reach('contractEvents', 'lookup', () => readEvents(request, calls.viewNow('contractEvents'))),
    close: leave,
  };
}

/** Returns the next sequence of an account, after its waiting transactions with consecutive sequences. */
function countWaiting({ pool }: MemoryLedger, address: string | undefined, count: bigint): bigint {
  const waiting = new Set(
    pool.flatMap(({ from, sequence }) => (from === address && sequence !== null ? [sequence] : [])),
  );
  let next = count;
  while (waiting.has(next)) next += 1n;
  return next;
}

/** The calls of one session. Scripted faults of the ledger change their responses. */
class SessionCalls {
  readonly attemptContext;
  readonly #ledger: MemoryLedger;
  readonly #config: LedgerConfig;
  readonly #properties;

  constructor(ledger: MemoryLedger, config: LedgerConfig, capabilities: Capabilities) {
    this.#ledger = ledger;
    this.#config = config;
    this.#properties = readProperties(config);
    const attemptContext: AttemptContext = {
      chainId: ledger.chainId,
      sequence: ledger.sequence,
      rounds: ledger.signingRounds,
      replaces: signsBeforehand(this.#properties, capabilities),
      feeCap: this.#properties.feeCap,
      retries: this.#properties.retries,
      validUntil: () =>
        this.#ledger.expiry === undefined ? null : this.viewNow('prepare').height + this.#ledger.expiry,
      stated: (fee: bigint) => this.stated(fee),
    };
    this.attemptContext = attemptContext;
  }

  /** Runs a call that does not need the ledger. */
  async alone<Result>(
    method: SessionCall,
    phase: Phase,
    run: () => Result | Promise<Result>,
  ): Promise<Result> {
    await this.#ledger.misbehaviours.take('hang', method)?.cleared;
    if (this.#ledger.misbehaviours.take('throwGarbage', method) !== undefined) {
      throw new TypeError(`garbage from ${method} in ${phase}`);
    }
    return run();
  }

  /** Runs a call that needs the ledger. */
  reach<Result>(method: SessionCall, phase: Phase, run: () => Result): Promise<Result> {
    return this.alone(method, phase, () => {
      if (this.#ledger.isDown) {
        throw adapterError(
          'unavailable',
          `The ledger ${this.#config.ledgerId} cannot be reached. Try again later.`,
          {
            phase,
          },
        );
      }
      if (this.#properties.chainId !== undefined && this.#properties.chainId !== this.#ledger.chainId) {
        const detail = `chain_id is configured as ${this.#properties.chainId}, but the node is on ${this.#ledger.chainId}.`;
        throw adapterError('wrong-chain', detail, { phase });
      }
      return run();
    });
  }

  /** Imitates a plugin that requests a signature of a wallet that the operation does not name. */
  asking(prepared: Prepared): Prepared {
    const scripted = this.#ledger.misbehaviours.take('askAnother');
    const round = prepared.status === 'prepared' ? prepared.attempts[0]?.round : undefined;
    if (scripted === undefined || round?.done !== false) return prepared;
    const [request] = round.requests;
    if (request !== undefined) round.requests.push({ ...request, signer: scripted.script.address });
    return prepared;
  }

  viewNow(method: SessionCall): View {
    const behind = this.#ledger.misbehaviours.take('lag', method)?.script.blocks ?? 0;
    const height = Math.max(0, this.#ledger.head.height - behind);
    const { confirmations, retries, retryDelay } = this.#properties;
    return {
      ledger: this.#ledger,
      height,
      confirmations,
      retries,
      retryDelay,
      stated: (fee: bigint) => this.stated(fee),
    };
  }

  planContext(): PlanContext {
    const { chainId, gasPrice, deploySteps } = this.#ledger;
    return { chainId, gasPrice, feeCap: this.#properties.feeCap, deploySteps };
  }

  normalise(address: string, phase: Phase): string {
    return requireAddress(address, phase, '/address');
  }

  createWallet(publicKey: Uint8Array) {
    const { keyType } = this.#ledger;
    const expected = publicKeys[keyType];
    if (publicKey.length !== expected.length || !expected.isPoint(publicKey)) {
      const detail = `must be a public key of ${keyType}, ${expected.length} bytes`;
      const issues = [{ pointer: '/publicKey', detail }];
      throw adapterError('invalid-argument', `/publicKey ${detail}.`, { phase: 'wallet', issues });
    }
    return { done: true as const, result: { address: addressOfPublicKey(publicKey) } };
  }

  estimate(request: EstimateRequest, view: View): Estimated {
    const plan = planFromJson(request.plan, 'estimate');
    const scripted = this.#ledger.misbehaviours.take('failEstimate');
    if (scripted !== undefined) return { status: 'failed', problem: scripted.script.problem };
    const wait = (code: 'unavailable' | 'fee-above-cap', detail: string): Estimated => ({
      status: 'wait',
      problem: { code, phase: 'estimate', detail },
    });
    if (view.height < request.minHeight) {
      return wait(
        'unavailable',
        `The node is at block ${view.height}, but block ${request.minHeight} is required.`,
      );
    }
    const failed = this.#failureOf(plan, view.height);
    if (failed !== undefined) return { status: 'failed', problem: { ...failed, phase: 'estimate' } };
    const going = this.#ledger.gasPrice;
    const gasPrice =
      request.raise === undefined
        ? (plan.gasPrice ?? going)
        : raisedPrice(plan, { going, feeCap: this.#properties.feeCap }, request.raise);
    const fee = plan.gas * gasPrice;
    if (this.#properties.feeCap !== undefined && fee > this.#properties.feeCap) {
      return wait('fee-above-cap', `The fee of ${fee} is above the cap of ${this.#properties.feeCap}.`);
    }
    const cost = plan.value + (plan.payer === undefined ? this.stated(fee) : 0n);
    return { status: 'ready', plan: planToJson({ ...plan, gasPrice }), cost };
  }

  submit(submissions: Submission[]): Submitted[] {
    const answers = submissions.map(({ txId, bytes, first, everyNode = false }): Submitted => {
      const rejected = this.#ledger.misbehaviours.take('rejectSubmits');
      if (rejected !== undefined) {
        const problem: AdapterProblem = rejected.script.problem ?? {
          code: 'refused',
          phase: 'submit',
          txId,
          detail: 'The node does not accept transactions at the moment.',
        };
        return { txId, status: 'refused', problem };
      }
      const certain = this.#isKnown(txId) ? undefined : this.#ledger.misbehaviours.take('rejectForCertain');
      if (certain !== undefined) {
        const detail = 'The ledger will never accept this transaction.';
        const problem = certain.script.problem ?? { code: 'refused', phase: 'submit', txId, detail };
        return { txId, status: 'rejected', problem };
      }
      const forgetful = this.#ledger.misbehaviours.take('acceptButForget');
      if (forgetful !== undefined && !(everyNode && forgetful.script.othersKeep === true)) {
        return { txId, status: forgetful.script.says ?? 'accepted' };
      }
      const { status, problem } = this.#ledger.submit(bytes, first);
      const taken = status === 'accepted' || status === 'known';
      const note = this.#ledger.ownIds && taken ? { note: `own:${txId.slice(2, 18)}` } : {};
      return { txId, status, ...(problem === undefined ? {} : { problem }), ...note };
    });
    if (submissions.length === 0) return [];
    if (this.#ledger.misbehaviours.take('acceptAndTimeout') !== undefined) {
      throw adapterError('timeout', 'The node did not respond in time; it may have received the bytes.', {
        phase: 'submit',
      });
    }
    return this.#ledger.misbehaviours.take('answerTwice') === undefined ? answers : [...answers, ...answers];
  }

  emulate({ wallet, operation, systemContracts }: EmulateRequest): Emulated {
    if (operation.type === 'contract_call' && operation.contract.address === systemContract) {
      if (systemContracts === true) return { result: this.viewNow('emulate').height };
      const detail = 'The contract belongs to the ledger itself.';
      throw adapterError('system-contract', detail, { phase: 'emulate' });
    }
    if (isUndeployed(operation)) {
      const detail = 'The contract is not deployed yet, so calls to it cannot be emulated.';
      throw adapterError('unknown-contract', detail, { phase: 'emulate' });
    }
    const { to, value, data } = encodeOperation(operation, 'emulate');
    const from = wallet === undefined ? '' : this.normalise(wallet.address, 'emulate');
    const { height } = this.viewNow('emulate');
    const failed = this.#failureOf({ type: operation.type, from, to, value, data }, height);
    if (failed !== undefined) throw adapterError(failed.code, failed.detail, { phase: 'emulate' });
    const fee = gasPerTransaction * this.#ledger.gasPrice;
    const balance = this.#ledger.state.balanceAt(from, height);
    if (wallet !== undefined && balance < value + fee) {
      const detail = `${from} holds ${balance}, but the operation needs ${value + fee}.`;
      throw adapterError('insufficient-funds', detail, { phase: 'emulate' });
    }
    const effects = this.#ledger.state.simulate({ from, to, value, data }, height);
    return {
      result: effects.ok ? effects.result : null,
      ...(wallet === undefined ? {} : { fee: this.stated(fee) }),
      figures: { gas: gasPerTransaction.toString() },
    };
  }

  stated(fee: bigint) {
    return this.#ledger.misbehaviours.take('lieAboutFee') === undefined ? fee : fee / 2n;
  }

  #failureOf(
    plan: { type: string; from: string; to: string | null; value: bigint; data: string },
    height: number,
  ): Pick<AdapterProblem, 'code' | 'detail'> | undefined {
    if (plan.type === 'contract_call' && this.#ledger.state.codeAt(plan.to ?? '', height) === undefined) {
      return { code: 'unknown-contract', detail: `There is no contract at ${plan.to}.` };
    }
    const effects = this.#ledger.state.simulate(plan, height);
    return effects.ok ? undefined : { code: 'reverted', detail: `The contract reverted: ${effects.reason}.` };
  }

  #isKnown(txId: string): boolean {
    return (
      this.#ledger.transaction(txId) !== undefined ||
      this.#ledger.pool.some((transaction) => transaction.txId === txId)
    );
  }
}

/** If replacements can be signed on demand, they are signed in advance only if a property requests it. */
function signsBeforehand({ replaceAfter, presigned }: MemoryProperties, capabilities: Capabilities): boolean {
  if (!capabilities.replacement || replaceAfter === 0n) return false;
  return presigned || (capabilities.onDemandReplacement !== true && replaceAfter !== undefined);
}
