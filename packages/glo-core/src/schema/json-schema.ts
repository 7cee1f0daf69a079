import * as z from 'zod/mini';
import type { Json, JsonObject } from '../json/json-values.ts';
import { gloLimits } from '../limits.ts';
import { isObject } from '../read-member.ts';
import { specifiedContents } from '../technologies/specified/index.ts';
import { technologyName } from '../technologies/technology.ts';
import { currentGloVersion } from '../version.ts';
import {
  cloudWalletGloSchema,
  gatewayGloSchema,
  gloSchemas,
  ledgerLookup,
  locatorSchema,
  metaSchema,
  olderCallSchema,
  quantity,
  serviceLookup,
} from './schema.ts';

/**
 * Patterns with Unicode properties, which the regular expressions of some languages lack, are replaced by a
 * simpler pattern and a description.
 */
const namePattern = '^[^\\p{Cc}\\p{Cs}]+$';
const portable: Readonly<Record<string, { description: string; minLength?: number; pattern?: string }>> = {
  [namePattern]: { description: 'Must not contain control characters or lone surrogates.', minLength: 1 },
  '^[^\\p{Cc}\\p{Cs}/]+$': {
    description: 'Must not contain control characters or lone surrogates.',
    pattern: '^[^/]+$',
  },
  '^\\P{Cs}*$': { description: 'Must not contain lone surrogates.' },
};

/** Patterns of the formats that only this package's reader supports. */
const formats: Readonly<Record<string, string>> = {
  base64: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  hex: '^0x(?:[0-9a-fA-F]{2})*$',
};

/** Converts a schema of native content to standard JSON Schema. */
function standard(schema: Json, quantitySchema: JsonObject): Json {
  if (Array.isArray(schema)) return schema.map((one) => standard(one, quantitySchema));
  if (!isObject(schema)) return schema;
  const { format, pattern, 'x-detail': _detail, 'x-unit': _unit, ...rest }: JsonObject = schema;
  if (format === 'quantity') return { ...rest, ...quantitySchema };
  const made: JsonObject = {};
  for (const [name, value] of Object.entries(rest)) made[name] = standard(value, quantitySchema);
  if (typeof format === 'string') Object.assign(made, { pattern: formats[format] });
  if (typeof pattern === 'string') Object.assign(made, portable[pattern] ?? { pattern });
  return made;
}

/** `meta`: the content of the specified technologies, and of any other. */
function metaJson(): JsonObject {
  const named = { type: 'string', maxLength: gloLimits.nameLength, ...portable[namePattern] };
  const entry = (version: JsonObject, content: JsonObject): JsonObject => ({
    type: 'object',
    properties: { version, native_transaction_content: content },
    required: ['version', 'native_transaction_content'],
    additionalProperties: false,
  });
  const typed = specifiedContents.map(({ technology, id, content: { version } }) => [
    technology,
    entry(version === undefined ? named : { type: 'string', pattern: version }, { $ref: `#/$defs/${id}` }),
  ]);
  return {
    type: 'object',
    properties: {
      ledger: {
        type: 'object',
        description:
          "Content by technology name. For a technology that is not listed here, the ledger's plugin defines the content.",
        properties: Object.fromEntries(typed),
        propertyNames: { pattern: technologyName.source },
        // Explicit, because generated types would otherwise allow no additional members.
        additionalProperties: entry(named, { type: 'object', additionalProperties: true }),
      },
    },
    additionalProperties: false,
  };
}

/**
 * Returns the JSON Schema (2020-12) of a GLO in each form that the parser reads, generated from the schemas
 * that it uses: the canonical form and two deprecated forms of contract calls. It describes each member
 * separately; only the parser checks rules between members, and what a pattern cannot express in every
 * language is described in words. Returns a new object each time.
 */
export function gloJsonSchema(): Record<string, unknown> {
  const { transfer, contract_call, contract_deploy } = gloSchemas;
  const names = z.registry<{ id: string; description?: string }>();
  names.add(transfer, { id: 'GloTransfer' });
  names.add(contract_call, { id: 'GloContractCall' });
  names.add(contract_deploy, { id: 'GloContractDeploy' });
  names.add(gatewayGloSchema, {
    id: 'GloGatewayCall',
    description: 'Deprecated: a contract call as `{type, params}`. Use GloContractCall.',
  });
  names.add(cloudWalletGloSchema, {
    id: 'GloCloudWalletCall',
    description: 'Deprecated: a contract call as `{type, options}` without a version. Use GloContractCall.',
  });
  names.add(olderCallSchema, { id: 'GloOlderCall' });
  names.add(serviceLookup, { id: 'GloServiceLookup' });
  names.add(ledgerLookup, { id: 'GloLedgerLookup' });
  names.add(locatorSchema, { id: 'GloLocator' });
  names.add(metaSchema, { id: 'GloMeta' });
  const forms = [transfer, contract_call, contract_deploy, gatewayGloSchema, cloudWalletGloSchema];
  const schema = z.toJSONSchema(z.union(forms), {
    target: 'draft-2020-12',
    io: 'input',
    metadata: names,
    override({ zodSchema, jsonSchema }) {
      const own: unknown = zodSchema;
      if (own === metaSchema) Object.assign(jsonSchema, metaJson());
      const instead = portable[jsonSchema.pattern ?? ''];
      if (instead === undefined) return;
      delete jsonSchema.pattern;
      Object.assign(jsonSchema, instead);
    },
  });
  const { $schema: _, ...amount } = z.toJSONSchema(quantity, {
    target: 'draft-2020-12',
    io: 'input',
  }) as JsonObject;
  const typed = specifiedContents.map(({ id, content }) => [id, standard(content.schema, amount)]);
  return {
    ...schema,
    $defs: { ...schema.$defs, ...Object.fromEntries(typed) },
    title: 'Generic ledger operation (GLO)',
    description: `Canonical form, version ${currentGloVersion}, or one of two deprecated forms of a contract call.`,
  };
}
