import type {
  AdapterProblem,
  Capabilities,
  ChainIdentity,
  Checked,
  Confirmed,
  ContractInterface,
  Emulated,
  Estimated,
  Head,
  Inspected,
  Json,
  JsonObject,
  KeyType,
  LookupResult,
  Outcome,
  Phase,
  Prepared,
  Replaced,
  Round,
  SignedTransaction,
  SigningRequest,
  Submitted,
  WalletIdentity,
} from '@ledger-ops/adapter';
import { adapterErrorCodes, isJson, isJsonObject } from '@ledger-ops/adapter';
import { withoutControls } from '@ledger-ops/adapter/words';
import { z } from 'zod';

/**
 * Schemas of everything that an adapter answers, for transports that do not trust it. They take plain data,
 * leave out members that the contract does not know, and treat a member that is undefined as absent.
 */

/** Bounds of what an adapter may answer. */
const answerLimits = {
  /** Characters of an id, hash, address or name. */
  text: 4_096,
  /** Other names of a wallet. */
  aliases: 256,
  /** Characters of a document: a contract's interface, a result, a receipt. */
  document: 4 * 1_048_576,
  /** Characters of what is told with an outcome; more is left out, since the outcome has to be known. */
  details: 262_144,
  /** Signatures that one round asks for. */
  requests: 64,
  /** Warnings about nodes. */
  warnings: 64,
  /** Attempts of one action. */
  attempts: 16,
} as const;

type Exact<T> = { [K in keyof T]: undefined extends T[K] ? Exclude<T[K], undefined> : T[K] };

function exact<T extends object>(value: T): Exact<T> {
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) Reflect.deleteProperty(value, name);
  }
  // The members that were undefined are gone.
  return value as Exact<T>;
}

/** An object with optional members, where undefined is absent. */
const withOptional = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).transform(exact);

/** PostgreSQL takes no NUL, and a row that cannot be written would hold up all that comes after it. */
const withoutNul = (all: string) => all.replaceAll('\0', '\ufffd');
/** An id, hash, address or name. */
const text = z.string().min(1).max(answerLimits.text).overwrite(withoutControls);
/** For people: whoever asked bounds it, and says whose words it is (`words.ts`). */
const words = z.string().min(1);
const quantity = z
  .bigint()
  .min(0n)
  .max(1n << 512n);
const count = z.int().min(0);
const bytes = z.instanceof(Uint8Array);

const isDocument = (value: Json) => JSON.stringify(value).length <= answerLimits.document;

/** Any JSON value, at most 64 levels deep. */
const json = z.custom<Json>(isJson, 'must be JSON');
/** A JSON object. */
export const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');

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
  phase: z.enum(phases),
  txId: text.optional(),
  issues: z
    .array(
      z.object({
        pointer: z.string(),
        detail: z.string(),
      }),
    )
    .optional(),
  data: jsonObject.optional(),
}) satisfies z.ZodType<AdapterProblem>;

/** The plain members of a definition. */
export const definitionMembers = z.object({
  name: z
    .string()
    .max(128, { abort: true })
    .regex(/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/, 'must be lower-case words'),
  technology: z
    .string()
    .max(128, { abort: true })
    .regex(/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/, 'must be lower-case words'),
  version: z
    .string()
    .max(128, { abort: true })
    .regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/, 'must be a semantic version'),
  interfaceVersion: z
    .string()
    .max(128, { abort: true })
    .regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/, 'must be a semantic version'),
  keyType: z.enum(['secp256k1', 'p256']),
  capabilities: withOptional({
    operations: z.array(z.enum(['transfer', 'contract_call', 'contract_deploy'])).min(1),
    sequence: z.enum(['account', 'none']),
    replacement: z.boolean(),
    onDemandReplacement: z.boolean().optional(),
    emulation: z.boolean(),
    lookup: z.boolean(),
    balance: z.boolean(),
    signedEmulation: z.boolean().optional(),
    describesContracts: z.boolean().optional(),
  }) satisfies z.ZodType<Capabilities>,
});

/** A text that a program reads. */
const document = z.string().max(answerLimits.document).overwrite(withoutNul);
const parameter = z.object({
  name: z.string().max(answerLimits.text).overwrite(withoutControls),
  type: text,
});
/** Answer of `readInterface`. */
export const contractInterface = z.object({
  interface: document,
  methods: z.array(
    z.object({
      name: text,
      signature: text,
      view: z.boolean(),
      inputs: z.array(parameter),
      outputs: z.array(parameter),
    }),
  ),
}) satisfies z.ZodType<ContractInterface>;

/** A new block. */
export const head = z.object({ height: count, hash: text }) satisfies z.ZodType<Head>;
/** Answer of `chain`. */
export const chainIdentity = withOptional({
  id: text,
  genesis: text,
  unsure: words.optional(),
}) satisfies z.ZodType<ChainIdentity>;

const walletIdentity = withOptional({
  address: text,
  aliases: z.array(text).max(answerLimits.aliases).optional(),
  material: jsonObject.optional(),
  renewAt: count.optional(),
}) satisfies z.ZodType<WalletIdentity>;

/** Answer of `check`. */
export const checked = withOptional({
  plan: jsonObject,
  secret: jsonObject.optional(),
  recipients: z.array(text),
  sequence: quantity.optional(),
  readiness: z.enum(['ready', 'estimate']),
  cost: quantity,
}) satisfies z.ZodType<Checked>;

/** Answer of `estimate`. */
export const estimates = z.array(
  z.discriminatedUnion('status', [
    z.object({ status: z.literal('ready'), plan: jsonObject, cost: quantity }),
    z.object({ status: z.literal('failed'), problem }),
    z.object({ status: z.literal('wait'), problem }),
  ]),
) satisfies z.ZodType<Estimated[]>;

const signed = withOptional({
  txId: text,
  bytes,
  cost: quantity,
  mayContinue: z.boolean().optional(),
}) satisfies z.ZodType<SignedTransaction>;

function roundOf<Result>(curve: KeyType, result: z.ZodType<Result>) {
  const request = withOptional({
    curve: z.literal(curve),
    digest: bytes.refine(({ length }) => length === 32, 'must have 32 bytes'),
    message: bytes.optional(),
  }) satisfies z.ZodType<SigningRequest>;
  return z.discriminatedUnion('done', [
    z.object({ done: z.literal(true), result }),
    z.object({
      done: z.literal(false),
      requests: z.array(request).min(1).max(answerLimits.requests),
      // An object member that may hold anything, but must be there.
      state: z.unknown().refine((state) => state !== undefined, 'must be there'),
    }),
  ]) satisfies z.ZodType<Round<Result>>;
}

/** Answer of `emulate`. */
export const emulated = withOptional({
  result: json.refine(isDocument, 'must be shorter'),
  fee: quantity.optional(),
  figures: jsonObject.refine(isDocument, 'must be shorter').optional(),
}) satisfies z.ZodType<Emulated>;

/** The answers whose signing requests must be of the adapter's own curve. */
export function roundSchemas(curve: KeyType) {
  const round = roundOf(curve, signed);
  return {
    /** Answer of `createWallet`, `advanceWallet` and `renewWallet`. */
    wallet: roundOf(curve, walletIdentity),
    /** Answer of `prepare`. */
    prepared: z.array(
      z.discriminatedUnion('status', [
        z.object({
          status: z.literal('prepared'),
          attempts: z
            .array(z.object({ kind: z.enum(['main', 'bump', 'noop']), round }))
            .min(1)
            .max(answerLimits.attempts)
            .refine((attempts) => attempts[0]?.kind === 'main', 'must begin with the main attempt'),
        }),
        z.object({ status: z.literal('failed'), problem }),
      ]),
    ) satisfies z.ZodType<Prepared[]>,
    /** Answer of `replace`. */
    replaced: z.array(
      z.discriminatedUnion('status', [
        z.object({
          status: z.literal('prepared'),
          attempt: z.object({ kind: z.enum(['bump', 'noop']), round }),
        }),
        z.object({ status: z.literal('enough') }),
        z.object({ status: z.literal('wait'), problem }),
      ]),
    ) satisfies z.ZodType<Replaced[]>,
    /** Answer of `advance`. */
    advanced: z.array(round),
    /** Answer of `emulateAs` and `advanceEmulation`. */
    emulated: roundOf(curve, emulated),
  };
}

/** Answer of `inspect`. */
export const inspected = z.array(
  withOptional({
    status: z.enum(['shown', 'absent', 'unknown']),
    problem: problem.optional(),
    hopeless: z.boolean().optional(),
  }),
) satisfies z.ZodType<Inspected[]>;

/** Answer of `submit`. */
export const submitted = z.array(
  withOptional({
    txId: text,
    status: z.enum(['accepted', 'known', 'refused', 'rejected', 'unavailable']),
    problem: problem.optional(),
    note: text.optional(),
  }),
) satisfies z.ZodType<Submitted[]>;

const details = jsonObject
  .transform((all) => (JSON.stringify(all).length <= answerLimits.details ? all : undefined))
  .optional();

const outcome = z.discriminatedUnion('status', [
  withOptional({
    txId: text,
    status: z.literal('succeeded'),
    height: count,
    blockHash: text,
    contractAddress: text.optional(),
    fee: quantity.optional(),
    locator: text.optional(),
    details,
  }),
  withOptional({
    txId: text,
    status: z.literal('failed'),
    height: count,
    blockHash: text,
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
    plan: jsonObject,
    detail: words,
    executed: z.boolean().optional(),
    delay: z.number().min(0).optional(),
  }),
  withOptional({
    txId: text,
    status: z.literal('superseded'),
    height: count,
    blockHash: text,
    by: text.optional(),
  }),
]) satisfies z.ZodType<Outcome>;

/** Answer of `confirm`. */
export const confirmed = withOptional({
  cursor: head,
  head,
  outcomes: z.array(outcome),
  reorganised: z.boolean(),
  remarks: z.array(z.object({ txId: text, detail: words })).optional(),
  // More of them say no more, and decide nothing: what is settled has to be known.
  warnings: z
    .array(words)
    .transform((all) => all.slice(0, answerLimits.warnings))
    .optional(),
}) satisfies z.ZodType<Confirmed>;

/** Answer of `sequences` and `balances`. */
export const quantities = z.array(quantity);
/** Answer of `describeContract`. */
export const description = document.nullable();
/** Answer of `normaliseAddress`. */
export const address = text;

/** Answer of `lookup`. */
export const lookedUp = withOptional({
  txId: text,
  status: z.enum(['PENDING', 'SUCCEEDED', 'FAILED']),
  height: count.optional(),
  blockHash: text.optional(),
  contractAddress: text.optional(),
  problem: problem.optional(),
  receipt: json.refine(isDocument, 'must be shorter').optional(),
}).nullable() satisfies z.ZodType<LookupResult | null>;
