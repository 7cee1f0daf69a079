import {
  type AdapterHost,
  adapterError,
  type LedgerConfig,
  type LedgerSession,
  type Phase,
} from '@ledger-ops/adapter';
import { requireAddress } from './address.ts';
import { createCaClient } from './ca-client.ts';
import { createChannels } from './channels.ts';
import { checkOperation } from './check.ts';
import { createConfirmer } from './confirm.ts';
import { createDefinitions } from './definitions.ts';
import { describeContract } from './describe-contract.ts';
import { advanceEmulation, emulateAs, emulateOperation } from './emulate.ts';
import { createEnrolment } from './enrolment.ts';
import { toAdapterError } from './errors.ts';
import { createEstimator } from './estimate.ts';
import { firstBlockOfAll } from './first-block.ts';
import { createHeads } from './heads.ts';
import { createMetadataCache } from './interface.ts';
import { createLimiter } from './limiter.ts';
import { lookUp } from './lookup.ts';
import { createMembers } from './members.ts';
import { openObserver } from './observer.ts';
import { createPaces } from './paces.ts';
import { PeerFailure } from './peer-failure.ts';
import { createPeers } from './peers.ts';
import { advanceOne, prepareOne } from './prepare.ts';
import { readProperties } from './properties.ts';
import { createReader } from './reader.ts';
import { submitAll } from './submit.ts';
import { createSystemChaincode } from './system-chaincode.ts';
import { createTransactions } from './transactions.ts';
import { advanceWallet, createWallet, renewWallet } from './wallet.ts';

/**
 * Opens a session on a Fabric ledger; nothing is asked of it yet.
 * @throws AdapterError `invalid-argument` for a wrong property or node
 */
export async function openSession(ledger: LedgerConfig, host: AdapterHost): Promise<LedgerSession> {
  const properties = readProperties(ledger);
  const observer = openObserver(properties);
  const now = () => host.now();
  const peers = createPeers(ledger, properties, now);
  const end = new AbortController();
  const limiter = createLimiter(properties.maxInFlight);
  const reader = createReader(peers, observer, limiter);
  const system = createSystemChaincode(reader, properties.rpcTimeout);
  const members = createMembers(system);
  const definitions = createDefinitions(reader, properties.rpcTimeout);
  const metadata = createMetadataCache();
  const transactions = createTransactions();
  const used = new Set<string>();
  const patience = properties.commitTimeout;
  const paceOf = createPaces(properties.maxInFlight);
  const channels = createChannels({ peers, observer, system, host, patience, onNews: () => heads.tell() });
  const ca = properties.ca;
  const caClient = ca === undefined ? undefined : createCaClient(ca, ledger.outbound, properties.rpcTimeout);
  const enrolment = ca === undefined || caClient === undefined ? undefined : createEnrolment(caClient, ca);
  const context = {
    ...{ peers, limiter, reader, system, members, definitions, metadata, transactions, channels },
    ...{ observer, properties, host, used, now, enrolment, expect, paceOf },
    ...{ onNews: () => heads.tell(), signal: end.signal },
  };
  const confirmer = createConfirmer(context);
  const estimate = createEstimator(context);

  const heads = createHeads({
    head: () => confirmer.head(),
    follow: () => channels.follow(properties.channel),
    failed: () => host.log('info', 'fabric.channel.unread', { channel: properties.channel }),
    pause: 1_000,
    signal: end.signal,
  });

  /** Something is sent to a channel: its blocks are followed. Whether they were before. */
  function expect(channel: string): boolean {
    const follower = channels.get(channel);
    if (follower !== undefined) return true;
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
      if (error instanceof PeerFailure) throw toAdapterError(error, phase);
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
          ? await firstBlockOfAll(properties.channel, peers, system)
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
            attempts: [{ kind: 'main' as const, round: await prepareOne(request, context) }],
          })),
        ),
      ),
    advance: (advances) =>
      whileOpen('prepare', () => Promise.all(advances.map((advance) => advanceOne(advance, context)))),
    submit: (submissions) => whileOpen('submit', () => submitAll(submissions, context)),
    confirm: (request) => whileOpen('confirm', () => confirmer.confirm(request)),
    onHead(listener) {
      if (end.signal.aborted) throw closedError('confirm');
      return heads.on(listener);
    },
    sequences: () => unsupported('check', 'sequences: transactions of an account are independent'),
    balances: () => unsupported('check', 'native currency'),
    normaliseAddress: (address) => whileOpen('check', () => requireAddress(address, 'check', '/address')),
    describeContract: (address) =>
      whileOpen('interface', () => describeContract(address, reader, properties.rpcTimeout)),
    emulate: (request) => whileOpen('emulate', () => emulateOperation(request, context)),
    emulateAs: (request) => whileOpen('emulate', () => emulateAs(request, context)),
    advanceEmulation: (advance) => whileOpen('emulate', () => advanceEmulation(advance, context)),
    lookup: (txId) => whileOpen('lookup', () => lookUp(txId, context)),
    close,
  };
}
