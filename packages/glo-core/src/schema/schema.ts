import * as z from 'zod/mini';
import type { JsonObject } from '../json/json-values.ts';
import { gloLimits } from '../limits.ts';
import { quantityDetail, quantityText } from '../quantity.ts';
import { technologies } from '../technologies/specified/index.ts';
import { technologyName } from '../technologies/technology.ts';
import { readableVersion } from '../version.ts';

const specifiedNames = /*@__PURE__*/ technologies.map((name) => JSON.stringify(name));

/** Text with a maximum length and a form. A text that is too long is not examined further. */
function text(maximum: number, form: RegExp, detail: string) {
  return z.string().check(z.maxLength(maximum, { abort: true }), z.regex(form, detail));
}

/** Returns a name: not empty, without control characters and lone surrogates. */
function name(maximum: number = gloLimits.nameLength) {
  return text(maximum, /^[^\p{Cc}\p{Cs}]+$/u, 'must be a non-empty string without control characters');
}

/** Free text; lone surrogates are refused because UTF-8 cannot encode them. */
function freeText(maximum: number) {
  return text(maximum, /^\P{Cs}*$/u, 'must be well-formed Unicode, without lone surrogates');
}

// Each check has `abort: true`, so that the union reports only one issue.
/** An amount in the ledger's smallest unit. */
export const quantity = /*@__PURE__*/ z.union(
  [
    z.string().check(z.regex(quantityText, { abort: true })),
    z.int({ abort: true }).check(
      z.nonnegative({ abort: true }),
      z.refine((value) => !Object.is(value, -0), { abort: true }),
    ),
  ],
  quantityDetail,
);
const version = /*@__PURE__*/ z.string().check(z.regex(readableVersion, 'must be 0.1.x'));
const args = /*@__PURE__*/ z.array(freeText(gloLimits.argLength)).check(z.maxLength(gloLimits.args));

/** The service looks up the resource by its id. */
export const serviceLookup = /*@__PURE__*/ z.strictObject({
  type: z.literal('service'),
  value: z.literal('service'),
});

/** The resource is an address on the ledger. `value` names the ledger's technology. */
export const ledgerLookup = /*@__PURE__*/ z.strictObject({
  type: z.literal('ledger'),
  value: z
    .string()
    .check(
      z.regex(technologyName, `must be the name of a technology, such as ${specifiedNames.join(' or ')}`),
    ),
});

/** A resource locator. */
export const locatorSchema = /*@__PURE__*/ z.strictObject({
  lookup_service: z.discriminatedUnion(
    'type',
    [serviceLookup, ledgerLookup],
    'must be "service" or "ledger"',
  ),
  resource: /*@__PURE__*/ name(gloLimits.resourceLength).register(z.globalRegistry, {
    description:
      'With lookup type ledger: an address on the ledger. With lookup type service: a wallet id (recipient); a contract id, or action:<actionId> for the contract that this action deploys, in a batch also action:<name> (contract instance); or <template id>:<version> (contract source).',
  }),
});

/** `meta` of a GLO as JSON: content by technology name. */
export type MetaDocument = {
  ledger?: { [technology: string]: { version: string; native_transaction_content: JsonObject } };
};

/** Only declares the position and type of `meta`, which `readMeta` reads. */
export const metaSchema = /*@__PURE__*/ z.unknown() as z.ZodMiniType<MetaDocument>;

/** The canonical form of a GLO, one schema per type. */
export const gloSchemas = {
  transfer: z.strictObject({
    version,
    type: z.literal('transfer'),
    options: z.strictObject({ recipient: locatorSchema, amount: quantity }),
    meta: z.optional(metaSchema),
  }),
  contract_call: z.strictObject({
    version,
    type: z.literal('contract_call'),
    options: z.strictObject({
      contract_instance: locatorSchema,
      method_name: name(gloLimits.resourceLength),
      args: z.optional(args),
    }),
    meta: z.optional(metaSchema),
  }),
  contract_deploy: z.strictObject({
    version,
    type: z.literal('contract_deploy'),
    options: z.strictObject({ contract_source: locatorSchema, args: z.optional(args) }),
    meta: z.optional(metaSchema),
  }),
};

/** The members that can be validated if the type is missing or unknown. */
export const untypedGloSchema = /*@__PURE__*/ z.strictObject({
  version,
  type: z.enum(['transfer', 'contract_call', 'contract_deploy']),
  options: z.object({}),
  meta: z.optional(metaSchema),
});

/** Call options of the deprecated forms `{type, params}` and `{type, options}`. Unknown members are ignored. */
export const olderCallSchema = /*@__PURE__*/ z.object({
  contractInstance: z.union(
    [name(gloLimits.resourceLength), locatorSchema],
    'must be a contract id or a ledger address as text, or a resource locator',
  ),
  methodName: name(gloLimits.resourceLength),
  args: z.optional(args),
});

/** A contract call as `{type, params}`, the deprecated form of the gateway operations. */
export const gatewayGloSchema = /*@__PURE__*/ z.object({
  type: z.literal('contract_call'),
  params: olderCallSchema,
  meta: z.optional(metaSchema),
});

/** A contract call as `{type, options}` in camel case, the deprecated form of the cloud wallet. */
export const cloudWalletGloSchema = /*@__PURE__*/ z.object({
  type: z.literal('contract_call'),
  options: olderCallSchema,
  meta: z.optional(metaSchema),
});

export type LocatorDocument = z.output<typeof locatorSchema>;
export type OlderCallDocument = z.output<typeof olderCallSchema>;
export type GloDocument = z.output<(typeof gloSchemas)[keyof typeof gloSchemas]>;
