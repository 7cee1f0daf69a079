import type { JsonObject, JsonSchema } from '@ledger-ops/glo-core';
import { pluginTags } from '../../plugins/choose-plugin.ts';
import type { DescribedTechnology } from '../../technologies.ts';
import type { LedgerProperties } from '../../types.ts';
import type { NamedProperties } from './named-properties.ts';
import { type PropertyForm, propertyForm } from './property-form.ts';

function whole(minimum: number, maximum: number, description: string): JsonSchema {
  return { type: 'integer', minimum, maximum, description };
}

function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

/** Properties that all ledgers have. Durations are milliseconds. */
const common: JsonObject = {
  confirmations: whole(
    1,
    100_000,
    'Number of confirmations after which an outcome is final; 1 means the newest block.',
  ),
  max_in_flight: whole(1, 1_000_000, 'Maximum number of signed transactions in flight per wallet.'),
  polling_interval: {
    ...whole(10, 600_000, 'Time between checks for a new block. Stored in milliseconds.'),
    'x-unit': { name: 'seconds', decimals: 3 },
  },
  rpc_timeout: {
    ...whole(100, 600_000, 'Timeout of a request to a node. Stored in milliseconds.'),
    'x-unit': { name: 'seconds', decimals: 3 },
  },
  plugin_tags: {
    type: 'array',
    description: "Tags that the ledger's plugin must have in addition to the technology.",
    maxItems: 32,
    items: {
      type: 'string',
      pattern: '^[^\\p{Cc},]{1,64}$',
      'x-detail': 'must have 1 to 64 characters, without commas and control characters',
    },
    // The tags determine who receives secrets, because they select the plugin.
    'x-address': true,
  },
  development: flag(
    'Development chain: a node that is behind is trusted, and a chain reset is accepted immediately.',
  ),
  allow_unencrypted: {
    ...flag('Allows sending private data and credentials to nodes on other machines without TLS.'),
    'x-address': true,
  },
};

/**
 * Properties that the host itself uses. A remote plugin does not receive other properties, so they would have
 * no effect.
 */
const ofHost: ReadonlySet<string> = new Set(['max_in_flight', 'polling_interval', 'plugin_tags']);
const hostOnly: JsonObject = Object.fromEntries(Object.entries(common).filter(([name]) => ofHost.has(name)));

/** JSON Schema of the properties that every ledger has. A technology's schema describes only its own. */
export const commonLedgerProperties: JsonSchema = { type: 'object', properties: common };

/** JSON Schema of the common properties of ledgers that a remote plugin serves. */
export const remoteLedgerProperties: JsonSchema = { type: 'object', properties: hostOnly };

const commonForm = propertyForm(commonLedgerProperties, 'a ledger');

/**
 * Returns the `plugin_tags` in a request: they select the plugin whose schema checks the rest.
 * @throws Problem `invalid-request`
 */
export function givenPluginTags({ values, pointerOf }: NamedProperties): string[] {
  return pluginTags(commonForm.read({ values: { plugin_tags: values.plugin_tags }, pointerOf }).plain);
}

/**
 * Returns the properties that a ledger of the technology may have. If the host and the technology define the
 * same name, the host's definition is used.
 */
export function ledgerForm(
  technology: string,
  {
    ledgerProperties: described = {},
    isRemote = false,
  }: Pick<DescribedTechnology, 'ledgerProperties' | 'isRemote'>,
): PropertyForm {
  const always = isRemote ? hostOnly : common;
  // A schema whose members are not objects was rejected when the description was read.
  const all = Object.entries((described.properties as JsonObject | undefined) ?? {});
  // The host defines the meaning of common properties, so a remote plugin cannot describe them
  // differently.
  const own = Object.fromEntries(all.filter(([name]) => !Object.hasOwn(common, name)));
  const schema: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    ...described,
    properties: { ...always, ...own, ...always },
  };
  const record = `a ledger of technology ${technology}${isRemote ? ' with a remote plugin' : ''}`;
  const form = propertyForm(schema, record);
  if (!hasChainId(form)) return form;
  return {
    ...form,
    read(given) {
      const { plain, secrets } = form.read(given);
      const { chain_id: chainId } = plain;
      return { secrets, plain: chainId === undefined ? plain : { ...plain, ...chainProperty(chainId) } };
    },
  };
}

/**
 * Whether the technology defines the common numeric property `chain_id`, which must match the
 * chains of the nodes.
 */
export function hasChainId({ schemaOf }: Pick<PropertyForm, 'schemaOf'>): boolean {
  return schemaOf('chain_id')?.format === 'quantity';
}

/**
 * Returns a number if it is a safe integer, otherwise decimal text, so that each chain id has one
 * representation.
 */
export function chainProperty(chainId: LedgerProperties[string]): { chain_id: number | string } {
  const value = BigInt(String(chainId));
  return { chain_id: value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString() };
}

/** Whether the property is defined for every technology. */
export function isCommonLedgerProperty(name: string): boolean {
  return Object.hasOwn(common, name);
}
