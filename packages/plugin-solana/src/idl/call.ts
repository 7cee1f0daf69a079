import { adapterError, type Phase } from '@ledger-ops/adapter';
import { invalid } from '../invalid.ts';
import type { AccountJson, InstructionJson } from '../native.ts';
import { resolveAccounts } from './accounts.ts';
import { encodeText, longestArguments } from './borsh.ts';
import { givenAccounts, signatureOf, typeText } from './interface.ts';
import type { AnchorIdl, IdlField, IdlInstruction } from './schema.ts';

/** A call to an IDL method. */
export interface IdlCall {
  wallet: string;
  /** Addresses that can sign, including the wallet. */
  signing: ReadonlySet<string>;
  program: string;
  idl: AnchorIdl;
  method: { name: string; args: readonly string[] };
  /** Accounts by name. They override the derived accounts. */
  named: Readonly<Record<string, string>>;
  /** Additional accounts, which follow the instruction's accounts. */
  remaining: readonly AccountJson[];
}

/**
 * Returns the instructions of a call: first instructions that create token accounts, then the call itself.
 * @throws AdapterError `unknown-method`, or `invalid-argument` at `/args/<index>` or in `/native`
 */
export async function instructionsOf(call: IdlCall, phase: Phase): Promise<InstructionJson[]> {
  const { wallet, signing, program, idl, method, named, remaining } = call;
  const instruction = idl.instructions.find(
    (one) => one.name === method.name || signatureOf(one) === method.name,
  );
  if (instruction === undefined) {
    const names = idl.instructions.map(({ name }) => name).slice(0, 50);
    const detail = `The program has no instruction ${method.name.slice(0, 200)}; its instructions are ${names.join(', ')}.`;
    throw adapterError('unknown-method', detail, { phase });
  }
  const count = givenAccounts(instruction).length;
  const { args } = instruction;
  const needed = count + args.length;
  if (method.args.length !== needed) {
    const detail = `must contain ${needed} ${needed === 1 ? 'argument' : 'arguments'} for ${described(instruction)}, but contains ${method.args.length}`;
    throw invalid(phase, '/args', detail);
  }
  const length = method.args.reduce((sum, text) => sum + text.length, 0);
  if (length > longestArguments) {
    const detail = `have ${length} characters in total, but a transaction can carry at most ${longestArguments}`;
    throw invalid(phase, '/args', detail);
  }
  const encoded = args.map(({ name, type }, index) => {
    const place = count + index;
    return {
      name,
      type,
      bytes: encodeText(type, method.args[place] ?? '', idl.types, phase, `/args/${place}`),
    };
  });
  const { accounts, before } = await resolveAccounts({
    ...{ wallet, signing, program, instruction, named, phase },
    texts: method.args.slice(0, count),
    seedOfArgument: (path) => seedOf(encoded.find(({ name }) => name === path)),
  });
  const data = Buffer.concat([
    Uint8Array.from(instruction.discriminator),
    ...encoded.map(({ bytes }) => bytes),
  ]);
  return [...before, { program, accounts: [...accounts, ...remaining], data: data.toString('base64') }];
}

/**
 * Returns an argument as a seed, in which strings and bytes have no length prefix. Undefined if programs encode the
 * argument in another way.
 */
function seedOf(argument: (IdlField & { bytes: Uint8Array }) | undefined): Uint8Array | undefined {
  if (argument === undefined) return undefined;
  const { type, bytes } = argument;
  if (type === 'string' || type === 'bytes') return bytes.subarray(4);
  if (typeof type === 'string') return bytes;
  if ('array' in type && type.array[0] === 'u8') return bytes;
  return 'vec' in type && type.vec === 'u8' ? bytes.subarray(4) : undefined;
}

function described(instruction: IdlInstruction): string {
  const parts = [
    ...givenAccounts(instruction).map(({ name }) => name),
    ...instruction.args.map(({ name, type }) => `${name}: ${typeText(type)}`),
  ];
  return `${instruction.name}(${parts.join(', ')})`;
}
