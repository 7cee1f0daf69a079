import { createHash } from 'node:crypto';
import { getBase58Encoder } from '@solana/codecs';
import { z } from 'zod';
import { listOf } from '../lists.ts';
import { isAddressText } from '../transactions/base58.ts';

/** A type: the name of a primitive, or a composite. Unknown types have the name `unknown`. */
export type IdlType =
  | string
  | { option: IdlType }
  | { vec: IdlType }
  | { array: [IdlType, number] }
  | { defined: string };

export interface IdlField {
  name: string;
  type: IdlType;
}

/** Fields by name, or by position. */
export type IdlFields = IdlField[] | IdlType[];

export type IdlDefinition =
  | { kind: 'struct'; fields: IdlFields }
  | { kind: 'enum'; variants: { name: string; fields: IdlFields }[] }
  | { kind: 'alias'; alias: IdlType };

/** A seed of a derived address. */
export type IdlSeed = { kind: 'const'; value: number[] } | { kind: 'arg' | 'account'; path: string };

export interface IdlAccount {
  name: string;
  writable: boolean;
  signer: boolean;
  optional: boolean;
  address?: string;
  pda?: { seeds: IdlSeed[]; program?: IdlSeed };
}

export interface IdlInstruction {
  name: string;
  discriminator: number[];
  accounts: IdlAccount[];
  args: IdlField[];
  returns?: IdlType;
}

/** If `fields` is undefined, the type with the event's name declares the fields. */
export interface IdlEvent {
  name: string;
  discriminator: number[];
  fields?: IdlFields;
}

const name = z.string().min(1).max(200);
const byte = z.int().min(0).max(255);
const mostBytes = 1_024;
const bytes = listOf(byte, mostBytes);
const someBytes = listOf(byte, mostBytes, 1);

/** A type that cannot be encoded. A call that needs it fails. */
const unknownType = 'unknown';

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= 200;

/**
 * Reads a type. Returns undefined if the value is not a type. Written by hand, because a zod union needs 20
 * microseconds for each rejected value.
 */
function readType(value: unknown): IdlType | undefined {
  if (isName(value)) return value === 'publicKey' ? 'pubkey' : value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [only, ...more] = Object.entries(value);
  return (only === undefined || more.length > 0 ? undefined : compoundType(...only)) ?? unknownType;
}

function compoundType(kind: string, of: unknown): IdlType | undefined {
  if (kind === 'defined') {
    const named = typeof of === 'object' && of !== null && 'name' in of ? of.name : of;
    return isName(named) ? { defined: named } : undefined;
  }
  const [item, length, ...more] = kind === 'array' && Array.isArray(of) ? of : [of];
  const type = readType(item);
  if (type === undefined) return undefined;
  if (kind === 'option') return { option: type };
  if (kind === 'vec') return { vec: type };
  const isLength = typeof length === 'number' && Number.isInteger(length) && length >= 0 && length <= 65_536;
  return kind === 'array' && isLength && more.length === 0 ? { array: [type, length] } : undefined;
}

const typeSchema = z.unknown().transform((value, context): IdlType => {
  const type = readType(value);
  if (type !== undefined) return type;
  context.issues.push({ code: 'custom', message: 'must be a type', input: value });
  return z.NEVER;
});
const field = z.object({ name, type: typeSchema });
const fields = z.union([listOf(field), listOf(typeSchema)], {
  error: 'must be a list of fields, each with a name and a type, or a list of types',
});

const seed = z.union([
  z.object({ kind: z.literal('const'), value: z.unknown(), type: z.unknown().optional() }),
  z.object({ kind: z.enum(['arg', 'account']), path: name }),
  z.looseObject({}),
]);
const pda = z.object({ seeds: listOf(seed), program: seed.optional(), programId: seed.optional() });

/** Returns the bytes of a constant: listed, or, in older IDLs, a value with its type. */
function constantOf(value: unknown, type: unknown): number[] | undefined {
  const list = bytes.safeParse(value);
  if (list.success) return list.data;
  if (typeof value === 'number' && type === 'u8') return bytes.safeParse([value]).data;
  if (typeof value !== 'string') return undefined;
  if (type === 'string') return [...Buffer.from(value)];
  return (type === 'publicKey' || type === 'pubkey') && isAddressText(value)
    ? [...getBase58Encoder().encode(value)]
    : undefined;
}

function seedOf(given: z.infer<typeof seed>): IdlSeed | undefined {
  if (given.kind === 'const') {
    const value = constantOf(given.value, given.type);
    return value === undefined ? undefined : { kind: 'const', value };
  }
  return given.kind === 'arg' || given.kind === 'account'
    ? { kind: given.kind, path: String(given.path) }
    : undefined;
}

/**
 * Returns how the address is derived. Undefined if it cannot be derived from the call, so that the caller
 * must pass it.
 */
function pdaOf(given: z.infer<typeof pda>): IdlAccount['pda'] {
  const seeds = given.seeds.map(seedOf).filter((one) => one !== undefined);
  const ownProgram = given.program ?? given.programId;
  const program = ownProgram === undefined ? undefined : seedOf(ownProgram);
  if (seeds.length < given.seeds.length || (ownProgram !== undefined && program === undefined))
    return undefined;
  return { seeds, ...(program === undefined ? {} : { program }) };
}

const flag = z.boolean().default(false);
const oneAccount = z
  .object({
    name,
    ...{ writable: flag, isMut: flag, signer: flag, isSigner: flag, optional: flag, isOptional: flag },
    address: z.string().refine(isAddressText, { error: 'must be an address' }).optional(),
    pda: pda.optional(),
  })
  .transform((given): IdlAccount => {
    const derived = given.pda === undefined ? undefined : pdaOf(given.pda);
    return {
      name: given.name,
      writable: given.writable || given.isMut,
      signer: given.signer || given.isSigner,
      optional: given.optional || given.isOptional,
      ...(given.address === undefined ? {} : { address: given.address }),
      ...(derived === undefined ? {} : { pda: derived }),
    };
  });
const group = z
  .object({ name, accounts: listOf(oneAccount) })
  .transform((given) =>
    given.accounts.map((account) => ({ ...account, name: `${given.name}.${account.name}` })),
  );
const isGroup = (value: unknown) => typeof value === 'object' && value !== null && 'accounts' in value;
const alone = oneAccount.transform((account) => [account]);
/** Written by hand, because a zod union would read each account as a group first and create issues for it. */
const accountOrGroup = z.unknown().transform((value, context): IdlAccount[] => {
  const { data, error } = (isGroup(value) ? group : alone).safeParse(value);
  if (error === undefined) return data;
  for (const { message, path } of error.issues) {
    context.issues.push({ code: 'custom', message, path, input: value });
  }
  return z.NEVER;
});
const accounts = listOf(accountOrGroup).transform((lists) => dropUnderivable(lists.flat()));

/**
 * Seeds from account data cannot be computed without querying the ledger, so the caller passes such
 * addresses.
 */
function dropUnderivable(all: IdlAccount[]): IdlAccount[] {
  const names = new Set(all.map((account) => account.name));
  return all.map(({ pda: derived, ...account }) => {
    if (derived === undefined) return account;
    const prefix = account.name.slice(0, account.name.lastIndexOf('.') + 1);
    const within = (one: IdlSeed): IdlSeed =>
      one.kind === 'account' && !names.has(one.path) ? { ...one, path: prefix + one.path } : one;
    const seeds = derived.seeds.map(within);
    const program = derived.program === undefined ? {} : { program: within(derived.program) };
    const used = [...seeds, ...Object.values(program)];
    const isKnown = used.every((one) => one.kind !== 'account' || names.has(one.path));
    return isKnown ? { ...account, pda: { seeds, ...program } } : account;
  });
}

const instruction = z
  .object({
    name,
    discriminator: someBytes.optional(),
    accounts,
    args: listOf(field),
    returns: typeSchema.nullish(),
  })
  .transform(
    (given): IdlInstruction => ({
      name: given.name,
      discriminator: given.discriminator ?? discriminatorOf(given.name),
      accounts: given.accounts,
      args: given.args,
      ...(given.returns === undefined || given.returns === null ? {} : { returns: given.returns }),
    }),
  );

/** Anchor's default discriminator, from the Rust name. */
function discriminatorOf(instructionName: string): number[] {
  const inRust = instructionName.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return firstBytes(`global:${inRust}`);
}

function firstBytes(text: string): number[] {
  return [...createHash('sha256').update(text).digest().subarray(0, 8)];
}

/** Older IDLs list the fields. Newer ones have a type with the event's name. */
const event = z.object({ name, discriminator: someBytes.optional(), fields: fields.optional() }).transform(
  (given): IdlEvent => ({
    name: given.name,
    discriminator: given.discriminator ?? firstBytes(`event:${given.name}`),
    ...(given.fields === undefined ? {} : { fields: given.fields }),
  }),
);

const definition = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('struct'), fields: fields.default([]) }),
    z.object({
      kind: z.literal('enum'),
      variants: listOf(z.object({ name, fields: fields.default([]) }), 256, 1),
    }),
    z.object({ kind: z.enum(['type', 'alias']), alias: typeSchema, value: typeSchema.optional() }),
  ])
  .transform(
    (given): IdlDefinition =>
      given.kind === 'struct' || given.kind === 'enum' ? given : { kind: 'alias', alias: given.alias },
  );

const namedDefinition = z
  .object({
    name,
    type: definition,
    generics: z.array(z.unknown()).optional(),
    serialization: z.unknown().optional(),
  })
  .transform(({ generics = [], serialization = 'borsh', ...given }) => ({
    name: given.name,
    // Types with another layout or with generic parameters cannot be encoded.
    type:
      generics.length > 0 || serialization !== 'borsh'
        ? ({ kind: 'alias', alias: unknownType } as const)
        : given.type,
  }));

const address = z.string().refine(isAddressText, { error: 'must be an address' });
const errors = listOf(
  z.object({ code: z.int().min(0).max(4_294_967_295), name, msg: z.string().max(2_000).optional() }),
);

/** An Anchor IDL in the form of Anchor 0.30, limited to the parts that calls need. */
export interface AnchorIdl {
  address?: string;
  metadata: { name: string };
  instructions: IdlInstruction[];
  types: { name: string; type: IdlDefinition }[];
  errors: { code: number; name: string; msg?: string | undefined }[];
  events: IdlEvent[];
}

/** Accepts both forms of Anchor IDLs. */
export const idlSchema: z.ZodType<AnchorIdl> = z
  .object({
    address: address.optional(),
    metadata: z.object({ name: name.optional(), address: address.optional() }).default({}),
    name: name.optional(),
    instructions: listOf(instruction),
    types: listOf(namedDefinition).default([]),
    errors: errors.default([]),
    events: listOf(event, 1_024).default([]),
  })
  .transform((given) => {
    const own = given.address ?? given.metadata.address;
    return {
      ...(own === undefined ? {} : { address: own }),
      metadata: { name: given.metadata.name ?? given.name ?? 'program' },
      instructions: given.instructions,
      types: given.types,
      errors: given.errors,
      events: given.events,
    };
  });
