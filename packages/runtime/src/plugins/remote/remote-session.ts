import {
  type AdapterDefinition,
  AdapterError,
  type AdapterHost,
  adapterError,
  type ChainIdentity,
  type Checked,
  type CheckRequest,
  type JsonObject,
  type LedgerConfig,
  type LedgerSession,
  type NewWallet,
  type Prepared,
  type PrepareRequest,
} from '@ledger-ops/adapter';
import { protocolLimits } from '@ledger-ops/adapter/cloud-wallet';
import type { MasterKey } from '@ledger-ops/base';
import type { RemoteAdapterDefinition, RemoteOperation } from '@ledger-ops/cloud-wallet';
import { withoutSecrets } from '@ledger-ops/glo-core';
import { technologyOf } from '../technology-of.ts';
import { namedBySignature } from './method-signature.ts';
import { operationMessage } from './operation-message.ts';
import { nowhere, RemoteStatuses } from './remote-statuses.ts';
import { readRemoteWallet, remoteWalletRequests } from './remote-wallet.ts';
import {
  type RemoteMaterial,
  readMaterial,
  sealOperation,
  sealSecret,
  sentOperation,
  writeSend,
} from './sealed-send.ts';
import { sendRemote } from './send-remote.ts';

export interface RemoteOptions {
  masterKey: MasterKey;
  /** The plugin's URL. Secrets of wallets that were created at another URL are not sent to it. */
  url: string;
  /**
   * Parses contract interfaces. The protocol has no call for this, so a local plugin of the same technology is used, if
   * there is one.
   */
  readInterface?: AdapterDefinition['readInterface'];
  /** CAIP-2 namespace of the technology's chains. Default: the technology's name. */
  namespace?: string | undefined;
}

/** Default polling interval in milliseconds; a property of the ledger can override it. */
const defaultPolling = 500;
export interface RemoteSessionOptions extends RemoteOptions {
  remote: RemoteAdapterDefinition;
  ledger: LedgerConfig;
  host: AdapterHost;
}

/**
 * Creates a session on a ledger behind a remote plugin, as the cloud wallet protocol requires. A request is durable
 * before it is sent. A missing response proves nothing, so the same request is sent again. Once a response is stored,
 * only the status that the plugin reports decides the outcome.
 */
export function createRemoteSession(options: RemoteSessionOptions): LedgerSession {
  const { remote, ledger, host, masterKey, url } = options;
  const technology = technologyOf(remote);
  const plugin = remote.open(ledger.ledgerId);
  const statuses = new RemoteStatuses(remote.name, plugin, host);
  const unsupported = (what: string) =>
    adapterError('unsupported-operation', `The plugin ${remote.name} does not support ${what}.`, {
      phase: 'check',
    });

  function ownMaterial({ address, material: stored }: CheckRequest['wallet']): RemoteMaterial {
    const material = readMaterial(stored);
    if (material === null) throw foreignWallet(address);
    if (material.url !== url) throw movedWallet(address);
    return material;
  }

  function movedWallet(address: string): AdapterError {
    const detail = `The wallet ${address} was created by a remote plugin at a different URL than the plugin ${remote.name} has now, and the wallet's secret is only sent to that URL. Restore the plugin's URL, select the plugin that created the wallet, or create another wallet.`;
    return adapterError('unsupported-operation', detail, { phase: 'check' });
  }

  async function check({ wallet, others = [], operation }: CheckRequest): Promise<Checked> {
    const material = ownMaterial(wallet);
    const named = others.map((other) => ownMaterial(other).remoteWallet);
    const recipients = operation.type === 'transfer' ? [operation.recipient] : [];
    // The contract is not deployed yet. The call is checked when the contract's address is known.
    if (operation.type === 'contract_call' && operation.contract.address === null) {
      return { plan: {}, recipients, readiness: 'estimate', cost: 0n };
    }
    const signed = await namedBySignature(operation, options.readInterface);
    const message = operationMessage(signed, technology);
    demandFits(message);
    const shown = withoutSecrets(signed, technology);
    const plan: JsonObject = { operation: plainJson(operationMessage(shown, technology)) };
    const planned = shown === signed ? { plan } : { plan, secret: { operation: plainJson(message) } };
    if (!remote.capabilities.checks) return { ...planned, recipients, readiness: 'estimate', cost: 0n };
    const { cost, costs, ...checked } = await plugin.check({
      ...message,
      walletId: material.remoteWallet,
      ...(named.length === 0 ? {} : { others: named }),
    });
    const paid = costs === undefined ? {} : { costs };
    // `estimate` and `prepare` read the cost from the plan.
    const priced = cost === undefined ? plan : { ...plan, cost: cost.toString() };
    return {
      ...planned,
      ...{ plan: priced, recipients: checked.recipients, readiness: 'estimate', cost: cost ?? 0n, ...paid },
    };
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
    const result = { txId: actionId, bytes, cost: costOf(plan) };
    return { status: 'prepared', attempts: [{ kind: 'main', round: { done: true, result } }] };
  }

  return {
    chain: () => Promise.resolve(chainOf(ledger, options.namespace)),
    // The signing round makes the host store the values, from which the id and the secret are derived, before it calls
    // the plugin.
    createWallet: async ({ parameters }) => ({
      done: false,
      requests: remoteWalletRequests(url),
      state: parameters,
    }),
    async advanceWallet({ state, signatures }) {
      const { walletId, secret } = readRemoteWallet(signatures);
      // The host passes the state from `createWallet` back unchanged.
      const parameters = state as NewWallet['parameters'];
      const { address } = await plugin.createWallet({ walletId, secret, parameters });
      const sealedSecret = sealSecret(masterKey, { remoteWallet: walletId, url }, secret);
      return { done: true, result: { address, material: { remoteWallet: walletId, url, sealedSecret } } };
    },
    check,
    estimate: async (requests) => requests.map(({ plan }) => ({ status: 'ready', plan, cost: costOf(plan) })),
    prepare: async (requests) => requests.map(prepare),
    advance: () => Promise.reject(unsupported('signing rounds')),
    submit: (submissions) =>
      Promise.all(submissions.map((one) => sendRemote(one, { name: remote.name, plugin, masterKey, url }))),
    confirm: (request) => statuses.confirm(request),
    onHead: (listener) => pollHeads(ledger, listener),
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
            if (requests !== undefined) statuses.reportRequests({ requests });
            return page;
          },
        }
      : {}),
    lookup: () => Promise.reject(unsupported('transaction lookups')),
    close: async () => {},
  };
}

/**
 * Calls the listener periodically, because a remote plugin does not announce blocks. Returns a function that stops the
 * calls.
 */
function pollHeads(
  { properties }: LedgerConfig,
  listener: Parameters<LedgerSession['onHead']>[0],
): () => void {
  const every = properties.polling_interval;
  const timer = setInterval(() => listener(nowhere), typeof every === 'number' ? every : defaultPolling);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns the cost that the plugin returned for `check`; 0 if it returned none. */
function costOf({ cost }: JsonObject): bigint {
  return typeof cost === 'string' ? BigInt(cost) : 0n;
}

/** Number of bytes reserved in a request for ids and the wallet's secret. */
const reservedBytes = 16_384;

/** @throws AdapterError `invalid-argument` if the operation is too large for the protocol */
function demandFits(message: RemoteOperation): void {
  const bytes = Buffer.byteLength(JSON.stringify(message));
  const most = protocolLimits.bodyBytes - reservedBytes;
  if (bytes <= most) return;
  const detail = `The operation with its contract has ${bytes} bytes, but a remote plugin accepts at most ${most}.`;
  throw adapterError('invalid-argument', detail, { phase: 'check' });
}

/** Removes members without values. */
function plainJson(message: RemoteOperation): JsonObject {
  return JSON.parse(JSON.stringify(message));
}

/** Returns the chain from the ledger's record. It is needed so that wallets on the same ledger can be recipients. */
function chainOf(
  { ledgerId, technology, properties: { chain_id: chainId } }: LedgerConfig,
  namespace = technology,
): ChainIdentity {
  const reference = typeof chainId === 'number' || typeof chainId === 'string' ? chainId : ledgerId;
  return { id: `${namespace}:${reference}`, genesis: 'remote' };
}

function foreignWallet(address: string): AdapterError {
  const detail = `The wallet ${address} was not created by a remote plugin, and remote plugins keep the keys of their wallets themselves. Create a wallet on this ledger, or select the plugin that created the wallet.`;
  return adapterError('unsupported-operation', detail, { phase: 'check' });
}
