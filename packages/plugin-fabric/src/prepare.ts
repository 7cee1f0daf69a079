import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AdapterError,
  type Advance,
  adapterError,
  type JsonObject,
  type PrepareRequest,
  type Round,
  type SignedTransaction,
} from '@ledger-ops/adapter';
import type { Definitions } from './chaincode/definitions.ts';
import {
  approveArgs,
  approvedArgs,
  approvedPackage,
  commitArgs,
  installArgs,
  missingApprovals,
  standingOf,
} from './chaincode/lifecycle.ts';
import { commitRefused, isApprovedAlready, stepRefused } from './chaincode/refused-step.ts';
import { transientOf } from './chaincode/transient.ts';
import { unreachedChaincode } from './chaincode/unknown-chaincode.ts';
import type { EndorsementLimits } from './gateway/endorsement-limits.ts';
import { classify, inPhase, isDisagreement, isPeersFault, problemOf } from './gateway/errors.ts';
import { endorse, evaluate, field, type SignedProposal, signProposal } from './gateway/gateway-client.ts';
import { PeerError } from './gateway/peer-error.ts';
import type { Peers } from './gateway/peers.ts';
import { readable } from './gateway/query.ts';
import type { Semaphore } from './gateway/semaphore.ts';
import { isSmall, readContent } from './gateway/transaction-content.ts';
import { toDer } from './identity/ecdsa.ts';
import { type MemberIdentity, type Msps, requireIdentity } from './msp/msp.ts';
import { encodeSigned } from './outcomes/signed-bytes.ts';
import type { TransactionCache } from './outcomes/transaction-cache.ts';
import { type CallPlan, type DeployPlan, planFromJson, planToJson } from './plan.ts';
import type { FabricProperties } from './properties.ts';
import { askSignature, newProposal, plainBytes, readSigningState, type SigningState } from './proposal.ts';
import type { Timing } from './timing.ts';

/** The parts of a session that `prepare` needs. */
export interface PrepareContext {
  peers: Peers;
  semaphore: Semaphore;
  /** Limits of endorsements per chaincode, within those of `semaphore`. */
  endorsementLimits: EndorsementLimits;
  msps: Msps;
  definitions: Definitions;
  transactions: TransactionCache;
  properties: FabricProperties;
  timing: Pick<Timing, 'endorsement'>;
  now(): number;
  /** Aborted when the session closes. */
  signal: AbortSignal;
}

type Signing = Round<SignedTransaction>;
type ProposalState = Extract<SigningState, { step: 'proposal' }>;

const phase = 'prepare';

/** The first round of a transaction: its proposal. @throws AdapterError */
export async function prepareAttempts(request: PrepareRequest, context: PrepareContext): Promise<Signing> {
  const plan = planFromJson(request.plan, phase);
  const identity = requireIdentity(request.wallet, phase);
  await context.msps.requireValid(plan.channel, identity, phase, context.now());
  return inPhase(phase, () =>
    plan.step === 'call'
      ? proposeCall(plan, identity, request, context)
      : proposeDeployment(plan, identity, context),
  );
}

async function proposeCall(
  plan: CallPlan,
  identity: MemberIdentity,
  { secret, plan: json }: PrepareRequest,
  { peers }: PrepareContext,
): Promise<Signing> {
  const { channel, chaincode, contract, method, args, endorsingOrganizations, transient } = plan;
  const { bytes, message } = await newProposal(peers, identity, {
    channel,
    chaincode,
    contract,
    method,
    args,
    endorsingOrganizations,
    transientData: transient === true ? transientOf(secret, phase) : undefined,
  });
  return askSignature(message, { step: 'proposal', channel, bytes, plan: json, identity });
}

/**
 * Creates the next transaction of a deployment. If the definition is already committed, the organization may
 * still have to approve its package. If it has, no step is left: another approval without changes would be
 * invalid.
 */
async function proposeDeployment(
  plan: DeployPlan,
  identity: MemberIdentity,
  context: PrepareContext,
): Promise<Signing> {
  if (plan.step === 'install') {
    const args = [installArgs(Buffer.from(plan.package ?? '', 'base64'))];
    return propose(plan, identity, 'InstallChaincode', args, '', context);
  }
  const standing = await standingOf(plan, context.definitions);
  const next: DeployPlan = { ...plan, ...standing };
  if (plan.step === 'commit') {
    if (standing.committed) return nothingLeft(next, randomBytes(32).toString('hex'));
    if (plan.sequence !== undefined && standing.sequence > plan.sequence) throw takenSequence(plan);
    return proposeCommit(next, identity, context);
  }
  if (!standing.committed) return proposeApproval(next, identity, context);
  const args = [approvedArgs(plan.name, standing.sequence)];
  const method = 'QueryApprovedChaincodeDefinition';
  const round = await propose(next, identity, method, args, plan.channel, context);
  return round.done ? round : { ...round, state: { ...readSigningState(round.state), query: true } };
}

/**
 * Proposes the organization's approval, unless it has already approved this package. The wallet signs the
 * query for the approval, because only an admin of the organization may read it.
 */
async function afterQuery(
  { plan: json, identity }: ProposalState,
  proposal: SignedProposal,
  context: PrepareContext,
): Promise<Signing> {
  const plan = planFromJson(json, phase);
  if (plan.step === 'call') throw new TypeError('A call has no earlier step.');
  const { peers, semaphore, properties } = context;
  let approved: string | undefined;
  try {
    const answer = await semaphore.run(() =>
      peers.onPeer((peer) => evaluate(peer, proposal, properties.rpcTimeout), { mspId: identity.mspId }),
    );
    approved = readable(answer, approvedPackage);
  } catch (error) {
    // "could not fetch approved chaincode definition": there is none.
    if (!(error instanceof PeerError) || classify(error).chaincode === undefined) throw error;
  }
  return approved === plan.packageId
    ? nothingLeft(plan, proposal.txId)
    : proposeApproval(plan, identity, context);
}

function nothingLeft(plan: DeployPlan, txId: string): Signing {
  const json = planToJson({ ...plan, step: 'commit', committed: true });
  const bytes = encodeSigned({ kind: 'nothing', txId, plan: json });
  return { done: true, result: { txId, bytes, cost: 0n } };
}

function proposeApproval(
  plan: DeployPlan,
  identity: MemberIdentity,
  context: PrepareContext,
): Promise<Signing> {
  const args = [approveArgs(plan, plan.sequence ?? 1)];
  const method = 'ApproveChaincodeDefinitionForMyOrg';
  return propose({ ...plan, step: 'approve' }, identity, method, args, plan.channel, context);
}

function proposeCommit(
  plan: DeployPlan,
  identity: MemberIdentity,
  context: PrepareContext,
): Promise<Signing> {
  const args = [commitArgs(plan, plan.sequence ?? 1)];
  return propose(
    { ...plan, step: 'commit' },
    identity,
    'CommitChaincodeDefinition',
    args,
    plan.channel,
    context,
  );
}

async function propose(
  plan: DeployPlan,
  identity: MemberIdentity,
  method: string,
  args: Uint8Array[],
  channel: string,
  { peers }: PrepareContext,
): Promise<Signing> {
  // Only the organization itself endorses its approval.
  const own = plan.step === 'approve' ? { endorsingOrganizations: [identity.mspId] } : {};
  const { bytes, message } = await newProposal(peers, identity, {
    channel,
    chaincode: '_lifecycle',
    method,
    args,
    ...own,
  });
  return askSignature(message, { step: 'proposal', channel, bytes, plan: planToJson(plan), identity });
}

/** The next round: endorses a signed proposal, or assembles a signed transaction. @throws AdapterError */
export async function advanceAttempt(
  { state, signatures }: Advance,
  context: PrepareContext,
): Promise<Signing> {
  const [signature, ...more] = signatures;
  if (signature === undefined || more.length > 0) {
    throw adapterError('invalid-argument', `One signature is required, not ${signatures.length}.`, {
      phase,
      issues: [{ pointer: '/signatures', detail: 'must contain one signature' }],
    });
  }
  const der = toDer(signature, phase);
  const current = readSigningState(state);
  return current.step === 'proposal'
    ? advanceProposal(current, der, context)
    : { done: true, result: assemble(current, der, context) };
}

async function advanceProposal(
  state: ProposalState,
  signature: Uint8Array,
  context: PrepareContext,
): Promise<Signing> {
  const { bytes, channel, plan: json } = state;
  const proposal = signProposal(bytes, channel, signature);
  const { txId } = proposal;
  if (json.step === 'install') {
    const { package: _, ...plan } = json;
    const signedProposal = proposal.signed.serializeBinary();
    const result = encodeSigned({ kind: 'installation', txId, signedProposal, plan });
    return { done: true, result: { txId, bytes: result, cost: 0n, mayContinue: true } };
  }
  if (state.query === true) return inPhase(phase, () => afterQuery(state, proposal, context), txId);
  let payload: Uint8Array;
  try {
    const chaincode = typeof json.chaincode === 'string' ? json.chaincode : '_lifecycle';
    const isLasting = json.step === 'commit' ? () => isUnapproved(json, context) : async () => false;
    const limit = context.endorsementLimits(channel, chaincode);
    const isPublic = json.step === 'call' && json.transient !== true;
    payload = await endorseOn(proposal, limit, context, { isLasting, isPublic });
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    await requireAccepted(error, state, context);
    if (json.step === 'call') throw await callRefused(error, json, txId, context);
    return afterRefusal(error, state, txId, context);
  }
  const content = readContent(payload);
  context.transactions.know(txId, { channel, ...(isSmall(content) ? { content } : {}) });
  const message = plainBytes(payload);
  return askSignature(message, { step: 'transaction', txId, channel, payload: message, plan: json });
}

/** If peers refused the identity itself, throws the reason. @throws AdapterError `certificate-invalid` */
async function requireAccepted(
  refusal: PeerError,
  { channel, identity, plan }: ProposalState,
  { msps, now }: PrepareContext,
): Promise<void> {
  if (classify(refusal).kind !== 'identity') return;
  // An installation belongs to no channel.
  const of = channel === '' ? String(plan.channel) : channel;
  await msps.requireAccepted(of, identity, phase, now());
}

/**
 * Endorses a proposal, at several gateways if necessary. Endorsing does not write to the ledger, so the same
 * proposal may be endorsed any number of times. A gateway compares all results with the result of its own
 * peer. If that peer is the wrong one, another gateway succeeds.
 *
 * @param isLasting whether the disagreement is permanent, so that retrying is useless
 * @param isPublic whether other organizations' gateways may see the whole proposal
 */
async function endorseOn(
  proposal: SignedProposal,
  limit: Semaphore,
  { peers, semaphore, properties, timing, signal }: PrepareContext,
  { isLasting, isPublic }: { isLasting: () => Promise<boolean>; isPublic: boolean },
): Promise<Uint8Array> {
  const pauses = timing.endorsement.disagreement;
  let disagreement: PeerError | undefined;
  for (let turn = 0; ; turn += 1) {
    const skip = isPublic ? turn : 0;
    const ask = () => peers.onPeer((peer) => endorse(peer, proposal, properties.endorseTimeout), { skip });
    try {
      return await limit.run(() => semaphore.run(ask));
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      // The next gateway's peer may be behind, or may not accept this caller, so its error is ignored.
      const isAnother = isPublic && disagreement !== undefined && !isPeersFault(error);
      // Reports the error of the preferred gateway.
      if (isDisagreement(error)) disagreement = isPublic ? (disagreement ?? error) : error;
      else if (!isAnother) throw error;
      const pause = pauses[turn];
      if (pause === undefined || (await isLasting())) throw disagreement ?? error;
      await delay(pause, undefined, { signal });
    }
  }
}

/** Whether a commit still lacks approvals. These take longer than the delay of a retry. */
async function isUnapproved(json: JsonObject, { definitions }: PrepareContext): Promise<boolean> {
  const plan = planFromJson(json, phase);
  if (plan.step === 'call') return false;
  try {
    return (await missingApprovals(plan, plan.sequence ?? 1, definitions)).length > 0;
  } catch (error) {
    if (error instanceof PeerError) return false;
    throw error;
  }
}

async function callRefused(
  refusal: PeerError,
  json: JsonObject,
  txId: string,
  { definitions }: PrepareContext,
): Promise<AdapterError> {
  const plan = planFromJson(json, phase);
  const unreached =
    plan.step === 'call'
      ? await inPhase(phase, () => unreachedChaincode(refusal, plan, definitions, phase), txId)
      : undefined;
  return unreached ?? new AdapterError(problemOf(refusal, phase, txId), { cause: refusal });
}

/** Returns the error that the approved definition can never be committed, because its sequence is already used. */
function takenSequence({ sequence, name, channel }: DeployPlan): AdapterError {
  const detail = `Another definition of ${name} on ${channel} was committed with sequence ${sequence} while this one was waiting for approvals. Deploy it again to use the next sequence.`;
  return adapterError('refused', detail, {
    phase,
    data: { failure: 'sequence-taken', sequence: sequence ?? null },
  });
}

/** Returns the next deployment step after a refused one, if there is one. @throws AdapterError */
async function afterRefusal(
  failure: PeerError,
  { plan: json, identity }: ProposalState,
  txId: string,
  context: PrepareContext,
): Promise<Signing> {
  const plan = planFromJson(json, phase);
  if (plan.step === 'call') throw new TypeError('A call has no further step.');
  if (plan.step === 'approve' && isApprovedAlready(failure)) {
    return inPhase(phase, () => proposeCommit(plan, identity, context), txId);
  }
  if (plan.step === 'commit' && !['unavailable', 'not-opened'].includes(classify(failure).kind)) {
    // Two organizations proposed the same commit. The later proposal finds the definition committed.
    const standing = await inPhase(phase, () => standingOf(plan, context.definitions), txId);
    if (standing.committed) return nothingLeft({ ...plan, ...standing }, txId);
    throw await commitRefused(failure, plan, txId, context.definitions);
  }
  throw stepRefused(failure, plan, txId);
}

function assemble(
  { txId, channel, payload, plan }: Extract<SigningState, { step: 'transaction' }>,
  signature: Uint8Array,
  { properties, transactions }: PrepareContext,
): SignedTransaction {
  const envelope = Buffer.concat([field(1, payload), field(2, signature)]);
  const continues = mayContinue(plan, properties);
  const bytes = encodeSigned({ kind: 'transaction', txId, envelope, ...(continues ? { plan } : {}) });
  transactions.know(txId, { channel, seen: true, ...(continues ? { plan } : {}) });
  return { txId, bytes, cost: 0n, ...(continues ? { mayContinue: true } : {}) };
}

/** Whether the action may need another transaction after this one. */
function mayContinue(plan: JsonObject, { retryConflicts }: FabricProperties): boolean {
  if (plan.step !== 'call') return true;
  return (typeof plan.conflicts === 'number' ? plan.conflicts : 0) < retryConflicts;
}
