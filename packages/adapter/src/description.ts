import { createHash } from 'node:crypto';
import {
  type ContentSchema,
  contentLimits,
  GloError,
  type GloIssue,
  type JsonSchema,
  patternsWeight,
  readSchema,
  readTechnology,
  tooHeavy,
} from '@ledger-ops/glo-core';
import type { AddressForm, TechnologyDescription } from './contract/technology.ts';
import { adapterError } from './error.ts';
import { plainWords } from './words.ts';

const line = (maxLength: number) => ({
  type: 'string',
  minLength: 1,
  maxLength,
  pattern: '^\\P{Cc}+$',
  'x-detail': `must be 1 to ${maxLength} characters without control characters`,
});
const pattern = { type: 'string', minLength: 1, maxLength: 1_024 };
const form = {
  type: 'object',
  properties: { pattern, example: line(512) },
  required: ['pattern', 'example'],
  additionalProperties: false,
};

/**
 * Maximum number of characters of a description's JSON. Compiling the schemas of a longer one would block the event
 * loop.
 */
const longestDescription = 32_768;

/** Schema of a description, in the same subset of JSON Schema that descriptions use. */
const shape: JsonSchema = {
  type: 'object',
  properties: {
    title: line(128),
    namespace: {
      type: 'string',
      pattern: '^[-a-z0-9]{3,8}$',
      'x-detail': 'must be 3 to 8 lowercase letters, digits or hyphens',
    },
    content: {
      type: 'object',
      properties: {
        schema: { type: 'object' },
        version: pattern,
        currentVersion: line(256),
        overrides: { type: 'object' },
      },
      required: ['schema'],
      additionalProperties: false,
    },
    ledgerProperties: { type: 'object' },
    nodeProperties: { type: 'object' },
    walletParameters: { type: 'object' },
    addresses: {
      type: 'object',
      properties: { account: form, contract: form },
      required: ['account'],
      additionalProperties: false,
    },
    unit: {
      type: 'object',
      properties: { symbol: line(32), decimals: { type: 'integer', minimum: 0, maximum: 77 } },
      required: ['symbol', 'decimals'],
      additionalProperties: false,
    },
    templates: {
      type: 'object',
      properties: {
        code: { type: 'object' },
        package: { type: 'boolean' },
        languages: { type: 'array', maxItems: 16, items: line(64) },
      },
      required: ['code'],
      additionalProperties: false,
    },
  },
  required: ['title', 'addresses'],
  additionalProperties: false,
};
let compiledShape: ContentSchema | undefined;

/**
 * Digests of valid descriptions, the most recently read ones last. Hosts read the descriptions of all remote plugins
 * every few seconds, and compiling one may take 35 ms.
 */
const validDigests = new Set<string>();
const mostDigests = 4_096;

const schemaMembers = ['ledgerProperties', 'nodeProperties', 'walletParameters'] as const;

/**
 * Validates a technology's description, which may come from an untrusted plugin, and returns a copy.
 *
 * @param plugin name of the plugin in errors
 *
 * @throws AdapterError `adapter-fault`, phase `open`, with the invalid places
 */
export function readDescription(plugin: string, technology: string, value: unknown): TechnologyDescription {
  const issues = issuesOf(technology, value);
  if (issues.length === 0) return structuredClone(value) as TechnologyDescription; // The value was validated above.
  const places = issues
    .slice(0, 3)
    .map(({ pointer, detail }) => `/description${plainWords(pointer, 200)}: ${plainWords(detail, 300)}`);
  const detail = `The plugin ${plugin} has an invalid description of its technology: ${places.join('; ')}.`;
  throw adapterError('adapter-fault', detail, { phase: 'open' });
}

function issuesOf(technology: string, value: unknown): GloIssue[] {
  const text = JSON.stringify(value) ?? '';
  if (text.length > longestDescription)
    return [
      {
        pointer: '',
        detail: `has ${text.length} characters of JSON, but at most ${longestDescription} are allowed`,
      },
    ];
  compiledShape ??= readSchema(shape);
  const { issues } = compiledShape.read(value);
  if (issues.length > 0) return issues.map(({ pointer, detail }) => ({ pointer, detail }));
  const digest = createHash('sha256').update(`${technology}\n${text}`).digest('base64');
  const wasValid = validDigests.delete(digest);
  // The shape was validated above.
  const found = wasValid ? [] : schemaIssues(technology, value as TechnologyDescription);
  if (found.length === 0) validDigests.add(digest);
  const [oldest = ''] = validDigests;
  if (validDigests.size > mostDigests) validDigests.delete(oldest);
  return found;
}

/** Compiles the schemas individually, but only if all their patterns together are within the limit. */
function schemaIssues(technology: string, description: TechnologyDescription): GloIssue[] {
  const most = contentLimits.patternWeight;
  const weight = patternsWeight(description, most);
  if (weight > most) return [{ pointer: '', detail: tooHeavy(weight, most) }];
  const { content, addresses, templates } = description;
  return [
    ...(content === undefined ? [] : thrownBy(() => readTechnology(technology, content), '/content')),
    ...schemaMembers.flatMap((member) => {
      const schema = description[member];
      return schema === undefined ? [] : membersIssues(member, schema);
    }),
    ...Object.entries(addresses).flatMap(([kind, one]) => patternIssues(one, `/addresses/${kind}`)),
    ...(templates === undefined ? [] : codeIssues(templates.code)),
  ];
}

function patternIssues({ pattern: source, example }: AddressForm, pointer: string): GloIssue[] {
  const text = { type: 'string', pattern: source };
  const refused = thrownBy(() => readSchema(text), pointer);
  if (refused.length > 0 || readSchema(text).read(example).issues.length === 0) return refused;
  return [{ pointer: `${pointer}/example`, detail: 'does not match the pattern' }];
}

function codeIssues(code: JsonSchema): GloIssue[] {
  const pointer = '/templates/code';
  if (code.type !== 'string') return [{ pointer, detail: 'must be of type string' }];
  return thrownBy(() => readSchema(code), pointer);
}

function thrownBy(read: () => unknown, pointer: string): GloIssue[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof GloError)) throw error;
    return error.issues.map((issue) => ({ ...issue, pointer: pointer + issue.pointer }));
  }
}

const memberName = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/**
 * Validates a schema of named members. It must be supported, must not allow additional properties, and may
 * mark only whole members as secret.
 */
function membersIssues(member: (typeof schemaMembers)[number], schema: JsonSchema): GloIssue[] {
  const at = `/${member}`;
  const unread = thrownBy(() => readSchema(schema), at);
  if (unread.length > 0) return unread;
  const { properties, type, additionalProperties } = schema;
  if (
    type !== 'object' ||
    additionalProperties !== false ||
    !isObject(properties) ||
    schema.anyOf !== undefined
  ) {
    const detail = 'must be of type object, with properties, additionalProperties false and no anyOf';
    return [{ pointer: at, detail }];
  }
  return Object.entries(properties).flatMap(([name, property]): GloIssue[] => {
    const pointer = `${at}/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!memberName.test(name) || name === 'walletPassword') {
      return [
        {
          pointer,
          detail:
            'is not a valid name; it must start with a letter, followed by at most 63 letters, digits or _, and must not be walletPassword',
        },
      ];
    }
    if (!isObject(property)) return [];
    if ((member === 'walletParameters' || property.writeOnly === true) && property.type !== 'string') {
      return [{ pointer, detail: 'must be of type string' }];
    }
    const { writeOnly: _writeOnly, 'x-address': isAddress, ...rest } = property;
    if (property.writeOnly === true && isAddress === true) {
      return [{ pointer, detail: 'cannot be both writeOnly and x-address' }];
    }
    return marksSecrets(rest)
      ? [{ pointer, detail: 'must have writeOnly and x-address at the top level, not inside' }]
      : [];
  });
}

/** Whether a nested schema is marked as secret or as an address for secrets. */
function marksSecrets(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(marksSecrets);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(
    ([name, value]) =>
      ((name === 'writeOnly' || name === 'x-address') && value === true) || marksSecrets(value),
  );
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
