import {
  AdapterError,
  type AdapterErrorCode,
  type AdapterProblem,
  type JsonObject,
  type Phase,
} from '@ledger-ops/adapter';
import { isNotOpened } from '@ledger-ops/adapter/outbound';
import { type ErrorDetail, grpcCode, ObserverError, PeerError } from './peer-error.ts';

/**
 * The only module that classifies codes and messages of peers, orderers and chaincode. The messages are those
 * of Fabric 2.5 (internal/pkg/gateway, core/endorser, core/chaincode), fabric-shim, fabric-contract-api-go
 * and -java.
 */
export type FailureKind =
  /** The chaincode returned an error. */
  | 'chaincode'
  /** The chaincode lacks the function. */
  | 'unknown-function'
  /** Endorsers got different results. */
  | 'mismatch'
  /** Peers that the policy needs, or that were named, are down or not yet known to the gateway. */
  | 'endorsers-unavailable'
  /** The policy cannot be satisfied this way, regardless of which peers are up. */
  | 'policy'
  | 'unknown-channel'
  | 'unknown-chaincode'
  /** The wallet's certificate, signature or rights were refused. */
  | 'identity'
  /** The certificate, signature or rights of the ledger's own identity were refused. */
  | 'observer-refused'
  /** The chaincode hung or crashed during the call. */
  | 'chaincode-broke'
  /** The peer cannot reach the chaincode. */
  | 'chaincode-unreachable'
  | 'too-large'
  /** Too many concurrent calls. */
  | 'busy'
  /** A peer is still executing the same proposal, for a gateway that has since stopped. */
  | 'executing'
  /** The orderer refuses the transaction itself. */
  | 'orderer-refused'
  | 'timeout'
  | 'unavailable'
  /** The address is not allowed by the deployer. */
  | 'not-opened'
  | 'not-found'
  /** The block is older than the first block in the peer's ledger. */
  | 'not-kept'
  /**
   * The peer does not have private data of its collection yet. Gossip delivers it later, and another peer may
   * have it.
   */
  | 'private-data-missing'
  | 'other';

const chaincodeSaid = /^chaincode response (\d+), ?([\s\S]*)$/;
const mismatch = /ProposalResponsePayloads do not match/i;
const kinds: readonly (readonly [FailureKind, RegExp])[] = [
  ['busy', /exceeding concurrency limit|too many requests/i],
  // See Fabric, core/chaincode/transaction_contexts.go.
  ['executing', /\btxid: [0-9a-f]{64}\(\S+\) exists$/],
  ['mismatch', mismatch],
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
  // If the chaincode crashes on one peer, other peers may report it as unreachable. It is still reported as
  // crashed, because it would crash again.
  [
    'chaincode-broke',
    /chaincode stream terminated|timeout expired while executing transaction|chaincode .{0,200}terminated/i,
  ],
  [
    'chaincode-unreachable',
    /could not launch chaincode|cannot create connection for|chaincode registration failed|container exited/i,
  ],
  // Errors of the definition itself (Fabric: discovery/endorsement). The last one means that enough peers are
  // up, but their organizations may not see the private data. These are matched before the next kind, whose
  // messages start with the same words.
  [
    'policy',
    /satisfy the endorsement policy: (?:policy not found|(?:state based )?endorsement policy cannot be satisfied|no principal sets remained|failed creating a comparable principal set|requested to disregard|expected a static collection|(?:MemberOrgsPolicy|policy) of \S+ is nil|collection \S+ doesn't exist)|not in the distribution policy of the private data collection/i,
  ],
  // Temporary errors: a peer that has the chaincode, or belongs to that organization, may start or be found
  // by gossip (up to 30 s later).
  [
    'endorsers-unavailable',
    /no combination of peers can be derived|failed to find any endorsing peers|failed to select a set of endorsers|no endorsers found in the gateway's organization/i,
  ],
  ['orderer-refused', /received unsuccessful response from orderer: status=(?!SERVICE_UNAVAILABLE)/],
  ['too-large', /message larger than max|exceeds? (?:the )?maximum (?:message )?size/i],
  ['not-found', /no such transaction ID|Unexpected status response: 404/],
];
/** See Fabric, core/scc/qscc/query.go. Other chaincode may return a similar message. */
const unknownTransaction =
  /^Failed to get (?:transaction with id|block for txID) \S+, error no such transaction ID/;
/**
 * The peer started from a snapshot. Another peer may have the whole ledger (Fabric:
 * common/ledger/blkstorage).
 */
const beforeSnapshot =
  /^Failed to get (?:transaction with id|block for txID) \S+, error .*Ledger bootstrapped from a snapshot/;
/**
 * The message of a peer (Fabric: core/ledger/kvledger/txmgmt/txmgr), which the chaincode returns after a prefix of the
 * shim.
 */
const privateDataMissing = /private data matching public hash version is not available/;
const notReached = /code = (?:Unavailable|DeadlineExceeded)|connection (?:refused|error)|transport/i;
const missingFunction =
  /You've asked to invoke a function that does not exist|^Function \S+ not found in contract|Undefined contract method|Contract name is not known|^Contract not found with name/i;

export interface Classified {
  kind: FailureKind;
  /** Status and message, if the chaincode answered. */
  chaincode?: { status: number; message: string };
}

/** Classifies a failure. Only details that start with "chaincode response" come from the chaincode. */
export function classify(failure: PeerError): Classified {
  const classified = classifyText(failure);
  return classified.kind === 'identity' && failure instanceof ObserverError
    ? { kind: 'observer-refused' }
    : classified;
}

function classifyText({ code, message, details, cause }: PeerError): Classified {
  if (isNotOpened(cause)) return { kind: 'not-opened' };
  const texts = [...details.map((detail) => detail.message), afterGateway(message)];
  for (const text of texts) {
    const [, status, said = ''] = chaincodeSaid.exec(text) ?? [];
    if (status === undefined) continue;
    if (unknownTransaction.test(said)) return { kind: 'not-found' };
    if (beforeSnapshot.test(said)) return { kind: 'not-kept' };
    if (privateDataMissing.test(said)) return { kind: 'private-data-missing' };
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
  // Temporary, so operations wait: they continue when an administrator sets a valid observer certificate in the
  // ledger's properties.
  'observer-refused': 'unavailable',
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
  'private-data-missing': 'unavailable',
  other: 'endorsement-failed',
};

const sentences: Record<FailureKind, string> = {
  chaincode: 'The chaincode rejected the call',
  'unknown-function': 'The chaincode does not have this function',
  mismatch:
    'The endorsing peers repeatedly returned different results: the chaincode is not deterministic, or a peer is far behind the others or runs another version of the chaincode',
  'endorsers-unavailable': 'Not enough endorsing peers can be reached',
  policy: 'No available combination of peers can satisfy the endorsement policy',
  'unknown-channel': 'The ledger has no such channel',
  'unknown-chaincode': 'The channel has no such chaincode',
  identity: 'The ledger does not accept the identity (its certificate, signature or permissions)',
  'observer-refused': "The peers refused the ledger's observer certificate (observer_certificate)",
  'chaincode-broke': 'The chaincode timed out or crashed',
  'chaincode-unreachable': 'The peers cannot reach the chaincode at the moment',
  'too-large': 'The message is larger than the ledger accepts',
  busy: 'The peer has too many pending calls',
  executing: 'A peer is still executing the same proposal',
  'orderer-refused': 'The orderer rejected the transaction',
  timeout: 'The peer did not respond in time',
  unavailable: 'The ledger cannot be reached at the moment',
  'not-opened': 'The ledger cannot be used',
  'not-found': 'The ledger does not have the requested data',
  'not-kept': 'No responding peer has blocks that are this old',
  'private-data-missing': 'The peer has not received the private data yet',
  other: 'The peer rejected the call',
};

/** Converts a failure to a problem of the adapter contract, with the message of each endorser. */
export function problemOf(failure: PeerError, phase?: Phase, txId?: string): AdapterProblem {
  const { kind, chaincode } = classify(failure);
  const said = chaincode?.message ?? failure.details[0]?.message ?? afterGateway(failure.message);
  // gRPC's own message contains addresses, so only a recognized reason is shown.
  const isConnection =
    (kind === 'unavailable' || kind === 'timeout') &&
    failure.cause !== undefined &&
    failure.details.length === 0;
  const text = isConnection
    ? (failure.connection ?? '')
    : `${readable(said)}${organizationsOf(kind, failure)}`;
  const data: JsonObject = { failure: kind };
  if (chaincode !== undefined) data.chaincodeStatus = chaincode.status;
  if (failure.details.length > 0) data.endorsers = failure.details.map(detailToJson);
  const code = phase === 'submit' && kind === 'other' ? 'refused' : codes[kind];
  return {
    code,
    ...(phase === undefined ? {} : { phase }),
    detail: `${sentences[kind]}${text === '' ? '' : `: ${text}`}.${adviceOn(kind, said)}`,
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

/** Runs a call. Converts a PeerError to an AdapterError of the phase. */
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

/** Whether another peer may respond differently, and querying that peer is harmless. */
export function isPeersFault(failure: PeerError): boolean {
  const kinds: readonly FailureKind[] = [
    ...(['unavailable', 'timeout', 'not-opened', 'busy', 'not-kept', 'private-data-missing'] as const),
    'observer-refused',
  ];
  return kinds.includes(classify(failure).kind);
}

/**
 * Whether endorsers disagreed: their results differ, one of them refuses a call that another one endorsed, or
 * one of them does not know the chaincode (Fabric: internal/pkg/gateway/endorse.go; the first refusal reads
 * "failed to endorse transaction"). Peers receive blocks at different times, so they may execute on different
 * states.
 */
export function isDisagreement(failure: PeerError): boolean {
  const { kind } = classify(failure);
  if (kind === 'mismatch') return true;
  return (
    ['chaincode', 'unknown-chaincode'].includes(kind) && /failed to collect enough/.test(failure.message)
  );
}

/**
 * Statuses with which an orderer refuses the transaction itself. NOT_FOUND means that the orderer lacks the
 * channel.
 */
const ordererRefused =
  /received unsuccessful response from orderer: status=(?:BAD_REQUEST|FORBIDDEN|REQUEST_ENTITY_TOO_LARGE)\b/;

/**
 * Whether a sent transaction was refused by an orderer, or by the gateway's peer, which did not receive all
 * of it. Orderers that the gateway tried before may still have accepted it (Fabric:
 * internal/pkg/gateway/submit.go); outcomes/never-ordered.ts proves that none did.
 */
export function isRefusal({ code, message }: PeerError): boolean {
  if (code === grpcCode.invalidArgument) return true;
  // The message of a peer. The client's message for an oversized response is similar.
  if (code === grpcCode.resourceExhausted)
    return message.startsWith('grpc: received message larger than max');
  // Orderers refuse with 4xx. After 5xx, the gateway tries the next orderer.
  return ordererRefused.test(message);
}

/**
 * Advice for the user, by the kind and message of the failure. Empty if the message itself contains advice.
 */
const advice: readonly (readonly [FailureKind, RegExp, string])[] = [
  // A gateway returns the same answer in two cases: a peer is down, or the members of a private data
  // collection cannot satisfy the policy. Waiting does not fix the second case (Fabric:
  // internal/pkg/gateway/endorse.go).
  [
    'endorsers-unavailable',
    /no peer combination can satisfy/,
    'If all peers are running, the operation uses a private data collection with too few member organizations. Give the collection its own endorsement policy.',
  ],
  // The message of a peer (Fabric: core/chaincode/handler.go), which the chaincode returns in its own error.
  [
    'chaincode',
    /creator does not have (?:read|write) access permission on privatedata/,
    'Only member organizations of the collection may use it: send with a wallet of a member.',
  ],
  [
    'chaincode',
    /collection \S+ (?:not defined in the collection config|could not be found)|collection config not defined for chaincode/,
    'Check the name of the collection. Collections are part of the chaincode definition.',
  ],
  [
    'observer-refused',
    /./,
    'The certificate may be revoked or expired, or may not be allowed to read the channel. Ask the administrator of its organization for a certificate, and set observer_certificate and observer_private_key of the ledger.',
  ],
  ['identity', /expired/, 'Get a new certificate, create a wallet with it, and send from that wallet.'],
  [
    'orderer-refused',
    /message payload is \d+ bytes and exceeds maximum/,
    'The transaction contains the arguments and all values that the chaincode wrote. Send smaller arguments.',
  ],
  [
    'orderer-refused',
    /status=FORBIDDEN/,
    'The wallet may not write to the channel: its certificate may be revoked, or its organization may lack the permission. Ask the administrator of the organization.',
  ],
];

function adviceOn(kind: FailureKind, said: string): string {
  const found = advice.find(([of, pattern]) => of === kind && pattern.test(said));
  return found === undefined ? '' : ` ${found[2]}`;
}

/**
 * Returns the organizations whose peers did not respond, or whose results differ from the result of the
 * gateway's own peer.
 */
function organizationsOf(kind: FailureKind, { details }: PeerError): string {
  if (kind !== 'endorsers-unavailable' && kind !== 'mismatch') return '';
  const pattern = kind === 'mismatch' ? mismatch : notReached;
  const named = new Set(details.filter(({ message }) => pattern.test(message)).map(({ mspId }) => mspId));
  return named.size === 0 ? '' : ` (${[...named].join(', ')})`;
}

/**
 * Whether a refusal is final: it follows from the bytes and the channel configuration only, so any orderer
 * would refuse at any time (Fabric: orderer/common/msgprocessor, sigfilter.go and sizefilter.go).
 */
export function isRefusedByConfiguration({ message }: PeerError): boolean {
  return /received unsuccessful response from orderer: status=(?:FORBIDDEN\b|BAD_REQUEST, info=message payload is \d+ bytes and exceeds maximum allowed \d+)/.test(
    message,
  );
}

function detailToJson({ address, mspId, message }: ErrorDetail): JsonObject {
  return { address, mspId, message: readable(message, 2_000) };
}

function readable(text: string, limit = 1000): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, limit)
    .replace(/\.$/, '');
}
