import * as z from 'zod/mini';
import { gloLimits } from './limits.ts';
import { quantityDetail, quantityText } from './quantity.ts';
import { technologies } from './types.ts';

/** The version that this package writes. */
export const currentGloVersion = '0.1.0';

/** Versions that this package reads. */
export const readableVersion: RegExp = /^0\.1\.(?:0|[1-9][0-9]{0,8})$/;

/** Text with an upper bound and a form, told in words. A text that is too long is not looked at further. */
function text(maximum: number, form: RegExp, detail: string) {
  return z.string().check(z.maxLength(maximum, { abort: true }), z.regex(form, detail));
}

/** A name: not empty, without control characters and lone surrogates. */
function name(maximum: number = gloLimits.nameLength) {
  return text(maximum, /^[^\p{Cc}\p{Cs}]+$/u, 'must be text that is not empty and has no control characters');
}

/** A part of a Fabric locator (`channel/chaincode/contract`), which therefore has no slash. */
function locatorPart() {
  return text(
    gloLimits.nameLength,
    /^[^\p{Cc}\p{Cs}/]+$/u,
    'must be text that is not empty and has no slash or control characters',
  );
}

/** Free text; lone surrogates are refused because UTF-8 cannot carry them to a ledger. */
function freeText(maximum: number) {
  return text(maximum, /^\P{Cs}*$/u, 'must be well-formed Unicode, without lone surrogates');
}

const address = /*@__PURE__*/ text(42, /^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hexadecimal digits');
const storageKey = /*@__PURE__*/ text(66, /^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hexadecimal digits');
const bytes = /*@__PURE__*/ text(
  2 + 2 * gloLimits.dataBytes,
  /^0x(?:[0-9a-fA-F]{2})*$/,
  'must be 0x and an even number of hexadecimal digits',
);
const base64Detail = 'must be base64 (RFC 4648, section 4) with padding';
// One class after the other and not a repeated group of four, which takes fifty milliseconds for a megabyte.
/** Base64 text. */
export const base64 = /*@__PURE__*/ z.string().check(
  z.maxLength(gloLimits.transientLength, { abort: true }),
  z.regex(/^[A-Za-z0-9+/]*={0,2}$/, { error: base64Detail, abort: true }),
  z.refine((value) => value.length % 4 === 0, base64Detail),
);
// Every check aborts, so that the union speaks with one voice.
const quantity = /*@__PURE__*/ z.union(
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

/** A resource is looked up by the service, under an id of its own. */
export const serviceLookup = /*@__PURE__*/ z.strictObject({
  type: z.literal('service'),
  value: z.literal('service'),
});

/** A resource is named as its ledger names it. */
export const ledgerLookup = /*@__PURE__*/ z.strictObject({
  type: z.literal('ledger'),
  value: z.enum(technologies),
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
      'By lookup type ledger: an address on the ledger. By service: the id of a wallet (recipient), of a contract, or action:<actionId> for the contract which that action deploys (contract instance), or <template id>:<version> (contract source).',
  }),
});

/** Of an Ethereum transaction, what an operation may set. */
export const ethereumContent = /*@__PURE__*/ z.strictObject({
  from: z.optional(address),
  to: z.optional(address),
  data: z.optional(bytes),
  chainId: z.optional(quantity),
  nonce: z.optional(quantity),
  value: z.optional(quantity),
  gasPrice: z.optional(quantity),
  gasLimit: z.optional(quantity),
  maxFeePerGas: z.optional(quantity),
  maxPriorityFeePerGas: z.optional(quantity),
  accessList: z.optional(
    z
      .array(
        z.strictObject({
          address,
          storageKeys: z.array(storageKey).check(z.maxLength(gloLimits.storageKeys)),
        }),
      )
      .check(z.maxLength(gloLimits.accessListEntries)),
  ),
});

/** Of a Fabric transaction, what an operation may set. */
export const fabricContent = /*@__PURE__*/ z.strictObject({
  channel: z.optional(locatorPart()),
  chaincode: z.optional(locatorPart()),
  contract: z.optional(locatorPart()),
  transient: z.optional(z.record(name(), base64)),
  endorsing_organizations: z.optional(
    z.array(name()).check(z.minLength(1), z.maxLength(gloLimits.endorsingOrganizations)),
  ),
  name: z.optional(name()),
  version: z.optional(name()),
  endorsement_policy: z.optional(freeText(gloLimits.endorsementPolicyLength)),
});

/** `meta` of a GLO. The version of Ethereum meta is its own and any name; that of Fabric meta is 0.1.x. */
export const metaSchema = /*@__PURE__*/ z.strictObject({
  ledger: z.optional(
    z.strictObject({
      ethereum: z.optional(z.strictObject({ version: name(), native_transaction_content: ethereumContent })),
      'hyperledger-fabric': z.optional(
        z.strictObject({ version, native_transaction_content: fabricContent }),
      ),
    }),
  ),
});

/** The canonical form of a GLO, one schema for each type. */
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

/** A GLO whose type is missing or unknown, as far as anything can be said of it. */
export const untypedGloSchema = /*@__PURE__*/ z.strictObject({
  version,
  type: z.enum(['transfer', 'contract_call', 'contract_deploy']),
  options: z.object({}),
  meta: z.optional(metaSchema),
});

/** The call options of both older forms. They are deprecated: members that they do not know are ignored. */
export const olderCallSchema = /*@__PURE__*/ z.object({
  contractInstance: z.union(
    [name(gloLimits.resourceLength), locatorSchema],
    'must be a contract id or a ledger address as text, or a resource locator',
  ),
  methodName: name(gloLimits.resourceLength),
  args: z.optional(args),
});

/** The older gateway's form, `{type, params}`. */
export const gatewayGloSchema = /*@__PURE__*/ z.object({
  type: z.literal('contract_call'),
  params: olderCallSchema,
  meta: z.optional(metaSchema),
});

/** The cloud wallet's form, `{type, options}` in camel case and without a version. */
export const cloudWalletGloSchema = /*@__PURE__*/ z.object({
  type: z.literal('contract_call'),
  options: olderCallSchema,
  meta: z.optional(metaSchema),
});

/** A resource locator as JSON. */
export type LocatorDocument = z.output<typeof locatorSchema>;
/** `meta` as JSON. */
export type MetaDocument = z.output<typeof metaSchema>;
/** The call options of an older form as JSON. */
export type OlderCallDocument = z.output<typeof olderCallSchema>;
/** A GLO in its canonical form as JSON. */
export type GloDocument = z.output<(typeof gloSchemas)[keyof typeof gloSchemas]>;
