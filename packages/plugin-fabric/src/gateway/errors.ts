import {
  AdapterError,
  type AdapterErrorCode,
  type AdapterProblem,
  type JsonObject,
  type Phase,
} from '@ledger-ops/adapter';
import { isNotOpened } from '@ledger-ops/outbound';
import { type ErrorDetail, grpcCode, PeerError } from './peer-error.ts';

/**
 * The one place where codes and texts of peers, orderers and chaincode are classified. The texts are those of Fabric
 * 2.5 (internal/pkg/gateway, core/endorser, core/chaincode), fabric-shim, fabric-contract-api-go and -java.
 */
export type FailureKind =
  /** The chaincode answered with an error. */
  | 'chaincode'
  /** The chaincode does not have the function. */
  | 'unknown-function'
  /** Endorsers did not get the same result. */
  | 'mismatch'
  /** Peers that the policy needs, or that were named, are not up, or are not known to the gateway yet. */
  | 'endorsers-unavailable'
  /** The policy cannot be fulfilled in this way, whichever peers are up. */
  | 'policy'
  | 'unknown-channel'
  | 'unknown-chaincode'
  /** Certificate, signature or rights of who asks. */
  | 'identity'
  /** The chaincode hung or died in the call. */
  | 'chaincode-broke'
  /** The peer cannot reach the chaincode. */
  | 'chaincode-unreachable'
  | 'too-large'
  /** Too many calls at once. */
  | 'busy'
  /** A peer executes the same proposal still, which it was given by a gateway that has ended since. */
  | 'executing'
  /** The orderer refuses the transaction itself. */
  | 'orderer-refused'
  | 'timeout'
  | 'unavailable'
  /** At an address that the deployer has not opened. */
  | 'not-opened'
  | 'not-found'
  /** The peer's ledger begins after it. */
  | 'not-kept'
  | 'other';

const chaincodeSaid = /^chaincode response (\d+), ?([\s\S]*)$/;
const kinds: readonly (readonly [FailureKind, RegExp])[] = [
  ['busy', /exceeding concurrency limit|too many requests/i],
  // Fabric: core/chaincode/transaction_contexts.go.
  ['executing', /\btxid: [0-9a-f]{64}\(\S+\) exists$/],
  ['mismatch', /ProposalResponsePayloads do not match/i],
  [
    'identity',
    /access denied|failed ACL check|is not an admin|creator org unknown|client identity expired|creator is malformed|failed evaluating policy|signature set did not satisfy|not authorized|identity expired|certificate has expired|Unexpected status response: 403/i,
  ],
  [
    'unknown-channel',
    /failed to get config for channel|could not get last config for channel|No metadata was found for channel/i,
  ],
  [
    'unknown-chaincode',
    /no peers available to evaluate chaincode|No metadata was found for chaincode|chaincode \S+ (?:not found|does not exist)|make sure the chaincode \S+ has been successfully defined/i,
  ],
  // Where it broke on one peer, another may find nobody any more: it would break again.
  [
    'chaincode-broke',
    /chaincode stream terminated|timeout expired while executing transaction|chaincode .*terminated/i,
  ],
  [
    'chaincode-unreachable',
    /could not launch chaincode|cannot create connection for|chaincode registration failed|container exited/i,
  ],
  // Errors of the definition alone (Fabric: discovery/endorsement), or, the last one: enough peers are up, but their
  // organizations may not see the data. First, since its words begin like those of the next kind.
  [
    'policy',
    /satisfy the endorsement policy: (?:policy not found|(?:state based )?endorsement policy cannot be satisfied|no principal sets remained|failed creating a comparable principal set|requested to disregard|expected a static collection|(?:MemberOrgsPolicy|policy) of \S+ is nil|collection \S+ doesn't exist)|not in the distribution policy of the private data collection/i,
  ],
  // A peer that starts, or that gossip finds again (up to half a minute later), cures it: it was the one with the
  // chaincode, or the one of that organization.
  [
    'endorsers-unavailable',
    /no combination of peers can be derived|failed to find any endorsing peers|failed to select a set of endorsers|no endorsers found in the gateway's organization/i,
  ],
  ['orderer-refused', /received unsuccessful response from orderer: status=(?!SERVICE_UNAVAILABLE)/],
  ['too-large', /message larger than max|exceeds? (?:the )?maximum (?:message )?size/i],
  ['not-found', /no such transaction ID|Unexpected status response: 404/],
];
/** Fabric: core/scc/qscc/query.go; other chaincode may say something like it of its own. */
const unknownTransaction =
  /^Failed to get (?:transaction with id|block for txID) \S+, error no such transaction ID/;
/** The peer began with a snapshot; another one may have the whole ledger (Fabric: common/ledger/blkstorage). */
const beforeSnapshot =
  /^Failed to get (?:transaction with id|block for txID) \S+, error .*Ledger bootstrapped from a snapshot/;
const notReached = /code = (?:Unavailable|DeadlineExceeded)|connection (?:refused|error)|transport/i;
const missingFunction =
  /You've asked to invoke a function that does not exist|^Function \S+ not found in contract|Undefined contract method|Contract name is not known|^Contract not found with name/i;

export interface Classified {
  kind: FailureKind;
  /** Status and message, where the chaincode answered. */
  chaincode?: { status: number; message: string };
}

/** The meaning of a failure. Only details that begin with "chaincode response" are the chaincode's own words. */
export function classify({ code, message, details, cause }: PeerError): Classified {
  if (isNotOpened(cause)) return { kind: 'not-opened' };
  const texts = [...details.map((detail) => detail.message), afterGateway(message)];
  for (const text of texts) {
    const [, status, said = ''] = chaincodeSaid.exec(text) ?? [];
    if (status === undefined) continue;
    if (unknownTransaction.test(said)) return { kind: 'not-found' };
    if (beforeSnapshot.test(said)) return { kind: 'not-kept' };
    const chaincode = { status: Number(status), message: said };
    return { kind: missingFunction.test(said) ? 'unknown-function' : 'chaincode', chaincode };
  }
  for (const [kind, pattern] of kinds) if (texts.some((text) => pattern.test(text))) return { kind };
  if (code === grpcCode.deadlineExceeded) return { kind: 'timeout' };
  if (code === grpcCode.unavailable || code === grpcCode.cancelled) return { kind: 'unavailable' };
  if (code === grpcCode.resourceExhausted) return { kind: 'too-large' };
  // The details name the peers that the gateway could not reach.
  if (details.some((detail) => notReached.test(detail.message))) {
    return { kind: /endorse/.test(message) ? 'endorsers-unavailable' : 'unavailable' };
  }
  return { kind: 'other' };
}

function afterGateway(message: string): string {
  return message.replace(/^\d+ [A-Z_]+: /, '').replace(/^evaluate call to endorser returned error: /, '');
}

const codes: Record<FailureKind, AdapterErrorCode> = {
  chaincode: 'reverted',
  'unknown-function': 'unknown-method',
  mismatch: 'endorsement-failed',
  'endorsers-unavailable': 'unavailable',
  policy: 'endorsement-failed',
  'unknown-channel': 'unknown-contract',
  'unknown-chaincode': 'unknown-contract',
  identity: 'certificate-invalid',
  'chaincode-broke': 'endorsement-failed',
  'chaincode-unreachable': 'unavailable',
  'too-large': 'invalid-argument',
  busy: 'unavailable',
  executing: 'unavailable',
  'orderer-refused': 'refused',
  timeout: 'timeout',
  unavailable: 'unavailable',
  'not-opened': 'not-opened',
  'not-found': 'unavailable',
  'not-kept': 'unavailable',
  other: 'endorsement-failed',
};

const sentences: Record<FailureKind, string> = {
  chaincode: 'The chaincode refused',
  'unknown-function': 'The chaincode does not have this function',
  mismatch:
    'The endorsing peers got different results, time after time: the chaincode is not deterministic, or a peer is far behind the others',
  'endorsers-unavailable': 'Not enough endorsing peers can be reached now',
  policy: 'The endorsement policy cannot be fulfilled in this way',
  'unknown-channel': 'There is no such channel on this ledger',
  'unknown-chaincode': 'There is no such chaincode on this channel',
  identity: 'The ledger does not accept the identity (its certificate, its signature or its rights)',
  'chaincode-broke': 'The chaincode hung or broke off',
  'chaincode-unreachable': 'The peers cannot reach the chaincode now',
  'too-large': 'The message is larger than the ledger takes',
  busy: 'The peer has too many calls under way',
  executing: 'A peer executes the same proposal still',
  'orderer-refused': 'The orderer refused the transaction',
  timeout: 'The peer did not answer in time',
  unavailable: 'The ledger cannot be reached now',
  'not-opened': 'The ledger cannot be used',
  'not-found': 'The ledger does not have it',
  'not-kept': 'No peer that answers has blocks as old as that',
  other: 'The peer refused',
};

/** A failure as a problem of the contract, with what each endorser said. */
export function problemOf(failure: PeerError, phase?: Phase, txId?: string): AdapterProblem {
  const { kind, chaincode } = classify(failure);
  const said = chaincode?.message ?? failure.details[0]?.message ?? afterGateway(failure.message);
  // The connection's own words name addresses, and nothing that helps.
  const isConnection = (kind === 'unavailable' || kind === 'timeout') && failure.cause !== undefined;
  const text =
    isConnection && failure.details.length === 0 ? '' : `${readable(said)}${lacking(kind, failure)}`;
  const data: JsonObject = { failure: kind };
  if (chaincode !== undefined) data.chaincodeStatus = chaincode.status;
  if (failure.details.length > 0) data.endorsers = failure.details.slice(0, 32).map(detailToJson);
  const code = phase === 'submit' && kind === 'other' ? 'refused' : codes[kind];
  return {
    code,
    ...(phase === undefined ? {} : { phase }),
    detail: `${sentences[kind]}${text === '' ? '' : `: ${text}`}.`,
    ...(txId === undefined ? {} : { txId }),
    ...(code === 'invalid-argument'
      ? { issues: [{ pointer: '/args', detail: 'are too large together' }] }
      : {}),
    data,
  };
}

export function toAdapterError(failure: PeerError, phase?: Phase, txId?: string): AdapterError {
  return new AdapterError(problemOf(failure, phase, txId), { cause: failure });
}

/** Runs a call; what a peer failed with becomes an AdapterError of the phase. */
export async function inPhase<Result>(
  phase: Phase,
  run: () => Result | Promise<Result>,
  txId?: string,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof PeerError) throw toAdapterError(error, phase, txId);
    throw error;
  }
}

/** Another peer may answer otherwise, and asking it is harmless. */
export function isPeersFault(failure: PeerError): boolean {
  return ['unavailable', 'timeout', 'not-opened', 'busy', 'not-kept'].includes(classify(failure).kind);
}

/**
 * Whether endorsers disagreed: their results differ, or one of them refuses what another one endorsed, or does not know
 * the chaincode that ran there (Fabric: internal/pkg/gateway/endorse.go; the first refusal reads "failed to endorse
 * transaction"). Peers take up blocks one after the other, so that those asked in between see different states.
 */
export function isDisagreement(failure: PeerError): boolean {
  const { kind } = classify(failure);
  if (kind === 'mismatch') return true;
  return (
    ['chaincode', 'unknown-chaincode'].includes(kind) && /failed to collect enough/.test(failure.message)
  );
}

/** Statuses by which an orderer refuses the transaction itself; NOT_FOUND says that it has no such channel. */
const ordererRefused =
  /received unsuccessful response from orderer: status=(?:BAD_REQUEST|FORBIDDEN|REQUEST_ENTITY_TOO_LARGE)\b/;

/**
 * Whether a transaction that was sent was said no to: by an orderer, or by the peer, which never got it whole. Of other
 * orderers that the gateway asked before, and which may have taken it, it tells nothing then (Fabric:
 * internal/pkg/gateway/submit.go); what proves that none has it is in outcomes/never-ordered.ts.
 */
export function isRefusal({ code, message }: PeerError): boolean {
  if (code === grpcCode.invalidArgument) return true;
  // As the peer says it; of an answer that is too large the client says nearly the same.
  if (code === grpcCode.resourceExhausted)
    return message.startsWith('grpc: received message larger than max');
  // 4xx of an orderer; on 5xx the gateway tries the next one.
  return ordererRefused.test(message);
}

/** Whose peers did not answer, where the texts name connections only. */
function lacking(kind: FailureKind, { details }: PeerError): string {
  if (kind !== 'endorsers-unavailable' || details.length === 0) return '';
  const silent = details.filter(({ message }) => notReached.test(message));
  return ` (${[...new Set(silent.map(({ mspId }) => mspId))].join(', ')})`;
}

/**
 * Of what is refused for certain: what follows from the bytes and the channel's configuration alone, whoever is asked
 * and whenever (Fabric: orderer/common/msgprocessor, sigfilter.go and sizefilter.go).
 */
export function isRefusedByConfiguration({ message }: PeerError): boolean {
  return /received unsuccessful response from orderer: status=(?:FORBIDDEN\b|BAD_REQUEST, info=message payload is \d+ bytes and exceeds maximum allowed \d+)/.test(
    message,
  );
}

function detailToJson({ address, mspId, message }: ErrorDetail): JsonObject {
  return { address, mspId, message: readable(message, 2000) };
}

function readable(text: string, limit = 1000): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, limit)
    .replace(/\.$/, '');
}
