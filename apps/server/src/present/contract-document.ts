import type { AddressForm, ContractMethod, ContractParameter } from '@ledger-ops/adapter';
import type { ContractRecord } from '@ledger-ops/registry';
import { takesNames } from '../routes/contracts/method-call.ts';

type JsonSchema = Record<string, unknown>;

/**
 * An OpenAPI 3.1 document of one contract: each of its methods is an operation with typed arguments.
 * @param account Form of its ledger's addresses, where it is known.
 */
export function contractDocument(
  contract: Pick<ContractRecord, 'contractId' | 'groupId' | 'name' | 'ledgerId' | 'nativeReference'>,
  methods: readonly ContractMethod[],
  baseUrl: string,
  account: AddressForm | undefined,
) {
  const { contractId, groupId, name, ledgerId, nativeReference } = contract;
  const base = `/v1/contract-groups/${encodeURIComponent(groupId)}/instances/${encodeURIComponent(contractId)}`;
  const isOverloaded = (wanted: string) => methods.filter((one) => one.name === wanted).length > 1;
  const paths = methods.map((method) => {
    const segment = isOverloaded(method.name) ? method.signature : method.name;
    return [
      `${base}/methods/${encodeURIComponent(segment)}`,
      { post: operationOf(method, segment, account) },
    ];
  });
  return {
    openapi: '3.1.0',
    info: {
      title: name,
      version: '1',
      description: `Contract ${nativeReference} on the ledger ${ledgerId}.`,
    },
    servers: [{ url: baseUrl }],
    security: [{ ApplicationToken: [], AccessToken: [] }],
    // Each path was made with an operation above.
    paths: Object.fromEntries(paths) as Record<string, { post: ReturnType<typeof operationOf> }>,
    components: {
      securitySchemes: {
        ApplicationToken: { type: 'apiKey', in: 'header', name: 'ApplicationToken' },
        AccessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
      schemas: { ActionCreated: createdSchema, Problem: problemSchema },
    },
  };
}

function operationOf(method: ContractMethod, segment: string, account: AddressForm | undefined) {
  const { view, signature, inputs } = method;
  const { required, properties } = requestOf(method, account);
  return {
    operationId: segment.replaceAll(/[^A-Za-z0-9_]+/g, '_').replace(/_$/, ''),
    summary: signature,
    description: view ? 'Reads; changes nothing.' : 'Becomes an action.',
    requestBody: {
      required: required.length > 0 || inputs.length > 0,
      content: {
        'application/json': {
          schema: { type: 'object', additionalProperties: false, required, properties },
        },
      },
    },
    responses: {
      ...(view
        ? { 200: answerOf('What it says now.', resultSchema(method, account)) }
        : { 201: answerOf('Accepted.', { $ref: '#/components/schemas/ActionCreated' }) }),
      default: {
        description: 'A problem (RFC 9457).',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  };
}

function answerOf(description: string, schema: JsonSchema) {
  return { description, content: { 'application/json': { schema } } };
}

function requestOf(
  method: ContractMethod,
  account: AddressForm | undefined,
): { required: string[]; properties: Record<string, JsonSchema> } {
  const args = argumentsSchema(method, account);
  const wallet = { type: 'string', maxLength: 64 };
  const uuid = { type: 'string', format: 'uuid' };
  const required = method.inputs.length > 0 ? ['arguments'] : [];
  const walletPassword = { type: 'string', format: 'password' };
  if (method.view) {
    const description = 'Where the ledger answers by who asks.';
    const asking = {
      walletId: { ...wallet, description },
      walletPassword: { ...walletPassword, description },
    };
    return { required, properties: { arguments: args, ...asking } };
  }
  return {
    required: [...required, 'walletId', 'walletPassword'],
    properties: {
      arguments: args,
      walletId: wallet,
      walletPassword,
      intent: { ...uuid, type: ['string', 'null'] },
      tag: { type: ['string', 'null'], maxLength: 256 },
      dependencies: { type: 'array', items: uuid, maxItems: 100 },
      deadline: { type: 'string', format: 'date-time' },
      meta: { type: 'object' },
    },
  };
}

function argumentsSchema(method: ContractMethod, account: AddressForm | undefined): JsonSchema {
  const { inputs } = method;
  const parameterSchema = ({ type }: ContractParameter) => givenSchema(type, account);
  if (takesNames(method)) {
    return {
      type: 'object',
      additionalProperties: false,
      required: inputs.map(({ name }) => name),
      properties: Object.fromEntries(inputs.map((input) => [input.name, parameterSchema(input)])),
    };
  }
  const length = inputs.length;
  return { type: 'array', prefixItems: inputs.map(parameterSchema), minItems: length, maxItems: length };
}

function resultSchema({ outputs }: ContractMethod, account: AddressForm | undefined): JsonSchema {
  const [only, ...more] = outputs;
  const result =
    only === undefined
      ? { type: 'null' }
      : more.length > 0
        ? severalSchema(outputs, account)
        : typeSchema(only.type, account);
  return { type: 'object', required: ['result'], properties: { result } };
}

function severalSchema(outputs: readonly ContractParameter[], account: AddressForm | undefined): JsonSchema {
  const valueSchema = ({ type }: ContractParameter) => typeSchema(type, account);
  const names = outputs.map(({ name }) => name);
  const isNamed = names.every((name) => name !== '') && new Set(names).size === names.length;
  if (!isNamed) return { type: 'array', prefixItems: outputs.map(valueSchema) };
  return {
    type: 'object',
    required: names,
    properties: Object.fromEntries(outputs.map((output) => [output.name, valueSchema(output)])),
  };
}

/** Form of values that are taken: quantities as text or number. */
function givenSchema(type: string, account: AddressForm | undefined): JsonSchema {
  const schema = typeSchema(type, account);
  return schema.pattern === integer ? { ...schema, type: ['string', 'integer'] } : schema;
}

const integer = '^(-?[0-9]+|0x[0-9a-fA-F]+)$';

/** JSON Schema of a ledger's type: an ABI's (Solidity's names), or one of JSON's own. Values that are answered have it. */
function typeSchema(type: string, account: AddressForm | undefined): JsonSchema {
  const array = /^(.*)\[(\d*)\]$/.exec(type);
  if (array !== null) {
    const [, item = '', size = ''] = array;
    const bounds = size === '' ? {} : { minItems: Number(size), maxItems: Number(size) };
    return { type: 'array', items: typeSchema(item, account), ...bounds, description: type };
  }
  if (/^u?int\d*$/.test(type)) return { type: 'string', pattern: integer, description: type };
  if (type === 'address') return { type: 'string', ...patternOf(account), description: type };
  if (type === 'bool') return { type: 'boolean', description: type };
  const bytes = /^bytes(\d*)$/.exec(type);
  if (bytes !== null) {
    // Of a ledger whose addresses are no hex it is not known how it writes bytes.
    if (account?.example.startsWith('0x') !== true) return { type: 'string', description: type };
    const length = bytes[1] === '' ? '*' : `{${bytes[1]}}`;
    return { type: 'string', pattern: `^0x([0-9a-fA-F]{2})${length}$`, description: type };
  }
  if (['string', 'number', 'integer', 'boolean', 'array', 'object'].includes(type)) return { type };
  // A tuple, or a type that only the ledger knows: arrays or objects, and texts.
  return { description: type };
}

/** The pattern of addresses, where it is one in JSON Schema's words as well as in RE2's. */
function patternOf(account: AddressForm | undefined): { pattern?: string } {
  if (account === undefined) return {};
  try {
    new RegExp(account.pattern, 'u');
    return { pattern: account.pattern };
  } catch {
    return {};
  }
}

const createdSchema = {
  type: 'object',
  required: ['actionId', 'intent', 'status'],
  properties: {
    actionId: { type: 'string', format: 'uuid' },
    id: { type: 'string' },
    intent: { type: ['string', 'null'] },
    status: { const: 'PENDING' },
  },
};
const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
      },
    },
  },
};
