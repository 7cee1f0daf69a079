import { technologyName } from '@ledger-ops/glo-core';
import { z } from 'zod';
import type { Capabilities } from './contract/definition.ts';
import { readDescription } from './description.ts';
import { adapterError } from './error.ts';
import type { AdapterDefinition } from './host.ts';
import { interfaceVersion, isCompatibleInterface, semanticVersion } from './version.ts';

/** The plain members of a definition, without its functions. */
export type DefinitionMembers = Omit<AdapterDefinition, 'readInterface' | 'open'>;

/** The name of a plugin, as the plugin reports it. */
export const pluginName = z
  .string()
  .max(128, { abort: true })
  .regex(
    /^[a-z0-9]+(?:[-.][a-z0-9]+)*$/,
    'may contain only lowercase letters and digits, with a single - or . between them',
  );
/** A technology, as a plugin reports it. */
export const pluginTechnology = z
  .string()
  .regex(
    technologyName,
    'must have 1 to 64 lowercase letters, digits and hyphens, and must not start with a hyphen',
  );

const maxOperations = 16;
/** Checks the length before the items. */
const operations = z
  .unknown()
  .refine((all) => !Array.isArray(all) || (all.length > 0 && all.length <= maxOperations), {
    abort: true,
    message: `must have 1 to ${maxOperations} items`,
  })
  .pipe(z.array(z.enum(['transfer', 'contract_call', 'contract_deploy'])));

/** Returns a rule for a capability that cannot be combined with sequences. */
const onlyWithoutSequences = (name: 'coSigners' | 'raisesExpired') => ({
  path: [name],
  message: "is only allowed if the sequence is 'none'",
});

const members = z.object({
  name: pluginName,
  technology: pluginTechnology,
  /** The description is parsed separately, because its rules depend on the technology. */
  description: z.unknown(),
  version: semanticVersion,
  interfaceVersion: semanticVersion,
  keyType: z.enum(['secp256k1', 'p256', 'ed25519']),
  capabilities: z
    .object({
      operations,
      sequence: z.enum(['account', 'none']),
      replacement: z.boolean(),
      onDemandReplacement: z.boolean().optional(),
      emulation: z.boolean(),
      lookup: z.boolean(),
      balance: z.boolean(),
      signedEmulation: z.boolean().optional(),
      coSigners: z.boolean().optional(),
      raisesExpired: z.boolean().optional(),
      describesContracts: z.boolean().optional(),
      contractEvents: z.boolean().optional(),
      listsTransactions: z.boolean().optional(),
    })
    .refine(
      ({ coSigners, sequence }) => coSigners !== true || sequence === 'none',
      onlyWithoutSequences('coSigners'),
    )
    .refine(
      ({ raisesExpired, sequence }) => raisesExpired !== true || sequence === 'none',
      onlyWithoutSequences('raisesExpired'),
    )
    .refine(({ replacement, sequence }) => !replacement || sequence === 'account', {
      path: ['replacement'],
      message:
        "is only allowed with the sequence 'account'. Without account sequences, declare onDemandReplacement instead.",
    })
    .transform(withoutUndefined) satisfies z.ZodType<Capabilities>,
});

type Defined<T> = { [K in keyof T]: undefined extends T[K] ? Exclude<T[K], undefined> : T[K] };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  // The cast is safe, because the members that are undefined were removed.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}

/**
 * Reads the plain members of a module's default export. Hosts and the conformance kit accept the same definitions.
 * @param plugin name used in errors.
 * @throws AdapterError `adapter-fault`, phase `open`: it is not a definition, was written for another interface
 * version, or its technology description is invalid.
 */
export function readDefinition(plugin: string, value: unknown): DefinitionMembers {
  const parsed = members.safeParse(value);
  if (!parsed.success) {
    const places = parsed.error.issues
      .slice(0, 3)
      .map(({ path, message }) => `/${path.join('/')}: ${message}`);
    const detail = `The default export of ${plugin} is not an adapter definition: ${places.join('; ')}. Create it with defineAdapter().`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  const { interfaceVersion: written, technology, description } = parsed.data;
  demandInterface(plugin, written);
  return { ...parsed.data, description: readDescription(plugin, technology, description) };
}

/**
 * Refuses a plugin that was written for another version of the interface.
 * @throws AdapterError `adapter-fault`, phase `open`, which names both versions
 */
export function demandInterface(plugin: string, written: string): void {
  if (isCompatibleInterface(written)) return;
  const detail = `The plugin ${plugin} was written for version ${written} of the adapter interface, but this host has ${interfaceVersion}. Update the older of the two.`;
  throw adapterError('adapter-fault', detail, {
    phase: 'open',
    data: { pluginInterfaceVersion: written, hostInterfaceVersion: interfaceVersion },
  });
}
