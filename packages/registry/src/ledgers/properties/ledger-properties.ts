import type { JsonObject, JsonSchema } from '@ledger-ops/glo-core';
import type { DescribedTechnology } from '../../technologies.ts';
import type { LedgerProperties } from '../../types.ts';
import { type PropertyForm, propertyForm } from './property-form.ts';

function whole(minimum: number, maximum: number, description: string): JsonSchema {
  return { type: 'integer', minimum, maximum, description };
}

function flag(description: string): JsonSchema {
  return { type: 'boolean', description };
}

/** Properties that all ledgers have. Durations are milliseconds. */
const common: JsonObject = {
  confirmations: whole(1, 100_000, 'Depth at which an outcome is final; 1 is the newest block.'),
  max_in_flight: whole(1, 1_000_000, 'Signed transactions of one wallet under way at once.'),
  polling_interval: whole(10, 600_000, 'Milliseconds between looks for a new block.'),
  rpc_timeout: whole(100, 600_000, 'Milliseconds for one request to a node.'),
  plugin_tags: {
    type: 'array',
    description: 'Tags that its plugin must have beside the technology.',
    maxItems: 32,
    items: {
      type: 'string',
      pattern: '^[^\\p{Cc},]{1,64}$',
      'x-detail': 'must have 1 to 64 characters, no comma and no control character',
    },
    // Chooses the plugin, which gets them all.
    'x-address': true,
  },
  development: flag('A chain of a development machine: one that is behind is believed.'),
  allow_unencrypted: {
    ...flag('Private data and credentials may go to nodes of other machines without TLS.'),
    'x-address': true,
  },
};

/** JSON Schema of the properties that ledgers of every technology have; a technology describes only its own. */
export const commonLedgerProperties: JsonSchema = { type: 'object', properties: common };

/** The scope of a property's type in deprecated records: the technology, or this. */
const commonScope = 'common';

/** The properties that a ledger of the technology may have. Of one name the host's own is the one that holds. */
export function ledgerForm(
  technology: string,
  { ledgerProperties: described = {} }: Pick<DescribedTechnology, 'ledgerProperties'>,
): PropertyForm {
  const schema: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    ...described,
    // A member that is no object is refused where descriptions are read.
    properties: { ...common, ...(described.properties as JsonObject | undefined), ...common },
  };
  const form = propertyForm(schema, `a ledger of technology ${technology}`);
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

/** Whether a ledger has a chain id as hosts know one: a quantity, which its nodes are held against. */
export function hasChainId({ schemaOf }: Pick<PropertyForm, 'schemaOf'>): boolean {
  return schemaOf('chain_id')?.format === 'quantity';
}

/** A number where it is a safe one, so that the same chain id is always written the same way; else decimal text. */
export function chainProperty(chainId: LedgerProperties[string]): { chain_id: number | string } {
  const value = BigInt(String(chainId));
  return { chain_id: value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value.toString() };
}

/** The scope of a property of ledgers of the technology. */
export function scopeOfProperty(technology: string, name: string): string {
  return Object.hasOwn(common, name) ? commonScope : technology;
}
