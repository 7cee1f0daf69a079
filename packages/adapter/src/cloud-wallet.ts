import { z } from 'zod';
import type { ContractSource, Json, JsonObject } from './index.ts';
import { isJson, isJsonObject } from './json.ts';
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

/** One item of the answer of getTransactionsStatus. */
export const statusMessage = z.object({
  details: z.object({ contractAddress: address.nullish(), locator: text.nullish() }).nullish(),
  problem: problemMessage.nullish(),
  status: state,
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
