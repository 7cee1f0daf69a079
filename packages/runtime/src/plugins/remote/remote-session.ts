import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AdapterDefinition,
  AdapterError,
  type AdapterHost,
  type AdapterProblem,
  adapterError,
  type ChainIdentity,
  type Checked,
  type CheckRequest,
  type Confirmed,
  type ConfirmRequest,
  type JsonObject,
  type LedgerConfig,
  type LedgerSession,
  type Outcome,
  type Prepared,
  type PrepareRequest,
  type Remark,
  type Submission,
  type Submitted,
} from '@ledger-ops/adapter';
import { protocolLimits } from '@ledger-ops/adapter/cloud-wallet';
import { plainWords } from '@ledger-ops/adapter/words';
import { type MasterKey, SealError } from '@ledger-ops/base';
import type { RemoteAdapterDefinition, RemoteOperation, RemoteStatus } from '@ledger-ops/cloud-wallet';
import { withoutSecrets } from '@ledger-ops/glo-core';
import { adapterProblemFrom } from '../../adapter-problem.ts';
import { technologyOf } from '../technology-of.ts';
import { namedBySignature } from './method-signature.ts';
import { operationMessage } from './operation-message.ts';
import {
  openOperation,
  openSecret,
  type RemoteMaterial,
  readMaterial,
  readSend,
  sealOperation,
  sealSecret,
  sentOperation,
  writeSend,
} from './sealed-send.ts';

export interface RemoteOptions {
  masterKey: MasterKey;
  /** Where the plugin is; wallets' secrets that were made for another place do not go there. */
  url: string;
  /** Reads contracts of the plugin's technology, where a plugin here can: the protocol itself has no such call. */
  readInterface?: AdapterDefinition['readInterface'];
  /** Of its technology's chains. Default: the technology's name. */
  namespace?: string | undefined;
}

/** Milliseconds between two looks at what a plugin works on, unless the ledger says otherwise. */
const defaultPolling = 500;
/** Codes that prove nothing: the plugin may have the request all the same. */
const uncertain = new Set(['unavailable', 'timeout', 'not-opened', 'adapter-fault']);
/** A remote plugin shows no blocks. */
const nowhere = { height: 0, hash: 'remote' };

export interface RemoteSessionOptions extends RemoteOptions {
  remote: RemoteAdapterDefinition;
  ledger: LedgerConfig;
  host: AdapterHost;
}

/**
 * A ledger behind a remote plugin, driven by the rules of the cloud wallet protocol: the request is durable before it is
 * sent; no answer proves nothing, and the same request goes out again; an answer is stored, and from then on only
 * the plugin's status decides.
 */
export function createRemoteSession(options: RemoteSessionOptions): LedgerSession {
  const { remote, ledger, host, masterKey, url } = options;
  const technology = technologyOf(remote);
  const plugin = remote.open(ledger.ledgerId);
  /** Answered once and unknown later: said once, not at each look. */
  const lost = new Set<string>();
  const unsupported = (what: string) =>
    adapterError('unsupported-operation', `The plugin ${remote.name} has no ${what}.`, { phase: 'check' });

  function ownMaterial({ address, material: stored }: CheckRequest['wallet']): RemoteMaterial {
    const material = readMaterial(stored);
    if (material === null) throw foreignWallet(address);
    if (material.url !== url) throw movedWallet(address);
    return material;
  }

  function movedWallet(address: string): AdapterError {
    const detail = `The wallet ${address} was made by a remote plugin at another URL than the plugin ${remote.name} has now, and what proves who may use it goes to that URL alone. Give the plugin its former URL back, name the plugin that the wallet was made with, or make another wallet.`;
    return adapterError('unsupported-operation', detail, { phase: 'check' });
  }

  async function check({ wallet, others = [], operation }: CheckRequest): Promise<Checked> {
    const material = ownMaterial(wallet);
    const named = others.map((other) => ownMaterial(other).remoteWallet);
    const recipients = operation.type === 'transfer' ? [operation.recipient] : [];
    // The contract is still to be deployed: it is checked when its address is known.
    if (operation.type === 'contract_call' && operation.contract.address === null) {
      return { plan: {}, recipients, readiness: 'estimate', cost: 0n };
    }
    const signed = await namedBySignature(operation, options.readInterface);
    const message = operationMessage(signed, technology);
    demandRoom(message);
    const shown = withoutSecrets(signed, technology);
    const plan: JsonObject = { operation: plainJson(operationMessage(shown, technology)) };
    const planned = shown === signed ? { plan } : { plan, secret: { operation: plainJson(message) } };
    if (!remote.capabilities.checks) return { ...planned, recipients, readiness: 'estimate', cost: 0n };
    const {
      cost = 0n,
      costs,
      ...checked
    } = await plugin.check({
      ...message,
      walletId: material.remoteWallet,
      ...(named.length === 0 ? {} : { others: named }),
    });
    const paid = costs === undefined ? {} : { costs };
    return { ...planned, recipients: checked.recipients, readiness: 'estimate', cost, ...paid };
  }

  function prepare({ actionId, wallet, others = [], plan, secret }: PrepareRequest): Prepared {
    let materials: RemoteMaterial[];
    try {
      materials = [wallet, ...others].map(ownMaterial);
    } catch (error) {
      if (error instanceof AdapterError) return { status: 'failed', problem: error.problem };
      throw error;
    }
    const [material, ...more] = materials;
    if (material === undefined) throw foreignWallet(wallet.address);
    const bytes = writeSend({
      actionId,
      walletId: material.remoteWallet,
      sealedSecret: material.sealedSecret,
      ...(more.length === 0
        ? {}
        : {
            others: more.map(({ remoteWallet, sealedSecret }) => ({ walletId: remoteWallet, sealedSecret })),
          }),
      ...(secret === undefined
        ? { operation: sentOperation.parse(plan.operation) }
        : { sealedOperation: sealOperation(masterKey, actionId, sentOperation.parse(secret.operation)) }),
    });
    const result = { txId: actionId, bytes, cost: 0n };
    return { status: 'prepared', attempts: [{ kind: 'main', round: { done: true, result } }] };
  }

  async function send({ txId, bytes }: Submission): Promise<Submitted> {
    try {
      const sealed = readSend(bytes);
      const { actionId, walletId } = sealed;
      const operation = openOperation(masterKey, sealed);
      const opened = (one: { walletId: string; sealedSecret: string }) => ({
        walletId: one.walletId,
        secret: openSecret(masterKey, { remoteWallet: one.walletId, url }, one.sealedSecret),
      });
      const others = sealed.others === undefined ? {} : { others: sealed.others.map(opened) };
      const { secret } = opened(sealed);
      const { txId: note } = await plugin.send({ actionId, walletId, secret, ...others, ...operation });
      return { txId, status: 'accepted', note };
    } catch (error) {
      // It may have been sent to the former URL: this proves nothing.
      if (error instanceof SealError) return { txId, status: 'unavailable', problem: unopened(remote.name) };
      const problem = adapterProblemFrom(error);
      if (problem.data?.status === 413) return await tooLarge(txId, problem);
      const proves = error instanceof AdapterError && !uncertain.has(error.code);
      return { txId, status: proves ? 'rejected' : 'unavailable', problem };
    }
  }

  /** A request that somebody on the way found too large now may have come through before: the plugin says whether it has it. */
  async function tooLarge(txId: string, problem: AdapterProblem): Promise<Submitted> {
    const [known] = await plugin.status([txId]).catch(() => []);
    if (known === undefined) return { txId, status: 'unavailable', problem };
    return known.status === 'UNKNOWN'
      ? { txId, status: 'rejected', problem }
      : { txId, status: 'accepted', note: txId };
  }

  async function confirm({ pending }: ConfirmRequest): Promise<Confirmed> {
    const noted = [...pending].flatMap(([txId, { note }]) => (note === undefined ? [] : [{ txId, note }]));
    const answers = noted.length === 0 ? [] : await plugin.status(noted.map(({ note }) => note));
    const outcomes: Outcome[] = [];
    const remarks: Remark[] = [];
    for (const [index, { txId, note }] of noted.entries()) {
      const answer = answers[index];
      tellRequests(answer);
      const outcome = outcomeOf(txId, answer);
      if (outcome !== null) outcomes.push(outcome);
      if (answer?.status === 'UNKNOWN') remarks.push({ txId, detail: forgotten(txId, note, answer) });
      else lost.delete(txId);
    }
    return { cursor: nowhere, head: nowhere, outcomes, reorganised: false, remarks };
  }

  function tellRequests(answer: Pick<RemoteStatus, 'requests'> | undefined): void {
    for (const { method, result, milliseconds } of answer?.requests ?? [])
      host.requested?.(method, result, milliseconds);
  }

  /** Sending again could execute it twice: a person must look at it. */
  function forgotten(txId: string, note: string, { problem }: RemoteStatus): string {
    if (!lost.has(txId)) host.log('error', 'remote.lost', { actionId: txId });
    lost.add(txId);
    const words = problem === undefined ? '' : ` ${problem.detail}`;
    return `The plugin ${remote.name} took it as ${plainWords(note, 200)}, and now does not know it. It is not sent again, since that could execute it twice: ask who runs the plugin what became of it.${words}`;
  }

  function outcomeOf(txId: string, answer: RemoteStatus | undefined): Outcome | null {
    if (answer === undefined || answer.status === 'PROCESSING' || answer.status === 'UNKNOWN') return null;
    const { locator, contractAddress, problem } = answer;
    const at = { txId, height: nowhere.height, blockHash: nowhere.hash };
    const where = locator === undefined ? at : { ...at, locator };
    if (answer.status === 'SUCCEEDED') {
      return { ...where, status: 'succeeded', ...(contractAddress === undefined ? {} : { contractAddress }) };
    }
    return { ...where, status: 'failed', problem: problem ?? unexplained(remote.name) };
  }

  return {
    chain: () => Promise.resolve(chainOf(ledger, options.namespace)),
    async createWallet({ parameters }) {
      const walletId = randomUUID();
      const secret = randomBytes(32).toString('base64url');
      const { address } = await plugin.createWallet({ walletId, secret, parameters });
      const sealedSecret = sealSecret(masterKey, { remoteWallet: walletId, url }, secret);
      return { done: true, result: { address, material: { remoteWallet: walletId, url, sealedSecret } } };
    },
    advanceWallet: () => Promise.reject(unsupported('rounds of signing')),
    check,
    estimate: async (requests) => requests.map(({ plan }) => ({ status: 'ready', plan, cost: 0n })),
    prepare: async (requests) => requests.map(prepare),
    advance: () => Promise.reject(unsupported('rounds of signing')),
    submit: (submissions) => Promise.all(submissions.map(send)),
    confirm,
    onHead(listener) {
      const every = ledger.properties.polling_interval;
      const timer = setInterval(() => listener(nowhere), typeof every === 'number' ? every : defaultPolling);
      timer.unref();
      return () => clearInterval(timer);
    },
    sequences: () => Promise.reject(unsupported('sequences')),
    balances: () => Promise.reject(unsupported('balances')),
    normaliseAddress: async (address) => address,
    async emulate({ wallet, operation, systemContracts }) {
      const message = operationMessage(await namedBySignature(operation, options.readInterface), technology);
      const walletId = readMaterial(wallet?.material)?.remoteWallet;
      return plugin.emulate({
        ...message,
        ...(walletId === undefined ? {} : { walletId }),
        ...(systemContracts === undefined ? {} : { systemContracts }),
      });
    },
    ...(remote.capabilities.contractEvents === true
      ? {
          async contractEvents(request) {
            const { requests, ...page } = await plugin.contractEvents(request);
            if (requests !== undefined) tellRequests({ requests });
            return page;
          },
        }
      : {}),
    lookup: () => Promise.reject(unsupported('look-up of transactions')),
    close: async () => {},
  };
}

/** Bytes of a request beside its operation: ids and the wallet's secret. */
const besideOperation = 16_384;

/** @throws AdapterError `invalid-argument` for what no plugin takes */
function demandRoom(message: RemoteOperation): void {
  const bytes = Buffer.byteLength(JSON.stringify(message));
  const most = protocolLimits.bodyBytes - besideOperation;
  if (bytes <= most) return;
  const detail = `The operation with its contract has ${bytes} bytes, and goes to a remote plugin, which takes ${most} at most.`;
  throw adapterError('invalid-argument', detail, { phase: 'check' });
}

/** Without the members that have no value. */
function plainJson(message: RemoteOperation): JsonObject {
  return JSON.parse(JSON.stringify(message));
}

/** The ledger's chain by what its record says, so that recipients of other wallets of the ledger are found. */
function chainOf(
  { ledgerId, technology, properties: { chain_id: chainId } }: LedgerConfig,
  namespace = technology,
): ChainIdentity {
  const reference = typeof chainId === 'number' || typeof chainId === 'string' ? chainId : ledgerId;
  return { id: `${namespace}:${reference}`, genesis: 'remote' };
}

function foreignWallet(address: string): AdapterError {
  const detail = `The wallet ${address} was not made by a remote plugin, which keeps the keys of its wallets itself. Make a wallet on this ledger, or name the plugin that the wallet was made with.`;
  return adapterError('unsupported-operation', detail, { phase: 'check' });
}

function unopened(name: string) {
  const detail = `The wallet was made by a remote plugin at another URL than the plugin ${name} has now: nothing is sent there. Give the plugin its former URL back.`;
  return { code: 'unavailable', phase: 'submit', detail } as const;
}

function unexplained(name: string) {
  const detail = `The plugin ${name} says that it failed, and not why.`;
  return { code: 'adapter-fault', phase: 'confirm', detail } as const;
}
