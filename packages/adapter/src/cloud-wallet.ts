import { z } from 'zod';
import type { ContractEvent, ContractSource, Json, JsonObject } from './index.ts';
import { isJson, isJsonObject } from './json.ts';
import { isCheapJson } from './json-cost.ts';
import { withoutControls } from './words.ts';

/**
 * The messages of the cloud wallet protocol. Both sides read with these schemas; members that they do not know
 * are left out, so that either side may be newer. The OpenAPI document is made from them.
 */

/** Paths below a plugin's URL. */
export const paths = {
  plugin: '/v1/cloud-wallet',
  wallets: '/v1/cloud-wallet/wallets',
  transactions: '/v1/cloud-wallet/transactions',
  checks: '/v1/cloud-wallet/checks',
  emulations: '/v1/cloud-wallet/emulations',
  events: '/v1/cloud-wallet/events',
} as const;

/** Bounds of the protocol. */
export const protocolLimits = {
  /** Bytes of an answer: 10 MiB. */
  answerBytes: 10 * 1_048_576,
  /** Bytes of a request, which holds a template of 10 MiB and its operation: 16 MiB. */
  bodyBytes: 16 * 1_048_576,
  /** Characters of an id, hash or name. */
  text: 4_096,
  /** Characters of an address. */
  address: 512,
  /** Ids in one question for status. */
  txIds: 100,
  /** Requests to nodes that are told at once. */
  nodeRequests: 1_000,
  /** Events of a contract on one page. */
  events: 1_000,
  /** Characters of an event's arguments, and of its raw form, as JSON, where escapes and values count for more; what is longer is left out. */
  eventContent: 65_536,
  /** Wallets that sign beside the sender's. */
  otherWallets: 16,
  /** Shortest secret of a wallet. */
  secretLength: 12,
} as const;

/** Parameter that carries the secret of a wallet. */
export const secretParameter = 'walletPassword';

/** An operation as it goes to a remote plugin. */
export interface RemoteOperation {
  /**
   * A GLO in its canonical form (JSON). Locators are of type `ledger`, resolved by the host; `contract_source`
   * stays as it was, with the source beside it. Where the host knows the interface, a method is named by signature.
   */
  glo: JsonObject;
  /** Interface of the contract that is called, where the host knows it. */
  contractInterface?: string;
  /** Code to deploy. */
  contractSource?: ContractSource;
}

/** An id, hash or name of a ledger's. */
const text = z.string().min(1).max(protocolLimits.text, { abort: true }).overwrite(withoutControls);
const address = z.string().min(1).max(protocolLimits.address, { abort: true }).overwrite(withoutControls);
/** Any JSON value, at most 64 levels deep. */
const json = z.custom<Json>(isJson, 'must be JSON');
/** A JSON object. */
export const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');
const id = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be 1 to 128 letters, digits, dots, dashes, colons or underscores');
const quantity = z
  .string()
  .regex(/^\d{1,100}$/, 'must be a decimal number')
  .describe("In the ledger's smallest unit, decimal text.");
const semver = z
  .string()
  .max(128, { abort: true })
  .regex(/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/, 'must be a semantic version');
const words = z
  .string()
  .max(128, { abort: true })
  .regex(/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/, 'must be lower-case words');
const parameters = z.record(z.string(), z.string());

/** A problem (RFC 9457). */
export const problemMessage = z.object({
  type: z.string().min(1).describe('`urn:ledger-ops:problem:<kebab-name>`'),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  errors: z
    .array(z.object({ pointer: z.string(), detail: z.string() }))
    .max(256)
    .optional()
    .describe('Where the input is wrong: JSON Pointers into the body, or names of parameters.'),
});
/** A problem as it is sent. */
export type ProblemMessage = z.infer<typeof problemMessage>;

/** Answer of `GET /v1/cloud-wallet`. */
export const pluginMessage = z.object({
  name: words,
  technology: words,
  version: semver.describe("The plugin's own version."),
  interfaceVersion: semver.describe('Version of the interface that it speaks.'),
  capabilities: z.object({
    operations: z.array(z.enum(['transfer', 'contract_call', 'contract_deploy'])).min(1),
    checks: z.boolean(),
    emulations: z.boolean(),
    coSigners: z
      .boolean()
      .optional()
      .describe('Operations may name wallets that sign too: members of native content that are `x-wallet`.'),
    contractEvents: z.boolean().optional().describe('It reads what contracts tell.'),
  }),
  ledgers: z.array(text).optional(),
  description: jsonObject.optional().meta({
    type: 'object',
    description:
      'What hosts are to know of the technology, as `TechnologyDescription` of @ledger-ops/adapter has it: schemas of native content, of properties of ledgers and nodes and of wallet parameters, forms of addresses, unit, templates. Absent: nothing is known of it.',
  }),
});

/** Body of createWallet. */
export const createWalletMessage = z.object({
  ledgerId: text,
  walletId: id,
  pluginParameters: parameters.describe(
    '`walletPassword`: the secret of this wallet. The same call again answers the same address.',
  ),
});
/** Answer of createWallet. */
export const walletMessage = z.object({ walletAddress: address });

const operation = {
  glo: jsonObject.meta({ type: 'object', description: 'A generic ledger operation, canonical form 0.1.' }),
  contractInterface: z.string().optional().describe('Interface of the contract that is called.'),
  contractSource: z
    .object({ interface: z.string(), code: z.string() })
    .optional()
    .describe('Compiled code of a deployment.'),
};

/** Body of sendTransaction. */
export const sendMessage = z.object({
  actionId: id.describe('Idempotency key: executed once, however often it is sent.'),
  wallet: id,
  pluginParams: parameters.optional().describe('`walletPassword`: the secret of the wallet.'),
  wallets: z
    .array(z.object({ wallet: id, pluginParams: parameters }))
    .max(protocolLimits.otherWallets)
    .optional()
    .describe(
      'The other wallets that the GLO names by their addresses, which sign too or pay, each with its secret. No other wallet signs.',
    ),
  ...operation,
});

const state = z.enum(['PROCESSING', 'SUCCEEDED', 'FAILED']);
/** Answer of sendTransaction. */
export const submissionMessage = z.object({
  txId: text.describe("The ledger's transaction id where it is known, else the action id."),
  status: state,
  problem: problemMessage.nullish(),
});

const requests = z
  .array(
    z.object({
      method: z.string().min(1).max(128),
      result: z.enum(['ok', 'refused', 'unavailable', 'timeout']),
      milliseconds: z.number().min(0),
    }),
  )
  .max(protocolLimits.nodeRequests)
  .optional();

/** One item of the answer of getTransactionsStatus. */
export const statusMessage = z.object({
  details: z.object({ contractAddress: address.nullish(), locator: text.nullish() }).nullish(),
  problem: problemMessage.nullish(),
  status: state,
  requests: requests.describe(
    "Requests to nodes of the transaction's ledger that ended since they were told last, for the host's metrics. They decide nothing; of a ledger they stand in one item of an answer. Absent: nobody counts them.",
  ),
});
/** Answer of getTransactionsStatus. */
export const statusesMessage = z.array(statusMessage).max(protocolLimits.txIds);

/** Body of a check. */
export const checkMessage = z.object({
  ledgerId: text,
  wallet: id,
  wallets: z
    .array(id)
    .max(protocolLimits.otherWallets)
    .optional()
    .describe('The other wallets that the GLO names by their addresses.'),
  ...operation,
});
/** Answer of a check that found nothing wrong. */
export const checkedMessage = z.object({
  cost: quantity.nullish(),
  costs: z
    .array(z.object({ address, amount: quantity }))
    .max(protocolLimits.otherWallets)
    .optional()
    .describe('The most that it takes from other wallets.'),
  recipients: z.array(address).optional(),
});

/** Body of an emulation. */
export const emulateMessage = z.object({
  ledgerId: text,
  wallet: id.optional(),
  systemContracts: z
    .boolean()
    .optional()
    .describe(
      'The caller may call contracts of the ledger itself. Else a plugin whose ledger has such refuses them: 403, system-contract.',
    ),
  ...operation,
});
/** Answer of an emulation. */
export const emulatedMessage = z.object({
  result: json,
  fee: quantity.nullish(),
  figures: jsonObject.meta({ type: 'object' }).nullish(),
});

const count = z.int().min(0);
const position = z.object({
  height: count.describe(
    'All of the blocks below was read, and of this one the first `index`, or, without it, all.',
  ),
  hash: text
    .exactOptional()
    .describe("Any text of the plugin's that tells the place. Absent: the host has been to none."),
  index: count.exactOptional(),
});

/** Body of readEvents. */
export const readEventsMessage = z.object({
  ledgerId: text,
  contractAddress: address,
  contractInterface: z
    .string()
    .exactOptional()
    .describe('Interface of the contract, where the host knows it.'),
  after: position
    .nullable()
    .describe('Where the last page ended. Null: only the newest block at depth is asked for, as `after`.'),
  limit: z.int().min(1).max(protocolLimits.events).describe('The most events that are answered at once.'),
});

const content = jsonObject.meta({ type: 'object' });
const contentNote = `At most ${protocolLimits.eventContent} characters; more is left out.`;

/** Something that a contract told. What is too long of it is left out: it has to be known that it was. */
export const eventMessage = z
  .object({
    id: address.describe('The same whenever it is read, and that of no other event of the ledger.'),
    height: count,
    blockHash: text,
    txId: address,
    time: count.exactOptional().describe('Of its block, milliseconds since 1970.'),
    name: text.exactOptional().describe('As the interface has it, or the ledger. Absent: neither names it.'),
    args: content.exactOptional().describe(`Decoded. ${contentNote}`),
    raw: content.describe(`As the ledger has it. ${contentNote}`),
  })
  .transform(withinBounds);

/** An event as it is told: without what is too long. */
export function withinBounds({ args, raw, ...event }: ContractEvent): ContractEvent {
  const isShort = (all: JsonObject) => isCheapJson(all, protocolLimits.eventContent);
  return {
    ...event,
    ...(args === undefined || !isShort(args) ? {} : { args }),
    raw: isShort(raw) ? raw : {},
  };
}

/** Answer of readEvents. */
export const eventPageMessage = z.object({
  events: z
    .array(eventMessage)
    .max(protocolLimits.events)
    .describe(
      "The next events of the contract, in the ledger's order, each of a transaction that succeeded and of a block that is never undone.",
    ),
  after: position.describe('Behind these events, and what was looked through without finding any.'),
  newest: count.describe('Height of the newest block that is deep enough to be told of.'),
  more: z.boolean().describe('There is more already; `after` has moved on.'),
  lost: z
    .boolean()
    .exactOptional()
    .describe("The ledger has another block where the request's `after` stands: nothing is read further."),
  requests: requests.describe(
    "Requests to the ledger's nodes that ended since they were told last, as with statuses. Absent: nobody counts them.",
  ),
});
