// The worst messages that a peer can send must not block the event loop or stay in memory.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { peer as protos } from '@hyperledger/fabric-protos';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CostOfAnswers } from '../../../testing/cost-of-answers.ts';
import { createCaClient } from '../src/ca/ca-client.ts';
import { Enrollment } from '../src/ca/enrollment.ts';
import { createDefinitions } from '../src/chaincode/definitions.ts';
import { approvedPackage } from '../src/chaincode/lifecycle.ts';
import { problemOf } from '../src/gateway/errors.ts';
import { field, processProposal, signProposal } from '../src/gateway/gateway-client.ts';
import { Peer } from '../src/gateway/peer.ts';
import { grpcCode, PeerError } from '../src/gateway/peer-error.ts';
import { createQscc } from '../src/gateway/qscc.ts';
import type { Queries } from '../src/gateway/query.ts';
import { createMsps } from '../src/msp/msp.ts';
import { defaultTiming } from '../src/timing.ts';
import { certificateOf } from './certificate-of.ts';

const size = 8_000_000;
const empties = (tag: number) => Buffer.alloc(size, Buffer.of(tag, 0));
const varints = (tag: number) => Buffer.alloc(size, Buffer.of(tag, 1));
const [block, filtered] = [2, 3];

const text = Buffer.alloc(size / 4, 'a');
const repeat = (bytes: Uint8Array, count: number) =>
  Buffer.concat(Array.from({ length: count }, () => bytes));

const configuration = (group: Uint8Array) =>
  field(2, field(1, field(1, field(2, field(1, field(2, group))))));
const member = (config: Uint8Array) => {
  const organization = field(
    3,
    Buffer.concat([
      field(1, Buffer.from('MSP')),
      field(2, field(2, field(2, Buffer.concat([field(1, Buffer.from('Org1MSP')), config])))),
    ]),
  );
  const application = field(2, Buffer.concat([field(1, Buffer.from('Org1')), field(2, organization)]));
  return field(2, Buffer.concat([field(1, Buffer.from('Application')), field(2, application)]));
};
/**
 * Nested messages of about this many bytes: field 2 inside field 2, written from the innermost message
 * outward.
 */
function nested(bytes: number): Uint8Array {
  const headers: Uint8Array[] = [];
  for (let length = 0; length < bytes; ) {
    const varint: number[] = [];
    for (let rest = length; rest > 0 || varint.length === 0; rest >>>= 7)
      varint.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    const header = Uint8Array.of(0x12, ...varint);
    headers.push(header);
    length += header.length;
  }
  return Buffer.concat(headers.toReversed());
}
const [certificate, other] = await Promise.all([certificateOf('a'), certificateOf('a')]);

/** Unary answers: a block, a block with a channel's configuration, the definition of a chaincode. */
const blocks: Readonly<Record<string, Uint8Array>> = {
  'transactions of a block': field(2, empties(0x0a)),
  'metadata of a block': field(3, empties(0x0a)),
  'unknown fields': varints(0x78),
  'unknown fields of a part': field(1, varints(0x78)),
  'transactions within the limit': field(2, Buffer.alloc(98_000, Buffer.of(0x0a, 0))),
  'transactions with long ids': field(2, repeat(field(1, field(1, field(1, field(1, field(5, text))))), 4)),
  'a long payload': field(1, field(3, Buffer.alloc(size, 1))),
  'a long hash': field(1, field(2, Buffer.alloc(4 * size, 1))),
  groups: Buffer.alloc(size, 0x0b),
  zeros: Buffer.alloc(size),
  'endless varints': Buffer.alloc(size, 0xff),
};
const configurations: Readonly<Record<string, Uint8Array>> = {
  'groups of a configuration': configuration(Buffer.alloc(size, Buffer.of(0x12, 0))),
  'values of a configuration': configuration(repeat(field(3, field(1, text)), 4)),
  'groups of a configuration within the limit': configuration(Buffer.alloc(49_000, Buffer.of(0x12, 0))),
  'other members of a map of groups': configuration(field(2, field(3, Buffer.alloc(size, 1)))),
  'nested groups': configuration(nested(500_000)),
  'certificates of a member': configuration(member(repeat(field(2, Buffer.from(certificate)), 1_900))),
  'a long certificate': configuration(member(field(2, text))),
  'fields of a member': configuration(member(empties(0x3a))),
  'intermediates of the same name': configuration(member(repeat(field(3, Buffer.from(other)), 1_900))),
  'revocation lists': configuration(member(repeat(field(5, Buffer.of(0x30, 0)), 40_000))),
  'a long revocation list': configuration(member(field(5, Buffer.alloc(size, Buffer.of(0x30, 3, 2, 1, 1))))),
};
const definitions: Readonly<Record<string, Uint8Array>> = {
  'collections of a definition': field(6, empties(0x0a)),
  'approvals of a definition': empties(0x42),
  'a long version': field(2, Buffer.alloc(size, 'a')),
  'a long package id': field(8, field(2, field(1, Buffer.alloc(size, 'a')))),
};
/** Events of a stream. */
const events: Readonly<Record<string, Uint8Array>> = {
  'filtered transactions': field(filtered, empties(0x22)),
  'filtered transactions within the limit': field(filtered, Buffer.alloc(98_000, Buffer.of(0x22, 0))),
  'actions within the limit': field(
    filtered,
    field(4, field(4, Buffer.alloc(98_000, Buffer.of(0x0a, 2, 0x0a, 0)))),
  ),
  'ids of filtered transactions': field(filtered, repeat(field(4, field(1, text)), 4)),
  'actions of a transaction': field(filtered, field(4, field(4, empties(0x0a)))),
  'whole transactions': field(block, field(2, empties(0x0a))),
  'unknown fields of an event': varints(0x78),
};

const detail = (message: string) => field(3, field(2, field(3, Buffer.from(message))));
/**
 * Refusals, with the metadata in which a gateway passes on the endorsers' messages. Headers have at most 64
 * KiB.
 */
const refusals: Readonly<Record<string, { details: string; status: Uint8Array }>> = {
  'many details': {
    details: 'no',
    status: Buffer.concat(Array.from({ length: 20_000 }, () => Buffer.of(0x1a, 0))),
  },
  'fields of a status': { details: 'no', status: Buffer.alloc(40_000, Buffer.of(0x08, 1)) },
  'a long detail': { details: 'no', status: detail('chaincode '.repeat(4_000)) },
  'a long message': { details: 'chaincode '.repeat(4_000), status: Buffer.alloc(0) },
  'a message of spaces': { details: `${' '.repeat(15_000)}.`, status: Buffer.alloc(0) },
};
const response = (message: string) =>
  field(4, Buffer.concat([Buffer.of(0x08, 0xf4, 3), field(2, Buffer.from(message))]));
/** Answers of an endorser that refuses. */
const words: Readonly<Record<string, string>> = {
  'chaincode that terminated': 'chaincode '.repeat(size / 10),
  spaces: ' '.repeat(size),
  'control characters': '\u0001a'.repeat(size / 2),
  names: 'chaincode response 500, Function '.repeat(size / 33),
};
const messages: Readonly<Record<string, Uint8Array>> = {
  ...blocks,
  ...configurations,
  ...definitions,
  ...Object.fromEntries(
    Object.entries(words).map(([name, message]) => [`words: ${name}`, response(message)]),
  ),
};

/**
 * A peer in its own thread, so that its processor time is not measured. Paths and channel names select its
 * answers.
 */
const peerThread = `
const grpc = require('@grpc/grpc-js');
const { parentPort, workerData } = require('node:worker_threads');
const asIs = (bytes) => Buffer.from(bytes);
const server = new grpc.Server();
for (const [name, message] of Object.entries(workerData.messages))
  server.register('/' + encodeURI(name), (_, reply) => reply(null, message), asIs, asIs, 'unary');
for (const [name, { details, status }] of Object.entries(workerData.refusals))
  server.register('/' + encodeURI(name), (_, reply) => {
    const metadata = new grpc.Metadata();
    metadata.set('grpc-status-details-bin', Buffer.from(status));
    reply({ code: grpc.status.ABORTED, details, metadata });
  }, asIs, asIs, 'unary');
const stream = (call) => call.once('data', (request) => {
  const name = Object.keys(workerData.events).sort((a, b) => b.length - a.length).find((one) => request.includes(one));
  call.write(workerData.events[name]);
  call.end();
});
server.register('/protos.Deliver/DeliverFiltered', stream, asIs, asIs, 'bidi');
server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) => parentPort.postMessage(port));
`;

let thread: Worker;
let peer: Peer;
beforeAll(async () => {
  thread = new Worker(peerThread, { eval: true, workerData: { messages, refusals, events } });
  const [port] = await once(thread, 'message');
  const at = {
    ...{ nodeId: 'peer0', host: '127.0.0.1', port, secure: false, serverName: undefined },
    ...{ rootCertificate: undefined, mspId: 'Org1MSP', role: 'gateway' as const, client: undefined },
  };
  peer = new Peer(at, undefined, defaultTiming.peers);
});
afterAll(async () => {
  peer?.close();
  await thread?.terminate();
});

/** Queries of system chaincode that all return the message of this name. */
function queriesOf(name: string): Queries {
  const unary = () => peer.unary(`/${encodeURI(name)}`, new Uint8Array(), 20_000);
  return {
    evaluate: unary,
    queryPeer: unary,
    queryAnyPeer: async (_query, _timeout, read) => ({ peer, answer: read(await unary()) }),
    queryEachPeer: async () => [],
  };
}

const qsccOf = (name: string) => createQscc(queriesOf(name), 20_000);

async function firstEvent(name: string): Promise<void> {
  const identity = { mspId: 'Org1MSP', credentials: new Uint8Array() };
  const gateway = await peer.gateway(identity, (message) => message);
  const blocks = await gateway.getNetwork(name).getFilteredBlockEvents({ startBlock: 0n });
  try {
    for await (const _ of blocks) return;
  } finally {
    blocks.close();
  }
}

test('no refusal of a peer blocks the event loop or stays in memory', async () => {
  const member = { mspId: 'Org1MSP', credentials: new Uint8Array() };
  const gateway = await peer.gateway(member, (message) => message);
  const bytes = gateway.getNetwork('c').getContract('cc').newProposal('f').getBytes();
  const signed = signProposal(bytes, 'c', new Uint8Array()).signed.serializeBinary();
  const costs = await CostOfAnswers.start();
  for (const name of Object.keys(refusals)) {
    await costs.measure(`refusal: ${name}`, () =>
      peer
        .unary(`/${encodeURI(name)}`, signed, 20_000)
        .catch((error: unknown) => error instanceof PeerError && problemOf(error, 'submit')),
    );
  }
  for (const name of Object.keys(words)) {
    await costs.measure(`words: ${name}`, async () => {
      const asked: Pick<Peer, 'unary'> = {
        unary: (_, message, timeout) => peer.unary(`/${encodeURI(`words: ${name}`)}`, message, timeout),
      };
      const { message } = await processProposal(asked, signed, 20_000);
      problemOf(new PeerError(grpcCode.aborted, message), 'submit');
    });
  }
  expect(await costs.excesses()).toEqual([]);
}, 300_000);

test('no message of a peer blocks the event loop or stays in memory', async () => {
  await qsccOf('zeros')
    .height('c')
    .catch(() => undefined);
  const costs = await CostOfAnswers.start();
  for (const name of Object.keys(blocks)) {
    const qscc = qsccOf(name);
    await costs.measure(`height: ${name}`, () => qscc.height('c'));
    await costs.measure(`blockAt: ${name}`, () => qscc.blockAt('c', 0));
    await costs.measure(`genesis: ${name}`, () => qscc.genesis('c'));
  }
  const identity = { mspId: 'Org1MSP', certificate };
  for (const name of Object.keys({ ...configurations, ...blocks })) {
    const msps = createMsps(qsccOf(name), 1_000);
    await costs.measure(`members: ${name}`, () => msps.requireValid('c', identity, 'check', Date.now()));
  }
  for (const name of Object.keys({ ...definitions, 'a long payload': 1 })) {
    const queries = queriesOf(name);
    const { committed, approvals } = createDefinitions(queries, 20_000);
    const approved = () => queries.evaluate({ channel: 'c', chaincode: '', method: '', args: [] }, 20_000);
    await costs.measure(`definition: ${name}`, () => committed('c', 'cc'));
    await costs.measure(`approvals: ${name}`, () =>
      approvals(new protos.lifecycle.CheckCommitReadinessArgs(), 'c'),
    );
    await costs.measure(`approved: ${name}`, () => approved().then(approvedPackage));
  }
  for (const name of Object.keys(events)) await costs.measure(name, () => firstEvent(name));
  expect(await costs.excesses()).toEqual([]);
}, 300_000);

const caAnswers: Readonly<Record<string, string>> = {
  values: `{"success":true,"result":[${'{},'.repeat(4_900)}{}]}`,
  'malformed errors': `{"success":false,"errors":[${'{},'.repeat(4_900)}{}]}`,
  'a long message': `{"success":false,"errors":[{"code":1,"message":"${'a'.repeat(1_000_000)}"}]}`,
  'a long certificate': `{"success":true,"result":{"Cert":"${'QUJD'.repeat(250_000)}"}}`,
  'a long string in a certificate': `{"success":true,"result":{"Cert":"${Buffer.from(`-----BEGIN CERTIFICATE-----\n${'QUJD'.repeat(150_000)}\n-----END CERTIFICATE-----`).toString('base64')}"}}`,
  depth: `{"success":true,"result":${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
};
const caThread = `
const { parentPort, workerData } = require('node:worker_threads');
require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end(workerData[decodeURI(request.url.split('/')[1])]));
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

test('no answer of a CA blocks the event loop or stays in memory', async () => {
  const ca = new Worker(caThread, { eval: true, workerData: caAnswers });
  try {
    const [port] = await once(ca, 'message');
    const costs = await CostOfAnswers.start();
    for (const name of Object.keys(caAnswers)) {
      const properties = {
        ...{ url: new URL(`http://127.0.0.1:${port}/${name}`), name: undefined, rootCertificate: undefined },
        ...{ registrar: undefined, attributes: [], affiliations: [] },
      };
      const client = createCaClient(properties, undefined, 20_000, { now: Date.now });
      const enrollment = new Enrollment(client, properties, 60_000);
      await costs.measure(`enroll: ${name}`, () => enrollment.enroll('id', 'secret', 'request'));
      await costs.measure(`reenroll: ${name}`, () => enrollment.reenroll(certificate, '{}', Buffer.of(1)));
      await client.close();
    }
    expect(await costs.excesses()).toEqual([]);
  } finally {
    await ca.terminate();
  }
}, 300_000);
