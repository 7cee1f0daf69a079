import type { AddressForm, ContractMethod, ContractParameter } from '@ledger-ops/adapter';
import { Problem } from '@ledger-ops/base';
import type { ContractRecord } from '@ledger-ops/registry';
import { takesNames } from '../routes/contracts/method-call.ts';

type JsonSchema = Record<string, unknown>;

/**
 * Returns an OpenAPI 3.1 document of one contract: each of its methods is an operation with typed arguments.
 * @param account address form of its ledger, if known
 */
export function contractDocument(
  contract: Pick<ContractRecord, 'contractId' | 'groupId' | 'name' | 'ledgerId' | 'nativeReference'>,
  methods: readonly ContractMethod[],
  baseUrl: string,
  account: AddressForm | undefined,
) {
  const { contractId, groupId, name, ledgerId, nativeReference } = contract;
  const base = `/v1/contract-groups/${encodeURIComponent(groupId)}/instances/${encodeURIComponent(contractId)}`;
  const isOverloaded = overloadedNames(methods);
  demandSize(methods, account);
  const form = portable(account);
  const paths = methods.map((method) => {
    const segment = isOverloaded.has(method.name) ? method.signature : method.name;
    return [`${base}/methods/${encodeURIComponent(segment)}`, { post: operationOf(method, segment, form) }];
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
    // `Object.fromEntries` loses the type of the entries.
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

/** Maximum number of characters of a document. Client generators would not accept longer ones. */
const longestDocument = 2_097_152;
/**
 * Estimated number of characters of an operation without its types (`ofOperation`), and of a type's schema without
 * its description (`ofType`).
 */
const ofOperation = 1_600;
const ofType = 160;
/** Maximum number of dimensions of an array that are written as nested schemas. */
const mostDimensions = 32;
/** Maximum number of characters of a type in a description. */
const longestType = 512;

/** @throws Problem `unsupported-operation` if the document would be too long, before any of it is generated */
function demandSize(methods: readonly ContractMethod[], account: AddressForm | undefined): void {
  const pattern = account?.pattern.length ?? 0;
  let length = 0;
  for (const { name, signature, inputs, outputs } of methods) {
    // A signature appears as the path, escaped, and in the summary.
    length += ofOperation + 4 * signature.length + 3 * name.length;
    for (const one of [...inputs, ...outputs]) {
      const dimensions = Math.min(one.type.split('[').length, mostDimensions);
      length += 2 * one.name.length + dimensions * ofType + Math.min(one.type.length, longestType) + pattern;
    }
    if (length > longestDocument) {
      const detail = `The contract's OpenAPI document would be longer than ${longestDocument} characters. Read its methods at ../methods instead, or register it with fewer methods.`;
      throw new Problem('unsupported-operation', detail);
    }
  }
}

function overloadedNames(methods: readonly ContractMethod[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(methods.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size));
}

function operationOf(method: ContractMethod, segment: string, account: KnownForm) {
  const { view, signature, inputs } = method;
  const { required, properties } = requestOf(method, account);
  return {
    operationId: operationIdOf(segment),
    summary: signature,
    description: view ? 'Reads a value; changes nothing.' : 'Creates an action.',
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
        ? { 200: answerOf('The current value.', resultSchema(method, account)) }
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
  account: KnownForm,
): { required: string[]; properties: Record<string, JsonSchema> } {
  const args = argumentsSchema(method, account);
  const wallet = { type: 'string', maxLength: 64 };
  const uuid = { type: 'string', format: 'uuid' };
  const required = method.inputs.length > 0 ? ['arguments'] : [];
  const walletPassword = { type: 'string', format: 'password' };
  if (method.view) {
    const description = 'Required if the result depends on the caller.';
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

function argumentsSchema(method: ContractMethod, account: KnownForm): JsonSchema {
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

function resultSchema({ outputs }: ContractMethod, account: KnownForm): JsonSchema {
  const [only, ...more] = outputs;
  const result =
    only === undefined
      ? { type: 'null' }
      : more.length > 0
        ? severalSchema(outputs, account)
        : typeSchema(only.type, account);
  const returned = {
    type: 'string',
    description: 'Present if the result could not be decoded: the data that the contract returned.',
  };
  const warnings = { type: 'array', items: { type: 'string' } };
  return {
    type: 'object',
    required: ['result'],
    properties: { result: { anyOf: [result, { type: 'null' }] }, returned, warnings },
  };
}

function severalSchema(outputs: readonly ContractParameter[], account: KnownForm): JsonSchema {
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

/** Schema of an argument: quantities are text or numbers. */
function givenSchema(type: string, account: KnownForm): JsonSchema {
  const schema = typeSchema(type, account);
  return schema.pattern === integer ? { ...schema, type: ['string', 'integer'] } : schema;
}

const integer = '^(-?[0-9]+|0x[0-9a-fA-F]+)$';

/** JSON Schema of returned values of a ledger's type: a Solidity ABI type, or a JSON type. */
function typeSchema(type: string, account: KnownForm): JsonSchema {
  const sizes: string[] = [];
  let item = type;
  while (item.endsWith(']') && sizes.length <= mostDimensions) {
    const open = item.lastIndexOf('[');
    const size = item.slice(open + 1, -1);
    if (open === -1 || !/^\d*$/.test(size)) break;
    sizes.unshift(size);
    item = item.slice(0, open);
  }
  if (sizes.length > mostDimensions) return described(type);
  let schema = itemSchema(item, account);
  if (sizes.length === 0) return schema;
  for (const size of sizes) {
    const bounds = size === '' ? {} : { minItems: Number(size), maxItems: Number(size) };
    schema = { type: 'array', items: schema, ...bounds };
  }
  return { ...schema, ...described(type) };
}

function itemSchema(type: string, account: KnownForm): JsonSchema {
  if (/^u?int\d*$/.test(type)) return { type: 'string', pattern: integer, ...described(type) };
  if (type === 'address') {
    const pattern = account?.pattern === undefined ? {} : { pattern: account.pattern };
    return { type: 'string', ...pattern, ...described(type) };
  }
  if (type === 'bool') return { type: 'boolean', ...described(type) };
  const bytes = /^bytes(\d*)$/.exec(type);
  if (bytes !== null) {
    // Ledgers whose addresses are not hexadecimal may return bytes in other forms.
    if (account?.example?.startsWith('0x') !== true) return { type: 'string', ...described(type) };
    const length = bytes[1] === '' ? '*' : `{${bytes[1]}}`;
    return { type: 'string', pattern: `^0x([0-9a-fA-F]{2})${length}$`, ...described(type) };
  }
  if (['string', 'number', 'integer', 'boolean', 'array', 'object'].includes(type)) return { type };
  // A tuple or a ledger-specific type, of any JSON type.
  return described(type);
}

function described(type: string): { description: string } {
  return { description: type.length > longestType ? `${type.slice(0, longestType)}…` : type };
}

/** Returns an identifier for generated code. */
function operationIdOf(segment: string): string {
  return segment
    .slice(0, longestType)
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .replace(/_$/, '');
}

/** An address form, without the pattern if it is not a valid Unicode regular expression. */
type KnownForm = Partial<AddressForm> | undefined;

function portable(account: AddressForm | undefined): KnownForm {
  if (account === undefined) return undefined;
  try {
    new RegExp(account.pattern, 'u');
    return account;
  } catch {
    return { example: account.example };
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
