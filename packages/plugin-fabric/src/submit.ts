import { common } from '@hyperledger/fabric-protos';
import type { AdapterProblem, Submission, Submitted } from '@ledger-ops/adapter';
import { classify, isRefusal, problemOf } from './gateway/errors.ts';
import { processProposal, submit } from './gateway/gateway-client.ts';
import { grpcCode, PeerError } from './gateway/peer-error.ts';
import type { Peers } from './gateway/peers.ts';
import type { Qscc } from './gateway/qscc.ts';
import type { Semaphore } from './gateway/semaphore.ts';
import { isSmall, readContent } from './gateway/transaction-content.ts';
import { provesNeverOrdered } from './outcomes/never-ordered.ts';
import { decodeSigned, type SignedBytes } from './outcomes/signed-bytes.ts';
import type { CachedTransaction, TransactionCache } from './outcomes/transaction-cache.ts';
import type { FabricProperties } from './properties.ts';
import type { Timing } from './timing.ts';

/** The parts of a session that `submit` needs. */
export interface SubmitContext {
  peers: Peers;
  semaphore: Semaphore;
  qscc: Qscc;
  transactions: TransactionCache;
  properties: FabricProperties;
  timing: Timing;
  now(): number;
  /**
   * Follows the channel to wait for one of its transactions. Returns whether its blocks were followed
   * already.
   */
  expect(channel: string): boolean;
}

const phase = 'submit';

export function submitAll(submissions: readonly Submission[], context: SubmitContext): Promise<Submitted[]> {
  return Promise.all(submissions.map((submission) => submitOne(submission, context)));
}

async function submitOne(submission: Submission, context: SubmitContext): Promise<Submitted> {
  const { txId, bytes, first = false } = submission;
  const signed = decodeSigned(bytes);
  if (signed?.txId !== txId) return refuse(txId, notOurs(txId), first);
  let known: CachedTransaction;
  try {
    known = learn(signed, context);
  } catch {
    return refuse(txId, notOurs(txId), first);
  }
  if (signed.kind === 'installation') return install(signed, known, context);
  if (signed.kind === 'nothing') {
    context.transactions.know(txId, { channel: known.channel, installed: true });
    return { txId, status: 'accepted' };
  }
  if (known.sentAt !== undefined && context.now() - known.sentAt < context.timing.submit.sendAgain)
    return { txId, status: 'known' };
  const followed = context.expect(known.channel);
  // No earlier block can contain the transaction, and the stream will contain all later ones.
  if (first && followed) context.transactions.know(txId, { channel: known.channel, first });
  return context.semaphore.run(() => send(signed, known, context));
}

function learn(signed: SignedBytes, { transactions }: SubmitContext): CachedTransaction {
  const { txId } = signed;
  const plan = signed.plan === undefined ? {} : { plan: signed.plan };
  const known = transactions.get(txId);
  if (known !== undefined) return transactions.know(txId, { channel: known.channel, seen: true, ...plan });
  if (signed.kind !== 'transaction') {
    return transactions.know(txId, { channel: String(signed.plan?.channel ?? ''), seen: true, ...plan });
  }
  const payload = common.Envelope.deserializeBinary(signed.envelope).getPayload_asU8();
  const content = readContent(payload);
  if (content.txId !== txId) throw new TypeError('The id belongs to a different transaction.');
  return transactions.know(txId, {
    channel: content.channel,
    seen: true,
    ...(isSmall(content) ? { content } : {}),
    ...plan,
  });
}

async function send(
  { txId, envelope }: Extract<SignedBytes, { kind: 'transaction' }>,
  { channel }: CachedTransaction,
  context: SubmitContext,
): Promise<Submitted> {
  const { peers, transactions, properties, now } = context;
  const begin = now();
  try {
    await peers.onPeer(async (peer) => {
      try {
        await submit(peer, { txId, channel, envelope }, properties.submitTimeout);
      } catch (error) {
        if (error instanceof PeerError && !isRefusal(error))
          transactions.know(txId, { channel, refusals: undefined });
        throw error;
      }
    });
  } catch (failure) {
    if (!(failure instanceof PeerError)) throw failure;
    const problem = problemOf(failure, phase, txId);
    // The orderers may accept the transaction later.
    if (!isRefusal(failure)) return { txId, status: 'unavailable', problem: transient(problem) };
    const sure = await provesNeverOrdered({ txId, channel, sentAt: begin, failure }, context);
    return refuse(txId, problem, sure);
  }
  transactions.know(txId, { channel, sentAt: now(), refusals: undefined });
  return { txId, status: 'accepted' };
}

function transient(problem: AdapterProblem): AdapterProblem {
  return problem.code === 'timeout' ? problem : { ...problem, code: 'unavailable' };
}

function refuse(txId: string, problem: AdapterProblem, sure: boolean): Submitted {
  const code = problem.code === 'certificate-invalid' ? problem.code : 'refused';
  return { txId, status: sure ? 'rejected' : 'refused', problem: { ...problem, code } };
}

/**
 * Installs the package on every peer of the organization. An installation is not a transaction. It succeeds
 * if every peer accepts it or answers "already installed". If one peer refuses, the package stays on the
 * others, where it has no effect.
 */
async function install(
  { txId, signedProposal, plan }: Extract<SignedBytes, { kind: 'installation' }>,
  known: CachedTransaction,
  { peers, transactions, properties, timing }: SubmitContext,
): Promise<Submitted> {
  if (known.installed === true) return { txId, status: 'known' };
  const own = peers.all.filter((peer) => peer.properties.mspId === properties.mspId);
  const failures = await Promise.all(
    own.map(async (peer) => {
      try {
        const { status, message } = await processProposal(peer, signedProposal, timing.submit.install);
        const fine = status === 200 || /already successfully installed/.test(message);
        return fine ? undefined : new PeerError(grpcCode.aborted, message);
      } catch (error) {
        if (error instanceof PeerError) return error;
        throw error;
      }
    }),
  );
  if (own.length === 0) {
    const detail = `The ledger has no node of ${properties.mspId} (property msp_id), so nothing can be installed. Add one.`;
    return refuse(txId, { code: 'refused', phase, detail, txId }, true);
  }
  const failed = failures.filter((failure) => failure !== undefined);
  const [failure] = failed.toSorted((a, b) => Number(isPassing(a)) - Number(isPassing(b)));
  if (failure === undefined) {
    transactions.know(txId, { channel: String(plan?.channel ?? ''), installed: true });
    return { txId, status: 'accepted' };
  }
  const problem = problemOf(failure, phase, txId);
  return isPassing(failure)
    ? { txId, status: 'unavailable', problem: transient(problem) }
    : refuse(txId, problem, true);
}

/** Whether a failed installation may succeed later. */
function isPassing(failure: PeerError): boolean {
  return ['unavailable', 'timeout', 'not-opened', 'busy'].includes(classify(failure).kind);
}

function notOurs(txId: string): AdapterProblem {
  return {
    code: 'refused',
    phase,
    detail: 'The bytes are not a transaction of this adapter, or belong to a different id.',
    txId,
  };
}
