import { z } from 'zod';
import { pluginName, pluginTechnology } from './definition.ts';
import { longestContent, withoutLongContent } from './event-page.ts';
import type { ContractSource, Json, JsonObject } from './index.ts';
import { isJson, isJsonObject } from './json.ts';
import { semanticVersion } from './version.ts';
import { withoutControls } from './words.ts';

/**
 * Messages of the cloud wallet protocol. Both sides parse with these schemas and drop unknown members, so either side
 * may be newer than the other. The OpenAPI document is generated from them.
 */

/** Paths relative to the plugin's URL. */
export const paths = {
  plugin: '/v1/cloud-wallet',
  wallets: '/v1/cloud-wallet/wallets',
  transactions: '/v1/cloud-wallet/transactions',
  checks: '/v1/cloud-wallet/checks',
  emulations: '/v1/cloud-wallet/emulations',
  events: '/v1/cloud-wallet/events',
} as const;

/** Limits of the messages of the protocol. */
export const protocolLimits = {
  /** Maximum size of a response in bytes: 10 MiB. */
  answerBytes: 10 * 1_048_576,
  /** Maximum size of a request in bytes: 16 MiB, for a template of 10 MiB and its operation. */
  bodyBytes: 16 * 1_048_576,
  /** Maximum number of characters of an id, hash or name. */
  text: 4_096,
  /** Maximum number of characters of an address. */
  address: 512,
  /** Maximum number of transaction ids per status request. */
  txIds: 100,
  /** Maximum number of node requests reported in one response. */
  nodeRequests: 1_000,
  /** Maximum number of contract events per page. */
  events: 1_000,
  /**
   * Maximum number of characters of an event's `args` and `raw` together, as JSON. Escapes and values count
   * as more than one character; see `isCheapJson`. Longer content is omitted.
   */
  eventContent: longestContent,
  /** Maximum number of transactions that a status lists. */
  transactions: 100,
  /** Maximum number of wallets that sign in addition to the sender's. */
  otherWallets: 16,
  /** Minimum number of characters of a wallet secret. */
  secretLength: 12,
} as const;

/** Parameter that carries the secret of a wallet. */
export const secretParameter = 'walletPassword';

/** An operation in the form sent to a remote plugin. */
export interface RemoteOperation {
  /**
   * A GLO in its canonical form (JSON). The host has resolved its locators to type `ledger`. A `contract_source` is
   * unchanged; the template's code is in `contractSource`. If the host knows the interface, a method is named
   * by its signature.
   */
  glo: JsonObject;
  /** Interface of the called contract, if the host knows it. */
  contractInterface?: string;
  /** Code to deploy. */
  contractSource?: ContractSource;
}

/** An id, hash or name assigned by a ledger. */
const text = z.string().min(1).max(protocolLimits.text, { abort: true }).overwrite(withoutControls);
const address = z.string().min(1).max(protocolLimits.address, { abort: true }).overwrite(withoutControls);
/** Any JSON value, at most 64 levels deep. */
const json = z.custom<Json>(isJson, 'must be JSON');
export const jsonObject = z.custom<JsonObject>(isJsonObject, 'must be a JSON object');
const id = z
  .string()
  .regex(/^[A-Za-z0-9._:-]{1,128}$/, 'must be 1 to 128 letters, digits, dots, dashes, colons or underscores');
const quantity = z
  .string()
  .regex(/^\d{1,100}$/, 'must be a decimal number')
  .describe("In the ledger's smallest unit, as a decimal string.");
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
    .describe('Positions of the errors: JSON Pointers into the body, or names of parameters.'),
});
export type ProblemMessage = z.infer<typeof problemMessage>;

/** Response of `GET /v1/cloud-wallet`. */
export const pluginMessage = z.object({
  name: pluginName,
  technology: pluginTechnology,
  version: semanticVersion.describe("The plugin's own version."),
  interfaceVersion: semanticVersion.describe('Version of the interface that the plugin implements.'),
  capabilities: z.object({
    operations: z.array(z.enum(['transfer', 'contract_call', 'contract_deploy'])).min(1),
    checks: z.boolean(),
    emulations: z.boolean(),
    coSigners: z
      .boolean()
      .optional()
      .describe(
        'Operations may name other wallets that sign too, in members of native content marked `x-wallet`.',
      ),
    contractEvents: z.boolean().optional().describe('Reads contract events.'),
  }),
  ledgers: z.array(text).optional(),
  description: jsonObject.optional().meta({
    type: 'object',
    additionalProperties: true,
    description:
      'Description of the technology for hosts, in the form `TechnologyDescription` of @ledger-ops/adapter: schemas of native content, of ledger and node properties and of wallet parameters, address formats, unit and templates. If absent, the host knows nothing about the technology.',
  }),
});

/** Request body of createWallet. */
export const createWalletMessage = z.object({
  ledgerId: text,
  walletId: id,
  pluginParameters: parameters.describe(
    '`walletPassword`: the secret of this wallet. Repeating the call returns the same address.',
  ),
});
/** Response of createWallet. */
export const walletMessage = z.object({ walletAddress: address });

const operation = {
  glo: jsonObject.meta({
    type: 'object',
    additionalProperties: true,
    description: 'A generic ledger operation, canonical form 0.1.',
  }),
  contractInterface: z.string().optional().describe('Interface of the called contract.'),
  contractSource: z
    .object({ interface: z.string(), code: z.string() })
    .optional()
    .describe('Compiled code of a deployment.'),
};

/** Request body of sendTransaction. */
export const sendMessage = z.object({
  actionId: id.describe('Idempotency key: the operation is executed once, even if the request is repeated.'),
  wallet: id,
  pluginParams: parameters.optional().describe('`walletPassword`: the secret of the wallet.'),
  wallets: z
    .array(z.object({ wallet: id, pluginParams: parameters }))
    .max(protocolLimits.otherWallets)
    .optional()
    .describe(
      "Wallets that the GLO names by their addresses and that sign or pay in addition to the sender's wallet, each with its secret. No other wallet may sign.",
    ),
  ...operation,
});

const state = z.enum(['PROCESSING', 'SUCCEEDED', 'FAILED']);
/** Response of sendTransaction. */
export const submissionMessage = z.object({
  txId: text.describe("The ledger's transaction id if it is known, otherwise the action id."),
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

/** One item in the response of getTransactionsStatus. */
export const statusMessage = z.object({
  details: z
    .object({
      contractAddress: address.nullish(),
      locator: text.nullish().describe("The ledger's id of the transaction that completed the action."),
      blockHeight: z.int().min(0).nullish().describe("The transaction's block. Absent or null if unknown."),
      blockTime: z
        .int()
        .min(0)
        .nullish()
        .describe("Time of the transaction's block, in milliseconds since 1970. Absent or null if unknown."),
      fee: quantity
        .nullish()
        .describe(
          "The fee paid, in the ledger's smallest unit. Absent or null if it is unknown or the ledger has no fees.",
        ),
      transactions: z
        .array(text)
        .max(protocolLimits.transactions)
        .nullish()
        .describe(
          'Ids of all transactions that were sent to the ledger for the action, oldest first. At most one of them was executed.',
        ),
    })
    .nullish()
    .describe("The plugin's data about the transaction. Final when the status is final."),
  problem: problemMessage.nullish(),
  status: state,
  requests: requests.describe(
    "Requests to the ledger's nodes that completed since the last report, for the host's metrics only. At most one item of a response may report the requests of a ledger. If absent, the host counts no requests.",
  ),
});
/** Response of getTransactionsStatus. */
export const statusesMessage = z.array(statusMessage).max(protocolLimits.txIds);

/** Request body of a check. */
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
/** Response of a check that found no problem. */
export const checkedMessage = z.object({
  cost: quantity.nullish(),
  costs: z
    .array(z.object({ address, amount: quantity }))
    .max(protocolLimits.otherWallets)
    .optional()
    .describe('The maximum amounts that the operation takes from other wallets.'),
  recipients: z.array(address).optional(),
});

/** Request body of an emulation. */
export const emulateMessage = z.object({
  ledgerId: text,
  wallet: id.optional(),
  systemContracts: z
    .boolean()
    .optional()
    .describe(
      "Whether the caller may call the ledger's own contracts. If not, a plugin whose ledger has such contracts rejects these calls with 403, system-contract.",
    ),
  ...operation,
});
/** Response of an emulation. */
export const emulatedMessage = z.object({
  result: json,
  fee: quantity.nullish(),
  figures: jsonObject.meta({ type: 'object', additionalProperties: true }).nullish(),
});

const count = z.int().min(0);
const position = z.object({
  height: count.describe(
    'All blocks before this one have been read completely. Of this block, the first `index` events have been read; all if `index` is absent.',
  ),
  hash: text
    .exactOptional()
    .describe('Position marker chosen by the plugin. Absent if the host does not have a marker yet.'),
  index: count.exactOptional(),
});

/** Request body of readEvents. */
export const readEventsMessage = z.object({
  ledgerId: text,
  contractAddress: address,
  contractInterface: z.string().exactOptional().describe('Interface of the contract, if the host knows it.'),
  after: position
    .nullable()
    .describe(
      'Position at which the last page ended. If null, the response contains no events, only the newest confirmed block as `after`.',
    ),
  limit: z.int().min(1).max(protocolLimits.events).describe('Maximum number of events in the response.'),
});

const content = jsonObject.meta({ type: 'object', additionalProperties: true });
const contentNote = `If args and raw together exceed ${protocolLimits.eventContent} characters, both are omitted.`;

/**
 * An event emitted by a contract. If the content exceeds the limit, it is omitted, but the event is still
 * returned, so that the host learns that the event happened.
 */
export const eventMessage = z
  .object({
    id: address.describe('Unique on the ledger, and the same whenever the event is read.'),
    height: count,
    blockHash: text,
    txId: address,
    time: count.exactOptional().describe("Time of the event's block, in milliseconds since 1970."),
    name: text
      .exactOptional()
      .describe('Name from the interface or from the ledger. Absent if neither contains a name.'),
    args: content.exactOptional().describe(`Decoded. ${contentNote}`),
    raw: content.describe(`The event's value in the ledger's own format. ${contentNote}`),
  })
  .transform(withoutLongContent);

/** Response of readEvents. */
export const eventPageMessage = z.object({
  events: z
    .array(eventMessage)
    .max(protocolLimits.events)
    .describe(
      "The next events of the contract, in the ledger's order, only from successful transactions in blocks that cannot be undone.",
    ),
  after: position.describe(
    'Position after these events and after the blocks that were searched without finding any.',
  ),
  newest: count.describe('Height of the newest confirmed block.'),
  more: z.boolean().describe('Whether more events are available now. If so, `after` has advanced.'),
  lost: z
    .boolean()
    .exactOptional()
    .describe("Whether the ledger has a different block at the request's `after`. If so, reading stops."),
  requests: requests.describe(
    "Requests to the ledger's nodes that completed since the last report, as in statuses. If absent, the host counts no requests.",
  ),
});
