import { describe, expect, test } from 'vitest';
import { classify, type FailureKind, isRefusal, isRefusedByConfiguration, problemOf } from './errors.ts';
import { grpcCode, ObserverError, PeerError } from './peer-error.ts';

const at = (message: string) => ({ address: 'peer0:7051', mspId: 'Org1MSP', message });
const see = 'failed to endorse transaction, see attached details for more info';
const underived = 'no combination of peers can be derived which satisfy the endorsement policy';
const noCombination = 'no peer combination can satisfy the endorsement policy';
const creator =
  'error validating proposal: access denied: channel [c] creator org unknown, creator is malformed';

const shim = `GET_STATE failed: transaction ID: ${'8c'.repeat(32)}:`;
const notMember = `${shim} tx creator does not have read access permission on privatedata in chaincodeName:goods collectionName: prices`;
const noCollection = `${shim} collection [price] not defined in the collection config for chaincode [goods]`;
const notDelivered = `${shim} private data matching public hash version is not available. Public hash version = {BlockNum: 5, TxNum: 0}, Private data version = <nil>`;
const differing = 'ProposalResponsePayloads do not match';

/** Answers of peers and gateways of Fabric 2.5.16. */
const answers: [kind: FailureKind, code: number, message: string, detail?: string][] = [
  ['chaincode', grpcCode.aborted, see, 'chaincode response 500, the lot x is refused'],
  ['chaincode', grpcCode.unknown, 'evaluate call to endorser returned error: chaincode response 404, no'],
  [
    'unknown-function',
    grpcCode.aborted,
    see,
    "chaincode response 500, You've asked to invoke a function that does not exist: X",
  ],
  [
    'not-kept',
    grpcCode.aborted,
    'chaincode response 500, Failed to get block for txID ab, error details for the TXID [ab] not available. Ledger bootstrapped from a snapshot. First available block = [5]',
  ],
  ['unknown-function', grpcCode.aborted, see, 'chaincode response 500, Contract name is not known: X'],
  ['unknown-function', grpcCode.aborted, see, 'chaincode response 500, Function X not found in contract C'],
  [
    'mismatch',
    grpcCode.aborted,
    'failed to collect enough transaction endorsements, see attached details for more info',
    'ProposalResponsePayloads do not match',
  ],
  ['identity', grpcCode.failedPrecondition, `evaluate call to endorser returned error: ${creator}`, creator],
  ['identity', grpcCode.aborted, see, 'rpc error: code = Unknown desc = proposal client identity expired'],
  [
    'unknown-channel',
    grpcCode.unavailable,
    'failed to get config for channel [x]: could not get last config for channel x',
  ],
  [
    'unknown-chaincode',
    grpcCode.failedPrecondition,
    'no peers available to evaluate chaincode x in channel c',
  ],
  [
    'unknown-chaincode',
    grpcCode.failedPrecondition,
    'no combination of peers can be derived which satisfy the endorsement policy: No metadata was found for chaincode x in channel c',
  ],
  // Failures that starting a peer can fix.
  [
    'endorsers-unavailable',
    grpcCode.unavailable,
    'failed to find any endorsing peers for org(s): Org2MSP, Org3MSP',
  ],
  ['endorsers-unavailable', grpcCode.failedPrecondition, `${underived}: ${noCombination}`],
  [
    'endorsers-unavailable',
    grpcCode.failedPrecondition,
    `${underived}: cannot satisfy any principal combination`,
  ],
  [
    'endorsers-unavailable',
    grpcCode.failedPrecondition,
    `${underived}: required chaincodes are not installed on sufficient peers`,
  ],
  [
    'endorsers-unavailable',
    grpcCode.failedPrecondition,
    'failed to select a set of endorsers that satisfy the endorsement policy due to unavailability of peers: [peer0.org2:7051]',
  ],
  [
    'endorsers-unavailable',
    grpcCode.failedPrecondition,
    "no endorsers found in the gateway's organization; retry specifying endorsing organization(s) to protect transient data",
  ],
  [
    'endorsers-unavailable',
    grpcCode.aborted,
    'failed to collect enough transaction endorsements, see attached details for more info',
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing"',
  ],
  [
    'endorsers-unavailable',
    grpcCode.aborted,
    see,
    'rpc error: code = DeadlineExceeded desc = context deadline exceeded',
  ],
  // Failures that starting a peer cannot fix.
  ['policy', grpcCode.failedPrecondition, `${underived}: policy not found`],
  ['policy', grpcCode.failedPrecondition, `${underived}: endorsement policy cannot be satisfied`],
  ['policy', grpcCode.failedPrecondition, `${underived}: state based endorsement policy cannot be satisfied`],
  ['policy', grpcCode.failedPrecondition, `${underived}: no principal sets remained after filtering`],
  [
    'policy',
    grpcCode.failedPrecondition,
    `${underived}: collection secrets doesn't exist in collection config for chaincode x`,
  ],
  [
    'policy',
    grpcCode.failedPrecondition,
    'requires endorsement from organisation(s) that are not in the distribution policy of the private data collection(s): [secrets]; retry specifying trusted endorsing organizations to protect transient data',
  ],
  [
    'chaincode-broke',
    grpcCode.aborted,
    see,
    'error in simulation: failed to execute transaction 8c: error sending: chaincode stream terminated',
  ],
  [
    'chaincode-broke',
    grpcCode.aborted,
    see,
    'error in simulation: failed to execute transaction 8c: error sending: timeout expired while executing transaction',
  ],
  [
    'chaincode-unreachable',
    grpcCode.aborted,
    see,
    'error in simulation: failed to execute transaction cf: could not launch chaincode goods_1.0:34: connection to goods_1.0:34 failed: error cannot create connection for goods_1.0:34',
  ],
  [
    'executing',
    grpcCode.aborted,
    see,
    `error in simulation: failed to execute transaction ${'8c'.repeat(32)}: txid: ${'8c'.repeat(32)}(ledger) exists`,
  ],
  ['busy', grpcCode.unknown, 'too many requests for /gateway.Gateway, exceeding concurrency limit (500)'],
  [
    'too-large',
    grpcCode.resourceExhausted,
    'grpc: received message larger than max (105907348 vs. 104857600)',
  ],
  [
    'orderer-refused',
    grpcCode.aborted,
    'received unsuccessful response from orderer: status=BAD_REQUEST, info=no',
  ],
  ['timeout', grpcCode.deadlineExceeded, 'Deadline exceeded after 0.3s'],
  ['timeout', grpcCode.deadlineExceeded, 'endorsement timeout expired while collecting endorsements'],
  ['unavailable', grpcCode.unavailable, 'No connection established. Last error: connect ECONNREFUSED'],
  [
    'unavailable',
    grpcCode.unavailable,
    'no orderers could successfully process transaction',
    'rpc error: code = Unavailable',
  ],
  [
    'not-found',
    grpcCode.unknown,
    'evaluate call to endorser returned error: chaincode response 500, Failed to get transaction with id 50, error no such transaction ID [50] in index',
  ],
  ['chaincode', grpcCode.aborted, see, 'chaincode response 500, the order names no such transaction ID'],
  ['chaincode', grpcCode.aborted, see, `chaincode response 500, ${notMember}`],
  [
    'chaincode',
    grpcCode.unknown,
    `evaluate call to endorser returned error: chaincode response 500, ${noCollection}`,
  ],
  // Gossip has not delivered the private data to this peer. Another peer may have it.
  ['private-data-missing', grpcCode.aborted, see, `chaincode response 500, ${notDelivered}`],
  [
    'private-data-missing',
    grpcCode.unknown,
    `evaluate call to endorser returned error: chaincode response 500, ${notDelivered}`,
  ],
  ['not-found', grpcCode.unknown, 'Unexpected status response: 404'],
  ['identity', grpcCode.unknown, 'Unexpected status response: 403'],
];

test.each(answers)('classifies the peer\'s error as %s: code %i with "%s"', (kind, code, message, detail) => {
  expect(classify(new PeerError(code, message, detail === undefined ? [] : [at(detail)])).kind).toBe(kind);
});

test('if a chaincode crashed on one peer and cannot be reached on the next, it is reported as crashed', () => {
  const details = [
    at('error in simulation: failed to execute transaction 8c: chaincode stream terminated'),
    at('error in simulation: failed to execute transaction 8c: could not launch chaincode goods_1.0:34'),
  ];
  expect(classify(new PeerError(grpcCode.aborted, see, details)).kind).toBe('chaincode-broke');
});

test('a peer’s own message that quotes a chaincode is not treated as an answer of the chaincode', () => {
  const quoted = new PeerError(grpcCode.aborted, see, [at('the peer says: chaincode response 500, no')]);
  expect(classify(quoted).chaincode).toBeUndefined();
});

test('a problem contains the chaincode’s message and each endorser’s message, without control characters', () => {
  const details = [
    at('chaincode response 500, no\u0000\nsuch\tlot.'),
    { ...at('chaincode response 500, no'), mspId: 'Org2MSP' },
  ];
  expect(problemOf(new PeerError(grpcCode.aborted, see, details), 'prepare', 'ab')).toEqual({
    code: 'reverted',
    phase: 'prepare',
    txId: 'ab',
    detail: 'The chaincode rejected the call: no such lot.',
    data: {
      failure: 'chaincode',
      chaincodeStatus: 500,
      endorsers: [
        { address: 'peer0:7051', mspId: 'Org1MSP', message: 'chaincode response 500, no such lot' },
        { address: 'peer0:7051', mspId: 'Org2MSP', message: 'chaincode response 500, no' },
      ],
    },
  });
});

test('suggests a remedy if a private data collection may be the reason for missing endorsers', () => {
  const message = `no combination of peers can be derived which satisfy the endorsement policy: ${noCombination}`;
  expect(problemOf(new PeerError(grpcCode.unavailable, message), 'prepare').detail).toMatch(
    /private data collection .* Give the collection its own endorsement policy\.$/,
  );
});

test.each([
  [`chaincode response 500, ${notMember}`, /send with a wallet of a member\.$/],
  [`chaincode response 500, ${noCollection}`, /collection \[price\] .* Check the name of the collection\./],
  [
    `chaincode response 500, ${shim} collection ledger/goods/prices could not be found`,
    /Check the name of the collection\./,
  ],
  ['rpc error: code = Unknown desc = proposal client identity expired', /Get a new certificate/],
])('suggests a remedy for the refusal "%s"', (message, remedy) => {
  expect(problemOf(new PeerError(grpcCode.aborted, see, [at(message)]), 'prepare').detail).toMatch(remedy);
});

test('blames the observer, not a wallet, for a refusal of a call that the observer signed', () => {
  const refused = new ObserverError(new PeerError(grpcCode.failedPrecondition, creator));
  expect(problemOf(refused, 'check')).toEqual({
    code: 'unavailable',
    phase: 'check',
    detail: `The peers refused the ledger's observer certificate (observer_certificate): ${creator}. The certificate may be revoked or expired, or may not be allowed to read the channel. Ask the administrator of its organization for a certificate, and set observer_certificate and observer_private_key of the ledger.`,
    data: { failure: 'observer-refused' },
  });
  const busy = new PeerError(grpcCode.unknown, 'exceeding concurrency limit (500)');
  expect(classify(new ObserverError(busy)).kind).toBe('busy');
});

test('suggests a remedy if the orderer forbids a transaction, for example because of a revoked certificate', () => {
  const message =
    'received unsuccessful response from orderer: status=FORBIDDEN, info=implicit policy evaluation failed: permission denied';
  expect(problemOf(new PeerError(grpcCode.aborted, message), 'submit').detail).toMatch(
    /permission denied\. The wallet may not write to the channel: its certificate may be revoked/,
  );
});

test('if an orderer refuses a transaction because of its size, explains what the size includes', () => {
  const message =
    'received unsuccessful response from orderer: status=BAD_REQUEST, info=message payload is 10489686 bytes and exceeds maximum allowed 10485760 bytes';
  expect(problemOf(new PeerError(grpcCode.aborted, message), 'submit').detail).toMatch(
    /all values that the chaincode wrote\. Send smaller arguments\.$/,
  );
});

test('the problem names the organizations whose results differ', () => {
  const details = [{ ...at(differing), mspId: 'Org2MSP' }];
  const message = 'failed to collect enough transaction endorsements, see attached details for more info';
  expect(problemOf(new PeerError(grpcCode.aborted, message, details), 'prepare').detail).toMatch(
    /do not match \(Org2MSP\)\.$/,
  );
});

test('reports why a connection failed, without the addresses in gRPC’s message', () => {
  const text = 'No connection established. Last error: Error: connect ECONNREFUSED 10.0.0.5:7051';
  const failed = (reason?: string) =>
    problemOf(new PeerError(grpcCode.unavailable, text, [], new Error(text), reason)).detail;
  expect(failed('Node a: nothing listens on this port')).toBe(
    'The ledger cannot be reached at the moment: Node a: nothing listens on this port.',
  );
  expect(failed()).toBe('The ledger cannot be reached at the moment.');
});

test('if endorsing peers are missing, returns their organizations and a temporary problem', () => {
  const lacking = 'failed to find any endorsing peers for org(s): Org2MSP';
  expect(problemOf(new PeerError(grpcCode.unavailable, lacking), 'prepare', 'ab')).toMatchObject({
    code: 'unavailable',
    detail: expect.stringMatching(/Org2MSP\.$/),
    data: { failure: 'endorsers-unavailable' },
  });
  // The message is the gateway's, although the cause is an error of the library.
  const caused = new PeerError(grpcCode.unavailable, lacking, [], new Error('14 UNAVAILABLE'));
  expect(problemOf(caused, 'prepare').detail).toContain('Org2MSP');
  const dead = { ...at('rpc error: code = Unavailable desc = refused'), mspId: 'Org2MSP' };
  expect(problemOf(new PeerError(grpcCode.aborted, see, [dead]), 'prepare').detail).toBe(
    'Not enough endorsing peers can be reached: rpc error: code = Unavailable desc = refused (Org2MSP).',
  );
  expect(problemOf(new PeerError(grpcCode.aborted, `${underived}: policy not found`), 'prepare').code).toBe(
    'endorsement-failed',
  );
});

test.each([
  [true, 'status=FORBIDDEN, info=implicit policy evaluation failed: permission denied'],
  [true, 'status=BAD_REQUEST, info=message payload is 11 bytes and exceeds maximum allowed 10 bytes'],
  [false, 'status=BAD_REQUEST, info=broadcast client identity expired'],
  [false, 'status=REQUEST_ENTITY_TOO_LARGE, info=no'],
])('isRefusedByConfiguration() returns %s for "%s"', (follows, answer) => {
  const message = `10 ABORTED: received unsuccessful response from orderer: ${answer}`;
  expect(isRefusedByConfiguration(new PeerError(grpcCode.aborted, message))).toBe(follows);
});

describe('refusals by orderers', () => {
  const cases: [certain: boolean, code: number, message: string][] = [
    [true, grpcCode.aborted, 'received unsuccessful response from orderer: status=BAD_REQUEST, info=x'],
    [true, grpcCode.aborted, 'received unsuccessful response from orderer: status=FORBIDDEN, info=x'],
    [true, grpcCode.invalidArgument, 'prepared transaction must be signed'],
    [true, grpcCode.resourceExhausted, 'grpc: received message larger than max (5 vs. 4)'],
    [
      false,
      grpcCode.aborted,
      'received unsuccessful response from orderer: status=SERVICE_UNAVAILABLE, info=x',
    ],
    // An orderer that has not joined the channel yet. Others may have.
    [false, grpcCode.aborted, 'received unsuccessful response from orderer: status=NOT_FOUND, info=x'],
    [
      false,
      grpcCode.aborted,
      'received unsuccessful response from orderer: status=INTERNAL_SERVER_ERROR, info=x',
    ],
    // A local error about the peer's answer.
    [false, grpcCode.resourceExhausted, 'Received message larger than max (5 vs 4)'],
    [false, grpcCode.unavailable, 'no orderers could successfully process transaction'],
    [false, grpcCode.deadlineExceeded, 'submit timeout expired while broadcasting to ordering service'],
    [false, grpcCode.failedPrecondition, 'failed to get config for channel [c]'],
    [false, grpcCode.unknown, 'too many requests for /gateway.Gateway, exceeding concurrency limit (500)'],
    [false, grpcCode.cancelled, 'Cancelled on client'],
  ];
  test.each(cases)('classifies code %i with "%s" as a refusal (%s)', (certain, code, message) => {
    expect(isRefusal(new PeerError(code, message))).toBe(certain);
  });

  test('a refusal by an earlier orderer is ignored if the orderers were unavailable', () => {
    const details = [at('rpc error: certificate has expired')];
    const failure = new PeerError(
      grpcCode.unavailable,
      'no orderers could successfully process transaction',
      details,
    );
    expect(isRefusal(failure)).toBe(false);
  });
});
