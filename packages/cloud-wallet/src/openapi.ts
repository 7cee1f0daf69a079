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
import { hostProblems, statusOfCode, typeAndTitle } from './problem.ts';

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

/** Responses that every operation may return in addition to its own. */
const refusals = {
  400: problemAnswer('The request is malformed or invalid; `errors` contains the positions.'),
  401: problemAnswer('The host is not authenticated. The request had no effect.'),
  404: problemAnswer('Unknown ledger, wallet or path.'),
  413: problemAnswer(`The body has more than ${protocolLimits.bodyBytes} bytes.`),
  422: problemAnswer('The request is valid, but cannot be executed.'),
  503: problemAnswer('Not possible at the moment. The request had no effect, and the host sends it again.'),
};

/** Header of requests on behalf of an action or a caller. */
const traceparent: Node = {
  name: 'traceparent',
  in: 'header',
  required: false,
  description:
    'W3C Trace Context of the request that created the action. If that request had none, it is derived from the action id, so it is the same each time the action is sent. It has no effect on the operation.',
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

/** Returns the GLO and its parts as named components. */
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

/** Returns a message whose member `glo` is the operation. */
function withGlo(schema: Node): Node {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null || !('glo' in properties)) return schema;
  const description =
    'The operation in canonical form. Locators have the type `ledger`. `contract_source` is unchanged; the code that it names is in the member `contractSource`, next to `glo`.';
  return { ...schema, properties: { ...properties, glo: { $ref: '#/components/schemas/Glo', description } } };
}

/** Schema of a problem, with the problem types that the host knows. */
function typedProblem(schema: unknown): unknown {
  // `z.toJSONSchema` of an object always has properties.
  const { properties, ...rest } = schema as { properties: Node };
  const type = { anyOf: [{ $ref: '#/components/schemas/ProblemType' }, { type: 'string', minLength: 1 }] };
  return { ...rest, properties: { ...properties, type } };
}

/** Problem types that the host knows, with their statuses. All others are refusals. */
function problemTypes(): Node {
  const types = [
    ...adapterErrorCodes.map((code) => [code, statusOfCode[code]] as const),
    ...Object.entries(hostProblems),
  ];
  return {
    type: 'string',
    description:
      'Problem types that the host knows, each with its status; any other type is a refusal with the plugin’s message.',
    oneOf: types.map(([name, status]) => {
      const { type, title } = typeAndTitle(name);
      return { const: type, title: `${status} ${title}` };
    }),
  };
}

/** Returns the JSON Schemas of the components, as the sender of a message must obey them. */
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

/** Returns the OpenAPI 3.1 document of the cloud wallet protocol. Its paths are relative to the plugin's URL. */
export function cloudWalletOpenApi(): Node {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cloud wallet protocol',
      version: interfaceVersion,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description:
        'API that a remote plugin serves under its URL. The plugin keeps its own keys. An action is executed once, even if it is sent several times: `actionId` is the idempotency key. A status 401, 408, 425, 429 or 5xx, or no response, means that the outcome is unknown; the host sends the request again.',
    },
    servers: [{ url: '/', description: "The plugin's URL. Paths are relative to it." }],
    paths: {
      [paths.plugin]: {
        get: operation({
          operationId: 'describePlugin',
          summary: 'Describes the plugin and its capabilities.',
          status: 200,
          answer: ref('Plugin'),
        }),
      },
      [paths.wallets]: {
        post: operation({
          operationId: 'createWallet',
          summary: 'Creates a wallet whose key the plugin keeps.',
          description:
            'Repeating the call returns the same address. The same wallet id with another secret, or on another ledger, is rejected with 409.',
          body: 'CreateWallet',
          status: 201,
          answer: ref('Wallet'),
          more: { 409: problemAnswer('The wallet id is taken.') },
        }),
      },
      [paths.transactions]: {
        post: operation({
          operationId: 'sendTransaction',
          summary: 'Executes an operation once per action id.',
          description:
            'Repeating the request returns the state of the same action. A status `FAILED` is final. The same action id with another body is rejected with 409. After a 400, 403, 404, 409, 413 or 422, nothing was executed and nothing will be.',
          body: 'SendTransaction',
          status: 200,
          answer: ref('Submission'),
          more: {
            403: problemAnswer('The secret is not the secret of the wallet.'),
            409: problemAnswer('The action id was already used with another body.'),
          },
        }),
        get: operation({
          operationId: 'getTransactionsStatus',
          summary: 'The status of transactions: one item per id, in the same order.',
          description:
            'An id is the `txId` that sendTransaction returned, or the action id. For an unknown id, the item has the status `FAILED` and a problem with status 404.',
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
          summary: 'Checks an operation without executing it. Only if `checks` is declared.',
          body: 'Check',
          status: 200,
          answer: ref('Checked'),
        }),
      },
      [paths.emulations]: {
        post: operation({
          operationId: 'emulateOperation',
          summary: 'Runs an operation without executing it (dry run). Only if `emulations` is declared.',
          body: 'Emulate',
          status: 200,
          answer: ref('Emulated'),
        }),
      },
      [paths.events]: {
        post: operation({
          operationId: 'readEvents',
          summary: 'The next events of a contract. Only if `contractEvents` is declared.',
          description:
            'Changes nothing. After a failure, the host sends the request again with the same position. The response must then contain the same events with the same ids.',
          body: 'ReadEvents',
          status: 200,
          answer: ref('EventPage'),
        }),
      },
    },
    components: { schemas: schemas() },
  };
}
