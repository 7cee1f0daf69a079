import {
  type AdapterHost,
  adapterError,
  type LedgerConfig,
  type LedgerSession,
  type Phase,
} from '@ledger-ops/adapter';
import { createChannels } from './blocks/channels.ts';
import { genesisOfAll } from './blocks/genesis.ts';
import { createHeads } from './blocks/heads.ts';
import { createCaClient } from './ca/ca-client.ts';
import { createEnrollment } from './ca/enrollment.ts';
import { createDefinitions } from './chaincode/definitions.ts';
import { describeContract } from './chaincode/describe-contract.ts';
import { createMetadataCache } from './chaincode/interface.ts';
import { checkOperation } from './check.ts';
import { createConfirmer } from './confirm.ts';
import { advanceEmulation, emulateAs, emulateOperation } from './emulate.ts';
import { createEstimator } from './estimate.ts';
import { createEndorsementLimits } from './gateway/endorsement-limits.ts';
import { toAdapterError } from './gateway/errors.ts';
import { PeerError } from './gateway/peer-error.ts';
import { createPeers } from './gateway/peers.ts';
import { createQscc } from './gateway/qscc.ts';
import { createQueries } from './gateway/query.ts';
import { openQueryIdentity } from './gateway/query-identity.ts';
import { createSemaphore } from './gateway/semaphore.ts';
import { requireAddress } from './identity/address.ts';
import { lookUp } from './lookup.ts';
import { createMsps } from './msp/msp.ts';
import { createTransactionCache } from './outcomes/transaction-cache.ts';
import { advanceAttempt, prepareAttempts } from './prepare.ts';
import { readProperties } from './properties.ts';
import { submitAll } from './submit.ts';
import { defaultTiming, type Timing } from './timing.ts';
import { advanceWallet, createWallet, renewWallet } from './wallet.ts';

/**
 * Opens a session on a Fabric ledger; nothing is asked of it yet.
 * @throws AdapterError `invalid-argument` for a wrong property or node
 */
export async function openSession(
  ledger: LedgerConfig,
  host: AdapterHost,
  timing: Timing = defaultTiming,
): Promise<LedgerSession> {
  const properties = readProperties(ledger);
  const queryIdentity = openQueryIdentity(properties);
  const now = () => host.now();
  const peers = createPeers(ledger, properties, now, timing.peers);
  const end = new AbortController();
  const semaphore = createSemaphore(properties.maxPeerCalls);
  const queries = createQueries(peers, queryIdentity, semaphore);
  const qscc = createQscc(queries, properties.rpcTimeout);
  const msps = createMsps(qscc, timing.configuration);
  const definitions = createDefinitions(queries, properties.rpcTimeout);
  const metadata = createMetadataCache();
  const transactions = createTransactionCache();
  const used = new Set<string>();
  const endorsementLimits = createEndorsementLimits(properties.maxPeerCalls, timing.endorsement);
  const channels = createChannels({
    ...{ peers, queryIdentity, qscc, host },
    stallTimeout: properties.commitTimeout,
    timing: timing.blocks,
    onNews: () => heads.announce(),
  });
  const ca = properties.ca;
  const caClient = ca === undefined ? undefined : createCaClient(ca, ledger.outbound, properties.rpcTimeout);
  const enrollment =
    ca === undefined || caClient === undefined
      ? undefined
      : createEnrollment(caClient, ca, timing.registrarRenewal);
  const context = {
    ...{ peers, semaphore, queries, qscc, msps, definitions, metadata, transactions, channels },
    ...{ queryIdentity, properties, timing, host, used, now, enrollment, expect, endorsementLimits },
    ...{ onNews: () => heads.announce(), signal: end.signal },
  };
  const confirmer = createConfirmer(context);
  const estimate = createEstimator(context);

  const heads = createHeads({
    head: () => confirmer.head(),
    follow: () => channels.follow(properties.channel),
    failed: () => host.log('info', 'fabric.channel.unread', { channel: properties.channel }),
    pause: timing.blocks.follow,
    signal: end.signal,
  });

  /** Something is sent to a channel: its blocks are followed. Whether they were before. */
  function expect(channel: string): boolean {
    const blockStream = channels.get(channel);
    if (blockStream !== undefined) return true;
    used.add(channel);
    return false;
  }

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      host.signal.removeEventListener('abort', onAbort);
      end.abort();
      channels.close();
      confirmer.close();
      peers.close();
      await caClient?.close();
    })();
    return closing;
  };
  const onAbort = () => void close();
  host.signal.addEventListener('abort', onAbort);
  if (host.signal.aborted) onAbort();

  const closedError = (phase: Phase) =>
    adapterError('unavailable', phase, `The session of ledger ${ledger.ledgerId} is closed.`);

  /** Runs a call while the session is open; a peer's failure that got this far becomes an AdapterError. */
  async function whileOpen<Result>(phase: Phase, run: () => Result | Promise<Result>): Promise<Result> {
    if (end.signal.aborted) throw closedError(phase);
    try {
      return await run();
    } catch (error) {
      if (end.signal.aborted) throw closedError(phase);
      if (error instanceof PeerError) throw toAdapterError(error, phase);
      throw error;
    }
  }

  const unsupported = (phase: Phase, what: string) =>
    whileOpen(phase, (): never => {
      throw adapterError('unsupported-operation', phase, `Fabric has no ${what}.`);
    });

  return {
    chain: ({ everyNode = false } = {}) =>
      whileOpen('open', async () => ({
        // A chain id has no dots; channels have no underscores.
        id: `fabric:${properties.channel.replaceAll('.', '_')}`,
        ...(everyNode
          ? await genesisOfAll(properties.channel, peers, qscc)
          : { genesis: await channels.genesis(properties.channel) }),
      })),
    createWallet: (request) => whileOpen('wallet', () => createWallet(request, context)),
    advanceWallet: (advance) => whileOpen('wallet', () => advanceWallet(advance, context)),
    renewWallet: (wallet) => whileOpen('wallet', () => renewWallet(wallet, context)),
    check: (request) => whileOpen('check', () => checkOperation(request, context)),
    estimate: (requests) => whileOpen('estimate', () => estimate(requests)),
    prepare: (requests) =>
      whileOpen('prepare', () =>
        Promise.all(
          requests.map(async (request) => ({
            status: 'prepared' as const,
            attempts: [{ kind: 'main' as const, round: await prepareAttempts(request, context) }],
          })),
        ),
      ),
    advance: (advances) =>
      whileOpen('prepare', () => Promise.all(advances.map((advance) => advanceAttempt(advance, context)))),
    submit: (submissions) => whileOpen('submit', () => submitAll(submissions, context)),
    confirm: (request) => whileOpen('confirm', () => confirmer.confirm(request)),
    onHead(listener) {
      if (end.signal.aborted) throw closedError('confirm');
      return heads.onHead(listener);
    },
    sequences: () => unsupported('check', 'sequences: transactions of an account are independent'),
    balances: () => unsupported('check', 'native currency'),
    normaliseAddress: (address) => whileOpen('check', () => requireAddress(address, 'check', '/address')),
    describeContract: (address) =>
      whileOpen('interface', () => describeContract(address, queries, properties.rpcTimeout)),
    emulate: (request) => whileOpen('emulate', () => emulateOperation(request, context)),
    emulateAs: (request) => whileOpen('emulate', () => emulateAs(request, context)),
    advanceEmulation: (advance) => whileOpen('emulate', () => advanceEmulation(advance, context)),
    lookup: (txId) => whileOpen('lookup', () => lookUp(txId, context)),
    close,
  };
}
