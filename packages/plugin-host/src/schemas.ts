import type {
  AccountTransactions,
  AdapterProblem,
  ChainIdentity,
  Checked,
  ClaimingTransaction,
  ContractEvent,
  ContractInterface,
  Emulated,
  Estimated,
  EventPosition,
  Head,
  Inspected,
  Json,
  JsonObject,
  KeyType,
  LookupResult,
  Outcome,
  Phase,
  Prepared,
  Remark,
  Replaced,
  Round,
  SignedTransaction,
  SigningRequest,
  Submitted,
  WalletIdentity,
} from '@ledger-ops/adapter';
import {
  adapterErrorCodes,
  isCheapJson,
  isJson,
  isJsonObject,
  longestDocument,
  withoutLongContent,
} from '@ledger-ops/adapter';
import { withoutControls, withoutNul, wordLimits } from '@ledger-ops/adapter/words';
import { z } from 'zod';

/**
 * Schemas of all answers of an adapter, for hosts that do not trust it. They accept plain data, drop members
 * that the adapter interface does not define, and treat an undefined member as absent.
 */

/** Limits of an adapter's answers. */
const answerLimits = {
  /** Maximum number of characters of a hash or name. */
  text: 4_096,
  /** Maximum number of characters of a key by which actions are found. Database indexes do not accept much more in all scripts. */
  key: 512,
  /** Maximum number of characters of a chain's id, which shares an index with keys of actions. */
  chain: 128,
  /** Maximum number of aliases of a wallet. */
  aliases: 256,
  /**
   * Maximum number of characters of a wallet's aliases and material as JSON. The limit is small because lists
   * read them for many wallets.
   */
  wallet: 65_536,
  /** Maximum number of addresses that one operation pays. */
  recipients: 256,
  /**
   * Maximum number of characters of a document: a contract's interface, a result, a receipt. Escapes in JSON
   * count for more than one character.
   */
  document: longestDocument,
  /**
   * Maximum number of characters of an outcome's details. Longer details are dropped, so that the outcome is
   * not lost.
   */
  details: 262_144,
  /** Maximum number of characters of a plan, which contains the operation's content: at most 10 MB in base64. */
  plan: 16 * 1_048_576,
  /** Maximum number of parameters of one method. */
  parameters: 256,
  /**
   * Maximum number of characters of a user-facing string. `wordLimits` shortens it further, after secrets
   * were searched in the longer string.
   */
  words: 8 * wordLimits.detail,
  /** Maximum number of signing requests per round. */
  requests: 64,
  /** Maximum number of wallets that pay in addition to the sender's. */
  signers: 64,
  /** Maximum number of warnings about nodes. */
  warnings: 64,
  /** Maximum number of attempts of one action. */
  attempts: 16,
  /** Maximum number of claims of one transaction. */
  claims: 1_024,
  /** Maximum number of transactions that one transaction needs, with their claims. */
  needs: 4_096,
  /** Maximum number of listed transactions of one account. */
  listed: 20_000,
  /** Maximum number of accounts that signed one transaction. */
  transactionSigners: 256,
} as const;

type Exact<T> = { [K in keyof T]: undefined extends T[K] ? Exclude<T[K], undefined> : T[K] };

function exact<T extends object>(value: T): Exact<T> {
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) Reflect.deleteProperty(value, name);
  }
  // The undefined members were deleted.
  return value as Exact<T>;
}

/** Returns an object whose optional members are absent instead of undefined. */
const withOptional = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).transform(exact);

/** Returns a list whose length is checked before its items. */
const listOf = <Item>(item: z.ZodType<Item>, least: number, most: number) =>
  z
    .unknown()
    .refine((all) => !Array.isArray(all) || (all.length >= least && all.length <= most), {
      abort: true,
      message: `must have ${least} to ${most} items`,
    })
    .pipe(z.array(item));
/** Returns the schema of a list that keeps only the first items. */
const firstOf = <Item>(item: z.ZodType<Item>, most: number) =>
  z.preprocess((all) => (Array.isArray(all) ? all.slice(0, most) : all), z.array(item));

const textWithin = (most: number) => z.string().min(1).max(most, { abort: true }).overwrite(withoutControls);
/** A hash or name. */
const text = textWithin(answerLimits.text);
/** An address or a transaction id. */
const key = textWithin(answerLimits.key);
/** A user-facing string. The caller shortens it and attributes it to the plugin (`words.ts`). */
const words = z
  .string()
  .min(1)
  .overwrite((all) => all.slice(0, answerLimits.words));
const quantity = z
  .bigint()
  .min(0n, 'must not be negative')
  .max(1n << 512n, 'must be at most 2^512');
const count = z.int().min(0);
const bytes = z.instanceof(Uint8Array);

const mustBeJson = (what: string, most: number) => `must be ${what} with at most ${most} characters`;
/** Any JSON value, at most 64 levels deep. */
const json = z.custom<Json>(
  (value) => isJson(value) && isCheapJson(value, answerLimits.document),
  mustBeJson('JSON', answerLimits.document),
);
export const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');
const objectWithin = (most: number) =>
  z.custom<JsonObject>(
    (value) => isJsonObject(value) && isCheapJson(value, most),
    mustBeJson('a JSON object', most),
  );
const plan = objectWithin(answerLimits.plan);
/** An optional JSON object that is dropped if it is longer than `most` characters. */
const few = (most: number) =>
  jsonObject.transform((all) => (isCheapJson(all, most) ? all : undefined)).optional();

const phases = [
  'open',
  'interface',
  'wallet',
  'check',
  'estimate',
  'prepare',
  'submit',
  'confirm',
  'emulate',
  'lookup',
] as const satisfies readonly Phase[];

/** An error as data. */
export const problem = withOptional({
  code: z.enum(adapterErrorCodes),
  detail: words,
  phase: z.enum(phases).optional(),
  txId: text.optional(),
  issues: firstOf(
    z.object({ pointer: words.or(z.literal('')), detail: words.or(z.literal('')) }),
    wordLimits.issues + 1,
  ).optional(),
  data: few(wordLimits.data),
  retryAfterMs: z.int().min(0).max(3_600_000).optional(),
}) satisfies z.ZodType<AdapterProblem>;

/** A string for programs. */
const document = z.string().max(answerLimits.document, { abort: true }).overwrite(withoutNul);
const parameter = z.object({
  name: z.string().max(answerLimits.text, { abort: true }).overwrite(withoutControls),
  type: text,
});
const parameters = listOf(parameter, 0, answerLimits.parameters);
/** A method in the answer of `readInterface`. */
export const contractMethod = z.object({
  name: text,
  signature: text,
  view: z.boolean(),
  inputs: parameters,
  outputs: parameters,
}) satisfies z.ZodType<ContractInterface['methods'][number]>;
/** A name in the answer of `readInterface`. */
export const eventName = text;
/** Answer of `readInterface`. Its methods and event names are parsed one by one. */
export const contractInterface = z.object({
  interface: document,
  methods: z.array(z.unknown()),
  constructorInputs: parameters.optional(),
  eventNames: z.array(z.unknown()).optional(),
});

/** A new block. */
export const head = z.object({ height: count, hash: text }) satisfies z.ZodType<Head>;
/** Answer of `chain`. */
export const chainIdentity = withOptional({
  id: textWithin(answerLimits.chain),
  genesis: text,
  unsure: words.optional(),
}) satisfies z.ZodType<ChainIdentity>;

const walletIdentity = withOptional({
  address: key,
  aliases: listOf(text, 0, answerLimits.aliases).optional(),
  material: objectWithin(answerLimits.wallet).optional(),
  renewAt: count.optional(),
}).refine(({ aliases = [], material = {} }) => isCheapJson({ aliases, material }, answerLimits.wallet), {
  message: `must have at most ${answerLimits.wallet} characters of aliases and material`,
}) satisfies z.ZodType<WalletIdentity>;

/** Answer of `check`. */
export const checked = withOptional({
  plan,
  secret: plan.optional(),
  recipients: listOf(key, 0, answerLimits.recipients),
  sequence: quantity.optional(),
  readiness: z.enum(['ready', 'estimate']),
  cost: quantity,
  costs: listOf(z.object({ address: key, amount: quantity }), 0, answerLimits.signers).optional(),
}) satisfies z.ZodType<Checked>;

/** One answer of `estimate`. */
export const estimated = z.discriminatedUnion('status', [
  withOptional({ status: z.literal('ready'), plan, cost: quantity.optional() }),
  z.object({ status: z.literal('failed'), problem }),
  z.object({ status: z.literal('wait'), problem }),
]) satisfies z.ZodType<Estimated>;

const needs = listOf(
  z.object({ txId: key, claims: listOf(key, 0, answerLimits.claims) }),
  0,
  answerLimits.needs,
).refine((all) => all.reduce((sum, { claims }) => sum + 1 + claims.length, 0) <= answerLimits.needs, {
  message: `must have at most ${answerLimits.needs} items with their claims`,
}) satisfies z.ZodType<ClaimingTransaction[]>;

const signed = withOptional({
  txId: key,
  bytes,
  cost: quantity,
  mayContinue: z.boolean().optional(),
  validUntil: count.optional(),
  claims: listOf(key, 0, answerLimits.claims).optional(),
  needs: needs.optional(),
}) satisfies z.ZodType<SignedTransaction>;

function roundOf<Result>(curve: KeyType, result: z.ZodType<Result>) {
  const request: z.ZodType<SigningRequest> =
    curve === 'ed25519'
      ? withOptional({ curve: z.literal(curve), message: bytes, signer: key.optional() })
      : withOptional({
          curve: z.literal(curve),
          digest: bytes.refine(({ length }) => length === 32, 'must have 32 bytes'),
          message: bytes.optional(),
          signer: key.optional(),
        });
  return z.discriminatedUnion('done', [
    z.object({ done: z.literal(true), result }),
    z.object({
      done: z.literal(false),
      requests: listOf(request, 1, answerLimits.requests),
      // Any value, but the member must exist.
      state: z.unknown().refine((state) => state !== undefined, 'is required'),
    }),
  ]) satisfies z.ZodType<Round<Result>>;
}

/** Answer of `emulate`. */
export const emulated = withOptional({
  result: json,
  fee: quantity.optional(),
  figures: objectWithin(answerLimits.document).optional(),
  warnings: listOf(words, 0, 16).optional(),
}) satisfies z.ZodType<Emulated>;

/** Schemas of answers whose signing requests must be for the adapter's curve. */
export function roundSchemas(curve: KeyType) {
  const round = roundOf(curve, signed);
  return {
    /** Answer of `createWallet`, `advanceWallet` and `renewWallet`. */
    wallet: roundOf(curve, walletIdentity),
    /** One answer of `prepare`. */
    prepared: z.discriminatedUnion('status', [
      z.object({
        status: z.literal('prepared'),
        attempts: listOf(
          z.object({ kind: z.enum(['main', 'bump', 'noop']), round }),
          1,
          answerLimits.attempts,
        ).refine((attempts) => attempts[0]?.kind === 'main', 'must start with the main transaction'),
      }),
      z.object({ status: z.literal('failed'), problem }),
    ]) satisfies z.ZodType<Prepared>,
    /** One answer of `replace`. */
    replaced: z.discriminatedUnion('status', [
      z.object({
        status: z.literal('prepared'),
        attempt: z.object({ kind: z.enum(['bump', 'noop']), round }),
      }),
      z.object({ status: z.literal('enough') }),
      z.object({ status: z.literal('wait'), problem }),
    ]) satisfies z.ZodType<Replaced>,
    /** One answer of `advance`. */
    advanced: round,
    /** Answer of `emulateAs` and `advanceEmulation`. */
    emulated: roundOf(curve, emulated),
  };
}

/** One answer of `inspect`. */
export const inspected = withOptional({
  status: z.enum(['shown', 'absent', 'unknown']),
  problem: problem.optional(),
  hopeless: z.boolean().optional(),
}) satisfies z.ZodType<Inspected>;

/** One answer of `submit`. */
export const submitted = withOptional({
  txId: text,
  status: z.enum(['accepted', 'known', 'refused', 'rejected', 'unavailable']),
  problem: problem.optional(),
  feeTooLow: z.enum(['minimum', 'outbid']).optional(),
  note: text.optional(),
}) satisfies z.ZodType<Submitted>;

const details = few(answerLimits.details);

/** One outcome in the answer of `confirm`. */
export const outcome = z.discriminatedUnion('status', [
  withOptional({
    txId: text,
    status: z.literal('succeeded'),
    height: count.optional(),
    blockHash: text.optional(),
    blockTime: count.optional(),
    contractAddress: key.optional(),
    fee: quantity.optional(),
    locator: text.optional(),
    details,
  }),
  withOptional({
    txId: text,
    status: z.literal('failed'),
    height: count.optional(),
    blockHash: text.optional(),
    blockTime: count.optional(),
    problem,
    fee: quantity.optional(),
    locator: text.optional(),
    details,
  }),
  withOptional({
    txId: text,
    status: z.literal('continue'),
    height: count,
    blockHash: text,
    plan,
    detail: words,
    executed: z.boolean().optional(),
    expired: z.boolean().optional(),
    delay: z.number().min(0).optional(),
  }),
  z.object({ txId: text, status: z.literal('expired'), height: count, blockHash: text }),
  withOptional({
    txId: text,
    status: z.literal('superseded'),
    height: count,
    blockHash: text,
    claim: key,
    by: text.optional(),
  }),
]) satisfies z.ZodType<Outcome>;

/** One remark in the answer of `confirm`. */
export const remark = z.object({ txId: text, detail: words }) satisfies z.ZodType<Remark>;
/** Answer of `confirm`. Its outcomes and remarks are parsed one by one. */
export const confirmed = withOptional({
  cursor: head,
  head,
  outcomes: z.array(z.unknown()),
  reorganised: z.boolean(),
  remarks: z.array(z.unknown()).optional(),
  // Warnings have no effect. Too many of them must not hide the outcomes.
  warnings: firstOf(words, answerLimits.warnings).optional(),
  gasPrice: quantity.optional(),
  slot: head.shape.height.optional(),
});

/** One answer of `sequences` and `balances`. */
export { quantity };
/** A list whose items are parsed one by one. */
export const list = z.array(z.unknown());
/** Answer of `describeContract`. */
export const description = document.nullable();
/** One event in the answer of `contractEvents`. Long content is dropped, so that the event is not lost. */
export const contractEvent = withOptional({
  id: key,
  height: count,
  blockHash: text,
  txId: key,
  time: count.optional(),
  name: text.optional(),
  args: jsonObject.optional(),
  raw: jsonObject,
  contentOmitted: z.literal(true).optional(),
}).transform(withoutLongContent) satisfies z.ZodType<ContractEvent>;
const eventPosition = withOptional({
  height: count,
  hash: text.optional(),
  index: count.optional(),
}) satisfies z.ZodType<EventPosition>;
/** Answer of `contractEvents`. Its events are parsed one by one. */
export const contractEvents = withOptional({
  events: z.array(z.unknown()),
  after: eventPosition,
  newest: count,
  more: z.boolean(),
  lost: z.boolean().optional(),
});
/** Answer of `normaliseAddress`. */
export const address = key;

/** Answer of `transactionAt`. */
export const transactionId = key.nullable();

/** Accounts that signed a transaction. */
const signers = listOf(key, 0, answerLimits.transactionSigners);

/** An item in the answer of `signersOf`. */
export const signersFound = signers.nullable();

/** The items of `txIds` are parsed separately, because the list can be long. */
export const accountTransactions = withOptional({
  txIds: listOf(z.unknown(), 0, answerLimits.listed),
  head: count,
  completeTo: count,
  expiresBy: count.optional(),
  incomplete: words.optional(),
}) satisfies z.ZodType<Omit<AccountTransactions, 'txIds'>>;

/** An id in the answer of `transactionsOf`. */
export const listedId = key;

/** Answer of `lookup`. */
export const lookedUp = withOptional({
  txId: text,
  status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']),
  height: count.optional(),
  blockHash: text.optional(),
  blockTime: count.optional(),
  fee: quantity.optional(),
  contractAddress: key.optional(),
  problem: problem.optional(),
  receipt: json.optional(),
  sender: key.optional(),
  signers: signers.optional(),
  sequence: quantity.optional(),
  effect: jsonObject.optional(),
}).nullable() satisfies z.ZodType<LookupResult | null>;
