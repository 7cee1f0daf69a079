import { invalidRequest } from '@ledger-ops/base';
import { parseQuantity, type Technology } from '@ledger-ops/glo-core';
import { z } from 'zod';
import type { GivenProperties, LedgerProperties } from '../types.ts';
import type { MemberKind } from './bound-secrets.ts';
import { schemaIssues } from './schema-issues.ts';
import { line, name, pem, webUrl } from './texts.ts';

const whole = (minimum: number, maximum: number) => {
  const error = `must be a whole number from ${minimum} to ${maximum}`;
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
};

const quantityError = 'must be a whole number, as a number or as decimal or 0x text';

const quantity = z.union([z.string(), z.number()], { error: quantityError }).transform((value, context) => {
  try {
    return parseQuantity(value);
  } catch {
    context.addIssue({ code: 'custom', message: quantityError });
    return z.NEVER;
  }
});

/** A number where it is a safe one, so that the same chain id is always written the same way; else decimal text. */
const chainId = quantity
  .refine((value) => value > 0n, 'must be greater than 0')
  .transform((value) => (value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString()));

const tag = z
  .string({ error: 'must be a text' })
  .regex(/^[^\p{Cc},]{1,64}$/u, 'must have 1 to 64 characters, no comma and no control character');

const common = {
  confirmations: whole(1, 100_000),
  max_in_flight: whole(1, 1_000_000),
  polling_interval: whole(10, 600_000),
  rpc_timeout: whole(100, 600_000),
  plugin_tags: z.array(tag, { error: 'must be an array of texts' }).max(32, 'takes at most 32 tags'),
  development: z.boolean({ error: 'must be true or false' }),
  allow_unencrypted: z.boolean({ error: 'must be true or false' }),
};

const names = z.array(line, { error: 'must be an array of texts' }).max(64, 'takes at most 64 texts');

/** Not http, unless it stays on this machine. */
function isSafe(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol !== 'http:' || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
}

const seconds = 'must be a number of seconds from 0 to 86400';

/** Known properties by technology. Durations are milliseconds, except `replace_after`: seconds. */
const schemas = {
  ethereum: z
    .strictObject({
      ...common,
      chain_id: chainId,
      replace_after: z.number({ error: seconds }).min(0, seconds).max(86_400, seconds),
      presigned_replacements: z.boolean({ error: 'must be true or false' }),
      max_bumps: whole(0, 10),
      max_fee_cap: quantity.refine((value) => value > 0n, 'must be greater than 0').transform(String),
      fee_mode: z.enum(['auto', 'eip1559', 'legacy'], { error: 'must be auto, eip1559 or legacy' }),
      rpc_batch: whole(1, 1_000),
      transfer_gas: z.enum(['fixed', 'estimate'], { error: 'must be fixed or estimate' }),
      // Of the cheapest transaction that there is.
      max_transaction_gas: quantity
        .refine((value) => value >= 21_000n, 'must be at least 21000')
        .transform(String),
    })
    .partial(),
  'hyperledger-fabric': z
    .strictObject({
      ...common,
      transfer_contract: z
        .string({ error: 'must be a text' })
        .regex(/^[^/\s]+\/[^/\s]+(\/[^/\s]+)?$/, 'must be channel/chaincode or channel/chaincode/contract'),
      transfer_method: name,
      transfer_recipient: z.enum(['address', 'x509'], { error: 'must be address or x509' }),
      channel: name,
      msp_id: name,
      ca_url: webUrl.refine(isSafe, 'must begin with https: passwords are sent to it'),
      ca_name: name,
      ca_tls_certificate: pem,
      ca_registrar_id: name,
      ca_registrar_secret: line,
      ca_attributes: names.refine((all) => !all.some((one) => one.startsWith('hf.')), {
        error: "must not hold names that begin with hf., the CA's own",
      }),
      ca_affiliations: names,
      tls_ca_certificate: pem,
      tls_client_certificate: pem,
      tls_client_key: pem,
      observer_certificate: pem,
      observer_private_key: pem,
      retry_conflicts: whole(0, 10),
      endorse_timeout: whole(100, 600_000),
      submit_timeout: whole(100, 600_000),
      commit_timeout: whole(100, 3_600_000),
      max_peer_calls: whole(1, 1_000_000),
    })
    .partial(),
} satisfies Record<Technology, z.ZodType>;

type PropertyName = {
  [T in keyof typeof schemas]: keyof (typeof schemas)[T]['shape'];
}[keyof typeof schemas];

/** The part of each property in the ledger's secrets. Secret ones are write-only: kept sealed, and never answered. */
const kinds: Readonly<Record<PropertyName, MemberKind>> = {
  confirmations: 'plain',
  max_in_flight: 'plain',
  polling_interval: 'plain',
  rpc_timeout: 'plain',
  // Chooses the plugin, which gets them all.
  plugin_tags: 'address',
  development: 'plain',
  allow_unencrypted: 'address',
  chain_id: 'plain',
  replace_after: 'plain',
  presigned_replacements: 'plain',
  max_bumps: 'plain',
  max_fee_cap: 'plain',
  fee_mode: 'plain',
  rpc_batch: 'plain',
  transfer_gas: 'plain',
  max_transaction_gas: 'plain',
  transfer_contract: 'plain',
  transfer_method: 'plain',
  transfer_recipient: 'plain',
  channel: 'plain',
  msp_id: 'plain',
  ca_url: 'address',
  ca_name: 'address',
  ca_tls_certificate: 'address',
  ca_registrar_id: 'address',
  ca_registrar_secret: 'secret',
  ca_attributes: 'plain',
  ca_affiliations: 'plain',
  tls_ca_certificate: 'address',
  tls_client_certificate: 'address',
  tls_client_key: 'secret',
  observer_certificate: 'address',
  observer_private_key: 'secret',
  retry_conflicts: 'plain',
  endorse_timeout: 'plain',
  submit_timeout: 'plain',
  commit_timeout: 'plain',
  max_peer_calls: 'plain',
};

/** The part of a property in the ledger's secrets; of one that no ledger has: none. */
export function ledgerPropertyKind(name: string): MemberKind {
  return isKnown(name) ? kinds[name] : 'plain';
}

function isKnown(name: string): name is PropertyName {
  return Object.hasOwn(kinds, name);
}

/** Numbers of the properties in deprecated records: the place here. Names are only ever added, at the end. */
const numbered = [
  ...['confirmations', 'max_in_flight', 'polling_interval', 'rpc_timeout', 'plugin_tags', 'development'],
  ...['chain_id', 'replace_after', 'max_bumps', 'max_fee_cap', 'fee_mode', 'rpc_batch'],
  ...['transfer_contract', 'transfer_method', 'transfer_recipient', 'channel', 'msp_id', 'ca_url', 'ca_name'],
  ...['ca_tls_certificate', 'ca_registrar_id', 'ca_registrar_secret', 'tls_ca_certificate'],
  ...['tls_client_certificate', 'tls_client_key', 'observer_certificate', 'observer_private_key'],
  ...['retry_conflicts', 'endorse_timeout', 'submit_timeout', 'commit_timeout'],
  ...['ca_attributes', 'ca_affiliations', 'allow_unencrypted', 'presigned_replacements'],
  ...['transfer_gas', 'max_transaction_gas', 'max_peer_calls'],
];

/** A property of ledgers, beside its values. */
export interface PropertyType {
  id: number;
  /** Technology of the ledgers that have it; `common`: all. */
  scope: Technology | 'common';
}

/** The type of a property, by its name. */
export function ledgerPropertyType(name: string): PropertyType {
  const scope = Object.hasOwn(common, name)
    ? 'common'
    : Object.hasOwn(schemas.ethereum.shape, name)
      ? 'ethereum'
      : 'hyperledger-fabric';
  return { id: numbered.indexOf(name) + 1, scope };
}

/** Names of all properties that a ledger of the technology may have. */
export function ledgerPropertyNames(technology: Technology): string[] {
  return Object.keys(schemas[technology].shape);
}

/**
 * Checks the properties of a ledger of one technology and brings them into one form.
 *
 * @param pointerOf where a property stands in the request; default `/properties/<name>`
 * @throws Problem `invalid-request`: every bad value by its pointer, unknown names by name. No values.
 */
export function readLedgerProperties(
  technology: Technology,
  given: GivenProperties,
  pointerOf: (name: string) => string = defaultPointer,
): LedgerProperties {
  const schema = schemas[technology];
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const known = Object.keys(schema.shape).join(', ');
    const unknown = `is not a property of a ledger of technology ${technology}; known are ${known}`;
    throw invalidRequest(schemaIssues(parsed.error, unknown, pointerOf));
  }
  return Object.fromEntries(
    Object.entries(parsed.data).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Properties apart: those that may be seen, and the secret ones. */
export function splitSecrets(properties: LedgerProperties): {
  plain: LedgerProperties;
  secrets: LedgerProperties;
} {
  const part = (wanted: boolean) =>
    Object.fromEntries(
      Object.entries(properties).filter(([name]) => (ledgerPropertyKind(name) === 'secret') === wanted),
    );
  return { plain: part(false), secrets: part(true) };
}

function defaultPointer(name: string): string {
  return `/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
