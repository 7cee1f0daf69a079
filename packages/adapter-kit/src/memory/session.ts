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
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { addressOfPublicKey, systemContract } from './address.ts';
import { type AttemptContext, advanceAttempt, prepareAttempts } from './attempts.ts';
import { confirmPending, lookUp, type View } from './confirm.ts';
import { readEvents } from './events.ts';
import type { MemoryLedger } from './ledger.ts';
import {
  checkOperation,
  encodeOperation,
  isUndeployed,
  type PlanContext,
  planFromJson,
  planToJson,
  requireAddress,
} from './plan.ts';
import { type MemoryProperties, readProperties } from './properties.ts';
import { inspectLate, replaceLate } from './replace.ts';
import { gasPerTransaction } from './transaction.ts';

const publicKeys = {
  secp256k1: { length: 33, curve: secp256k1 },
  ed25519: { length: 32, curve: ed25519 },
};

/** Opens a session on a ledger. */
export function openSession(ledger: MemoryLedger, config: LedgerConfig, capabilities: Capabilities): Session {
  const properties = readProperties(config);
  const stated = (fee: bigint) => (ledger.misbehaviours.take('lieAboutFee') === undefined ? fee : fee / 2n);
  const attemptContext: AttemptContext = {
    chainId: ledger.chainId,
    sequence: ledger.sequence,
    rounds: ledger.signingRounds,
    replaces: signsBeforehand(properties, capabilities),
    feeCap: properties.feeCap,
    retries: properties.retries,
    validUntil: () => (ledger.expiry === undefined ? null : viewNow('prepare').height + ledger.expiry),
    stated,
  };

  const leave = ledger.enter({});
  return {
    chain: ({ everyNode = false }) =>
      reach('chain', 'open', () => {
        const { identity, unsure } = ledger;
        return everyNode && unsure !== undefined ? { ...identity, unsure } : identity;
      }),
    createWallet: ({ publicKey }) => alone('createWallet', 'wallet', () => createWallet(publicKey)),
    check: (request) =>
      reach('check', 'check', () => {
        const { fee, ...checked } = checkOperation(request, planContext());
        return { ...checked, cost: checked.cost - fee + stated(fee) };
      }),
    estimate: {
      all: (requests) =>
        reach('estimate', 'estimate', () => {
          const view = viewNow('estimate');
          return requests.map((request) => estimate(request, view));
        }),
    },
    prepare: {
      all: (requests) =>
        alone('prepare', 'prepare', () =>
          requests.map((request) => {
            const scripted = ledger.misbehaviours.take('failPrepare');
            if (scripted !== undefined) return { status: 'failed', problem: scripted.script.problem };
            return asking(prepareAttempts(request, attemptContext));
          }),
        ),
    },
    advance: {
      all: (advances) =>
        alone('advance', 'prepare', () => advances.map((advance) => advanceAttempt(advance, attemptContext))),
    },
    submit: { all: (submissions) => reach('submit', 'submit', () => submit(submissions)) },
    replace: {
      all: (requests) =>
        reach('replace', 'prepare', () =>
          requests.map((request) => replaceLate(request, ledger, attemptContext)),
        ),
    },
    inspect: {
      all: (requests) =>
        reach('inspect', 'submit', () => requests.map((request) => inspectLate(request, ledger))),
    },
    confirm: (request) =>
      reach('confirm', 'confirm', () => {
        const confirmed = confirmPending(request, viewNow('confirm'));
        const twice = confirmed.outcomes.length > 0 && ledger.misbehaviours.take('answerTwice') !== undefined;
        return twice ? { ...confirmed, outcomes: [...confirmed.outcomes, ...confirmed.outcomes] } : confirmed;
      }),
    onHead: (listener) => ledger.onHead(listener),
    sequences: (addresses, { everyNode = false }) =>
      reach('sequences', 'check', () => {
        if (everyNode && ledger.unsure !== undefined) throw adapterError('unavailable', ledger.unsure);
        // A node that is behind is one of several.
        const { height } = everyNode ? ledger.head : viewNow('sequences');
        return addresses.map((address) => ledger.state.nonceAt(normalise(address, 'check'), height));
      }),
    balances: {
      all: (addresses) =>
        reach('balances', 'check', () => {
          const { height } = viewNow('balances');
          return addresses.map((address) => ledger.state.balanceAt(normalise(address, 'check'), height));
        }),
    },
    normaliseAddress: (address) => alone('normaliseAddress', 'check', () => normalise(address, 'check')),
    emulate: (request) => reach('emulate', 'emulate', () => emulate(request)),
    lookup: (txId) => reach('lookup', 'lookup', () => lookUp(txId, viewNow('lookup'))),
    contractEvents: (request) =>
      reach('contractEvents', 'lookup', () => readEvents(request, viewNow('contractEvents'))),
    close: leave,
  };

  /** Runs a call that needs no ledger. */
  async function alone<Result>(
    method: SessionCall,
    phase: Phase,
    run: () => Result | Promise<Result>,
  ): Promise<Result> {
    await ledger.misbehaviours.take('hang', method)?.cleared;
    if (ledger.misbehaviours.take('throwGarbage', method) !== undefined) {
      throw new TypeError(`garbage from ${method} in ${phase}`);
    }
    return run();
  }

  /** Runs a call that asks the ledger. */
  function reach<Result>(method: SessionCall, phase: Phase, run: () => Result): Promise<Result> {
    return alone(method, phase, () => {
      if (ledger.isDown) {
        throw adapterError('unavailable', `Ledger ${config.ledgerId} cannot be reached; try again.`, {
          phase,
        });
      }
      if (properties.chainId !== undefined && properties.chainId !== ledger.chainId) {
        const detail = `chain_id is configured as ${properties.chainId}, the node is on ${ledger.chainId}.`;
        throw adapterError('wrong-chain', detail, { phase });
      }
      return run();
    });
  }

  /** As a plugin does that wants a signature which nobody gave it. */
  function asking(prepared: Prepared): Prepared {
    const scripted = ledger.misbehaviours.take('askAnother');
    const round = prepared.status === 'prepared' ? prepared.attempts[0]?.round : undefined;
    if (scripted === undefined || round?.done !== false) return prepared;
    const [request] = round.requests;
    if (request !== undefined) round.requests.push({ ...request, signer: scripted.script.address });
    return prepared;
  }

  function viewNow(method: SessionCall): View {
    const behind = ledger.misbehaviours.take('lag', method)?.script.blocks ?? 0;
    const height = Math.max(0, ledger.head.height - behind);
    const { confirmations, retries, retryDelay } = properties;
    return { ledger, height, confirmations, retries, retryDelay, stated };
  }

  function planContext(): PlanContext {
    const { chainId, gasPrice, deploySteps } = ledger;
    return { chainId, gasPrice, feeCap: properties.feeCap, deploySteps };
  }

  function normalise(address: string, phase: Phase): string {
    return requireAddress(address, phase, '/address');
  }

  function createWallet(publicKey: Uint8Array) {
    const { keyType } = ledger;
    const { length, curve } = publicKeys[keyType];
    try {
      if (publicKey.length !== length) throw new RangeError('of another length');
      curve.Point.fromBytes(publicKey);
    } catch (cause) {
      const detail = `must be a public key of ${keyType}, ${length} bytes`;
      const issues = [{ pointer: '/publicKey', detail }];
      throw adapterError('invalid-argument', `/publicKey ${detail}.`, { phase: 'wallet', issues, cause });
    }
    return { done: true as const, result: { address: addressOfPublicKey(publicKey) } };
  }

  function estimate(request: EstimateRequest, view: View): Estimated {
    const plan = planFromJson(request.plan, 'estimate');
    const scripted = ledger.misbehaviours.take('failEstimate');
    if (scripted !== undefined) return { status: 'failed', problem: scripted.script.problem };
    const wait = (code: 'unavailable' | 'fee-above-cap', detail: string): Estimated => ({
      status: 'wait',
      problem: { code, phase: 'estimate', detail },
    });
    if (view.height < request.minHeight) {
      return wait('unavailable', `The node is at ${view.height}, block ${request.minHeight} is needed.`);
    }
    const failed = failureOf(plan, view.height);
    if (failed !== undefined) return { status: 'failed', problem: { ...failed, phase: 'estimate' } };
    const gasPrice = plan.gasPrice ?? ledger.gasPrice;
    const fee = plan.gas * gasPrice;
    if (properties.feeCap !== undefined && fee > properties.feeCap) {
      return wait('fee-above-cap', `The fee of ${fee} is above the cap of ${properties.feeCap}.`);
    }
    const cost = plan.value + (plan.payer === undefined ? stated(fee) : 0n);
    return { status: 'ready', plan: planToJson({ ...plan, gasPrice }), cost };
  }

  function failureOf(
    plan: { type: string; from: string; to: string | null; value: bigint; data: string },
    height: number,
  ): Pick<AdapterProblem, 'code' | 'detail'> | undefined {
    if (plan.type === 'contract_call' && ledger.state.codeAt(plan.to ?? '', height) === undefined) {
      return { code: 'unknown-contract', detail: `There is no contract at ${plan.to}.` };
    }
    const effects = ledger.state.simulate(plan, height);
    return effects.ok ? undefined : { code: 'reverted', detail: `The contract refused: ${effects.reason}.` };
  }

  function submit(submissions: Submission[]): Submitted[] {
    const answers = submissions.map(({ txId, bytes, first, everyNode = false }): Submitted => {
      const rejected = ledger.misbehaviours.take('rejectSubmits');
      if (rejected !== undefined) {
        const problem: AdapterProblem = rejected.script.problem ?? {
          code: 'refused',
          phase: 'submit',
          txId,
          detail: 'The node refuses transactions now.',
        };
        return { txId, status: 'refused', problem };
      }
      const certain = isKnown(txId) ? undefined : ledger.misbehaviours.take('rejectForCertain');
      if (certain !== undefined) {
        const detail = 'The ledger will never take this transaction.';
        const problem = certain.script.problem ?? { code: 'refused', phase: 'submit', txId, detail };
        return { txId, status: 'rejected', problem };
      }
      const forgetful = ledger.misbehaviours.take('acceptButForget');
      if (forgetful !== undefined && !(everyNode && forgetful.script.othersKeep === true)) {
        return { txId, status: forgetful.script.says ?? 'accepted' };
      }
      const { status, problem } = ledger.submit(bytes, first);
      const taken = status === 'accepted' || status === 'known';
      const note = ledger.ownIds && taken ? { note: `own:${txId.slice(2, 18)}` } : {};
      return { txId, status, ...(problem === undefined ? {} : { problem }), ...note };
    });
    if (submissions.length === 0) return [];
    if (ledger.misbehaviours.take('acceptAndTimeout') !== undefined) {
      throw adapterError('timeout', 'The node did not answer in time; it may have taken the bytes.', {
        phase: 'submit',
      });
    }
    return ledger.misbehaviours.take('answerTwice') === undefined ? answers : [...answers, ...answers];
  }

  function isKnown(txId: string): boolean {
    return (
      ledger.transaction(txId) !== undefined || ledger.pool.some((transaction) => transaction.txId === txId)
    );
  }

  function emulate({ wallet, operation, systemContracts }: EmulateRequest): Emulated {
    if (operation.type === 'contract_call' && operation.contract.address === systemContract) {
      if (systemContracts === true) return { result: viewNow('emulate').height };
      const detail = 'The contract is of the ledger itself.';
      throw adapterError('system-contract', detail, { phase: 'emulate' });
    }
    if (isUndeployed(operation)) {
      const detail = 'The contract is not deployed yet: there is nothing to emulate.';
      throw adapterError('unknown-contract', detail, { phase: 'emulate' });
    }
    const { to, value, data } = encodeOperation(operation, 'emulate');
    const from = wallet === undefined ? '' : normalise(wallet.address, 'emulate');
    const { height } = viewNow('emulate');
    const failed = failureOf({ type: operation.type, from, to, value, data }, height);
    if (failed !== undefined) throw adapterError(failed.code, failed.detail, { phase: 'emulate' });
    const fee = gasPerTransaction * ledger.gasPrice;
    const balance = ledger.state.balanceAt(from, height);
    if (wallet !== undefined && balance < value + fee) {
      const detail = `${from} holds ${balance}, the operation needs ${value + fee}.`;
      throw adapterError('insufficient-funds', detail, { phase: 'emulate' });
    }
    const effects = ledger.state.simulate({ from, to, value, data }, height);
    return {
      result: effects.ok ? effects.result : null,
      ...(wallet === undefined ? {} : { fee: stated(fee) }),
      figures: { gas: gasPerTransaction.toString() },
    };
  }
}

/** Where they can be signed when they are needed, they are signed beforehand only for those who ask for it. */
function signsBeforehand({ replaceAfter, presigned }: MemoryProperties, capabilities: Capabilities): boolean {
  if (!capabilities.replacement || replaceAfter === 0n) return false;
  return presigned || (capabilities.onDemandReplacement !== true && replaceAfter !== undefined);
}
