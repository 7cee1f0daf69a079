import type { AdapterHost, LedgerConfig, Session } from '@ledger-ops/adapter';
import { createChannels } from './blocks/channels.ts';
import { genesisOfAll } from './blocks/genesis.ts';
import { createHeads } from './blocks/heads.ts';
import { createCaClient } from './ca/ca-client.ts';
import { Enrollment } from './ca/enrollment.ts';
import { createDefinitions } from './chaincode/definitions.ts';
import { describeContract } from './chaincode/describe-contract.ts';
import { createMetadataCache } from './chaincode/interface.ts';
import { checkOperation } from './check.ts';
import { Confirmer } from './confirm.ts';
import { advanceEmulation, emulateAs, emulateOperation } from './emulate.ts';
import { createEstimator } from './estimate.ts';
import { createEventReader } from './events.ts';
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
 * Opens a session on a Fabric ledger, without querying it.
 * @throws AdapterError `invalid-argument` for an invalid property or node
 */
export async function openSession(
  ledger: LedgerConfig,
  host: AdapterHost,
  timing: Timing = defaultTiming,
): Promise<Session> {
  const properties = readProperties(ledger);
  const queryIdentity = openQueryIdentity(properties);
  const now = () => host.now();
  const peers = createPeers(ledger, properties, host, timing.peers);
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
  const caClient =
    ca === undefined ? undefined : createCaClient(ca, ledger.outbound, properties.rpcTimeout, host);
  const enrollment =
    ca === undefined || caClient === undefined
      ? undefined
      : new Enrollment(caClient, ca, timing.registrarRenewal);
  const context = {
    ...{ peers, semaphore, queries, qscc, msps, definitions, metadata, transactions, channels },
    ...{ queryIdentity, properties, timing, host, used, now, enrollment, expect, endorsementLimits },
    ...{ onNews: () => heads.announce(), signal: host.signal },
  };
  const confirmer = new Confirmer(context);
  const estimate = createEstimator(context);
  const events = createEventReader(context);

  const heads = createHeads({
    head: () => confirmer.head(),
    follow: () => channels.follow(properties.channel),
    failed: () => host.log('info', 'fabric.channel.unread', { channel: properties.channel }),
    pause: timing.blocks.follow,
    signal: host.signal,
  });

  /**
   * Follows a channel's blocks before a transaction is sent to it. Returns whether it was already followed.
   */
  function expect(channel: string): boolean {
    const blockStream = channels.get(channel);
    if (blockStream !== undefined) return true;
    used.add(channel);
    return false;
  }

  return {
    async chain({ everyNode = false }) {
      const found = everyNode
        ? await genesisOfAll(properties.channel, peers, qscc)
        : { genesis: await channels.genesis(properties.channel) };
      // Chain ids have no dots, and channel names have no underscores.
      return { id: `fabric:${properties.channel.replaceAll('.', '_')}`, ...found };
    },
    createWallet: (request) => createWallet(request, context),
    advanceWallet: (advance) => advanceWallet(advance, context),
    renewWallet: (wallet) => renewWallet(wallet, context),
    check: (request) => checkOperation(request, context),
    estimate: { all: (requests) => estimate(requests) },
    prepare: (request) => prepareAttempts(request, context),
    advance: (advance) => advanceAttempt(advance, context),
    submit: { all: (submissions) => submitAll(submissions, context) },
    confirm: (request) => confirmer.confirm(request),
    onHead: heads.onHead,
    normaliseAddress: (address) => requireAddress(address, 'check', '/address'),
    describeContract: (address) => describeContract(address, queries, properties.rpcTimeout),
    emulate: (request) => emulateOperation(request, context),
    emulateAs: (request) => emulateAs(request, context),
    advanceEmulation: (advance) => advanceEmulation(advance, context),
    lookup: (txId) => lookUp(txId, context),
    contractEvents: (request) => events.read(request),
    toAdapterError: (error) => (error instanceof PeerError ? toAdapterError(error) : undefined),
    async close() {
      channels.close();
      confirmer.close();
      peers.close();
      await caClient?.close();
    },
  };
}
