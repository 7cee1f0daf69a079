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

/** Patterns by properties of characters, which not every language's expressions have: what is left, and the rest in words. */
const namePattern = '^[^\\p{Cc}\\p{Cs}]+$';
const portable: Readonly<Record<string, { description: string; minLength?: number; pattern?: string }>> = {
  [namePattern]: { description: 'Without control characters and lone surrogates.', minLength: 1 },
  '^[^\\p{Cc}\\p{Cs}/]+$': {
    description: 'Without control characters and lone surrogates.',
    pattern: '^[^/]+$',
  },
  '^\\P{Cs}*$': { description: 'Without lone surrogates.' },
};

/** Forms of texts that only this package's reader knows, as patterns. */
const formats: Readonly<Record<string, string>> = {
  base64: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  hex: '^0x(?:[0-9a-fA-F]{2})*$',
};

/** A schema of native content as every reader of JSON Schema knows it. */
function standard(schema: Json, quantitySchema: JsonObject): Json {
  if (Array.isArray(schema)) return schema.map((one) => standard(one, quantitySchema));
  if (!isObject(schema)) return schema;
  const { format, pattern, 'x-detail': _, ...rest }: JsonObject = schema;
  if (format === 'quantity') return { ...rest, ...quantitySchema };
  const made: JsonObject = {};
  for (const [name, value] of Object.entries(rest)) made[name] = standard(value, quantitySchema);
  if (typeof format === 'string') Object.assign(made, { pattern: formats[format] });
  if (typeof pattern === 'string') Object.assign(made, portable[pattern] ?? { pattern });
  return made;
}

/** `meta`: the specified technologies' content, and that of any other. */
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
          'By the name of a technology. What the content of one is that is not listed here says the plugin of its ledgers.',
        properties: Object.fromEntries(typed),
        propertyNames: { pattern: technologyName.source },
        // Said, or types that are made of it let no member through.
        additionalProperties: entry(named, { type: 'object', additionalProperties: true }),
      },
    },
    additionalProperties: false,
  };
}

/**
 * The JSON Schema (2020-12) of a GLO in each form that the parser reads, made from the schemas that it uses: the
 * canonical one and the two older ones of contract calls. It holds each member for itself; what holds between
 * members only the parser knows, and what a pattern of one language alone could say stands in words. A new object
 * with each call.
 */
export function gloJsonSchema(): Record<string, unknown> {
  const { transfer, contract_call, contract_deploy } = gloSchemas;
  const names = z.registry<{ id: string; description?: string }>();
  names.add(transfer, { id: 'GloTransfer' });
  names.add(contract_call, { id: 'GloContractCall' });
  names.add(contract_deploy, { id: 'GloContractDeploy' });
  names.add(gatewayGloSchema, { id: 'GloGatewayCall', description: 'The older gateway’s form; deprecated.' });
  names.add(cloudWalletGloSchema, {
    id: 'GloCloudWalletCall',
    description: 'The cloud wallet’s form; deprecated.',
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
    description: `Canonical form, version ${currentGloVersion}; or one of two older forms of a contract call.`,
  };
}
