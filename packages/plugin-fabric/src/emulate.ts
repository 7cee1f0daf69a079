import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Advance,
  adapterError,
  type Emulated,
  type EmulateRequest,
  isJson,
  type Json,
  longestDocument,
  type ResolvedOperation,
  type Round,
  type WalletIdentity,
} from '@ledger-ops/adapter';
import { JsonError, parseJsonInSlices } from '@ledger-ops/glo-core';
import type { Definitions } from './chaincode/definitions.ts';
import { type MetadataCache, selectFunction } from './chaincode/interface.ts';
import { resolveSchema, type Schema } from './chaincode/json-schema.ts';
import { readNative } from './chaincode/native.ts';
import { readTransient, transientOf } from './chaincode/transient.ts';
import { unreachedChaincode } from './chaincode/unknown-chaincode.ts';
import { readCall, readTransfer, targetOf } from './check.ts';
import { classify } from './gateway/errors.ts';
import { evaluate, signProposal } from './gateway/gateway-client.ts';
import { PeerError } from './gateway/peer-error.ts';
import type { Peers } from './gateway/peers.ts';
import type { Queries, Query } from './gateway/query.ts';
import type { QueryIdentity } from './gateway/query-identity.ts';
import type { Semaphore } from './gateway/semaphore.ts';
import { bounded } from './gateway/transaction-content.ts';
import { isSystemChaincode } from './identity/address.ts';
import { toDer } from './identity/ecdsa.ts';
import { type MemberIdentity, type Msps, requireIdentity } from './msp/msp.ts';
import type { CallPlan } from './plan.ts';
import type { FabricProperties } from './properties.ts';
import { newProposal, plainBytes, signingRequest } from './proposal.ts';

/** The parts of a session that `emulate` needs. */
export interface EmulateContext {
  peers: Peers;
  queries: Queries;
  semaphore: Semaphore;
  msps: Msps;
  definitions: Definitions;
  metadata: MetadataCache;
  queryIdentity: QueryIdentity;
  properties: FabricProperties;
  now(): number;
}

/** State between the rounds of a signed emulation. */
interface EmulationState {
  step: 'emulation';
  channel: string;
  chaincode: string;
  bytes: Uint8Array;
  address: string;
  identity: MemberIdentity;
  /** JSON of the result's schema, if the interface declares one. */
  returns: Schema | null;
}

const phase = 'emulate';

/**
 * Runs the chaincode on one peer as the ledger's query identity, without writing. The result names this identity.
 * @throws AdapterError `reverted` and those of `check`; PeerError
 */
export async function emulateOperation(request: EmulateRequest, context: EmulateContext): Promise<Emulated> {
  const { operation } = request;
  const { query, returns } = readQuestion(request, context);
  await requireMembers(operation, query, context);
  const bytes = await evaluated(query, context, () =>
    context.queries.evaluate(query, context.properties.endorseTimeout),
  );
  return emulated(bytes, returns, context.queryIdentity.address);
}

/** First round of an emulation signed by the wallet. */
export async function emulateAs(
  request: EmulateRequest & { wallet: WalletIdentity },
  context: EmulateContext,
): Promise<Round<Emulated>> {
  const { wallet, operation } = request;
  const { query, returns } = readQuestion(request, context);
  const identity = requireIdentity(wallet, phase);
  await requireMembers(operation, query, context);
  await context.msps.requireValid(query.channel, identity, phase, context.now());
  const { bytes, message } = await newProposal(context.peers, identity, query);
  const { channel, chaincode } = query;
  const state: EmulationState = {
    step: 'emulation',
    channel,
    chaincode,
    bytes: plainBytes(bytes),
    address: wallet.address,
    identity,
    returns,
  };
  return { done: false, requests: [signingRequest(message)], state };
}

export async function advanceEmulation(
  { state, signatures: [signature, ...more] }: Advance,
  context: EmulateContext,
): Promise<Round<Emulated>> {
  if (!isEmulationState(state) || signature === undefined || more.length > 0) {
    throw adapterError(
      'invalid-argument',
      'The state does not belong to an emulation, or does not come with exactly one signature.',
      {
        phase,
        issues: [{ pointer: '/state', detail: 'is not the state of an emulation with one signature' }],
      },
    );
  }
  const proposal = signProposal(state.bytes, state.channel, toDer(signature, phase));
  const { peers, semaphore, properties } = context;
  const bytes = await evaluated(state, context, async () => {
    try {
      return await semaphore.run(() =>
        peers.onPeer((peer) => evaluate(peer, proposal, properties.endorseTimeout)),
      );
    } catch (error) {
      if (error instanceof PeerError && classify(error).kind === 'identity')
        await context.msps.requireAccepted(state.channel, state.identity, phase, context.now());
      throw error;
    }
  });
  return { done: true, result: await emulated(bytes, state.returns ?? undefined, state.address) };
}

async function requireMembers(
  operation: ResolvedOperation,
  { channel }: Query,
  { msps, now }: EmulateContext,
): Promise<void> {
  const { endorsingOrganizations = [] } = readNative(operation, phase);
  if (endorsingOrganizations.length > 0) {
    await msps.requireMembers(channel, endorsingOrganizations, phase, now());
  }
}

/** @throws AdapterError */
async function evaluated(
  query: Pick<Query, 'channel' | 'chaincode'>,
  { definitions }: EmulateContext,
  run: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof PeerError)) throw cause;
    throw (await unreachedChaincode(cause, query, definitions, phase)) ?? cause;
  }
}

function isEmulationState(state: unknown): state is EmulationState {
  return typeof state === 'object' && state !== null && 'step' in state && state.step === 'emulation';
}

/**
 * Returns the query, and the result's type if the interface declares it.
 *
 * @throws AdapterError `system-contract` if the chaincode is a system chaincode that the caller may not call
 */
function readQuestion(
  { wallet, operation, systemContracts }: EmulateRequest,
  { metadata, properties }: EmulateContext,
): { query: Query; returns: Schema | null } {
  const plan = readPlan(operation, wallet, metadata, properties);
  if (systemContracts !== true && isSystemChaincode(plan.chaincode)) {
    const detail = `${plan.chaincode} is a system chaincode, which can read everything on its channels.`;
    throw adapterError('system-contract', detail, { phase });
  }
  const secret = readTransient(readNative(operation, phase).transient);
  const { channel, chaincode, contract, method, args, endorsingOrganizations } = plan;
  const query: Query = {
    channel,
    chaincode,
    contract,
    method,
    args,
    endorsingOrganizations,
    transientData: secret === undefined ? undefined : transientOf(secret, phase),
  };
  return { query, returns: returnsOf(operation, plan, metadata) };
}

function readPlan(
  operation: ResolvedOperation,
  wallet: WalletIdentity | undefined,
  metadata: MetadataCache,
  properties: FabricProperties,
): CallPlan {
  switch (operation.type) {
    case 'contract_call': {
      const { address } = operation.contract;
      if (address === null) {
        const detail = 'The contract is not deployed yet, so calls to it cannot be emulated.';
        throw adapterError('unknown-contract', detail, { phase });
      }
      return readCall(operation, targetOf(operation, address, phase), metadata, phase);
    }
    case 'transfer':
      return readTransfer(operation, wallet, properties, phase).plan;
    case 'contract_deploy':
      throw adapterError('unsupported-operation', 'A deployment on Fabric cannot be emulated.', { phase });
  }
}

function returnsOf(operation: ResolvedOperation, plan: CallPlan, cache: MetadataCache): Schema | null {
  if (operation.type !== 'contract_call' || operation.contract.interface === undefined) return null;
  if (operation.method === undefined || operation.method.name.startsWith('org.hyperledger.fabric:'))
    return null;
  const metadata = cache.parse(operation.contract.interface, phase, '/contract_instance/interface');
  const { transaction } = selectFunction(metadata, plan.contract, operation.method.name, phase);
  return transaction.returns === undefined ? null : resolveSchema(transaction.returns, metadata.schemas);
}

async function emulated(
  bytes: Uint8Array,
  returns: Schema | null | undefined,
  identity: string,
): Promise<Emulated> {
  return { result: await decode(bytes, returns ?? undefined), figures: { identity } };
}

/** The result is a string, unless the interface declares JSON of another type. */
async function decode(bytes: Uint8Array, returns: Schema | undefined): Promise<Json> {
  const shown = bounded(bytes, longestDocument);
  if (typeof shown !== 'string' || returns === undefined || returns.type === 'string') return shown;
  if (shown === '') return null;
  try {
    const value = await parseJsonInSlices(shown, () => nextTurn());
    return isJson(value) ? value : shown;
  } catch (error) {
    if (error instanceof JsonError) return shown;
    throw error;
  }
}
