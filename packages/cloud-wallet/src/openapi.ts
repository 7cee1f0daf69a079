import { adapterErrorCodes, interfaceVersion } from '@ledger-ops/adapter';
import {
  checkedMessage,
  checkMessage,
  createWalletMessage,
  emulatedMessage,
  emulateMessage,
  eventMessage,
  eventPageMessage,
  paths,
  pluginMessage,
  problemMessage,
  protocolLimits,
  readEventsMessage,
  sendMessage,
  statusMessage,
  submissionMessage,
  walletMessage,
} from '@ledger-ops/adapter/cloud-wallet';
import { gloJsonSchema } from '@ledger-ops/glo-core';
import { z } from 'zod';
import { hostProblems, problemMessageOf, statusOfCode } from './problem.ts';

type Node = { [name: string]: unknown };

const components = {
  Problem: problemMessage,
  Plugin: pluginMessage,
  CreateWallet: createWalletMessage,
  Wallet: walletMessage,
  SendTransaction: sendMessage,
  Submission: submissionMessage,
  TransactionStatus: statusMessage,
  Check: checkMessage,
  Checked: checkedMessage,
  Emulate: emulateMessage,
  Emulated: emulatedMessage,
  ReadEvents: readEventsMessage,
  Event: eventMessage,
  EventPage: eventPageMessage,
} as const;
type Component = keyof typeof components;

const ref = (name: Component) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Node) => ({ 'application/json': { schema } });
const problemAnswer = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: ref('Problem') } },
});

/** Answers that any operation may give beside its own. */
const refusals = {
  400: problemAnswer('Malformed or invalid; `errors` says where.'),
  401: problemAnswer('The host did not show that it is the host. Decides nothing about the request.'),
  404: problemAnswer('Unknown ledger, wallet or path.'),
  413: problemAnswer(`The body has more than ${protocolLimits.bodyBytes} bytes.`),
  422: problemAnswer('Understood, but it cannot be done.'),
  503: problemAnswer('Cannot be done or said now. Decides nothing: the host asks again.'),
};

/** On requests that are made for an action or a caller. */
const traceparent: Node = {
  name: 'traceparent',
  in: 'header',
  required: false,
  description:
    'W3C Trace Context: that of the request which the action came with, else one made of the action id, the same whenever the action is sent again. Of no meaning to the operation.',
  schema: { type: 'string', pattern: '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$' },
  example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
};

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  body?: Component;
  parameters?: Node[];
  status: 200 | 201;
  answer: Node;
  more?: Record<number, Node>;
}

function operation({ operationId, summary, description, body, parameters, status, answer, more }: Operation) {
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { parameters: [traceparent], requestBody: { required: true, content: json(ref(body)) } }),
    responses: { [status]: { description: 'Done.', content: json(answer) }, ...refusals, ...more },
  };
}

const definitions = '#/$defs/';

/** The GLO and its parts as components, by names of their own. */
function gloSchemas(): Node {
  const { $defs = {}, ...glo } = moved(gloJsonSchema());
  // `$defs` of a JSON Schema is an object of schemas.
  return { Glo: glo, ...($defs as Node) };
}

function moved(schema: Node): Node {
  return JSON.parse(
    JSON.stringify(schema).replaceAll(`"$ref":"${definitions}`, '"$ref":"#/components/schemas/'),
  );
}

/** A message whose member `glo` is the operation. */
function withGlo(schema: Node): Node {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null || !('glo' in properties)) return schema;
  const description =
    'In its canonical form. Locators are of type `ledger`; `contract_source` stays as it was, with `contractSource` beside it.';
  return { ...schema, properties: { ...properties, glo: { $ref: '#/components/schemas/Glo', description } } };
}

/** The message of a problem, whose type may be one that the host knows. */
function typedProblem(schema: unknown): unknown {
  // Made of an object's schema.
  const { properties, ...rest } = schema as { properties: Node };
  const type = { anyOf: [{ $ref: '#/components/schemas/ProblemType' }, { type: 'string', minLength: 1 }] };
  return { ...rest, properties: { ...properties, type } };
}

/** Types that the host knows, with their statuses. Others are taken as refusals. */
function problemTypes(): Node {
  const types = [
    ...adapterErrorCodes.map((code) => [code, statusOfCode[code]] as const),
    ...Object.entries(hostProblems),
  ];
  return {
    type: 'string',
    description:
      'Types of problems that the host knows, each with its status; any other is a refusal in the plugin’s words.',
    oneOf: types.map(([name, status]) => {
      const { type, title } = problemMessageOf(name, status, '');
      return { const: type, title: `${status} ${title}` };
    }),
  };
}

/** JSON Schemas of the components, as whoever writes a message needs them. */
function schemas(): Node {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(components)) registry.add(schema, { id });
  const made = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
  });
  const messages: Node = Object.fromEntries(
    Object.entries(made.schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, withGlo(schema)]),
  );
  return {
    ...messages,
    Problem: typedProblem(messages.Problem),
    ...gloSchemas(),
    ProblemType: problemTypes(),
  };
}

/** The cloud wallet protocol, as a plugin serves it below its URL: an OpenAPI 3.1 document. */
export function cloudWalletOpenApi(): Node {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cloud wallet protocol',
      version: interfaceVersion,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'What a remote plugin serves below its URL. It keeps its own keys. An action is executed once, however often it is sent: `actionId` is the idempotency key. A status 401, 408, 425, 429 or 5xx, or no answer, decides nothing; the host asks again.',
    },
    servers: [{ url: '/', description: "Below the plugin's URL." }],
    paths: {
      [paths.plugin]: {
        get: operation({
          operationId: 'describePlugin',
          summary: 'What the plugin is and can do.',
          status: 200,
          answer: ref('Plugin'),
        }),
      },
      [paths.wallets]: {
        post: operation({
          operationId: 'createWallet',
          summary: 'Makes a wallet, with a key that the plugin keeps.',
          description:
            'The same call again answers the same address. The wallet id with another secret, or on another ledger, is refused with 409.',
          body: 'CreateWallet',
          status: 201,
          answer: ref('Wallet'),
          more: { 409: problemAnswer('The wallet id is taken.') },
        }),
      },
      [paths.transactions]: {
        post: operation({
          operationId: 'sendTransaction',
          summary: 'Executes an operation, once for each action id.',
          description:
            'The same request again answers the state of the same action. A status `FAILED` is final. The action id with another body is refused with 409. After a refusal with 400, 403, 404, 409, 413 or 422 nothing was executed and nothing will be.',
          body: 'SendTransaction',
          status: 200,
          answer: ref('Submission'),
          more: {
            403: problemAnswer("The secret is not the wallet's."),
            409: problemAnswer('The action id was used with another body.'),
          },
        }),
        get: operation({
          operationId: 'getTransactionsStatus',
          summary: 'The state of transactions: one item for each id, in their order.',
          description:
            'An id is what sendTransaction answered as `txId`, or the action id. An unknown one is `FAILED` with a problem of status 404.',
          parameters: [
            {
              name: 'txId',
              in: 'query',
              required: true,
              explode: true,
              schema: {
                type: 'array',
                items: { type: 'string' },
                minItems: 1,
                maxItems: protocolLimits.txIds,
              },
            },
          ],
          status: 200,
          answer: { type: 'array', items: ref('TransactionStatus') },
        }),
      },
      [paths.checks]: {
        post: operation({
          operationId: 'checkOperation',
          summary: 'Whether an operation is in order, without executing it. Only where `checks` is declared.',
          body: 'Check',
          status: 200,
          answer: ref('Checked'),
        }),
      },
      [paths.emulations]: {
        post: operation({
          operationId: 'emulateOperation',
          summary: 'A dry run. Only where `emulations` is declared.',
          body: 'Emulate',
          status: 200,
          answer: ref('Emulated'),
        }),
      },
      [paths.events]: {
        post: operation({
          operationId: 'readEvents',
          summary: 'The next events of a contract. Only where `contractEvents` is declared.',
          description:
            'Changes nothing, and is asked again from the same position after any failure: then it tells the same events, with the same ids.',
          body: 'ReadEvents',
          status: 200,
          answer: ref('EventPage'),
        }),
      },
    },
    components: { schemas: schemas() },
  };
}
