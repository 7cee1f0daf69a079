import { createHash } from 'node:crypto';
import { getBase58Encoder } from '@solana/kit';
import { z } from 'zod';
import { isAddressText } from '../transactions/base58.ts';

/** A type: the name of a primitive one, or what is made of others. What is not known here has a name that is none. */
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

/** Fields by name, or in their order only. */
export type IdlFields = IdlField[] | IdlType[];

export type IdlDefinition =
  | { kind: 'struct'; fields: IdlFields }
  | { kind: 'enum'; variants: { name: string; fields: IdlFields }[] }
  | { kind: 'alias'; alias: IdlType };

/** A part of what an address is derived from. */
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

/** `fields` absent: those of the type of its name. */
export interface IdlEvent {
  name: string;
  discriminator: number[];
  fields?: IdlFields;
}

const name = z.string().min(1).max(200);
const byte = z.int().min(0).max(255);
const bytes = z.array(byte).max(1_024);

/** A type that cannot be encoded; whoever uses it is told. */
const unknownType = 'unknown';

const typeSchema: z.ZodType<IdlType> = z.lazy(() =>
  z.union([
    name.transform((text) => (text === 'publicKey' ? 'pubkey' : text)),
    z.strictObject({ option: typeSchema }),
    z.strictObject({ vec: typeSchema }),
    z.strictObject({ array: z.tuple([typeSchema, z.int().min(0).max(65_536)]) }),
    z.strictObject({ defined: name }),
    z
      .strictObject({ defined: z.strictObject({ name }) })
      .transform(({ defined }) => ({ defined: defined.name })),
    z.looseObject({}).transform(() => unknownType),
  ]),
);
const field = z.object({ name, type: typeSchema });
const fields = z.union([z.array(field), z.array(typeSchema)], {
  error: 'must be fields with names and types, or types',
});

const seed = z.union([
  z.object({ kind: z.literal('const'), value: z.unknown(), type: z.unknown().optional() }),
  z.object({ kind: z.enum(['arg', 'account']), path: name }),
  z.looseObject({}),
]);
const pda = z.object({ seeds: z.array(seed), program: seed.optional(), programId: seed.optional() });

/** The bytes of a constant: listed, or, in older IDLs, a value with its type. */
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

/** Undefined where the address cannot be derived by what the caller says: then the caller names it. */
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
  .object({ name, accounts: z.array(oneAccount) })
  .transform((given) =>
    given.accounts.map((account) => ({ ...account, name: `${given.name}.${account.name}` })),
  );
const accounts = z
  .array(z.union([group, oneAccount.transform((account) => [account])]))
  .transform((lists) => dropUnderivable(lists.flat()));

/** Seeds out of the data of accounts are not known before the ledger is asked: such addresses are named by the caller. */
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
    discriminator: bytes.min(1).optional(),
    accounts,
    args: z.array(field),
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

/** As Anchor makes it where an IDL does not say it, out of the name in Rust. */
function discriminatorOf(instructionName: string): number[] {
  const inRust = instructionName.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
  return firstBytes(`global:${inRust}`);
}

function firstBytes(text: string): number[] {
  return [...createHash('sha256').update(text).digest().subarray(0, 8)];
}

/** Older IDLs say the fields; newer ones have a type of the event's name. */
const event = z.object({ name, discriminator: bytes.min(1).optional(), fields: fields.optional() }).transform(
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
      variants: z
        .array(z.object({ name, fields: fields.default([]) }))
        .min(1)
        .max(256),
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
    // Laid out otherwise, or with parameters of its own.
    type:
      generics.length > 0 || serialization !== 'borsh'
        ? ({ kind: 'alias', alias: unknownType } as const)
        : given.type,
  }));

const address = z.string().refine(isAddressText, { error: 'must be an address' });
const errors = z.array(
  z.object({ code: z.int().min(0).max(4_294_967_295), name, msg: z.string().max(2_000).optional() }),
);

/** An Anchor IDL in the form of Anchor 0.30, without what calls do not need. */
export interface AnchorIdl {
  address?: string;
  metadata: { name: string };
  instructions: IdlInstruction[];
  types: { name: string; type: IdlDefinition }[];
  errors: { code: number; name: string; msg?: string | undefined }[];
  events: IdlEvent[];
}

/** Reads either form. */
export const idlSchema: z.ZodType<AnchorIdl> = z
  .object({
    address: address.optional(),
    metadata: z.object({ name: name.optional(), address: address.optional() }).default({}),
    name: name.optional(),
    instructions: z.array(instruction),
    types: z.array(namedDefinition).default([]),
    errors: errors.default([]),
    events: z.array(event).default([]),
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
